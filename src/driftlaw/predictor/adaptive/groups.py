"""Kernels: groups of points, by greedy medoids and Lloyd's algorithm, without strays."""

import math

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw.predictor.adaptive.linear import factorise_inplace
from driftlaw.predictor.adaptive.model import WORLD_FACTOR
from driftlaw.predictor.adaptive.split import solve_rows, stretched
from driftlaw.predictor.adaptive.state import Store

_ROUNDS = 6  # of Lloyd's algorithm
_HUGE = 1e300
_ROUNDING = 1e-9  # of a sum of distances
_LEAST_GROUP = 3  # points of a group: fewer are strays …
_FEW = 20  # … unless there are not as many points, of which one may be the first of its group
_GRANTED = 0.1  # of a point, of the stream's scatter, by which one within groups is never nil


@lean_kernel
def _gap(p: Array, q: Array) -> float:
    """Squared distance of two points."""
    total = 0.0
    for i in range(p.shape[0]):
        total += (p[i] - q[i]) ** 2
    return total


@lean_kernel
def _next_medoid(distances: Array, nearest: Array) -> int:
    """Point that lowers the sum of distances to the chosen ones most; of equals the first.

    On the line the two in the middle are equal, and rounding would tell them apart.
    """
    best, low = 0, _HUGE
    for a in range(distances.shape[0]):
        total = 0.0
        for q in range(distances.shape[0]):
            total += min(nearest[q], distances[a, q])
        if total < low * (1.0 - _ROUNDING):
            low, best = total, a
    return best


@kernel
def _seed_medoids(rows: Array, n_seeds: int) -> IntArray:
    """Greedy medoids for the unsquared clustering loss, best first."""
    n = rows.shape[0]
    distances, nearest = np.empty((n, n)), np.full(n, _HUGE)
    chosen = np.zeros(n_seeds, np.int64)
    for a in range(n):
        for q in range(a + 1):
            distances[a, q] = math.sqrt(_gap(rows[a], rows[q]))
            distances[q, a] = distances[a, q]
    for j in range(n_seeds):
        chosen[j] = _next_medoid(distances, nearest)
        for q in range(n):
            nearest[q] = min(nearest[q], distances[chosen[j], q])
    return chosen


@lean_kernel
def _assign_inplace(rows: Array, centers: Array, labels: IntArray) -> None:
    for a in range(rows.shape[0]):
        low = _HUGE
        for j in range(centers.shape[0]):
            gap = _gap(rows[a], centers[j])
            if gap < low:
                low, labels[a] = gap, j


@lean_kernel
def average_inplace(points: Array, labels: IntArray, centers: Array) -> None:
    """Each center moves to the mean of the points with its label, if there are any."""
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
def _drop_small_inplace(labels: IntArray, k: int) -> None:
    """Leave out small groups, whose points get the label -1; the others are counted anew.

    The largest one stays in any case.
    """
    n, kept, largest, most = labels.shape[0], 0, 0, 0
    least = _LEAST_GROUP if n >= _FEW else 1
    for j in range(k):
        size = group_size(labels, j)
        if size > most:
            largest, most = j, size
    for j in range(k):
        is_kept = j == largest or group_size(labels, j) >= least
        for a in range(n):
            if labels[a] == j:
                labels[a] = kept if is_kept else -1
        kept += 1 if is_kept else 0


@kernel
def _group_inplace(rows: Array, chosen: IntArray, labels: IntArray) -> None:
    """Labels of the groups that grow from the chosen rows."""
    centers = np.empty((chosen.shape[0], rows.shape[1]))
    for j in range(chosen.shape[0]):
        for i in range(rows.shape[1]):
            centers[j, i] = rows[chosen[j], i]
    for _ in range(_ROUNDS):
        _assign_inplace(rows, centers, labels)
        average_inplace(rows, labels, centers)


@kernel
def _log_volume(rows: Array, labels: IntArray, k: int) -> float:
    """Log volume of the scatter within groups, a measure that no change of units changes."""
    n, d = rows.shape
    centers, scatter, factor = np.zeros((k, d)), np.zeros((d, d)), np.empty((d, d))
    average_inplace(rows, labels, centers)
    for i in range(d):
        for j in range(i + 1):
            total = 0.0
            for a in range(n):
                c = labels[a]
                total += (rows[a, i] - centers[c, i]) * (rows[a, j] - centers[c, j]) / n
            scatter[i, j] = total
        scatter[i, i] += _GRANTED / n
    factorise_inplace(factor, scatter, 0.0)
    total = 0.0
    for i in range(d):
        total += math.log(factor[i, i])
    return total


@kernel
def find_groups(x: Store, points: Array, most: int) -> IntArray:
    """Labels (most, n) of points (n, d) in 1, 2, … groups; -1 for those of groups left out.

    Groups grow in two metrics, the stream's own and that of `stretched`; of each number of groups
    those are taken whose scatter has the least volume.
    """
    labels = np.zeros((most, points.shape[0]), np.int64)
    if most == 1:
        return labels
    rows = solve_rows(points, x.squares[WORLD_FACTOR])
    chosen = _seed_medoids(rows, most)
    for k in range(2, most + 1):
        _group_inplace(rows, chosen[:k], labels[k - 1])
    if points.shape[1] > 1:
        others, longer = np.zeros(points.shape[0], np.int64), stretched(x, points)
        chosen = _seed_medoids(longer, most)
        for k in range(2, most + 1):
            _group_inplace(longer, chosen[:k], others)
            if _log_volume(rows, others, k) < _log_volume(rows, labels[k - 1], k):
                labels[k - 1] = others
    for k in range(2, most + 1):
        _drop_small_inplace(labels[k - 1], k)
    return labels
