"""The kernels of `Adaptive` against SciPy, numerical integration and naive loops."""

from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from driftlaw._validate import Array
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.alarm import rank_inplace, ring_inplace, watch_inplace
from driftlaw.predictor.adaptive.learning import kalman_inplace, move_time_inplace, share_inplace
from driftlaw.predictor.adaptive.linear import factorise_inplace, log_sum, squared_length_inplace
from driftlaw.predictor.adaptive.pool import (
    count_cell,
    interval_crps,
    mixture_cdf_inplace,
    reweigh_inplace,
    set_interval_inplace,
    student_cdf,
    window_cdfs_inplace,
)
from driftlaw.predictor.adaptive.refit import plant_inplace, seed_medoids
from driftlaw.predictor.adaptive.residual import (
    one_center_frame,
    put_residual_inplace,
    residual_loss,
)
from driftlaw.predictor.adaptive.score import score_inplace
from driftlaw.predictor.adaptive.state import Parts, State, new_state
from driftlaw.predictor.adaptive.world import learn_world_inplace, set_broad_inplace

CELL = 1.0 / m.GRID


def planted(points: Array, n_centers: int = 2) -> State:
    """Return a state whose first geometry is fitted to the points."""
    state = new_state(points.shape[1])
    for z in points:
        learn_world_inplace(state.store, z)
    chosen = seed_medoids(state.store, points, n_centers)
    plant_inplace(state.store, 0, points, chosen, 2, len(points) - 1)
    return state


def blobs(dim: int, n: int = 40, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(np.where(np.arange(n)[:, None] % 2, 4.0, -4.0), 1.0, (n, dim)))


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
        broad = stats.multivariate_t(x.lines[m.WORLD_MEAN], 2 * x.squares[m.WORLD_COV], 2).pdf(z)
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


class TestPool:
    @pytest.mark.parametrize("nu", [3.0, 8.0])
    def test_student_cdf_is_scipys(self, nu: float) -> None:
        x = np.array([-300.0, -4.0, -0.3, 0.0, 1.1, 7.0])
        np.testing.assert_allclose([student_cdf(v, nu) for v in x], stats.t.cdf(x, nu), atol=1e-12)
        np.testing.assert_allclose([student_cdf(v, 1e3) for v in x], stats.norm.cdf(x), atol=1e-15)

    def test_crps_of_a_mixture_is_the_integral(self) -> None:
        scales = np.array([[[0.5, 0.0], [0.2, 0.7]], [[1.0, 0.0], [-0.5, 0.3]]])
        means = np.array([[0.0, 1.0], [2.0, -1.0]])
        parts = Parts(np.array([0.3, 0.7]), means, scales, np.array([3.0, 1000.0]))
        u, interval, cdf = np.array([0.6, 0.8]), np.array([-3.0, 4.0]), np.empty(m.GRID)
        mixture_cdf_inplace(parts, 2, u, interval, cdf)
        laws: list[Any] = [
            stats.t(3.0, u @ means[0], np.linalg.norm(scales[0].T @ u)),
            stats.norm(u @ means[1], np.linalg.norm(scales[1].T @ u)),
        ]

        def gap2(x: float, y: float) -> float:
            return float((0.3 * laws[0].cdf(x) + 0.7 * laws[1].cdf(x) - (x >= y)) ** 2)

        for y in (-5.0, 0.4, 9.0):
            inside = [y] if -3 < y < 4 else None
            wanted = integrate.quad(gap2, -3.0, 4.0, args=(y,), points=inside)[0]
            # the step at y may lie anywhere in its cell
            assert interval_crps(cdf, interval, y) == pytest.approx(wanted, abs=7 * CELL / 2)
            if inside is None:
                assert interval_crps(cdf, interval, y) == pytest.approx(wanted, rel=1e-3)

    def test_window_cdfs_are_empirical(self) -> None:
        points, u = blobs(2, n=30), np.array([0.8, -0.6])
        interval, cdfs = np.empty(2), np.empty((len(m.WINDOWS), m.GRID))
        set_interval_inplace(points[-10:], u, interval)
        near = points[-10:] @ u
        reach = np.ptp(near)
        np.testing.assert_allclose(interval, [near.min() - reach, near.max() + reach], rtol=1e-12)
        window_cdfs_inplace(points, u, interval, cdfs)
        grid = interval[0] + (np.arange(m.GRID) + 0.5) * (interval[1] - interval[0]) * CELL
        for row, length in zip(cdfs, m.WINDOWS, strict=True):
            latest = (points @ u)[-length:]
            wanted = (latest[:, None] <= grid).mean(axis=0)
            np.testing.assert_allclose(row, wanted, atol=1e-12)

    def test_gross_outliers_do_not_widen_the_interval(self) -> None:
        points, u, interval = blobs(2, n=60), np.array([0.8, -0.6]), np.empty(2)
        points[[5, 40]] = [[1e6, 0.0], [-1e7, 3.0]]
        set_interval_inplace(points, u, interval)
        low, high = np.sort(points @ u)[[3, 56]]
        np.testing.assert_allclose(interval, [2 * low - high, 2 * high - low], rtol=1e-12)

    def test_cells_count_from_the_first_middle_at_the_value(self) -> None:
        interval = np.array([0.0, float(m.GRID)])
        values = [-np.inf, -1.0, 0.0, 0.5, 0.6, 1.5, m.GRID - 0.5, m.GRID - 0.4, 1e300]
        wanted = [0, 0, 0, 0, 1, 1, m.GRID - 1, m.GRID, m.GRID]
        assert [count_cell(value, interval) for value in values] == wanted

    def test_weights_gain_by_the_second_order_rule(self) -> None:
        rng = np.random.default_rng(0)
        pairs = np.log(rng.dirichlet(np.ones(3 * m.N_EXPERTS)).reshape(3, -1))
        w, pool = np.exp(pairs), np.log(m.POOL_PRIOR)
        losses, typical = rng.random(m.N_EXPERTS), np.array([0.5, 1e9])
        mixed = m.POOL_PRIOR @ losses
        reweigh_inplace(pairs, losses, pool, typical)
        gain = np.minimum(m.POOL_RATES[:, None] * (mixed - losses) / 0.5, 0.5)
        w *= np.exp(gain - gain**2)
        w = (1 - m.POOL_SHARE) * w / w.sum() + m.POOL_SHARE * m.POOL_PRIOR / 3
        np.testing.assert_allclose(np.exp(pairs), w, rtol=1e-6)
        wanted = m.POOL_RATES @ w
        np.testing.assert_allclose(np.exp(pool), wanted / wanted.sum(), rtol=1e-6)

    def test_a_perfect_expert_takes_over_and_others_keep_their_share(self) -> None:
        state = new_state(1)
        losses = np.ones(m.N_EXPERTS)
        losses[7] = 0.8
        for _ in range(300):
            reweigh_inplace(state.pairs, losses, state.pool, state.typical)
        weights = np.exp(state.pool)
        assert weights.sum() == pytest.approx(1.0)
        assert weights[7] > 0.98
        assert (np.exp(state.pairs).sum(axis=0) >= m.POOL_SHARE * m.POOL_PRIOR * (1 - 1e-9)).all()


