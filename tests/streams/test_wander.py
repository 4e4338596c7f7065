"""Wandering paths: exact Gaussian laws at any t, asked in any order, without a memory."""

import itertools
import tracemalloc

import numpy as np
import pytest
from scipy.stats import norm

from driftlaw.errors import InputError
from driftlaw.streams import MeanReverting, RandomWalk

N_PATHS = 20_000
# Within a block, over its border, over several borders, and far away by halving.
TIMES = (0, 1, 2, 255, 256, 257, 700, 1024, 70_000, 70_001)
FALSE_ALARM = 1e-3


def assert_covariance(paths: np.ndarray, expected: np.ndarray) -> None:
    """Compare with the covariance of N_PATHS independent centred Gaussian paths."""
    found = paths.T @ paths / N_PATHS
    error = np.sqrt((np.outer(expected.diagonal(), expected.diagonal()) + expected**2) / N_PATHS)
    n_checks = len(expected) * (len(expected) + 1) / 2
    limit = norm.isf(FALSE_ALARM / n_checks / 2)
    assert (np.abs(found - expected) <= limit * error + 1e-12).all()


def test_random_walk_has_the_covariance_of_a_random_walk() -> None:
    walk = RandomWalk(np.zeros((N_PATHS, 1)), step=0.5, rng=11)
    paths = np.column_stack([walk(t)[:, 0] for t in TIMES])
    assert_covariance(paths, 0.25 * np.minimum.outer(TIMES, TIMES).astype(float))


@pytest.mark.parametrize("memory", [3.0, 400.0])
def test_mean_reverting_has_the_covariance_of_its_recursion(memory: float) -> None:
    path = MeanReverting(np.zeros((N_PATHS, 1)), spread=2.0, memory=memory, rng=5)
    paths = np.column_stack([path(t)[:, 0] for t in TIMES])
    lags = np.abs(np.subtract.outer(TIMES, TIMES))
    assert_covariance(paths, 4.0 * np.exp(-lags / memory))


def test_increments_over_a_block_border_are_those_inside() -> None:
    """Scaled steps of one long walk are independent standard normals."""
    walk = RandomWalk(np.zeros((50, 1)), step=0.1, rng=2)
    steps = np.diff([walk(t)[:, 0] for t in range(1024)], axis=0) / 0.1
    at_borders = steps[[255, 511, 767]]
    limit = norm.isf(FALSE_ALARM / 4)
    for sample in (steps, at_borders):
        n = sample.size
        assert abs(sample.mean()) < limit / np.sqrt(n)
        assert abs((sample**2).mean() - 1) < limit * np.sqrt(2 / n)


@pytest.mark.parametrize(
    "make",
    [
        lambda: RandomWalk(np.zeros((2, 3)), step=0.2, rng=1),
        lambda: MeanReverting(np.zeros((2, 3)), spread=1.0, memory=20.0, rng=1),
    ],
)
def test_order_of_questions_does_not_matter(make: object) -> None:
    assert callable(make)
    times = [0, 10**9, 3, 256, 255, 511, 10**6, 3]
    forward, shuffled = make(), make()
    values = {t: forward(t) for t in sorted(set(times))}
    assert all((shuffled(t) == values[t]).all() for t in times)


def test_seeds_make_paths_and_nothing_else_does() -> None:
    base = np.zeros((1, 2))
    assert (RandomWalk(base, 0.1, rng=1)(300) == RandomWalk(base, 0.1, rng=1)(300)).all()
    assert (RandomWalk(base, 0.1, rng=1)(300) != RandomWalk(base, 0.1, rng=2)(300)).all()
    assert (RandomWalk(base, 0.0, rng=1)(300) == 0.0).all()


def test_a_long_way_needs_no_memory() -> None:
    walk = RandomWalk(np.zeros((2, 2)), step=0.1, rng=0)
    walk(0)
    tracemalloc.start()
    try:
        for t in itertools.chain(range(0, 10_000, 256), range(0, 10**8, 3_000_017)):
            walk(t)
        current, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert current < 100_000  # one block of 256 * 4 numbers takes 8 kB


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: RandomWalk(np.zeros((1, 1)), -0.1), "step must be"),
        (lambda: MeanReverting(np.zeros((1, 1)), -1.0, 10.0), "spread must be"),
        (lambda: MeanReverting(np.zeros((1, 1)), 1.0, 0.0), "memory must be"),
        (lambda: RandomWalk(np.zeros((1, 1)), 0.1, rng=-3), "rng must be"),
    ],
)
def test_bad_arguments_are_named(make: object, word: str) -> None:
    assert callable(make)
    with pytest.raises(InputError, match=word):
        make()
