"""k-means of the paper's proposal, against scikit-learn and by hand."""

import warnings

import numpy as np
import pytest

from driftlaw._validate import Array
from driftlaw.inference.kmeans import lloyd_inplace, seed_inplace
from driftlaw.inference.window import ShortWindow
from tests import naive
from tests.referee import FALSE_ALARM, counts_pvalue, random_state


def _window(points: Array) -> ShortWindow:
    n = len(points)
    return ShortWindow(np.ascontiguousarray(points.T), np.array([n, 0, 0, n + 1]), np.ones(n))


def _fit(points: Array, k: int, seed: int) -> Array:
    window, means = _window(points), np.zeros((k, points.shape[1]))
    seed_inplace(window, random_state(seed), means, np.zeros((2, len(points))))
    lloyd_inplace(window, means, np.zeros((k, points.shape[1] + 1)))
    return means


def _sorted(means: Array) -> Array:
    return means[np.lexsort(means.T)]


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_easy_clusters_are_scikit_learns(dim: int) -> None:
    from sklearn.cluster import KMeans  # slow to load: not while tests are collected

    rng = np.random.default_rng(dim)
    middles = 20.0 * np.arange(3)[:, None] * np.ones(dim)
    points = np.concatenate([rng.normal(middle, 1.0, size=(30, dim)) for middle in middles])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what scikit-learn says of its threads
        theirs = KMeans(3, n_init=10, random_state=0).fit(points).cluster_centers_
    np.testing.assert_allclose(_sorted(_fit(points, 3, seed=dim)), _sorted(theirs), rtol=1e-9)


def test_one_mean_is_the_mean() -> None:
    points = np.random.default_rng(0).normal(size=(11, 2))
    np.testing.assert_allclose(_fit(points, 1, 0)[0], points.mean(axis=0))


def test_lloyd_never_raises_the_loss_and_stops_where_it_is_stable() -> None:
    rng = np.random.default_rng(3)
    points = rng.normal(size=(40, 2))
    means = points[:4].copy()
    losses = [naive.loss(points, means)]
    for _ in range(10):
        lloyd_inplace(_window(points), means, np.zeros((4, 3)))
        losses.append(naive.loss(points, means))
    assert losses == sorted(losses, reverse=True)
    stable = means.copy()
    lloyd_inplace(_window(points), means, np.zeros((4, 3)))
    np.testing.assert_array_equal(means, stable)


def test_a_mean_without_points_stays() -> None:
    means = np.array([[0.0], [100.0]])
    lloyd_inplace(_window(np.array([[1.0], [2.0]])), means, np.zeros((2, 2)))
    assert means.tolist() == [[1.5], [100.0]]


def test_more_means_than_points() -> None:
    points = np.array([[1.0], [4.0]])
    assert set(_fit(points, 4, seed=0)[:, 0]) == {1.0, 4.0}


def test_seeds_are_far_from_each_other_as_kmeans_plus_plus_says() -> None:
    # from 0 the others are 1 and 2 away: probabilities 1/5 and 4/5; from 1 they are 1/2 each, ...
    points, state = np.array([[0.0], [1.0], [2.0]]), random_state(5)
    means, gaps = np.zeros((2, 1)), np.zeros((2, 3))
    counts = np.zeros((3, 3))
    for _ in range(6000):
        seed_inplace(_window(points), state, means, gaps)
        counts[int(means[0, 0]), int(means[1, 0])] += 1
    expected = np.array([[0.0, 0.2, 0.8], [0.5, 0.0, 0.5], [0.8, 0.2, 0.0]]) / 3
    assert not counts[expected == 0.0].any()
    assert counts_pvalue(counts[expected > 0], expected[expected > 0]) > FALSE_ALARM
