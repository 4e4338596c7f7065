"""Kernels: the pool of experts, weighed by a threshold-weighted CRPS along fixed directions.

The interval of the score is fixed before the observation is seen, so the score is proper, and
bounded by the interval's length.
"""

import math

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.model import (
    GRID,
    N_EXPERTS,
    POOL_PRIOR,
    POOL_RATES,
    POOL_SHARE,
    WINDOWS,
)
from driftlaw.predictor.adaptive.state import Parts

_TINY = 1e-300
_MOST_GAIN = 0.5  # where x - x² is highest: nobody is punished for being much better
_CUT = 20  # one observation in so many, at either end, may lie anywhere


@lean_kernel
def student_cdf(x: float, nu: float) -> float:
    """Cdf of the Student law for nu = 3 and for even nu; above 100 the normal one."""
    if nu > 100.0:
        return 0.5 * math.erfc(-x / math.sqrt(2.0))
    if nu == 3.0:
        y = x / math.sqrt(3.0)
        return 0.5 + (y / (1.0 + y * y) + math.atan(y)) / math.pi
    cosine2 = 1.0 / (1.0 + x * x / nu)
    term, total = 1.0, 1.0
    for i in range(1, int(nu) // 2):
        term *= cosine2 * (2 * i - 1) / (2.0 * i)
        total += term
    return 0.5 + 0.5 * x / math.sqrt(nu + x * x) * total


@lean_kernel
def projected(u: Array, z: Array) -> float:
    """Inner product of a direction and a point."""
    total = 0.0
    for i in range(u.shape[0]):
        total += u[i] * z[i]
    return total


@kernel
def set_interval_inplace(points: Array, u: Array, interval: Array) -> None:
    """Range of the points along u without a twentieth at each end, three times as wide."""
    n = points.shape[0]
    values = np.empty(n)
    for a in range(n):
        place, value = a, projected(u, points[a])
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value
    cut = n // _CUT
    if values[cut] == values[n - 1 - cut]:
        cut = 0
    low, high = values[cut], values[n - 1 - cut]
    interval[0], interval[1] = low - (high - low), high + (high - low)


@lean_kernel
def _scale_along(factor: Array, u: Array) -> float:
    total, d = 0.0, u.shape[0]
    for i in range(d):
        value = 0.0
        for a in range(d):
            value += u[a] * factor[a, i]
        total += value * value
    return math.sqrt(total) + _TINY


@lean_kernel
def mixture_cdf_inplace(parts: Parts, n: int, u: Array, interval: Array, cdf: Array) -> None:
    """Cdf of the mixture along u in the middle of each cell of the interval."""
    step = (interval[1] - interval[0]) / GRID
    for g in range(GRID):
        cdf[g] = 0.0
    for c in range(n):
        mean, scale = projected(u, parts.means[c]), _scale_along(parts.scales[c], u)
        for g in range(GRID):
            y = interval[0] + (g + 0.5) * step
            cdf[g] += parts.weights[c] * student_cdf((y - mean) / scale, parts.df[c])


@lean_kernel
def count_cell(value: float, interval: Array) -> int:
    """First cell whose middle is at the value or above it; GRID where there is none."""
    if value >= interval[1]:
        return GRID
    if value <= interval[0]:
        return 0
    step = (interval[1] - interval[0]) / GRID
    cell: int = max(math.ceil((value - interval[0]) / step - 0.5), 0)
    return cell


@lean_kernel
def _add_point_inplace(value: float, age: int, n: int, interval: Array, cdfs: Array) -> None:
    """Count a point, ``age`` observations old, in every window that reaches it."""
    cell = count_cell(value, interval)
    if cell < GRID:
        for e in range(WINDOWS.shape[0]):
            if age < WINDOWS[e]:
                cdfs[e, cell] += 1.0 / min(WINDOWS[e], n)


@lean_kernel
def window_cdfs_inplace(points: Array, u: Array, interval: Array, cdfs: Array) -> None:
    """Empirical cdfs of the last points along u, one row for each window."""
    n = points.shape[0]
    for e in range(WINDOWS.shape[0]):
        for g in range(GRID):
            cdfs[e, g] = 0.0
    for a in range(n):
        _add_point_inplace(projected(u, points[n - 1 - a]), a, n, interval, cdfs)
    for e in range(WINDOWS.shape[0]):
        for g in range(1, GRID):
            cdfs[e, g] += cdfs[e, g - 1]


@lean_kernel
def interval_crps(cdf: Array, interval: Array, y: float) -> float:
    """∫ (F(x) - 1{x >= y})² dx over the interval, by the midpoint rule."""
    step, total = (interval[1] - interval[0]) / GRID, 0.0
    for g in range(GRID):
        is_above = interval[0] + (g + 0.5) * step >= y
        gap = cdf[g] - (1.0 if is_above else 0.0)
        total += gap * gap * step
    return total


@lean_kernel
def _gain_inplace(pairs: Array, losses: Array, pool: Array, typical: Array) -> float:
    """Add x - x², x = η r, to every pair; returns the log of the sum of their weights."""
    mixed, top, total = 0.0, -1e300, 0.0
    for e in range(N_EXPERTS):
        mixed += math.exp(pool[e]) * losses[e]
    typical[1] = 0.99 * typical[1] + 1.0
    typical[0] += (mixed - typical[0]) / typical[1]
    for a in range(POOL_RATES.shape[0]):
        for e in range(N_EXPERTS):
            gain = min(POOL_RATES[a] * (mixed - losses[e]) / (typical[0] + _TINY), _MOST_GAIN)
            pairs[a, e] += gain - gain * gain
            top = max(top, pairs[a, e])
    for a in range(POOL_RATES.shape[0]):
        for e in range(N_EXPERTS):
            total += math.exp(pairs[a, e] - top)
    return top + math.log(total)


@lean_kernel
def reweigh_inplace(pairs: Array, losses: Array, pool: Array, typical: Array) -> None:
    """Second-order exponential weights for every pair of a rate and an expert, with fixed share.

    A pair gains x - x², x = min(η r, ½), r being how much less the expert lost than the pool, in
    units of the pool's typical loss; the pool's weights are proportional to Σ_η η w.
    """
    total, n_rates = 0.0, POOL_RATES.shape[0]
    log_sum = _gain_inplace(pairs, losses, pool, typical)
    for e in range(N_EXPERTS):
        pool[e] = 0.0
        for a in range(n_rates):
            kept = (1 - POOL_SHARE) * math.exp(pairs[a, e] - log_sum)
            kept += POOL_SHARE * POOL_PRIOR[e] / n_rates
            pairs[a, e] = math.log(kept)
            pool[e] += POOL_RATES[a] * kept
        total += pool[e]
    for e in range(N_EXPERTS):
        pool[e] = math.log(pool[e] / total)


@kernel
def window_losses_inplace(
    points: Array, directions: Array, intervals: Array, z: Array, losses: Array
) -> None:
    """Mean score of each window over the directions; ``losses`` starts at the first window."""
    n = directions.shape[0]
    cdfs = np.empty((WINDOWS.shape[0], GRID))
    for e in range(WINDOWS.shape[0]):
        losses[e] = 0.0
    for p in range(n):
        y = projected(directions[p], z)
        window_cdfs_inplace(points, directions[p], intervals[p], cdfs)
        for e in range(WINDOWS.shape[0]):
            losses[e] += interval_crps(cdfs[e], intervals[p], y) / n
