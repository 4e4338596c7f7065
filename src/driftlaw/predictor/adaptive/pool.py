"""Kernels: the pool — the geometries, and windows of the latest observations, by log score.

A window is the law of its points under normal kernels, whose width is a share of the scatter of the
latest; each pair of a length and a width is a hypothesis of its own. Densities are per unit of
the stream's own volume, and those of laws that were blurred a little: where values come again and
again, a law that is all peaks would win whatever it says of the rest.
"""

import math

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.linear import (
    bayes_inplace,
    factorise_inplace,
    log_sum,
    log_volume_ratio,
    squared_length_inplace,
)
from driftlaw.predictor.adaptive.mixture import geometry_parts_inplace
from driftlaw.predictor.adaptive.model import (
    BROAD,
    DF,
    ERROR,
    FIRST_JUDGED,
    FLOOR,
    GRAIN,
    KERNEL_WINDOW,
    KIND,
    KIND_PRIOR,
    MATRIX,
    N_TAILS,
    N_WIDTHS,
    N_WINDOWS,
    NEAR,
    PAST,
    POOL_BLUR,
    POOL_CELL,
    POOL_MOST,
    POOL_RATE,
    POOL_REPEATS,
    POOL_SHARE,
    POOL_STRAYS,
    REPEATS,
    WIDTH,
    WIDTH_PRIOR,
    WIDTHS,
    WINDOW,
    WINDOW_PRIOR,
    WINDOWS,
    WORLD_COV,
    WORLD_FACTOR,
    WORLD_MEAN,
)
from driftlaw.predictor.adaptive.refit import best_geometry
from driftlaw.predictor.adaptive.score import stray_rate
from driftlaw.predictor.adaptive.state import Parts, State, Store
from driftlaw.predictor.adaptive.world import set_broad_inplace

_FAR = 6.0  # deviations of the stream by which a point counts, at most, in a window's scatter
_NIL = 1e3  # squared gap at which a density is nil
_TINY = 1e-300


@kernel
def recent(ring: Array, t: int, n: int) -> Array:
    """Return the last n of t rows of a ring, oldest first."""
    d = ring.shape[1]
    rows = np.empty((n, d))
    for a in range(n):
        for i in range(d):
            rows[a, i] = ring[(t - n + a) % PAST, i]
    return rows


@lean_kernel
def _within(value: float, middle: float, x: Store, i: int) -> float:
    """Draw a coordinate to at most so many of the stream's deviations from a middle."""
    most = _FAR * math.sqrt(x.squares[WORLD_COV, i, i])
    return min(max(value, middle - most), middle + most)


@kernel
def window_scatter(points: Array, x: Store) -> Array:
    """Lower half (d, d) of the scatter of points (n, d), drawn to the diagonal if they are few."""
    n, d = points.shape
    mean, gap, matrix = np.zeros(d), np.empty(d), np.zeros((d, d))
    for a in range(n):
        for i in range(d):
            mean[i] += _within(points[a, i], x.lines[WORLD_MEAN, i], x, i) / n
    kept = 1.0 - min(1.0, (d + 2.0) / n)
    for a in range(n):
        for i in range(d):
            gap[i] = _within(points[a, i], mean[i], x, i) - mean[i]
            for j in range(i):
                matrix[i, j] += kept * gap[i] * gap[j] / n
            matrix[i, i] += gap[i] * gap[i] / n
    return matrix


@lean_kernel
def _blur_inplace(x: Store, matrix: Array, weight: float, factor: Array) -> float:
    """Factor of weight · matrix (a lower half) + δ² · stream's scatter; returns its log volume."""
    for i in range(matrix.shape[0]):
        for j in range(i + 1):
            blur = POOL_BLUR**2 * x.work[NEAR] * x.squares[WORLD_COV, i, j]
            x.squares[MATRIX, i, j] = weight * matrix[i, j] + blur
        most = POOL_MOST**2 * x.squares[WORLD_COV, i, i]
        x.squares[MATRIX, i, i] += min((POOL_CELL * x.lines[GRAIN, i]) ** 2, most)
    factorise_inplace(factor, x.squares[MATRIX], x.work[FLOOR])
    return log_volume_ratio(factor, x.squares[WORLD_FACTOR])


@lean_kernel
def set_near_inplace(x: Store, scatter: Array) -> None:
    """Note what share of the stream's variances the latest have, at most one, along any axis.

    The stream's own takes thousands of observations to forget that they were larger.
    """
    ratio = 1.0
    for i in range(scatter.shape[0]):
        ratio = min(ratio, scatter[i, i] / x.squares[WORLD_COV, i, i])
    x.work[NEAR] = ratio


@lean_kernel
def _squared_gap(x: Store, z: Array, point: Array, factor: Array) -> float:
    for i in range(z.shape[0]):
        x.lines[ERROR, i] = z[i] - point[i]
    return squared_length_inplace(x, factor)


