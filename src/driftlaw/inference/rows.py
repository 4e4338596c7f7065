"""Kernels: sums, minima and squared distances over rows, in loops that vectorise.

A loop that writes a row sums nothing. Before one that does both the compiler asks how far apart the
arrays lie, and it adds in another order where they lie close: last bits would depend on memory.
"""

from driftlaw._jit import called_kernel, lean_kernel
from driftlaw._validate import Array

_CHUNK = 1024  # columns whose sums stay in the nearest cache while coordinates are added


@lean_kernel
def squared_distances_inplace(points: Array, n: int, center: Array, out: Array) -> None:
    """Write the squared distance of ``center`` to each of the first n points into ``out``."""
    d = center.shape[0]
    if d == 1:
        for s in range(n):
            out[s] = (points[0, s] - center[0]) ** 2
        return
    if d == 2:
        x, y = center[0], center[1]
        for s in range(n):
            out[s] = (points[0, s] - x) ** 2 + (points[1, s] - y) ** 2
        return
    for start in range(0, n, _CHUNK):
        _chunk_inplace(points, start, min(_CHUNK, n - start), center, out[start:])


@called_kernel
def _chunk_inplace(points: Array, start: int, n: int, center: Array, out: Array) -> None:
    """Write squared distances to n points from ``start`` on, in three dimensions or more.

    Coordinates are taken two at a time: a pass over the row costs more than its arithmetic.
    """
    d, u, v, w = center.shape[0], center[0], center[1], center[2]
    x, y, z = points[0][start:], points[1][start:], points[2][start:]
    for s in range(n):
        out[s] = (x[s] - u) ** 2 + (y[s] - v) ** 2 + (z[s] - w) ** 2
    for a in range(3, d - 1, 2):
        u, x, v, y = center[a], points[a][start:], center[a + 1], points[a + 1][start:]
        for s in range(n):
            out[s] += (x[s] - u) ** 2 + (y[s] - v) ** 2
    if d % 2 == 0:
        u, x = center[d - 1], points[d - 1][start:]
        for s in range(n):
            out[s] += (x[s] - u) ** 2


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


@lean_kernel
def _slope(c: Array, g: Array, a: int) -> float:
    """Slope of the difference of squared distances to g and c; 0 where there is no coordinate."""
    return float(2.0 * (c[a] - g[a]) if a < c.shape[0] else 0.0)


@lean_kernel
def _shift(c: Array, g: Array) -> float:
    """Return what the squared distance of the origin to c exceeds that to g by."""
    total = 0.0
    for a in range(c.shape[0]):
        total += (c[a] - g[a]) * (c[a] + g[a])
    return total


@lean_kernel
def lower_inplace(out: Array, first: Array, points: Array, n: int, c: Array, g: Array) -> float:
    r"""Write the smaller of ``first`` and :math:`\|x - g\|^2 - \|x - c\|^2`; return the sum.

    The difference is affine in x. ``out`` must be a row of its own: one that is its own minimum
    with another is stored under a mask, which takes three times as long.
    """
    d, shift = c.shape[0], _shift(c, g)
    if d > 5:
        _lower_beyond_inplace(out, first, points, n, c, g)
        return total_of(out, n)
    t, u, v = _slope(c, g, 0), _slope(c, g, 1), _slope(c, g, 2)
    x, y, z = points[0], points[min(1, d - 1)], points[min(2, d - 1)]
    if d <= 3:
        for s in range(n):
            out[s] = min(first[s], t * x[s] + u * y[s] + v * z[s] - shift)
        return total_of(out, n)
    w, q, a, b = _slope(c, g, 3), _slope(c, g, 4), points[3], points[d - 1]
    for s in range(n):
        out[s] = min(first[s], t * x[s] + u * y[s] + v * z[s] + w * a[s] + q * b[s] - shift)
    return total_of(out, n)


@lean_kernel
def _lower_beyond_inplace(
    out: Array, first: Array, points: Array, n: int, c: Array, g: Array
) -> None:
    """Write the row of `lower_inplace` in more than five dimensions: four at a time."""
    d, shift = c.shape[0], _shift(c, g)
    for s in range(n):
        out[s] = -shift
    for i in range(0, d, 4):
        t, u = _slope(c, g, i), _slope(c, g, i + 1)
        v, w = _slope(c, g, i + 2), _slope(c, g, i + 3)
        x, y = points[i], points[min(i + 1, d - 1)]
        z, a = points[min(i + 2, d - 1)], points[min(i + 3, d - 1)]
        if i + 4 < d:
            for s in range(n):
                out[s] += t * x[s] + u * y[s] + v * z[s] + w * a[s]
            continue
        for s in range(n):
            out[s] = min(first[s], out[s] + t * x[s] + u * y[s] + v * z[s] + w * a[s])
