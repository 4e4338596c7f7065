"""The pool of `Adaptive` against SciPy: densities of windows and geometries, Bayes' rule."""

from typing import Any

import numpy as np
import pytest
from scipy import optimize, special, stats

from driftlaw import Adaptive
from driftlaw._validate import Array
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.carried import score_carried_inplace
from driftlaw.predictor.adaptive.density import parts_log_density, set_near_inplace
from driftlaw.predictor.adaptive.mixture import geometry_parts_inplace
from driftlaw.predictor.adaptive.pool import judge_inplace
from driftlaw.predictor.adaptive.ranks import rerank_inplace, score_levels_inplace
from driftlaw.predictor.adaptive.refit import best_geometry
from driftlaw.predictor.adaptive.score import stray_rate
from driftlaw.predictor.adaptive.skewed import skewed_log_density
from driftlaw.predictor.adaptive.state import Parts, State, Store, new_state
from driftlaw.predictor.adaptive.windows import recent, score_windows_inplace, window_scatter
from driftlaw.predictor.adaptive.world import set_broad_inplace
from tests.predictor.adaptive.planted import blobs, planted


def learnt_state(points: Array) -> State:
    p = Adaptive(points.shape[1])
    p.learn_many(points)
    return p._state


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


def between_centers(store: Store) -> Array:
    """Point between the first two centers that is equally far from both, in their own metrics."""
    first, second = store.mean[0, 0], store.mean[0, 1]

    def excess(share: float) -> float:
        point = first + share * (second - first)
        gaps = [np.linalg.solve(store.factor[0, j], point - store.mean[0, j]) for j in range(2)]
        return float(np.linalg.norm(gaps[0]) - np.linalg.norm(gaps[1]))

    return np.asarray(first + optimize.brentq(excess, 0.01, 0.99) * (second - first))


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


def shared(weights: Array, scores: Array, prior: Array, rate: float = m.POOL_RATE) -> Array:
    """Oracle: Bayes' rule at a rate, then a share of the prior."""
    posterior = weights * np.exp(rate * scores)
    posterior = posterior / posterior.sum(axis=-1, keepdims=True)
    return np.asarray((1 - m.POOL_SHARE) * posterior + m.POOL_SHARE * prior)


def grown(weights: Array) -> Array:
    """Oracle: windows (…, N_LENGTHS), of which a part has become the next longer or slower."""
    part = np.concatenate((m.LENGTH_GROWTH / m.WINDOWS, np.tile(m.CARRIED_GROWTH * m.GAINS, 2)))
    part[[5, 6, 9]] = 0.0  # the longest, and the slowest of the values and of the logarithms
    heir = np.array([1, 2, 3, 4, 5, 5, 6, 6, 7, 9, 9, 10])
    flow = np.diag(1.0 - part)
    flow[np.arange(m.N_LENGTHS), heir] += part
    return np.asarray(weights @ flow)


def told_apart(ratios: Array, weights: Array) -> Array:
    """Oracle: Bayes' rule within each pair of values and logarithms, kernels being its evidence."""
    pairs, have = (a[m.N_WINDOWS :].reshape(2, m.N_GAINS) for a in (ratios[0], weights[1]))
    together = (have * np.exp(pairs)).sum(axis=0) / have.sum(axis=0)
    return np.asarray(pairs - np.log(together)).ravel()


def remembering(points: Array) -> State:
    """Return a state whose past, with its ranks, are the points."""
    state = new_state(points.shape[1])
    for t, z in enumerate(points):
        rerank_inplace(state, z)
        state.past[t % m.PAST], state.t[0] = z, t + 1
    return state


def followed(ranks: Array, gain: float, starts: Array) -> Array:
    """Oracle: Kalman filter of a walk at whose variance the gain settles, begun anew at starts."""
    level, variance = ranks[0], 1.0
    for rank, is_start in zip(ranks, starts, strict=False):
        before = variance + gain**2 / (1.0 - gain)
        share = 1.0 if is_start else before / (before + 1.0)
        level, variance = level + share * (rank - level), share
    return np.asarray(level)