@lean_kernel
def _guarded(log_density: float, broad: float) -> float:
    """Log of the density under which a share of the observations comes from the broad law."""
    a, b = math.log(1.0 - POOL_STRAYS) + log_density, math.log(POOL_STRAYS * broad)
    top = max(a, b)
    return top + math.log(math.exp(a - top) + math.exp(b - top))


@kernel
def score_windows_inplace(points: Array, x: Store, z: Array, scatter: Array, scores: Array) -> None:
    """Guarded log densities at z, for each width and length, of the latest of points (n, d).

    Windows are nested: going back in time, the sum over one is a part of that over the next.
    """
    n, d = points.shape
    factor = np.empty((d, d))
    for h in range(N_WIDTHS):
        volume, total, e = _blur_inplace(x, scatter, WIDTHS[h] ** 2, factor), 0.0, 0
        for a in range(n):
            square = _squared_gap(x, z, points[n - 1 - a], factor)
            if square < _NIL:
                total += math.exp(-0.5 * square)
            while e < N_WINDOWS and a + 1 == min(WINDOWS[e], n):
                log_mean = math.log(max(total, _TINY) / (a + 1.0))
                log_density = log_mean - 0.5 * d * math.log(2.0 * math.pi) - volume
                scores[h, e] = _guarded(log_density, x.work[BROAD])
                e += 1


@lean_kernel
def _square_inplace(factor: Array, out: Array) -> None:
    """Lower half of L Lᵀ."""
    for i in range(factor.shape[0]):
        for j in range(i + 1):
            out[i, j] = 0.0
            for a in range(j + 1):
                out[i, j] += factor[i, a] * factor[j, a]


@kernel
def parts_log_density(parts: Parts, n: int, x: Store, z: Array) -> float:
    """Log density at z of the first n components, their scales blurred."""
    d = z.shape[0]
    logs, matrix, factor = np.empty(n), np.empty((d, d)), np.empty((d, d))
    for c in range(n):
        _square_inplace(parts.scales[c], matrix)
        logs[c] = math.log(parts.weights[c]) - _blur_inplace(x, matrix, 1.0, factor)
        square, nu = _squared_gap(x, z, parts.means[c], factor), parts.df[c]
        for v in range(N_TAILS):
            if nu == DF[v]:
                logs[c] += x.constants[v] - 0.5 * (nu + d) * math.log1p(square / nu)
    return log_sum(logs, n)


@kernel
def _judge_windows_inplace(state: State, points: Array, scatter: Array, z: Array) -> float:
    """Weigh lengths and widths by what they say of z; returns the log density of all together.

    Lengths are judged under kernels of one width, a wide one: by kernels of its own a long window
    would win for being smooth, and a still one for being narrow, whatever is true by now.
    """
    pool, scores = state.pool, np.empty((N_WIDTHS, N_WINDOWS))
    logs = np.empty(N_WINDOWS * N_WIDTHS)
    score_windows_inplace(points, state.store, z, scatter, scores)
    for e in range(N_WINDOWS):
        widths = pool[WIDTH + e * N_WIDTHS :]
        for h in range(N_WIDTHS):
            logs[e * N_WIDTHS + h] = pool[WINDOW + e] + widths[h] + scores[h, e]
        bayes_inplace(widths, scores[:, e], WIDTH_PRIOR, POOL_RATE, POOL_SHARE)
    bayes_inplace(pool[WINDOW:], scores[0], WINDOW_PRIOR, POOL_RATE, POOL_SHARE)
    return log_sum(logs, logs.shape[0])


@kernel
def judge_inplace(state: State, z: Array) -> None:
    """Weigh geometries against windows, and these among themselves, before z is learnt."""
    pool, x, t, scores = state.pool, state.store, state.t[0], np.empty(2)
    points = recent(state.past, t, min(t, PAST))
    set_broad_inplace(x, z)
    scatter = window_scatter(points[max(0, points.shape[0] - KERNEL_WINDOW) :], x)
    set_near_inplace(x, scatter)
    rows = geometry_parts_inplace(x, state.lanes, state.parts)
    explained = math.log(1.0 - stray_rate(x, best_geometry(x, state.lanes)))
    log_density = explained + parts_log_density(state.parts, rows, x, z)
    scores[0] = _guarded(log_density, x.work[BROAD])
    scores[1] = _judge_windows_inplace(state, points, scatter, z)
    if t == FIRST_JUDGED:
        pool[KIND] -= POOL_REPEATS * state.watch[REPEATS]
    bayes_inplace(pool[KIND:], scores, KIND_PRIOR, POOL_RATE, POOL_SHARE)


@lean_kernel
def expert_weights_inplace(pool: Array, weights: Array) -> None:
    """Weight of the geometries, then of each window whatever its kernels' width."""
    weights[0] = math.exp(pool[KIND])
    for e in range(N_WINDOWS):
        weights[1 + e] = math.exp(pool[KIND + 1] + pool[WINDOW + e])
