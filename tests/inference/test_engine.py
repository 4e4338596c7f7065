"""The loop over observations: windows, restarts, records, and the same result in any batching."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftlaw._validate import Array
from driftlaw.geometry import ball_prior, gaussian_prior
from driftlaw.inference import SAMPLERS, Plan, SamplerState, Target, move_names
from driftlaw.inference.chain import LOG_STEP
from driftlaw.inference.engine import History
from tests import naive
from tests.referee import SIX, new_state, place, sizes, target, window_points

BALL = ball_prior(2, 4.0)
N = 23  # more than the arrays hold at first


def _state(sampler: str, seed: int = 0, **changes: int) -> SamplerState:
    shape = sizes(2, 3, n_kept=30, n_configurations=6, n_burn=10, sampler=sampler, **changes)
    state = SamplerState(shape, np.random.default_rng(seed))
    state.sample(target(BALL, 3, 0.1, 0.0))
    return state


def _batch(n: int = N) -> Array:
    return np.random.default_rng(1).normal(size=(n, 2))


def _plan(n: int = N, restarts: tuple[int, ...] = ()) -> Plan:
    flags = np.zeros(n, dtype=np.int64)
    flags[list(restarts)] = 1
    return Plan(np.full(n, 0.2), flags)


def _advance(state: SamplerState, batch: Array, plan: Plan) -> History:
    return state.advance(batch, plan, target(BALL, 3, 0.1, 0.0))


def _check_records(state: SamplerState) -> None:
    points, records = window_points(state.window), state.records
    for c in range(state.sizes.n_chains):
        for m, k in enumerate(records.k[c]):
            centers = records.centers[c, m, :k]
            assert (np.linalg.norm(centers, axis=1) <= 4.0).all()
            assert records.loss[c, m] == pytest.approx(naive.loss(points, centers), abs=1e-12)
            np.testing.assert_array_equal(
                records.counts[c, m, :k], naive.occupancy(points, centers)
            )
            assert not records.counts[c, m, k:].any()
        assert (records.trace_k[c, 4::5] == records.k[c]).all()  # evenly spaced, the last included
        assert (records.trace_loss[c, 4::5] == records.loss[c]).all()


@pytest.mark.parametrize("sampler", SAMPLERS)
class TestEverySampler:
    def test_records_hold_what_they_say(self, sampler: str) -> None:
        state = _state(sampler, n_chains=2)
        _check_records(state)
        for z in _batch():
            _advance(state, z[None], _plan(1))
            _check_records(state)

    def test_one_batch_equals_many(self, sampler: str) -> None:
        batch, plan = _batch(), _plan(restarts=(7, 15))
        whole, parts = _state(sampler), _state(sampler)
        history = _advance(whole, batch, plan)
        pieces = [
            _advance(parts, batch[a:b], Plan(plan.rates[a:b], plan.restarts[a:b]))
            for a, b in ((0, 1), (1, 9), (9, 9), (9, N))
        ]
        for name in History._fields:
            axis = 0 if name in ("n_window", "outside") else 1  # else the chain comes first
            joined = np.concatenate([getattr(piece, name) for piece in pieces], axis=axis)
            np.testing.assert_array_equal(getattr(history, name), joined)
        for name, array in whole.arrays().items():
            np.testing.assert_array_equal(array, parts.arrays()[name], err_msg=name)

    def test_seeds_decide(self, sampler: str) -> None:
        states = [_state(sampler, seed) for seed in (0, 0, 1)]
        traces = []
        for state in states:
            _advance(state, _batch(), _plan())
            traces.append(state.records.trace_loss.copy())
        np.testing.assert_array_equal(traces[0], traces[1])
        assert (traces[0] != traces[2]).any()

    def test_chains_differ(self, sampler: str) -> None:
        state = _state(sampler, n_chains=3)
        _advance(state, _batch(), _plan())
        assert len({trace.tobytes() for trace in state.records.trace_loss}) == 3

    def test_history(self, sampler: str) -> None:
        state, batch = _state(sampler, n_chains=2), _batch()
        batch[4] = 5.0  # outside the ball
        history = _advance(state, batch, _plan(restarts=(7,)))
        assert history.n_window.tolist() == [*range(1, 8), 0, *range(1, N - 7)]
        assert np.flatnonzero(history.outside).tolist() == [4]
        assert history.mean_k[:, -1] == pytest.approx(state.records.k.mean(axis=1))
        assert history.mean_loss[:, -1] == pytest.approx(state.records.loss.mean(axis=1))
        assert history.tally.shape == (2, N, len(move_names(sampler)), 2)
        proposed, accepted = history.tally.sum(axis=(0, 2)).T
        assert proposed.tolist() == [0 if i == 7 else 80 for i in range(N)]
        assert (accepted <= proposed).all()
        assert accepted.sum() > 0

    def test_restoring_resumes_bit_for_bit(self, sampler: str) -> None:
        first, second = _state(sampler, 0, n_chains=2), _state(sampler, 9, n_chains=2)
        _advance(first, _batch(), _plan(restarts=(3,)))
        second.restore({name: array.copy() for name, array in first.arrays().items()})
        for state in (first, second):
            _advance(state, _batch(), _plan())
        for name, array in first.arrays().items():
            np.testing.assert_array_equal(array, second.arrays()[name], err_msg=name)

    def test_only_shapes_of_its_own_are_restored(self, sampler: str) -> None:
        state = _state(sampler)
        saved = dict(state.arrays())
        saved["record_k"] = np.ones((1, 5), dtype=np.int64)
        with pytest.raises(ValueError, match=r"record_k must be int64\(1, 6\), got int64\(1, 5\)"):
            state.restore(saved)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_threads_change_nothing(sampler: str) -> None:
    states = [_state(sampler, n_chains=3) for _ in range(3)]
    batch, plan, now = _batch(), _plan(restarts=(9,)), target(BALL, 3, 0.1, 0.0)
    runs = [state.advance(batch, plan, now, n) for n, state in enumerate(states, 1)]
    for state, history in zip(states[1:], runs[1:], strict=True):
        for name in History._fields:
            np.testing.assert_array_equal(getattr(history, name), getattr(runs[0], name))
        for name, array in states[0].arrays().items():
            np.testing.assert_array_equal(array, state.arrays()[name], err_msg=name)


@pytest.mark.parametrize("restart", [0, 1])
def test_means_of_the_paper_know_the_segment_and_nothing_else(restart: int) -> None:
    state, batch = _state("paper", n_chains=2), _batch(60)
    rates, restarts = np.full(60, 0.2), np.zeros(60, dtype=np.int64)
    restarts[20], rates[20:58] = restart, 0.0  # at rate 0 nobody asks for means
    _advance(state, batch, Plan(rates, restarts))
    means, points = state.sampler.means, window_points(state.window)
    assert len(points) == (39 if restart else 60)
    for k in (1, 2, 3):
        centers, counts = means.centers[:, k - 1, :k], means.counts[:, k - 1, :k]
        assert counts.sum(axis=1).tolist() == [len(points)] * 2
        middle = (centers * counts[..., None]).sum(axis=1) / len(points)
        np.testing.assert_allclose(middle, [points.mean(axis=0)] * 2, rtol=1e-9)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(0, 5))
def test_the_window_holds_the_observations_since_the_restart(
    restarts: list[bool], n_before: int
) -> None:
    n = len(restarts)
    state = SamplerState(sizes(2, 2, n_kept=1, n_configurations=1), np.random.default_rng(0))
    batch = np.random.default_rng(n).normal(size=(n_before + n, 2))
    flags = np.concatenate([np.zeros(n_before), restarts]).astype(np.int64)
    for a, b in ((0, n_before), (n_before, n_before + n)):
        plan = Plan(np.zeros(b - a), flags[a:b])
        history = state.advance(batch[a:b], plan, target(BALL, 2, 0.1, 0.0))
        assert history.n_window.max(initial=0) <= state.window.points.shape[1]
    since = n_before + n - (np.flatnonzero(flags).max(initial=-1) + 1)
    assert state.n_window == since
    np.testing.assert_array_equal(window_points(state.window), batch[n_before + n - since :])


def test_a_restarted_window_stops_growing() -> None:
    state = _state("local")
    held = set()
    for _ in range(20):
        _advance(state, _batch(40), _plan(40, restarts=(9, 19, 29, 39)))
        window = state.window
        arrays = *window, *state.chains
        held.add(sum(array.nbytes for array in arrays))
    assert len(held) == 1
    assert state.window.points.shape[1] == 16


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_rate_zero_takes_independent_draws(sampler: str) -> None:
    state = new_state(sizes(1, 3, sampler=sampler, n_kept=4000), SIX, seed=2)
    state.sample(target(ball_prior(1, 4.0), 3, 0.5, 0.0))
    trace = state.records.trace_loss[0]
    assert not state.records.tally.any()
    lagged = np.corrcoef(trace[1:], trace[:-1])[0, 1]
    assert abs(lagged) < 3.3 / math.sqrt(len(trace))  # of independent draws: level 1e-3


def test_without_burn_in_nothing_adapts_and_with_it_only_then() -> None:
    draws = naive.Draws(np.ones(1, dtype=np.int64), np.zeros((1, 3, 1)))
    now = target(ball_prior(1, 4.0), 3, 0.1, 0.5)
    steps = []
    for n_burn, n_kept in ((0, 500), (100, 1), (100, 500)):
        state = new_state(sizes(1, 3, n_burn=n_burn, n_kept=n_kept, n_configurations=1), SIX, 3)
        before = state.chains.numbers[0, LOG_STEP]
        place(state, now, draws)
        state.sample(now)
        steps.append(state.chains.numbers[0, LOG_STEP] - before)
    assert steps[0] == 0.0
    assert steps[1] == steps[2] != 0.0


def test_adaptation_leads_to_the_wanted_acceptance() -> None:
    now = target(ball_prior(1, 4.0), 1, 0.1, 0.5)
    state = new_state(sizes(1, 1, n_burn=5000, n_kept=20_000), SIX, 4)
    state.chains.numbers[0, LOG_STEP] += 3.0
    place(state, now, naive.Draws(np.ones(1, dtype=np.int64), np.zeros((1, 1, 1))))
    state.sample(now)
    moves = np.diff(state.records.trace_loss[0]) != 0.0
    walks, jumps = state.records.tally[0, 0], state.records.tally[0, 1]
    assert walks.sum() > 0
    assert walks[1] / walks[0] == pytest.approx(0.35, abs=0.05)
    assert jumps[1] > 0
    assert moves.mean() > 0.1


def test_a_prior_without_bounds_has_no_outside() -> None:
    state = SamplerState(sizes(1, 2, n_kept=10), np.random.default_rng(0))
    now = Target(0.0, target(BALL, 2, 0.1, 0.0).log_counts, gaussian_prior(1, 1.0))
    state.sample(now)
    history = state.advance(np.array([[50.0], [0.0]]), Plan(np.ones(2), np.zeros(2, np.int64)), now)
    assert not history.outside.any()
