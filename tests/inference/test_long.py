"""Long windows: trees and a summary in place of columns, from a small size on."""

import numpy as np
import pytest

from driftlaw._validate import Array
from driftlaw.geometry import ball_prior
from driftlaw.inference import Plan, SamplerState
from driftlaw.inference.chain import BLOCK
from driftlaw.inference.decisions import longest_block
from driftlaw.inference.engine import History
from driftlaw.inference.score import refill_inplace
from driftlaw.inference.tree import LEAF
from tests import naive
from tests.referee import chain_at, sizes, target

BALL = ball_prior(2, 6.0)
AT, N = LEAF + 70, 3 * LEAF + 40


def _state(seed: int = 0) -> SamplerState:
    shape = sizes(2, 3, n_kept=30, n_configurations=6, n_burn=10, n_chains=2, long_at=AT)
    state = SamplerState(shape, np.random.default_rng(seed))
    state.sample(target(BALL, 3, 0.1, 0.0))
    return state


def _batch(n: int = N) -> Array:
    rng = np.random.default_rng(1)
    return rng.normal(np.where(rng.random((n, 1)) < 0.5, -2.0, 2.0), 1.0, (n, 2))


def _advance(state: SamplerState, batch: Array, restarts: tuple[int, ...] = ()) -> History:
    flags = np.zeros(len(batch), dtype=np.int64)
    flags[list(restarts)] = 1
    plan = Plan(np.full(len(batch), 0.02), flags)
    return state.advance(batch, plan, target(BALL, 3, 0.1, 0.0))


def _same(first: SamplerState, second: SamplerState) -> None:
    for name, array in first.arrays().items():
        np.testing.assert_array_equal(array, second.arrays()[name], err_msg=name)


def test_records_hold_what_they_say() -> None:
    state, batch = _state(), _batch()
    history = _advance(state, batch)
    assert history.n_window.tolist() == list(range(1, N + 1))
    assert state.n_window == N
    columns = int(state.window.n[0])
    assert columns < min(N, state.sizes.n_front + LEAF)
    assert state.window.weights[:columns].sum() == N
    assert state.window.points[:, :columns] @ state.window.weights[:columns] == pytest.approx(
        batch.sum(axis=0)
    )
    records = state.records
    assert history.tally[:, AT:, :, 1].sum() > 0
    for c in range(2):
        for m, k in enumerate(records.k[c]):
            centers = records.centers[c, m, :k]
            assert records.loss[c, m] == pytest.approx(naive.loss(batch, centers), rel=1e-11)
            np.testing.assert_array_equal(records.counts[c, m, :k], naive.occupancy(batch, centers))


def test_blocks_go_back_whole_and_adapt() -> None:
    state, batch = _state(), _batch()
    _advance(state, batch)
    trace, n, was = state.records.trace_loss, int(state.window.n[0]), []
    for _ in range(60):
        for numbers, chain in zip(state.chains.numbers, range(2), strict=True):
            length = int(np.ceil(numbers[BLOCK]))
            was.append(length)
            assert 1 <= length <= longest_block(2)
            starts = np.arange(0, 30, length)
            assert (np.flatnonzero(np.diff(trace[chain])) + 1 == starts[1:, None]).any(0).all()
        before = state.chains.nearest[:, :n].copy()
        for c in range(2):
            refill_inplace(state.window, chain_at(state, c))
        np.testing.assert_allclose(state.chains.nearest[:, :n], before, rtol=1e-12)
        state.sample(target(BALL, 3, 0.1, 1.0))  # so high a rate that summaries mislead
    assert min(was) < 8
    assert max(was) > 25


def test_in_space_a_summary_keeps_the_second_moment() -> None:
    prior, dim = ball_prior(5, 9.0), 5
    shape = sizes(dim, 3, n_kept=30, n_configurations=6, n_burn=10, n_chains=2, long_at=AT)
    state = SamplerState(shape, np.random.default_rng(0))
    state.sample(target(prior, 3, 0.1, 0.0))
    batch = np.random.default_rng(2).normal(size=(N, dim)) * np.arange(1.0, 6.0) / 2.0
    plan = Plan(np.full(N, 0.02), np.zeros(N, dtype=np.int64))
    state.advance(batch, plan, target(prior, 3, 0.1, 0.0))
    n = int(state.window.n[0])
    assert n < N / 2
    points, weights = state.window.points[:, :n], state.window.weights[:n]
    assert weights.sum() == N
    assert points @ weights == pytest.approx(batch.sum(axis=0))
    assert (points**2 @ weights).sum() == pytest.approx((batch**2).sum())
    for c in range(2):
        for m, k in enumerate(state.records.k[c]):
            loss = naive.loss(batch, state.records.centers[c, m, :k])
            assert state.records.loss[c, m] == pytest.approx(loss, rel=1e-11)


def test_one_batch_equals_many() -> None:
    batch, whole, parts = _batch(), _state(), _state()
    _advance(whole, batch)
    for a, b in ((0, AT - 1), (AT - 1, AT), (AT, 2 * LEAF), (2 * LEAF, N)):
        _advance(parts, batch[a:b])
    _same(whole, parts)


def test_restoring_resumes_bit_for_bit() -> None:
    first, second = _state(), _state(9)
    _advance(first, _batch())
    second.restore({name: array.copy() for name, array in first.arrays().items()})
    _same(first, second)
    for state in (first, second):
        _advance(state, _batch(LEAF + 9))
    _same(first, second)


def test_a_restart_makes_it_short_again() -> None:
    state, batch = _state(), _batch()
    _advance(state, batch, restarts=(N - 20,))
    assert state.n_window == 19
    np.testing.assert_array_equal(state.window.points[:, :19].T, batch[N - 19 :])
    assert (state.window.weights == 1.0).all()


def test_counts_that_cannot_be_are_refused() -> None:
    state = _state()
    _advance(state, _batch())
    saved = dict(state.arrays())
    saved["window_n"] = np.array([AT - 1])
    with pytest.raises(ValueError, match="window_n must fit"):
        _state().restore(saved)
