"""Kernels: windows of the latest observations as kernel density estimates."""

import math

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw.predictor.adaptive.density import blur_inplace, guarded, square_inplace, squared_gap
from driftlaw.predictor.adaptive.learning import mean_scale
from driftlaw.predictor.adaptive.linear import log_volume_ratio
from driftlaw.predictor.adaptive.model import (
    BROAD,
    N_CENTERS,
    N_WIDTHS,
    N_WINDOWS,
    PAST,
    WIDTHS,
    WINDOWS,
    WORLD_COV,
    WORLD_FACTOR,
    WORLD_MEAN,
)
from driftlaw.predictor.adaptive.state import Store

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


@kernel
def nearest_centers(points: Array, x: Store, s: int) -> IntArray:
    """Label (n,) of the center of geometry s under whose normal law a point is likeliest."""
    n, k = points.shape[0], int(x.slot[s, N_CENTERS])
    labels, offsets, scales = np.zeros(n, np.int64), np.empty(k), np.empty(k)
    for j in range(k):
        scales[j] = mean_scale(x, s, j)
        volume = log_volume_ratio(x.factor[s, j], x.squares[WORLD_FACTOR])
        offsets[j] = 2.0 * volume + points.shape[1] * math.log(scales[j])
    for a in range(n):
        low = math.inf
        for j in range(k):
            gap = squared_gap(x, points[a], x.mean[s, j], x.factor[s, j]) / scales[j] + offsets[j]
            if gap < low:
                low, labels[a] = gap, j
    return labels


@kernel
def center_kernels(x: Store, s: int) -> Array:
    """Lower halves (k, d, d) of the kernels of a geometry's centers."""
    k, d = int(x.slot[s, N_CENTERS]), x.mean.shape[2]
    matrices = np.zeros((k, d, d))
    for j in range(k):
        square_inplace(x.factor[s, j], matrices[j])
        scale = mean_scale(x, s, j)
        for i in range(d):
            for a in range(i + 1):
                matrices[j, i, a] *= scale
    return matrices


@kernel
def _score_width_inplace(
    points: Array, labels: IntArray, x: Store, z: Array, matrices: Array, h: int, scores: Array
) -> None:
    """Log densities of all lengths with kernels of width h, a point's being that of its label.

    Windows are nested: going back in time, the sum over one is a part of that over the next.
    """
    n, d = points.shape
    factors, volumes = np.empty(matrices.shape), np.empty(matrices.shape[0])
    for j in range(matrices.shape[0]):
        volumes[j] = blur_inplace(x, matrices[j], WIDTHS[h] ** 2, factors[j])
    total, e, least = 0.0, 0, volumes.min()
    for a in range(n):
        j = labels[n - 1 - a]
        square = squared_gap(x, z, points[n - 1 - a], factors[j])
        if square < _NIL:
            total += math.exp(least - volumes[j] - 0.5 * square)
        while e < N_WINDOWS and a + 1 == min(WINDOWS[e], n):
            log_mean = math.log(max(total, _TINY) / (a + 1.0)) - least
            scores[h, e] = guarded(log_mean - 0.5 * d * math.log(2.0 * math.pi), x.work[BROAD])
            e += 1


@kernel
def score_windows_inplace(
    points: Array, x: Store, z: Array, scatter: Array, s: int, scores: Array
) -> None:
    """Guarded log densities at z, for each width and length, of the latest of points (n, d).

    The first width is for all points alike, a share of the scatter; the others are shares of the
    kernels of the centers of geometry s: where a law has parts of different width, so have these.
    """
    alike = np.zeros((1, scatter.shape[0], scatter.shape[0]))
    alike[0] = scatter
    _score_width_inplace(points, np.zeros(points.shape[0], np.int64), x, z, alike, 0, scores)
    labels, matrices = nearest_centers(points, x, s), center_kernels(x, s)
    for h in range(1, N_WIDTHS):
        _score_width_inplace(points, labels, x, z, matrices, h, scores)
