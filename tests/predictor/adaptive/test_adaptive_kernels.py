"""The kernels of `Adaptive` against SciPy, numerical integration and naive loops."""

from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from driftlaw import Adaptive
from driftlaw._validate import Array
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.alarm import rank_inplace, ring_inplace, watch_inplace
from driftlaw.predictor.adaptive.density import parts_log_density, set_near_inplace
from driftlaw.predictor.adaptive.learning import kalman_inplace, move_time_inplace, share_inplace
from driftlaw.predictor.adaptive.linear import factorise_inplace, log_sum, squared_length_inplace
from driftlaw.predictor.adaptive.mixture import geometry_parts_inplace
from driftlaw.predictor.adaptive.pool import judge_inplace
from driftlaw.predictor.adaptive.refit import best_geometry, plant_inplace, seed_medoids
from driftlaw.predictor.adaptive.score import score_inplace, stray_rate
from driftlaw.predictor.adaptive.state import Parts, State, Store, new_state
from driftlaw.predictor.adaptive.windows import recent, score_windows_inplace, window_scatter
from driftlaw.predictor.adaptive.world import learn_world_inplace, set_broad_inplace


def planted(points: Array, n_centers: int = 2) -> State:
    """Return a state whose first geometry is fitted to the points."""
    state = new_state(points.shape[1])
    for z in points:
        learn_world_inplace(state.store, z)
    chosen = seed_medoids(state.store, points, n_centers)
    plant_inplace(state.store, 0, points, chosen, 2, len(points) - 1)
    return state


def learnt_state(points: Array) -> State:
    p = Adaptive(points.shape[1])
    p.learn_many(points)
    return p._state


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


def shrunk_scatter(points: Array) -> Array:
    n, d = points.shape
    scatter = np.cov(points.T, bias=True).reshape(d, d)
    kept = 1.0 - min(1.0, (d + 2) / n)
    return np.asarray(kept * scatter + (1 - kept) * np.diag(np.diag(scatter)))


def blur(store: Store) -> Array:
    cells = (m.POOL_CELL * store.lines[m.GRAIN]) ** 2
    most = m.POOL_MOST**2 * np.diag(store.squares[m.WORLD_COV])
    own = m.POOL_BLUR**2 * store.work[m.NEAR] * store.squares[m.WORLD_COV]
    return np.asarray(own + np.diag(np.minimum(cells, most)))


def log_volume(store: Store) -> float:
    return float(np.log(np.diag(store.squares[m.WORLD_FACTOR])).sum())


def by_center(points: Array, store: Store, s: int) -> list[tuple[Array, Array]]:
    """Oracle: each center's kernel, and the points that are likeliest under its normal law."""
    centers = range(int(store.slot[s, m.N_CENTERS]))
    beliefs = store.slot[s, m.BELIEF : m.BELIEF + m.N_BELIEFS]
    scales = [beliefs @ store.center[s, j, m.SCALE : m.SCALE + m.N_BELIEFS] for j in centers]
    kernels = [scales[j] * store.factor[s, j] @ store.factor[s, j].T for j in centers]
    laws = [stats.multivariate_normal(store.mean[s, j], kernels[j]) for j in centers]
    labels = np.array([np.atleast_1d(law.logpdf(points)) for law in laws]).argmax(axis=0)
    return [(kernels[j], points[labels == j]) for j in centers if (labels == j).any()]


def log_densities(points: Array, z: Array, store: Store, scatter: Array, s: int) -> Array:
    """Oracle: means of normal densities by width, per unit of the stream's own volume."""
    zero, alike, own = np.zeros(len(z)), [(scatter, points)], by_center(points, store, s)
    by_width = []
    for h, groups in zip(m.WIDTHS, (alike, own, own, own), strict=True):
        laws = [stats.multivariate_normal(zero, h**2 * a + blur(store)) for a, _ in groups]
        logs = [np.ravel(law.logpdf(z - p)) for law, (_, p) in zip(laws, groups, strict=True)]
        by_width.append(special.logsumexp(np.concatenate(logs)) - np.log(len(points)))
    return np.array(by_width) + log_volume(store)


def guarded(logs: Any, store: Store) -> Array:
    """Oracle: log densities where a share of the observations comes from the broad law."""
    eps = m.POOL_STRAYS
    return np.asarray(np.log((1 - eps) * np.exp(logs) + eps * store.work[m.BROAD]))


def shared(weights: Array, scores: Array, prior: Array) -> Array:
    """Oracle: Bayes' rule at the pool's rate, then a share of the prior."""
    posterior = weights * np.exp(m.POOL_RATE * scores)
    posterior = posterior / posterior.sum(axis=-1, keepdims=True)
    return np.asarray((1 - m.POOL_SHARE) * posterior + m.POOL_SHARE * prior)


