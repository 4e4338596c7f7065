"""Kernels: sums, minima and squared distances over rows, in loops that vectorise."""

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array


@lean_kernel
def squared_distances_inplace(points: Array, n: int, center: Array, out: Array) -> None:
    """Write the squared distance of ``center`` to each of the first n points into ``out``.

    Coordinates are taken two at a time: a pass over the row costs more than its arithmetic.
    """
    d = center.shape[0]
    if d == 1:
        for s in range(n):
            out[s] = (points[0, s] - center[0]) ** 2
        return
    x, y = center[0], center[1]
    for s in range(n):
        out[s] = (points[0, s] - x) ** 2 + (points[1, s] - y) ** 2
    for a in range(2, d - 1, 2):
        x, y = center[a], center[a + 1]
        for s in range(n):
            out[s] += (points[a, s] - x) ** 2 + (points[a + 1, s] - y) ** 2
    if d % 2 == 1:
        x = center[d - 1]
        for s in range(n):
            out[s] += (points[d - 1, s] - x) ** 2


@lean_kernel
def copy_inplace(out: Array, other: Array, n: int) -> None:
    """Copy the first n entries of ``other`` to ``out``."""
    for s in range(n):
        out[s] = other[s]


@lean_kernel
def minimum_inplace(out: Array, other: Array, n: int) -> None:
    """Lower the first n entries of ``out`` to those of ``other`` where these are smaller."""
    for s in range(n):
        out[s] = min(out[s], other[s])


@lean_kernel
def total_of(values: Array, n: int) -> float:
    """Sum of the first n entries."""
    total = 0.0
    for s in range(n):
        total += values[s]
    return total


@lean_kernel
def weighted_total_of(values: Array, weights: Array, n: int) -> float:
    """Sum of the first n entries, each as often as its weight says."""
    total = 0.0
    for s in range(n):
        total += weights[s] * values[s]
    return total
