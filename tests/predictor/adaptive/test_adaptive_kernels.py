"""The kernels of `Adaptive` against SciPy, numerical integration and naive loops."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from driftlaw._validate import Array
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.alarm import rank_inplace, ring_inplace, watch_inplace
from driftlaw.predictor.adaptive.learning import (
    kalman_inplace,
    learn_inplace,
    move_time_inplace,
    refresh_inplace,
    share_inplace,
)
from driftlaw.predictor.adaptive.linear import factorise_inplace, log_sum, squared_length_inplace
from driftlaw.predictor.adaptive.score import score_inplace
from driftlaw.predictor.adaptive.state import State, new_state
from driftlaw.predictor.adaptive.world import learn_world_inplace, set_broad_inplace
from tests.predictor.adaptive.planted import blobs, planted


class TestLinear:
    @pytest.mark.parametrize("dim", [1, 2, 5])
    def test_factor_and_length_are_numpys(self, dim: int) -> None:
        rng = np.random.default_rng(dim)
        root = rng.normal(size=(dim, dim))
        matrix, state = root @ root.T + np.eye(dim), new_state(dim)
        factor = np.full((dim, dim), np.nan)
        factorise_inplace(factor, matrix, 1e-12)
        np.testing.assert_allclose(factor, np.linalg.cholesky(matrix), rtol=1e-12, atol=1e-14)
        error = rng.normal(size=dim)
        state.store.lines[m.ERROR] = error
        wanted = error @ np.linalg.solve(matrix, error)
        assert squared_length_inplace(state.store, factor) == pytest.approx(wanted, rel=1e-10)

    def test_a_singular_matrix_gets_the_floor(self) -> None:
        factor = np.zeros((2, 2))
        factorise_inplace(factor, np.ones((2, 2)), 0.25)
        np.testing.assert_array_equal(factor, [[1.0, 0.0], [1.0, 0.5]])

    def test_log_sum(self) -> None:
        x = np.array([-1000.0, -1001.0, m.EMPTY, 5.0])
        assert log_sum(x, 3) == pytest.approx(-1000.0 + np.log1p(np.exp(-1.0)), rel=1e-14)


class TestScore:
    @pytest.mark.parametrize("dim", [1, 2, 5])
    def test_it_is_the_mixture_by_scipy(self, dim: int) -> None:
        state = planted(blobs(dim))
        x, z = state.store, np.linspace(3.0, 4.0, dim)
        x.center[0, 0, m.COUNT : m.COUNT + m.N_WEIGHTS] = [9.0, 30.0, 20.0, 10.0, 3.0, 1.0]
        set_broad_inplace(x, z)
        found = score_inplace(x, 0, z, True)
        wide = 0.5 * (dim + 3) * x.squares[m.WORLD_COV]
        broad = stats.multivariate_t(x.lines[m.WORLD_MEAN], wide, 2).pdf(z)
        unit = np.prod(np.diag(x.squares[m.WORLD_FACTOR]))
        assert x.work[m.BROAD] == pytest.approx(broad * unit, rel=1e-9)
        centers = [self._density(state, j, z) for j in range(2)]
        counts = x.center[0, :2, m.COUNT : m.COUNT + m.N_WEIGHTS] * (m.WEIGHT_MEMORY > 0) + 1.0
        pi = (counts / counts.sum(axis=0)) @ x.slot[0, m.MEMORY : m.MEMORY + m.N_WEIGHTS]
        rate = 0.01  # (0 + 0.2) / (0 + 20)
        wanted = (1 - rate) * pi @ centers + rate * broad
        assert found == pytest.approx(np.log(wanted * unit), rel=1e-9)
        np.testing.assert_allclose(
            x.work[m.SHARE : m.SHARE + 2], (1 - rate) * pi * centers / wanted, rtol=1e-8
        )
        assert x.work[m.SHARE : m.SHARE + 2].sum() + x.work[m.STRAY] == pytest.approx(1.0)

    @pytest.mark.parametrize("n_centers", [1, 2])
    @pytest.mark.parametrize("dim", [1, 5])
    def test_only_a_lone_kernel_is_drawn_to_its_own_diagonal(
        self, dim: int, n_centers: int
    ) -> None:
        x = planted(blobs(dim), n_centers).store
        refresh_inplace(x, 0)
        masses, shapes = x.center[0, :n_centers, m.MASS], x.shape[0, :n_centers]
        total, granted = np.tensordot(masses, shapes, axes=1), 0.5 * (dim + 1)
        total += np.diag(np.diag(x.squares[m.WORLD_COV])) * 0.3 * granted / n_centers**2
        if n_centers == 1:
            total += np.diag(np.diag(shapes[0])) * 0.7 * granted
        wanted = total / (masses.sum() + granted)
        np.testing.assert_allclose(x.squares[m.POOLED], wanted, rtol=1e-9)

    @pytest.mark.parametrize("dim", [1, 5])
    def test_a_lone_kernel_expects_longer_errors_of_new_points(self, dim: int) -> None:
        state = planted(blobs(dim), n_centers=1)
        x, z = state.store, np.linspace(3.0, 4.0, dim)
        set_broad_inplace(x, z)
        found, gap = score_inplace(x, 0, z, True), x.work[m.GAP]
        stretch = 1 + (dim - 1) / (x.center[0, 0, m.MASS] + dim)
        x.factor[0, 0] *= np.sqrt(stretch)
        assert found == pytest.approx(score_inplace(x, 0, z, False), rel=1e-12)
        assert gap == pytest.approx(x.work[m.GAP], rel=1e-12)

    @staticmethod
    def _density(state: State, j: int, z: Array) -> float:
        x = state.store
        total, ages = 0.0, np.arange(20_000)
        for q in range(m.N_BELIEFS):
            scale = x.center[0, j, m.SCALE + q] * (1 + x.center[0, j, m.VAR])
            gain, back = 1 / m.SCALE_MEMORY[q // m.N_TAILS], m.SCALE_RETURN[q // m.N_TAILS]
            n = len(z) / ((gain * (1 - gain - back) ** ages) ** 2).sum()  # squares behind it
            scale *= n / (n - 2)
            shape = scale * x.factor[0, j] @ x.factor[0, j].T
            law: Any = stats.multivariate_t(x.mean[0, j], shape, m.DF[q % m.N_TAILS])
            total += x.slot[0, m.BELIEF + q] * float(law.pdf(z))
        return total


class TestFit:
    @pytest.mark.parametrize(("n_strays", "n_centers"), [(0, 2), (1, 2), (2, 2), (3, 3)])
    def test_one_or_two_points_of_twenty_are_strays(self, n_strays: int, n_centers: int) -> None:
        points = blobs(2, n=20)
        points[20 - n_strays :] = 60.0 + np.arange(n_strays)[:, None]
        x = planted(points, n_centers=3 if n_strays else 2).store
        assert x.slot[0, m.N_CENTERS] == n_centers
        if n_strays < 3:  # they are in no center and no kernel
            rest = points[: 20 - n_strays]
            groups = [rest[rest[:, 0] > 0], rest[rest[:, 0] < 0]]
            found = sorted(x.mean[0, :2].tolist())
            np.testing.assert_allclose(found, sorted(g.mean(axis=0).tolist() for g in groups))
            scatter = sum((g - g.mean(axis=0)).T @ (g - g.mean(axis=0)) for g in groups)
            np.testing.assert_allclose(x.shape[0, 0], scatter / (len(rest) - 2))

    def test_of_nineteen_points_one_may_be_the_first_of_its_group(self) -> None:
        points = blobs(2, n=19)
        points[-1] = 60.0
        assert planted(points, n_centers=3).store.slot[0, m.N_CENTERS] == 3


class TestLearning:
    def test_kalman_steps_are_the_textbook_filter(self) -> None:
        lane = int(np.flatnonzero(m.TURN == 1e-4)[0])
        state = planted(blobs(1), n_centers=1)
        x, q = state.store, m.TURN[lane]
        x.center[0, 0, [m.VAR, m.COV, m.SPEED_VAR]] = [0.8, 0.05, 0.02]
        x.velocity[0, 0, 0] = 0.3
        mean = np.array([x.mean[0, 0, 0], 0.3])
        cov = np.array([[0.8, 0.05], [0.05, 0.02]])
        motion, noise = np.array([[1.0, 1.0], [0.0, 1.0]]), q * np.array([[0.25, 0.5], [0.5, 1.0]])
        see = np.array([[1.0, 0.0]])
        for z, variance in ((1.0, 0.7), (2.5, 3.0), (-1.0, 0.2)):
            gain = cov @ see.T / (see @ cov @ see.T + variance)
            x.lines[m.ERROR, 0] = z - mean[0]
            kalman_inplace(x, 0, 0, variance)
            mean = mean + gain[:, 0] * (z - mean[0])
            cov = (np.eye(2) - gain @ see) @ cov
            move_time_inplace(x, 0, lane)
            mean, cov = motion @ mean, motion @ cov @ motion.T + noise
            found = [x.mean[0, 0, 0], x.velocity[0, 0, 0]]
            np.testing.assert_allclose(found, mean, rtol=1e-12)
            np.testing.assert_allclose(
                x.center[0, 0, [m.VAR, m.COV, m.SPEED_VAR]], cov[[0, 0, 1], [0, 1, 1]], rtol=1e-12
            )

    @pytest.mark.parametrize(("t", "kept"), [(19, 0.9), (20, 0.995)])
    def test_early_moves_are_soon_forgotten(self, t: int, kept: float) -> None:
        x = planted(blobs(1)).store
        x.slot[0, m.MOVES] = 3.0
        set_broad_inplace(x, np.zeros(1))
        score_inplace(x, 0, np.zeros(1), True)
        learn_inplace(x, 0, 2, np.zeros(1), t)
        assert x.slot[0, m.MOVES] == pytest.approx(3.0 * kept)

    def test_fixed_share_is_bayes_then_a_share_of_the_prior(self) -> None:
        prior, evidence = np.array([0.5, 0.3, 0.2]), np.array([0.1, 2.0, 0.4])
        weights = np.array([9.0, 0.2, 0.5, 0.3])
        share_inplace(weights, 1, evidence, prior, 0.05)
        bayes = np.array([0.02, 1.0, 0.12]) / 1.14
        np.testing.assert_allclose(weights, [9.0, *(0.95 * bayes + 0.05 * prior)], rtol=1e-14)

    def test_world_is_the_running_mean_and_covariance_while_young(self) -> None:
        points = blobs(2, n=30)
        state = new_state(2)
        for z in points:
            learn_world_inplace(state.store, z)
        mean = state.store.lines[m.WORLD_MEAN]
        np.testing.assert_allclose(mean, points.mean(axis=0), rtol=1e-12)
        gaps = points - points.mean(axis=0)
        # the first two observations only say how large the scatter is, not its shape
        first = points[:2] - points[:2].mean(axis=0)
        start = np.eye(2) * 0.5 * ((points[1] - points[0]) ** 2).mean()
        wanted = (gaps.T @ gaps - first.T @ first + 2 * start) / 30
        np.testing.assert_allclose(state.store.squares[m.WORLD_COV], wanted, rtol=1e-10)


class TestAlarm:
    def test_ranks_are_counted(self) -> None:
        state = new_state(1)
        surprises = np.random.default_rng(0).integers(0, 9, 700).astype(float)
        for i, surprise in enumerate(surprises):
            rank_inplace(state.watch, surprise)
            before = surprises[max(0, i - m.N_RANKED) : i]
            above = (before > surprise).sum() + 0.5 * (before == surprise).sum() + 0.5
            assert state.watch[m.P_VALUE] == pytest.approx(above / (len(before) + 1))

    def test_false_alarms_of_runs_are_as_rare_as_set(self) -> None:
        rate, n = 0.01, 40_000
        state = new_state(1)
        for t, surprise in enumerate(np.random.default_rng(1).normal(size=n)):
            watch_inplace(state.watch, surprise)
            ring_inplace(state.watch, t + 1, rate)
        # runs have half the rate: at most 200 are expected; the count of a renewal process has
        # deviation <= 15 where gaps vary no more than exponential ones, 3.1 of them have level
        # 1e-3; the statistic overshoots and must calm down, so about half as many come
        assert 50 < state.watch[m.N_ALARMS] < 200 + 3.1 * 15

    def test_one_episode_rings_once_and_the_next_needs_more(self) -> None:
        watch, rate, rng = new_state(1).watch, 0.01, np.random.default_rng(2)
        for t in range(200):
            watch_inplace(watch, rng.normal() + (9.0 if 100 <= t < 140 else 0.0))
            ring_inplace(watch, t + 1, rate)
        assert watch[m.N_ALARMS] == 1
        first = watch[m.LAST_ALARM]
        assert 101 <= first < 107
        assert watch[m.IS_OFF] == 0
        np.testing.assert_allclose(watch[m.RAISED], 2.0 * (1 - rate * (201 - first)))

    @pytest.mark.parametrize(("odds", "is_rung"), [(2.2, False), (2.5, True)])
    def test_a_restart_rings_once_by_its_odds(self, odds: float, is_rung: bool) -> None:
        watch, rate = new_state(1).watch, 0.01
        watch[m.RESTART], watch[m.ODDS] = 100.0, odds  # needed: log(0.026 / 0.0025) = 2.34
        for t in range(102, 150):
            ring_inplace(watch, t, rate)
        assert watch[m.N_ALARMS] == is_rung
        assert watch[m.LAST_ALARM] == 102 * is_rung

    @pytest.mark.parametrize(("n_steps", "n_rung"), [(5, 1), (40, 0)])
    def test_what_stood_still_rings_when_it_is_beaten_soon(self, n_steps: int, n_rung: int) -> None:
        watch, rate = new_state(1).watch, 0.01
        weights = np.linspace(0.6, 0.5, 10), np.linspace(0.4, 0.12, n_steps), np.full(60, 0.08)
        for t, weight in enumerate(np.concatenate(weights), 100):
            watch[m.STILL] = weight  # needed: 1 / (1 + 0.026 / 0.0025) = 0.088 or less
            ring_inplace(watch, t, rate)
        assert watch[m.N_ALARMS] == n_rung
        assert watch[m.LAST_ALARM] == n_rung * (110 + n_steps)