class TestPool:
    @pytest.mark.parametrize("step", [0.0, 0.5, 50.0])
    @pytest.mark.parametrize("dim", [1, 3])
    def test_windows_are_kernel_density_estimates(self, dim: int, step: float) -> None:
        points = blobs(dim, n=30, seed=dim)
        x, scatter = planted(points).store, shrunk_scatter(points)
        x.lines[m.GRAIN, 0] = step
        found = window_scatter(points, x)
        np.testing.assert_allclose(found, np.tril(scatter), rtol=1e-9)
        set_near_inplace(x, found)
        ratio = np.min(np.diag(scatter) / np.diag(x.squares[m.WORLD_COV]))
        assert x.work[m.NEAR] == pytest.approx(min(ratio, 1.0))
        x.factor[0, 1] *= 0.2  # parts of different width
        assert len(by_center(points, x, 0)) == 2
        for z in (points[4], points[4] + 0.02, np.zeros(dim)):
            scores = np.full((m.N_WIDTHS, m.N_WINDOWS), np.nan)
            set_broad_inplace(x, z)
            score_windows_inplace(points, x, z, found, 0, scores)
            for by_width, n in zip(scores.T, m.WINDOWS, strict=True):
                wanted = guarded(log_densities(points[-n:], z, x, scatter, 0), x)
                np.testing.assert_allclose(by_width, wanted, rtol=1e-9)

    @pytest.mark.parametrize("dim", [1, 3])
    def test_the_law_of_the_geometries_is_blurred_too(self, dim: int) -> None:
        rng, x = np.random.default_rng(dim), planted(blobs(dim)).store
        set_near_inplace(x, window_scatter(blobs(dim), x))
        x.lines[m.GRAIN, dim - 1] = 0.7
        scales = np.tril(rng.normal(size=(2, dim, dim))) + 2 * np.eye(dim)
        parts = Parts(np.array([0.3, 0.7]), rng.normal(size=(2, dim)), scales, m.DF[[0, 2]])
        z = rng.normal(size=dim)
        densities = [
            stats.multivariate_t(mean, scale @ scale.T + blur(x), df).logpdf(z)
            for mean, scale, df in zip(parts.means, scales, parts.df, strict=True)
        ]
        wanted = special.logsumexp(densities, b=parts.weights) + log_volume(x)
        assert parts_log_density(parts, 2, x, z) == pytest.approx(wanted, rel=1e-9)

    def test_a_gross_outlier_hardly_widens_the_kernels(self) -> None:
        points = blobs(2, n=60)
        store = planted(points).store
        clean = window_scatter(points, store)
        points[7] = [1e9, -1e9]
        assert np.linalg.norm(window_scatter(points, store)) < 2 * np.linalg.norm(clean)

    def test_weights_follow_bayes_rule_and_keep_its_bounds(self) -> None:
        points = np.random.default_rng(2).lognormal(0.0, 0.8, size=(120, 1))
        state = learnt_state(points[:60])
        state.pool[:] = np.log(m.POOL_PRIOR)
        kinds, lengths = m.KIND_PRIOR, m.WINDOW_PRIOR
        widths = np.tile(m.WIDTH_PRIOR, (m.N_WINDOWS, 1))
        x, paid, by_kind, by_length = state.store, np.zeros(2), np.zeros(2), np.zeros(m.N_WINDOWS)
        for t, z in enumerate(points[60:], 60):
            rows = geometry_parts_inplace(x, state.lanes, state.parts)
            latest = recent(state.past, t, min(t, m.KERNEL_WINDOW))
            set_near_inplace(x, window_scatter(latest, x))
            best = best_geometry(x, state.lanes)
            explained = 1.0 - stray_rate(x, best)
            own = np.log(explained) + parts_log_density(state.parts, rows, x, z)
            scatter = shrunk_scatter(latest)
            windows = [recent(state.past, t, min(t, int(n))) for n in m.WINDOWS]
            each = np.array([log_densities(w, z, x, scatter, best) for w in windows])
            judge_inplace(state, z)
            own, each = guarded(own, x), guarded(each, x)
            scores = np.array([own, np.log((lengths[:, None] * widths * np.exp(each)).sum())])
            paid += [np.log(kinds @ np.exp(scores)), np.log(lengths @ np.exp(each[:, 0]))]
            by_kind, by_length = by_kind + scores, by_length + each[:, 0]
            kinds = shared(kinds, scores, m.KIND_PRIOR)
            lengths = shared(lengths, each[:, 0], m.WINDOW_PRIOR)
            widths = shared(widths, each, m.WIDTH_PRIOR)
            wanted = np.concatenate([kinds, lengths, widths.ravel()])
            np.testing.assert_allclose(np.exp(state.pool), wanted, rtol=1e-9)
            state.past[t], state.t[0] = z, t + 1  # the geometries stand still
        stayed = -60 * np.log(1 - m.POOL_SHARE)
        assert (paid[0] >= by_kind - (stayed - np.log(m.KIND_PRIOR)) / m.POOL_RATE).all()
        assert (paid[1] >= by_length - (stayed - np.log(m.WINDOW_PRIOR)) / m.POOL_RATE).all()
        assert kinds[1] > kinds[0]  # no few centers describe these

    @pytest.mark.parametrize("dim", [1, 5])
    def test_a_lone_kernel_is_widened_by_what_is_not_known_of_its_shape(self, dim: int) -> None:
        state = planted(blobs(dim), n_centers=1)
        x = state.store
        x.slot[0, m.LOG_WEIGHT] = state.lanes[0] = 0.0
        x.slot[0, m.BELIEF : m.BELIEF + m.N_BELIEFS] = 0.0
        x.slot[0, m.BELIEF] = 1.0
        assert geometry_parts_inplace(x, state.lanes, state.parts) == 1
        known = x.center[0, 0, m.SCALE] * (1.0 + x.center[0, 0, m.VAR])
        known /= 1.0 - 2.0 * m.SCALE_NOISE[0] / dim
        n = x.center[0, 0, m.MASS] + 3.0
        widened = 1.0 + (1.0 - 1.0 / dim) * (n / (n - 2.0) - 1.0)
        np.testing.assert_allclose(
            state.parts.scales[0], np.sqrt(known * widened) * x.factor[0, 0], rtol=1e-12
        )


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
