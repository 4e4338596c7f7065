"""Kernels: the stream's own units, a robust running mean and scatter, and the broad law in them."""

import math

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.linear import factorise_inplace, squared_length_inplace
from driftlaw.predictor.adaptive.model import (
    AGE,
    BROAD,
    BROAD_DF,
    ERROR,
    FLOOR,
    NEAR,
    SOLVED,
    VOLUME,
    WORLD_COV,
    WORLD_FACTOR,
    WORLD_MEAN,
    WORLD_MEMORY,
)
from driftlaw.predictor.adaptive.state import Store

_FAR = 6.0  # an observation further out counts as one at so many deviations
_LEAST_PIVOT = 1e-8  # of a kernel, against the mean variance of the stream
_LEAST_NEAR = 1e-12  # … which counts as at least this share of it, however still the latest are
_TINY = 1e-300
_LEAST_DENSITY = 1e-280  # keeps logarithms finite at any distance


@lean_kernel
def set_broad_inplace(x: Store, z: Array) -> None:
    """Density of z under the broad law, of (d + 3)/2 times the scatter, per unit of volume.

    In many dimensions a law of the scatter itself is hardly worse than a kernel made of few points.
    """
    d, wide = z.shape[0], 0.5 * (z.shape[0] + 3.0)
    for i in range(d):
        x.lines[ERROR, i] = z[i] - x.lines[WORLD_MEAN, i]
    q = squared_length_inplace(x, x.squares[WORLD_FACTOR]) / wide
    log_density = x.constants[x.constants.shape[0] - 1] - 0.5 * d * math.log(wide)
    log_density -= 0.5 * (BROAD_DF + d) * math.log1p(q / BROAD_DF)
    x.work[BROAD] = max(math.exp(log_density), _LEAST_DENSITY)


@lean_kernel
def _isotropic_inplace(x: Store, variance: float) -> None:
    d = x.squares.shape[1]
    for i in range(d):
        for j in range(d):
            x.squares[WORLD_COV, i, j] = variance if i == j else 0.0


@lean_kernel
def _mean_variance(x: Store) -> float:
    total, d = 0.0, x.squares.shape[1]
    for i in range(d):
        total += x.squares[WORLD_COV, i, i] / d
    return total


@lean_kernel
def _blend_inplace(x: Store, gain: float) -> float:
    """Scatter moves by ``gain``; returns the factor by which a far observation is drawn in."""
    d = x.squares.shape[1]
    q = squared_length_inplace(x, x.squares[WORLD_FACTOR]) / d
    pull = 1.0 if q < _FAR**2 else _FAR / math.sqrt(q)
    for i in range(d):
        for j in range(d):
            new = (1 - gain) * (pull * x.lines[ERROR, i]) * (pull * x.lines[ERROR, j])
            x.squares[WORLD_COV, i, j] += gain * (new - x.squares[WORLD_COV, i, j])
    return pull


@lean_kernel
def factorise_world_inplace(x: Store) -> None:
    """Factor of the scatter, and the least variance of a kernel, which follows the latest.

    The volume, in which densities are measured, is noted against that of the first scatter.
    """
    floor, factor = _LEAST_PIVOT * _mean_variance(x), x.squares[WORLD_FACTOR]
    x.work[FLOOR] = max(floor * max(x.work[NEAR], _LEAST_NEAR), _TINY)
    for i in range(factor.shape[0]):
        x.lines[SOLVED, i] = factor[i, i]
    factorise_inplace(factor, x.squares[WORLD_COV], max(100.0 * floor, _TINY))
    if x.work[AGE] > 2.0:
        for i in range(factor.shape[0]):
            x.work[VOLUME] += math.log(factor[i, i] / x.lines[SOLVED, i])


@lean_kernel
def learn_world_inplace(x: Store, z: Array) -> None:
    """Mean and scatter learn z; until two observations differ nothing is known of the scatter."""
    d = z.shape[0]
    x.work[AGE] += 1.0
    n, volume = x.work[AGE], x.work[VOLUME]
    gain, pull, spread = max(1.0 / n, 1.0 / WORLD_MEMORY), 1.0, 0.0
    is_first = n <= 2.0 or _mean_variance(x) == 0.0
    for i in range(d):
        x.lines[ERROR, i] = z[i] - x.lines[WORLD_MEAN, i]
    for i in range(d):
        spread += x.lines[ERROR, i] ** 2 / d
    if n == 1.0:
        _isotropic_inplace(x, 1.0)
    elif is_first:
        _isotropic_inplace(x, 0.5 * spread)
    else:
        pull = _blend_inplace(x, gain)
    for i in range(d):
        if n == 1.0:
            x.lines[WORLD_MEAN, i] = z[i]
        else:
            x.lines[WORLD_MEAN, i] += gain * pull * x.lines[ERROR, i]
    factorise_world_inplace(x)
    if is_first:
        x.work[VOLUME] = volume
