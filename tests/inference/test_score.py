"""The incremental score: after any path of moves the caches are what a naive loop computes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftlaw._validate import Array
from driftlaw.geometry import BallPrior, ball_prior, log_count_prior
from driftlaw.inference import Target
from driftlaw.inference.chain import LOG_LOCATION, LOSS, Chain
from driftlaw.inference.local import local_step
from driftlaw.inference.moves import BIRTH, DEATH, JUMP, WALK, Arrival
from driftlaw.inference.rjmcmc import log_target
from driftlaw.inference.rows import squared_distances_inplace
from driftlaw.inference.score import (
    append_inplace,
    occupancy_inplace,
    rescore_inplace,
    score_adding,
    score_removing,
    score_replacing,
)
from driftlaw.inference.window import Window
from tests import naive
from tests.referee import chain_at, new_state, sizes, window_points

CAPACITY = 16
APPEND = 4
SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 7), st.integers(1, 8))  # dim, p, points


def _scene(dim: int, max_centers: int, n: int, seed: int) -> tuple[Window, Chain, Target]:
    """Return a scored chain at a random configuration, and a target it can move under."""
    rng = np.random.default_rng(seed)
    state = new_state(sizes(dim, max_centers), rng.normal(size=(n, dim)), seed)
    chain, prior = chain_at(state, 0), ball_prior(dim, 4.0)
    chain.k[0] = rng.integers(1, max_centers + 1)
    chain.centers[:] = rng.normal(size=(max_centers, dim)) / np.sqrt(dim)
    chain.numbers[LOG_LOCATION] = -prior.log_volume * chain.k[0]
    rescore_inplace(state.window, chain)
    return state.window, chain, Target(0.3, log_count_prior(max_centers, 0.2), prior)


def _check_caches(window: Window, chain: Chain, prior: BallPrior) -> None:
    points, centers = window_points(window), chain.centers[: chain.k[0]]
    n, k = len(points), len(centers)
    gaps = np.array([[np.sum((x - c) ** 2) for x in points] for c in centers])
    np.testing.assert_allclose(chain.distances[:k, :n], gaps, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(chain.nearest[:n], chain.distances[:k, :n].min(axis=0))
    assert chain.numbers[LOSS] == pytest.approx(naive.loss(points, centers), rel=1e-12)
    assert chain.numbers[LOG_LOCATION] == pytest.approx(-k * prior.log_volume, abs=1e-9)
    counts = np.empty(len(chain.centers))
    occupancy_inplace(window, chain, counts)
    np.testing.assert_array_equal(counts[:k], naive.occupancy(points, centers))
    assert not counts[k:].any()


def _admissible(move: int, chain: Chain) -> bool:
    k, top = chain.k[0], len(chain.centers)
    return (move != BIRTH or k < top) and (move != DEATH or k > 1)


@settings(max_examples=60, deadline=None)
@given(
    SHAPES,
    st.integers(0, 2**32),
    st.lists(st.sampled_from([WALK, JUMP, BIRTH, DEATH, APPEND]), min_size=1, max_size=40),
)
def test_caches_after_any_path(shape: tuple[int, int, int], seed: int, path: list[int]) -> None:
    window, chain, target = _scene(*shape, seed)
    rng = np.random.default_rng(seed)
    for move in path:
        n = window.n[0]
        if move == APPEND and n < CAPACITY:
            window.points[:, n] = rng.normal(size=shape[0])
            window.n[0] += 1
            append_inplace(window, chain)
        elif move != APPEND and _admissible(move, chain):
            arrival = Arrival(target.prior, window.points, window.n[0], 1.0)
            local_step(window, chain, target, arrival, move)
        _check_caches(window, chain, target.prior)


@settings(max_examples=60, deadline=None)
@given(SHAPES, st.integers(0, 2**32))
def test_scores_of_proposals(shape: tuple[int, int, int], seed: int) -> None:
    window, chain, _ = _scene(*shape, seed)
    points, centers = window_points(window), chain.centers[: chain.k[0]].copy()
    new = np.random.default_rng(seed).normal(size=shape[0])
    chain.trial_center[:] = new
    n, k = len(points), len(centers)

    def check(found: float, changed: Array) -> None:
        assert found == pytest.approx(naive.loss(points, changed), rel=1e-12)
        assert chain.trial_nearest[:n].sum() == pytest.approx(found, rel=1e-12)

    check(score_adding(window, chain), np.vstack([centers, new]))
    for slot in range(k):
        replaced = centers.copy()
        replaced[slot] = new
        check(score_replacing(window, chain, slot), replaced)
        if k > 1:
            check(score_removing(window, chain, slot), np.delete(centers, slot, axis=0))
    _check_caches(window, chain, ball_prior(shape[0], 4.0))  # a proposal alone changes nothing


@pytest.mark.parametrize("dim", range(1, 8))
def test_squared_distances(dim: int) -> None:
    rng = np.random.default_rng(dim)
    points, center, out = rng.normal(size=(dim, 9)), rng.normal(size=dim), np.full(9, 7.0)
    squared_distances_inplace(points, 6, center, out)
    np.testing.assert_allclose(out[:6], ((points.T[:6] - center) ** 2).sum(axis=1), rtol=1e-13)
    assert (out[6:] == 7.0).all()


@settings(max_examples=40, deadline=None)
@given(SHAPES, st.integers(0, 2**32))
def test_relabelling_changes_neither_score_nor_target(
    shape: tuple[int, int, int], seed: int
) -> None:
    window, chain, target = _scene(*shape, seed)

    def value() -> float:
        rescore_inplace(window, chain)
        return log_target(target, chain.k[0], chain.numbers[LOSS], chain.numbers[LOG_LOCATION])

    k, before, counts, after = chain.k[0], value(), np.empty(shape[1]), np.empty(shape[1])
    nearest = chain.nearest.copy()
    occupancy_inplace(window, chain, counts)
    order = np.random.default_rng(seed + 1).permutation(k)
    chain.centers[:k] = chain.centers[order]
    assert value() == before
    np.testing.assert_array_equal(chain.nearest, nearest)
    occupancy_inplace(window, chain, after)
    np.testing.assert_array_equal(after[:k], counts[order])


def test_log_target_by_hand() -> None:
    # q(2) = 1/(1 + e), two centres on an interval of length 4, loss 3 at rate 0.5
    target = Target(0.5, log_count_prior(2, 1.0), ball_prior(1, 2.0))
    expected = -np.log1p(np.e) - 2 * np.log(4.0) - 1.5
    assert log_target(target, 2, 3.0, -2 * np.log(4.0)) == pytest.approx(expected)


def test_a_point_between_two_centres_counts_for_both() -> None:
    state = new_state(sizes(1, 2), np.array([[0.0], [1.0]]), 0)
    chain, counts = chain_at(state, 0), np.empty(2)
    chain.k[0], chain.centers[:, 0] = 2, [-1.0, 1.0]
    rescore_inplace(state.window, chain)
    occupancy_inplace(state.window, chain, counts)
    assert counts.tolist() == [1.0, 2.0]