class TestResiduals:
    @pytest.mark.parametrize("dim", [1, 3])
    def test_residuals_are_whitened_and_their_law_is_judged_as_points(self, dim: int) -> None:
        rng = np.random.default_rng(dim)
        n, floor = 40, 1e-12
        weights, means = np.array([0.25, 0.75]), rng.normal(size=(2, dim))
        scales = np.tril(rng.normal(size=(2, dim, dim))) + 2 * np.eye(dim)
        parts = Parts(weights, means, scales, np.full(2, 8.0))
        mean, factor = one_center_frame(parts, 2, floor)
        matrix = sum(w * s @ s.T for w, s in zip(weights, scales, strict=True))
        np.testing.assert_allclose(mean, weights @ means, rtol=1e-12)
        np.testing.assert_allclose(factor @ factor.T, matrix, rtol=1e-10)
        points, residuals = rng.normal(size=(n, dim)), np.empty((n, dim))
        for row, z in zip(residuals, points, strict=True):
            put_residual_inplace(row, z, mean, factor)
        np.testing.assert_allclose(mean + residuals @ factor.T, points, rtol=1e-9)
        directions, z = np.eye(dim), rng.normal(size=dim)
        intervals = np.tile([-4.0, 4.0], (dim, 1))
        wanted = 0.0
        for u, interval in zip(directions, intervals, strict=True):
            grid = -4.0 + 8.0 * (np.arange(m.GRID) + 0.5) * CELL
            cdf = (points @ u <= grid[:, None]).mean(axis=1)
            wanted += interval_crps(cdf, interval, float(u @ z)) / dim
        found = residual_loss(residuals, (mean, factor), directions, intervals, z)
        assert found == pytest.approx(wanted, rel=1e-9)


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

    @pytest.mark.parametrize(("odds", "is_rung"), [(1.5, False), (1.7, True)])
    def test_a_restart_rings_once_by_its_odds(self, odds: float, is_rung: bool) -> None:
        watch, rate = new_state(1).watch, 0.01
        watch[m.RESTART], watch[m.ODDS] = 100.0, odds  # needed: log(0.026 / 0.005) = 1.65
        for t in range(102, 150):
            ring_inplace(watch, t, rate)
        assert watch[m.N_ALARMS] == is_rung
        assert watch[m.LAST_ALARM] == 102 * is_rung
