"""Kernels: the densities by which experts are judged, blurred a little and guarded.

Densities are per unit of the stream's own volume. They are those of laws that were blurred: where
values come again and again, a law that is all peaks would win whatever it says of the rest.
"""

import math

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.linear import (
    factorise_inplace,
    log_sum,
    log_volume_ratio,
    squared_length_inplace,
)
from driftlaw.predictor.adaptive.model import (
    DF,
    ERROR,
    FLOOR,
    GRAIN,
    MATRIX,
    N_TAILS,
    NEAR,
    POOL_BLUR,
    POOL_CELL,
    POOL_MOST,
    POOL_STRAYS,
    WORLD_COV,
    WORLD_FACTOR,
)
from driftlaw.predictor.adaptive.state import Parts, Store


@lean_kernel
def set_near_inplace(x: Store, scatter: Array) -> None:
    """Note what share of the stream's variances the latest have, at most one, along any axis.

    The stream's own takes thousands of observations to forget that they were larger.
    """
    ratio = 1.0
    for i in range(scatter.shape[0]):
        if x.squares[WORLD_COV, i, i] > 0.0:
            ratio = min(ratio, scatter[i, i] / x.squares[WORLD_COV, i, i])
    x.work[NEAR] = ratio


@lean_kernel
def blur_inplace(x: Store, matrix: Array, weight: float, factor: Array) -> float:
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
def squared_gap(x: Store, z: Array, point: Array, factor: Array) -> float:
    """|L⁻¹(z - point)|²."""
    for i in range(z.shape[0]):
        x.lines[ERROR, i] = z[i] - point[i]
    return squared_length_inplace(x, factor)


@lean_kernel
def square_inplace(factor: Array, out: Array) -> None:
    """Lower half of L Lᵀ."""
    for i in range(factor.shape[0]):
        for j in range(i + 1):
            total = 0.0
            for a in range(j + 1):
                total += factor[i, a] * factor[j, a]
            out[i, j] = total


@lean_kernel
def guarded(log_density: float, broad: float) -> float:
    """Log of the density under which a share of the observations comes from the broad law."""
    a, b = math.log(1.0 - POOL_STRAYS) + log_density, math.log(POOL_STRAYS * broad)
    top = max(a, b)
    return top + math.log(math.exp(a - top) + math.exp(b - top))


@kernel
def parts_log_density(parts: Parts, n: int, x: Store, z: Array) -> float:
    """Log density at z of the first n components, their scales blurred."""
    d = z.shape[0]
    logs, matrix, factor = np.empty(n), np.empty((d, d)), np.empty((d, d))
    for c in range(n):
        square_inplace(parts.scales[c], matrix)
        logs[c] = math.log(parts.weights[c]) - blur_inplace(x, matrix, 1.0, factor)
        square, nu = squared_gap(x, z, parts.means[c], factor), parts.df[c]
        for v in range(N_TAILS):
            if nu == DF[v]:
                logs[c] += x.constants[v] - 0.5 * (nu + d) * math.log1p(square / nu)
    return log_sum(logs, n)
