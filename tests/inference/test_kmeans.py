"""k-means of the paper's proposal, against scikit-learn and by hand."""

import warnings

import numpy as np
import pytest

from driftlaw._validate import Array
from driftlaw.inference.kmeans import Means, follow_inplace, lloyd_inplace, seed_inplace
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


class _Oracle:
    """MacQueen's k-means from given means on, fitted again when its loss has grown by a tenth."""

    def __init__(self, points: Array, means: Array) -> None:
        self.means, self.n_fits = means.copy(), 0
        self._fit(points)

    def learn(self, points: Array) -> None:
        """Learn the last of all points so far."""
        j = self._owners(points[-1:])[0]
        self.parts[j] = np.concatenate((self.parts[j], points[-1:]))
        self.means[j] = self.parts[j].mean(axis=0)
        if self._within() > 1.1 * self.fitted:
            self._fit(points)

    def _owners(self, points: Array) -> Array:
        return np.asarray(((points[:, None] - self.means) ** 2).sum(axis=-1).argmin(axis=1))

    def _within(self) -> float:
        """Sum of squares around the means, of the observations that joined each."""
        return sum(float(((p - m) ** 2).sum()) for p, m in zip(self.parts, self.means, strict=True))

    def _fit(self, points: Array) -> None:
        self.n_fits += 1
        for _ in range(10):
            owners = self._owners(points)
            self.parts = [points[owners == j] for j in range(len(self.means))]
            self.fitted = self._within()
            for j, part in enumerate(self.parts):
                if len(part):
                    self.means[j] = part.mean(axis=0)


class _Follower:
    """Means of up to three clusters that are told of the first n of ``points``."""

    def __init__(self, points: Array) -> None:
        dim = points.shape[1]
        self.window, self.random = _window(points), random_state(0)
        self.means = Means(np.zeros((3, 3, dim)), np.zeros((3, 3)), np.zeros(3))
        self._scratch = np.zeros((2, len(points))), np.zeros((3, dim + 1))

    def follow(self, n: int) -> None:
        self.window.n[0] = n
        follow_inplace(self.window, self.random, self.means, *self._scratch)


def _stream(dim: int, speed: float, n: int = 150) -> Array:
    rng = np.random.default_rng(dim)
    points = rng.normal(size=(n, dim)) + rng.choice([-2.0, 2.0], size=(n, 1))
    return np.asarray(points + speed * np.arange(n)[:, None])


@pytest.mark.parametrize("dim", [1, 2, 3])
@pytest.mark.parametrize("speed", [0.0, 0.05])
def test_means_follow_as_macqueen_and_lloyd_say(dim: int, speed: float) -> None:
    points = _stream(dim, speed)
    ours = _Follower(points)
    for n in range(1, 10):  # young: three observations for each mean
        ours.follow(n)
    oracles = [_Oracle(points[:9], ours.means.centers[k - 1, :k]) for k in (1, 2, 3)]
    for n in range(10, len(points) + 1):
        ours.follow(n)
        for k, oracle in enumerate(oracles, start=1):
            oracle.learn(points[:n])
            np.testing.assert_allclose(ours.means.centers[k - 1, :k], oracle.means, rtol=1e-9)
            counts = [len(part) for part in oracle.parts]
            np.testing.assert_array_equal(ours.means.counts[k - 1, :k], counts)
    assert all(10 < oracle.n_fits < 60 for oracle in oracles)


def test_the_loss_stays_within_a_tenth_of_that_at_the_last_fit() -> None:
    points = np.concatenate((_stream(2, 0.0), _stream(2, 0.2) + 20.0))  # a jump, and a drift
    ours, fitted = _Follower(points), np.zeros(3)
    for n in range(1, len(points) + 1):
        before = ours.means.budgets.copy()
        ours.follow(n)
        for k in (1, 2, 3):
            loss = naive.loss(points[:n], ours.means.centers[k - 1, :k])
            budget = ours.means.budgets[k - 1]
            if n <= 9 or budget > before[k - 1]:
                fitted[k - 1] = budget / 0.1
            assert budget >= 0.0
            assert loss <= 1.1 * fitted[k - 1] * (1.0 + 1e-9)


def test_a_young_segment_is_fitted_anew() -> None:
    points = np.random.default_rng(0).normal(size=(9, 2))
    ours, random = _Follower(points), random_state(0)
    for n in range(1, 10):
        ours.follow(n)
        for k in (1, 2, 3):
            means, window = np.zeros((k, 2)), _window(points[:n])
            seed_inplace(window, random, means, np.zeros((2, n)))
            lloyd_inplace(window, means, np.zeros((k, 3)))
            np.testing.assert_array_equal(ours.means.centers[k - 1, :k], means)
            np.testing.assert_array_equal(
                ours.means.counts[k - 1, :k], naive.occupancy(points[:n], means)
            )


def test_without_observations_nothing_changes_and_many_may_come_at_once() -> None:
    points = _stream(2, 0.0)
    ours = _Follower(points)
    for n in range(1, 13):
        ours.follow(n)
    before = [array.copy() for array in ours.means]
    ours.follow(12)
    for array, same in zip(ours.means, before, strict=True):
        np.testing.assert_array_equal(array, same)
    ours.follow(150)
    for k in (1, 2, 3):
        means = ours.means.centers[k - 1, :k]
        assert ours.means.counts[k - 1, :k].sum() == 150
        fitted = ours.means.budgets[k - 1] / 0.1  # at the end: they have used up nothing yet
        assert naive.loss(points, means) <= fitted * (1.0 + 1e-9)


def test_means_that_know_nothing_are_seeded_at_any_age() -> None:
    rng = np.random.default_rng(2)
    points = np.concatenate([rng.normal(m, 0.1, size=(20, 1)) for m in (-5.0, 0.0, 5.0)])
    ours = _Follower(points)
    ours.follow(60)
    expected = points.reshape(3, 20).mean(axis=1)
    np.testing.assert_allclose(np.sort(ours.means.centers[2, :, 0]), expected)
