"""Fits of the window: centers at rest, along lines and on random walks."""

import numpy as np
import pytest

from driftlaw._validate import Array, IntArray
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.plant import plant_inplace
from driftlaw.predictor.adaptive.refit import best_fit_inplace, fit_inplace
from driftlaw.predictor.adaptive.state import State
from tests.predictor.adaptive.planted import planted

_WALKS, _GOES = 2, 5  # lanes
_S = m.N_SLOTS - 1


def _on_lines(dim: int, slopes: Array, n: int = 60) -> tuple[Array, IntArray]:
    """Two groups, 20 apart, each with a slope of its own along every axis; one stray."""
    labels = np.arange(n) % 2
    labels[n // 2] = -1
    points = np.random.default_rng(3).normal(size=(n, dim))
    points += 20.0 * labels[:, None] + slopes[labels] * np.arange(n)[:, None]
    return points, labels


def _state(points: Array) -> State:
    return planted(points, 1)


class TestPlanting:
    @pytest.mark.parametrize("dim", [1, 3])
    def test_centers_follow_the_lines_of_their_groups(self, dim: int) -> None:
        slopes = np.random.default_rng(1).normal(0.0, 0.2, (2, dim))
        points, labels = _on_lines(dim, slopes)
        x = _state(points).store
        plant_inplace(x, _S, points, labels, _GOES, len(points) - 1, True)
        left = []
        for j in range(2):
            times = np.flatnonzero(labels == j)
            mine, middle = points[times], times.mean()
            squares = ((times - middle) ** 2).sum() + 1.0 / m.SPEED[_GOES]
            slope = (times - middle) @ (mine - mine.mean(axis=0)) / squares
            begin = mine.mean(axis=0) - middle * slope
            np.testing.assert_allclose(x.velocity[_S, j], slope, rtol=1e-10)
            np.testing.assert_allclose(x.mean[_S, j], begin, rtol=1e-10)
            np.testing.assert_allclose(slope, slopes[j], atol=0.03)
            left.append(mine - begin - times[:, None] * slope)
        gaps = np.concatenate(left)
        np.testing.assert_allclose(x.shape[_S, 0], gaps.T @ gaps / (len(gaps) - 4), rtol=1e-10)

    def test_a_walk_starts_at_the_first_point_with_the_kernel_of_its_steps(self) -> None:
        rng, walk = np.random.default_rng(4), m.WALK[_WALKS]
        levels = np.cumsum(rng.normal(0.0, np.sqrt(walk), (400, 2)), axis=0)
        points = levels + rng.normal(size=(400, 2))
        labels = np.arange(400) // 2 % 2
        points += 50.0 * labels[:, None]
        x = _state(points).store
        plant_inplace(x, _S, points, labels, _WALKS, 399, True)
        np.testing.assert_array_equal(x.mean[_S, :2], points[[0, 2]])
        assert not x.velocity[_S, :2].any()
        np.testing.assert_allclose(x.shape[_S, 1], np.eye(2), atol=0.25)  # scatter of all: 3
        steps = [np.diff(points[labels == j], axis=0) for j in range(2)]
        spans = [2.0 + walk * np.diff(np.flatnonzero(labels == j)) for j in range(2)]
        squares = sum((a / s[:, None]).T @ a for a, s in zip(steps, spans, strict=True))
        np.testing.assert_allclose(x.shape[_S, 1], squares / 398, rtol=1e-10)

    def test_at_rest_they_stand_at_the_means(self) -> None:
        points, labels = _on_lines(2, np.zeros((2, 2)))
        x = _state(points).store
        plant_inplace(x, _S, points, labels, _GOES, len(points) - 1, False)
        assert not x.velocity[_S, :2].any()
        gaps = [points[labels == j] - points[labels == j].mean(axis=0) for j in range(2)]
        squares = sum(a.T @ a for a in gaps)
        np.testing.assert_allclose(x.shape[_S, 0], squares / (sum(map(len, gaps)) - 2), rtol=1e-10)
        for j in range(2):
            np.testing.assert_allclose(x.mean[_S, j], points[labels == j].mean(axis=0))


class TestBestFit:
    def test_a_line_is_followed_where_there_are_velocities(self) -> None:
        n = 60
        points = np.random.default_rng(2).normal(size=(n, 2)) + 0.3 * np.arange(n)[:, None]
        one = np.zeros(n, np.int64)
        x = _state(points).store
        at_rest = fit_inplace(x, _S, points, one, _GOES, n - 1, False)
        along = fit_inplace(x, _S, points, one, _GOES, n - 1, True)
        assert along > at_rest + 30.0
        price = 0.5 * (2 * 2 + 1) * np.log(n) + m.CENTER_COST
        assert best_fit_inplace(x, _S, points, one, _GOES, n - 1) == pytest.approx(along - price)
        np.testing.assert_allclose(x.mean[_S, 0], 0.3 * n, atol=0.8)  # of the next observation
        np.testing.assert_allclose(x.velocity[_S, 0], 0.3, atol=0.03)

    def test_a_walk_is_followed_where_centers_walk(self) -> None:
        n, lane, one = 60, 10, np.zeros(60, np.int64)
        points = np.cumsum(np.random.default_rng(2).normal(size=(n, 2)), axis=0)
        x = _state(points).store
        at_rest = fit_inplace(x, _S, points, one, lane, n - 1, False)
        along = fit_inplace(x, _S, points, one, lane, n - 1, True)
        assert along > at_rest + 5.0
        price = 0.5 * (2 + 1) * np.log(n) + m.CENTER_COST
        assert best_fit_inplace(x, _S, points, one, lane, n - 1) == pytest.approx(along - price)

    def test_points_at_rest_are_fitted_at_rest(self) -> None:
        n = 60
        points, one = np.random.default_rng(2).normal(size=(n, 2)), np.zeros(60, np.int64)
        x = _state(points).store
        at_rest = fit_inplace(x, _S, points, one, _GOES, n - 1, False)
        price = 0.5 * (2 + 1) * np.log(n) + m.CENTER_COST
        assert best_fit_inplace(x, _S, points, one, _GOES, n - 1) == pytest.approx(at_rest - price)
