"""Kernels: halving points at a median, wherever they stand."""

from typing import Any

from driftlaw._jit import kernel_of_record, lean_kernel

Points = Any  # a NamedTuple class with the static kernels ``_coordinate`` and ``_swap_inplace``


@kernel_of_record
def coordinate(points: Points, s: int, axis: int) -> float:
    """Coordinate of point s along an axis."""
    return float(points._coordinate(points, s, axis))


@kernel_of_record
def swap_inplace(points: Points, i: int, j: int) -> None:
    """Let points i and j change places."""
    points._swap_inplace(points, i, j)


@lean_kernel
def select_inplace(points: Points, low: int, high: int, m: int, axis: int) -> None:
    """Reorder points low, ..., high so that none before m exceeds one from m on."""
    while low < high:
        pivot = _pivot(points, low, high, axis)
        i, j = low, high
        while i <= j:
            while coordinate(points, i, axis) < pivot:
                i += 1
            while coordinate(points, j, axis) > pivot:
                j -= 1
            if i <= j:
                swap_inplace(points, i, j)
                i += 1
                j -= 1
        if m <= j:
            high = j
        elif m >= i:
            low = i
        else:
            return


@lean_kernel
def _pivot(points: Points, low: int, high: int, axis: int) -> float:
    """Median of the first, the middle and the last value."""
    x = coordinate(points, low, axis)
    y = coordinate(points, (low + high) // 2, axis)
    z = coordinate(points, high, axis)
    return float(max(min(x, y), min(max(x, y), z)))
