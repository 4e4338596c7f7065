"""Kernels: ranks of the latest observations, by which a level that moves is seen early.

A kernel density estimate of twenty points says so little of a law that it takes hundreds of
observations until it beats one of all points that are out of date. The level alone is known from
twenty points far better, and its ranks make it free of tails, of skewness and of units.
"""

import numpy as np

from driftlaw._jit import kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.density import squared_gap
from driftlaw.predictor.adaptive.linear import factorise_inplace
from driftlaw.predictor.adaptive.model import N_WINDOWS, WINDOWS
from driftlaw.predictor.adaptive.state import Store

_LEAST_VARIANCE = 1e-3  # of ranks, which have one twelfth where no two values are equal


@kernel
def _rank_inplace(values: Array, z: float, ranks: Array) -> None:
    """Ranks (n + 1,) between 0 and 1 of n values and of z among them; equal values share one."""
    n, a = values.shape[0], 0
    order = np.argsort(values)
    below, equal = 0, 0
    while a < n:
        b = a + 1
        while b < n and values[order[b]] == values[order[a]]:
            b += 1
        for i in range(a, b):
            ranks[order[i]] = 0.5 * (a + b) / n
        if values[order[a]] < z:
            below = b
        elif values[order[a]] == z:
            equal = b - a
        a = b
    ranks[n] = (below + 0.5 * equal + 0.5) / (n + 1.0)


@kernel
def score_levels_inplace(points: Array, x: Store, z: Array, scores: Array) -> None:
    """Log scores at z, up to a constant, of the mean ranks within each window of points (n, d).

    Ranks are those among all points, as if normal with their scatter, which is drawn to its
    diagonal where points are few.
    """
    n, d = points.shape
    ranks, mean, scatter = np.empty((d, n + 1)), np.zeros(d), np.zeros((d, d))
    for i in range(d):
        _rank_inplace(points[:, i].copy(), z[i], ranks[i])
    kept = 1.0 - min(1.0, (d + 2.0) / n)
    for i in range(d):
        for j in range(i + 1):
            total = 0.0
            for a in range(n):
                total += (ranks[i, a] - 0.5) * (ranks[j, a] - 0.5)
            scatter[i, j] = total / n if i == j else kept * total / n
    factor = np.empty((d, d))
    factorise_inplace(factor, scatter, _LEAST_VARIANCE)
    target, e = ranks[:, n].copy(), 0
    for a in range(n):
        for i in range(d):
            mean[i] += (ranks[i, n - 1 - a] - mean[i]) / (a + 1.0)
        while e < N_WINDOWS and a + 1 == min(WINDOWS[e], n):
            scores[e] = -0.5 * squared_gap(x, target, mean, factor)
            e += 1
