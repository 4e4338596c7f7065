"""Kernels: k-means of weighted points, and the lowest of several lines."""

import numpy as np

from driftlaw._jit import kernel
from driftlaw._validate import Array


@kernel
def nearest(points: Array, s: int, centers: Array, k: int) -> tuple[int, float]:
    """Return the nearest of the first k centres to point s, and its squared distance."""
    best, owner = 1e300, 0
    for j in range(k):
        square = 0.0
        for a in range(points.shape[1]):
            gap = points[s, a] - centers[j, a]
            square += gap * gap
        if square < best:
            best, owner = square, j
    return owner, best


@kernel
def seed_inplace(points: Array, weights: Array, uniforms: Array, centers: Array) -> None:
    """Choose ``centers`` (k, d) among the points, far from each other, by the given uniforms (k,).

    This is k-means++ with inverse-cdf draws.
    """
    n = points.shape[0]
    for j in range(centers.shape[0]):
        total = 0.0
        for s in range(n):
            total += weights[s] * (nearest(points, s, centers, j)[1] if j > 0 else 1.0)
        rest, pick = uniforms[j] * total, n - 1
        for s in range(n):
            rest -= weights[s] * (nearest(points, s, centers, j)[1] if j > 0 else 1.0)
            if rest <= 0.0:
                pick = s
                break
        for a in range(centers.shape[1]):
            centers[j, a] = points[pick, a]


@kernel
def lloyd_inplace(points: Array, weights: Array, centers: Array, totals: Array) -> float:
    """Improve ``centers`` (k, d) until no point changes its owner; return the loss.

    ``totals`` (k, d + 1) is scratch. A centre that owns no point stays where it is.
    """
    k, d = centers.shape
    loss, previous = 0.0, 1e300
    for _ in range(1000):
        totals[:] = 0.0
        loss = 0.0
        for s in range(points.shape[0]):
            owner, square = nearest(points, s, centers, k)
            loss += weights[s] * square
            for a in range(d):
                totals[owner, a] += weights[s] * points[s, a]
            totals[owner, d] += weights[s]
        if loss >= previous * (1.0 - 1e-12):
            break
        previous = loss
        for j in range(k):
            if totals[j, d] > 0.0:
                for a in range(d):
                    centers[j, a] = totals[j, a] / totals[j, d]
    return loss


@kernel
def lowest_intervals_inplace(heights: Array, slopes: Array, low: Array, high: Array) -> None:
    """Find where line j of ``heights[i, q, j] + slopes[i, j] s`` is the lowest.

    ``low`` and ``high``, shaped as ``heights`` (K, Q, k), receive the ends of the interval of s;
    both are inf where there is none. Of equal lines the first counts.
    """
    n_components, n_nodes, k = heights.shape
    for i in range(n_components):
        for q in range(n_nodes):
            for j in range(k):
                left, right = -np.inf, np.inf
                for other in range(k):
                    lead = slopes[i, other] - slopes[i, j]
                    gap = heights[i, q, j] - heights[i, q, other]
                    if lead > 0.0:
                        left = max(left, gap / lead)
                    elif lead < 0.0:
                        right = min(right, gap / lead)
                    elif gap > 0.0 or (gap == 0.0 and other < j):
                        left = np.inf
                is_empty = left >= right
                low[i, q, j] = np.inf if is_empty else left
                high[i, q, j] = np.inf if is_empty else right
