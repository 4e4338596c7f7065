"""Kernels: groups of points, by greedy medoids and Lloyd's algorithm, without strays."""

import math

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw.predictor.adaptive.linear import squared_length_inplace
from driftlaw.predictor.adaptive.model import ERROR, WORLD_FACTOR
from driftlaw.predictor.adaptive.state import Store

_ROUNDS = 6  # of Lloyd's algorithm
_HUGE = 1e300
_LEAST_GROUP = 3  # points of a group: fewer are strays …
_FEW = 20  # … unless there are not as many points, of which one may be the first of its group


@lean_kernel
def _world_gap(x: Store, p: Array, q: Array) -> float:
    """Squared distance of two points in the stream's own metric."""
    for i in range(p.shape[0]):
        x.lines[ERROR, i] = p[i] - q[i]
    return squared_length_inplace(x, x.squares[WORLD_FACTOR])


@lean_kernel
def _next_medoid(distances: Array, nearest: Array) -> int:
    """Point that lowers the sum of distances to the chosen ones most."""
    best, low = 0, _HUGE
    for a in range(distances.shape[0]):
        total = 0.0
        for q in range(distances.shape[0]):
            total += min(nearest[q], distances[a, q])
        if total < low:
            low, best = total, a
    return best


@kernel
def seed_medoids(x: Store, points: Array, n_seeds: int) -> IntArray:
    """Greedy medoids for the unsquared clustering loss, best first."""
    n = points.shape[0]
    distances, nearest = np.empty((n, n)), np.full(n, _HUGE)
    chosen = np.zeros(n_seeds, np.int64)
    for a in range(n):
        for q in range(a + 1):
            distances[a, q] = math.sqrt(_world_gap(x, points[a], points[q]))
            distances[q, a] = distances[a, q]
    for j in range(n_seeds):
        chosen[j] = _next_medoid(distances, nearest)
        for q in range(n):
            nearest[q] = min(nearest[q], distances[chosen[j], q])
    return chosen


@lean_kernel
def _assign_inplace(x: Store, points: Array, centers: Array, labels: IntArray) -> None:
    for a in range(points.shape[0]):
        low = _HUGE
        for j in range(centers.shape[0]):
            gap = _world_gap(x, points[a], centers[j])
            if gap < low:
                low, labels[a] = gap, j


@lean_kernel
def _average_inplace(points: Array, centers: Array, labels: IntArray) -> None:
    """Each center moves to the mean of its points, if it has any."""
    for j in range(centers.shape[0]):
        for i in range(centers.shape[1]):
            total, size = 0.0, 0
            for a in range(points.shape[0]):
                if labels[a] == j:
                    total += points[a, i]
                    size += 1
            if size > 0:
                centers[j, i] = total / size


@lean_kernel
def group_size(labels: IntArray, j: int) -> int:
    """Count the points with label j."""
    size = 0
    for a in range(labels.shape[0]):
        size += 1 if labels[a] == j else 0
    return size


@lean_kernel
def _drop_small_inplace(centers: Array, labels: IntArray) -> int:
    """Leave out small groups, whose points get the label -1; returns how many centers remain.

    The largest one stays in any case.
    """
    n, kept, largest, most = labels.shape[0], 0, 0, 0
    least = _LEAST_GROUP if n >= _FEW else 1
    for j in range(centers.shape[0]):
        size = group_size(labels, j)
        if size > most:
            largest, most = j, size
    for j in range(centers.shape[0]):
        is_kept = j == largest or group_size(labels, j) >= least
        for a in range(n):
            if labels[a] == j:
                labels[a] = kept if is_kept else -1
        if is_kept:
            for i in range(centers.shape[1]):
                centers[kept, i] = centers[j, i]
            kept += 1
    return kept


@kernel
def group_inplace(x: Store, points: Array, chosen: IntArray, labels: IntArray) -> Array:
    """Centers (k, d) of the groups that grow from the chosen points; labels say who is in which.

    Small groups are left out in the end, and their points have the label -1.
    """
    centers = np.empty((chosen.shape[0], points.shape[1]))
    for j in range(chosen.shape[0]):
        for i in range(points.shape[1]):
            centers[j, i] = points[chosen[j], i]
    for _ in range(_ROUNDS):
        _assign_inplace(x, points, centers, labels)
        _average_inplace(points, centers, labels)
    return centers[: _drop_small_inplace(centers, labels)].copy()