def level_scores(points: Array, z: Array, starts: Array) -> Array:
    """Oracle: scores (N_LENGTHS,) of the level of ranks in windows of points, as if normal."""
    n, d = points.shape
    ranks = (stats.rankdata(points, axis=0) - 0.5) / n
    below, equal = (points < z).sum(axis=0), (points == z).sum(axis=0)
    rank = (below + 0.5 * equal + 0.5) / (n + 1)
    scatter, kept = (ranks - 0.5).T @ (ranks - 0.5) / n, 1 - (d + 2) / n
    scatter = kept * scatter + (1 - kept) * np.diag(np.diag(scatter))
    levels = [ranks[-int(length) :].mean(axis=0) for length in m.WINDOWS]
    pairs = list(zip(m.GAINS, starts, strict=True))
    levels += [followed(ranks[-m.CARRIED :], *pair) for _ in range(2) for pair in pairs]
    gaps = [rank - level for level in levels]
    return np.array([-0.5 * gap @ np.linalg.solve(scatter, gap) for gap in gaps])


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
        x.factor[0, 1] *= 0.2  # parts of different width …
        points[5] = between_centers(x)  # … and a point for which their volumes decide
        assert len(by_center(points, x, 0)) == 2
        for z in (points[4], points[4] + 0.02, points[5], np.zeros(dim)):
            scores = np.full((m.N_WIDTHS, m.N_WINDOWS), np.nan)
            set_broad_inplace(x, z)
            score_windows_inplace(points, x, z, found, 0, scores)
            for by_width, n in zip(scores.T, m.WINDOWS, strict=True):
                wanted = guarded(log_densities(points[-n:], z, x, scatter, 0), x)
                np.testing.assert_allclose(by_width, wanted, rtol=1e-9)

    @pytest.mark.parametrize("n", [30, 700])
    @pytest.mark.parametrize("dim", [1, 3])
    def test_levels_are_mean_ranks(self, dim: int, n: int) -> None:
        points = np.round(blobs(dim, n=n, seed=dim), 1)  # some are equal
        state, scores = remembering(points), np.empty(m.N_LENGTHS)
        starts = np.zeros((m.N_GAINS, m.CARRIED))
        starts[:, 0] = starts[1, 20] = starts[2, [7, 25]] = 1.0
        for z in (points[-3], points[-4] + 0.05, np.full(dim, 1e9)):
            score_levels_inplace(state, z, starts, scores)
            wanted = level_scores(points[-640:], z, starts)
            np.testing.assert_allclose(scores, wanted, rtol=1e-9, atol=1e-12)

    def test_levels_where_all_values_are_equal_but_one(self) -> None:
        points, scores = np.ones((100, 2)), np.empty(m.N_LENGTHS)
        starts = np.zeros((m.N_GAINS, m.CARRIED))
        starts[:, 0] = 1.0
        for z in (np.ones(2), np.array([1.0, 2.0])):
            score_levels_inplace(remembering(points), z, starts, scores)
            np.testing.assert_array_equal(scores, scores[0])
        points[-5, 1] = 2.0  # the second such value within twenty says little
        score_levels_inplace(remembering(points), np.array([1.0, 2.0]), starts, scores)
        assert 0.1 < scores[0] - scores[m.N_WINDOWS - 1] < 1.0

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
        kinds, lengths = m.KIND_PRIOR, m.LENGTH_PRIOR
        widths = np.tile(m.WIDTH_PRIOR, (m.N_WINDOWS, 1))
        assert state.axis[m.SIGN] == 1.0
        x, paid = state.store, np.zeros(2)
        by_kind, by_length = np.zeros(m.N_KINDS), np.zeros(2 * m.N_LENGTHS)
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
            bent = skewed_log_density(state, z[0])
            set_broad_inplace(x, z)
            each = guarded(each, x)
            carried, starts = np.empty(m.N_CARRIED), np.zeros((m.N_GAINS, m.CARRIED))
            near, like = window_scatter(latest, x), each[m.STAYING, 0]
            score_carried_inplace(state, z, near, like, carried, starts)
            judge_inplace(state, z)
            windows_ = lengths.reshape(2, -1).sum(axis=0)
            laws = (widths * np.exp(each)).sum(axis=1)
            moved = laws[m.STAYING] * np.exp(carried - like)
            together = np.log(windows_ @ np.concatenate((laws, moved)))
            levels = level_scores(recent(state.past, t, t), z, starts)
            judged = np.array([np.concatenate((each[:, 0], carried)), levels])
            longest = judged[:, m.N_WINDOWS - 1 : m.N_WINDOWS]
            ratios = m.LENGTH_RATES[:, None] * (judged - longest)
            ratios[1, m.N_WINDOWS :] += told_apart(ratios, lengths.reshape(2, -1))
            ratios = ratios.ravel()
            scores = np.array([guarded(own, x), together, guarded(bent, x)])
            paid += [np.log(kinds @ np.exp(scores)), np.log(lengths @ np.exp(ratios))]
            by_kind, by_length = by_kind + scores, by_length + ratios
            kinds = shared(kinds, scores, m.KIND_PRIOR)
            lengths = shared(lengths, ratios, m.LENGTH_PRIOR, rate=1.0)
            lengths = grown(lengths.reshape(2, -1)).ravel()
            widths = shared(widths, each, m.WIDTH_PRIOR)
            wanted = np.concatenate([kinds, lengths, widths.ravel()])
            np.testing.assert_allclose(np.exp(state.pool), wanted, rtol=1e-9)
            rerank_inplace(state, z)
            state.past[t], state.t[0] = z, t + 1  # the geometries stand still
        stayed = -60 * np.log(1 - m.POOL_SHARE)
        assert (paid[0] >= by_kind - (stayed - np.log(m.KIND_PRIOR)) / m.POOL_RATE).all()
        grew = -60 * np.log(np.tile(np.diag(grown(np.eye(m.N_LENGTHS))), 2))
        assert (paid[1] >= by_length - (stayed + grew - np.log(m.LENGTH_PRIOR))).all()
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

    def test_many_axes_that_stand_still_leave_it_finite(self) -> None:
        points = np.random.default_rng(0).normal(size=(130, 40))
        points[40:, 3:] = points[40, 3:]
        state = learnt_state(points)
        assert np.isfinite(state.pool).all()
        assert np.exp(state.pool[m.KIND : m.LENGTH]).sum() == pytest.approx(1.0)
