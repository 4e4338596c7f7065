"""Kernels: residuals in the frame of one center, whose empirical law keeps any shape.

The frame is the mean m and the factor W of the mean kernel of the lanes of one center, before the
observation; its residual is W⁻¹(z - m). The law m + W e, e drawn from the latest residuals, is
filtered historical simulation with a frame that follows location and scale at many time scales.
"""

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.linear import factorise_inplace
from driftlaw.predictor.adaptive.model import GRID
from driftlaw.predictor.adaptive.pool import count_cell, interval_crps, projected
from driftlaw.predictor.adaptive.state import Parts

_FAR = 20.0  # no residual is longer along an axis: one gross outlier must not come back scaled


@kernel
def one_center_frame(parts: Parts, n: int, floor: float) -> tuple[Array, Array]:
    """Mean (d,) and Cholesky factor (d, d) of the mean scale matrix of the first n components."""
    d = parts.means.shape[1]
    mean, matrix, factor = np.zeros(d), np.zeros((d, d)), np.empty((d, d))
    for c in range(n):
        weight = parts.weights[c]
        for i in range(d):
            mean[i] += weight * parts.means[c, i]
            for j in range(i + 1):
                for a in range(j + 1):
                    matrix[i, j] += weight * parts.scales[c, i, a] * parts.scales[c, j, a]
    factorise_inplace(factor, matrix, floor)
    return mean, factor


@lean_kernel
def put_residual_inplace(row: Array, z: Array, mean: Array, factor: Array) -> None:
    """Write W⁻¹(z - m) into the row."""
    for i in range(z.shape[0]):
        value = z[i] - mean[i]
        for j in range(i):
            value -= factor[i, j] * row[j]
        row[i] = min(max(value / factor[i, i], -_FAR), _FAR)


@lean_kernel
def _along_inplace(u: Array, mean: Array, factor: Array, line: Array) -> float:
    """Write Wᵀu into the line and return the mean along u."""
    d = u.shape[0]
    for i in range(d):
        line[i] = 0.0
        for a in range(i, d):
            line[i] += factor[a, i] * u[a]
    return projected(u, mean)


@kernel
def residual_loss(
    residuals: Array,
    frame: tuple[Array, Array],
    directions: Array,
    intervals: Array,
    z: Array,
) -> float:
    """Mean score over the directions of the empirical law of residuals (n, d) in the frame."""
    n, n_directions, total = residuals.shape[0], directions.shape[0], 0.0
    cdf, line = np.empty(GRID), np.empty(z.shape[0])
    for p in range(n_directions):
        middle = _along_inplace(directions[p], frame[0], frame[1], line)
        for g in range(GRID):
            cdf[g] = 0.0
        for a in range(n):
            cell = count_cell(middle + projected(line, residuals[a]), intervals[p])
            if cell < GRID:
                cdf[cell] += 1.0 / n
        for g in range(1, GRID):
            cdf[g] += cdf[g - 1]
        total += interval_crps(cdf, intervals[p], projected(directions[p], z)) / n_directions
    return total
