r"""Kernels: a window in bounded memory, as micro-clusters.

When all columns are taken, neighbours are merged in pairs. A micro-cluster knows the number w of
its points, their mean, their scatter e and a radius r around the mean that holds them all. With
D the distance of the nearest centre to the mean it is scored :math:`w D^2 + e`, which is exact
where the second nearest is 2 r farther away, and otherwise too much by at most
:math:`\min(w D^2 + e,\, 2 D \sqrt{w e})`: distances to the nearest centre are 1-Lipschitz, so that
the true loss is at least :math:`(\sqrt w D - \sqrt e)_+^2`.
"""

import math
from typing import NamedTuple

from driftlaw._jit import called_kernel, lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw.inference.chain import Chain
from driftlaw.inference.rows import total_of
from driftlaw.inference.select import select_inplace
from driftlaw.inference.window import COLUMNS, HELD, LIMIT

_SCATTER, _RADIUS = 0, 1
N_STACK = 64  # twice the depth of the largest window


class BoundedWindow(NamedTuple):
    """Observations in columns, which are merged when there are ``n[3]`` of them.

    ``spread`` holds scatter and radius of the points that each stands for; ``offset`` the sum of
    these scatters.
    """

    points: Array  # (d, capacity)
    n: IntArray  # (4,)
    weights: Array  # (capacity,)
    spread: Array  # (2, capacity)
    offset: Array  # (1,)
    stack: IntArray  # (N_STACK, 2) scratch

    @staticmethod
    @lean_kernel
    def _window_of(windows: "BoundedWindow", i: int) -> "BoundedWindow":
        return BoundedWindow(
            windows.points[i],
            windows.n[i],
            windows.weights[i],
            windows.spread[i],
            windows.offset[i],
            windows.stack[i],
        )

    @staticmethod
    @lean_kernel
    def _coordinate(window: "BoundedWindow", s: int, axis: int) -> float:
        return float(window.points[axis, s])

    @staticmethod
    @lean_kernel
    def _swap_inplace(window: "BoundedWindow", i: int, j: int) -> None:
        for a in range(window.points.shape[0]):
            x = window.points[a, i]
            window.points[a, i] = window.points[a, j]
            window.points[a, j] = x
        for a in range(2):
            x = window.spread[a, i]
            window.spread[a, i] = window.spread[a, j]
            window.spread[a, j] = x
        x = window.weights[i]
        window.weights[i] = window.weights[j]
        window.weights[j] = x

    @staticmethod
    @lean_kernel
    def _is_summary(window: "BoundedWindow") -> bool:
        return bool(window.n[HELD] > 0)

    @staticmethod
    @lean_kernel
    def _loss_offset(window: "BoundedWindow") -> float:
        return float(window.offset[0] if window.n[HELD] > 0 else 0.0)

    @staticmethod
    @lean_kernel
    def _loss_error(window: "BoundedWindow", chain: Chain) -> float:
        total = 0.0
        if window.n[HELD] > 0:
            for s in range(window.n[COLUMNS]):
                if window.spread[_SCATTER, s] > 0.0:
                    total += _cluster_error(window, chain, s)
        return total

    @staticmethod
    @lean_kernel
    def _is_summed_up_inplace(window: "BoundedWindow", _z: Array) -> bool:
        last = window.n[COLUMNS] - 1
        window.weights[last] = 1.0
        window.spread[_SCATTER, last], window.spread[_RADIUS, last] = 0.0, 0.0
        if window.n[HELD] > 0:
            window.n[HELD] += 1
        if window.n[COLUMNS] < window.n[LIMIT]:
            return False
        if window.n[HELD] == 0:
            window.n[HELD] = window.n[COLUMNS]
        _compress_inplace(window)
        return True

    @staticmethod
    @lean_kernel
    def _copy_observation_inplace(window: "BoundedWindow", s: int, out: Array, i: int) -> None:
        column = _column_of(window, s) if window.n[HELD] > 0 else s
        for a in range(out.shape[0]):
            out[a, i] = window.points[a, column]


@lean_kernel
def _column_of(window: BoundedWindow, rank: int) -> int:
    """Return the column that stands for the observation of this rank."""
    s, rest = 0, rank - window.weights[0]
    while rest >= 0.0 and s + 1 < window.n[COLUMNS]:
        s += 1
        rest -= window.weights[s]
    return s


@called_kernel
def _compress_inplace(window: BoundedWindow) -> None:
    """Bring neighbours together and merge them in pairs, but for pairs that lie far apart.

    At least half of the pairs cost at most twice the mean, so that a quarter of the columns is
    free afterwards.
    """
    _order_inplace(window)
    columns, n, total = window.n[COLUMNS], 0, 0.0
    for i in range(0, columns - 1, 2):
        total += _cost(window, i)
    most = 2.0 * total / (columns // 2)
    for i in range(0, columns, 2):
        if i + 1 < columns and _cost(window, i) <= most:
            _merge_inplace(window, n, i, i + 1)
            n += 1
        else:
            for j in range(i, min(i + 2, columns)):
                _merge_inplace(window, n, j, j)
                n += 1
    window.n[COLUMNS], window.offset[0] = n, total_of(window.spread[_SCATTER], n)


@lean_kernel
def _cost(window: BoundedWindow, i: int) -> float:
    """Scatter that merging columns i and i + 1 would add."""
    v, w, square = window.weights[i], window.weights[i + 1], 0.0
    for a in range(window.points.shape[0]):
        square += (window.points[a, i + 1] - window.points[a, i]) ** 2
    return float(v * w / (v + w) * square)


@lean_kernel
def _order_inplace(window: BoundedWindow) -> None:
    """Halve the range of columns at the median of its widest axis, then its halves, and so on."""
    stack, top = window.stack, 1
    stack[0, 0], stack[0, 1] = 0, window.n[COLUMNS]
    while top > 0:
        top -= 1
        low, size = stack[top, 0], stack[top, 1]
        if size > 2:
            half = size // 4 * 2 if size >= 4 else 2  # even, so that pairs stay together
            axis = _widest_axis(window.points, low, low + size - 1)
            select_inplace(window, low, low + size - 1, low + half, axis)
            stack[top, 0], stack[top, 1] = low + half, size - half
            stack[top + 1, 0], stack[top + 1, 1] = low, half
            top += 2


@lean_kernel
def _square_between(points: Array, i: int, j: int) -> float:
    square = 0.0
    for a in range(points.shape[0]):
        square += (points[a, j] - points[a, i]) ** 2
    return square


@lean_kernel
def _merge_inplace(window: BoundedWindow, out: int, i: int, j: int) -> None:
    """Write the union of columns i and j, or column i where they are one, to column ``out``."""
    v, w = window.weights[i], window.weights[j] if i != j else 0.0
    share, square = w / (v + w), _square_between(window.points, i, j)
    scatter, radius = window.spread[_SCATTER, i], window.spread[_RADIUS, i]
    other_scatter, other_radius = window.spread[_SCATTER, j], window.spread[_RADIUS, j]
    for a in range(window.points.shape[0]):
        x = window.points[a, i]
        window.points[a, out] = x + share * (window.points[a, j] - x)
    window.weights[out] = v + w
    if i != j:
        gap = math.sqrt(square)
        scatter += other_scatter + v * share * square
        radius = max(share * gap + radius, (1.0 - share) * gap + other_radius)
    window.spread[_SCATTER, out], window.spread[_RADIUS, out] = scatter, radius


@lean_kernel
def _widest_axis(points: Array, low: int, high: int) -> int:
    axis, widest = 0, -1.0
    for a in range(points.shape[0]):
        least, most = points[a, low], points[a, low]
        for s in range(low, high + 1):
            least = min(least, points[a, s])
            most = max(most, points[a, s])
        if most - least > widest:
            axis, widest = a, most - least
    return axis


@lean_kernel
def _cluster_error(window: BoundedWindow, chain: Chain, s: int) -> float:
    first, second = chain.distances[0, s], math.inf
    for j in range(1, chain.k[0]):
        square = chain.distances[j, s]
        second = min(second, max(first, square))
        first = min(first, square)
    w, e = window.weights[s], window.spread[_SCATTER, s]
    if math.sqrt(second) - math.sqrt(first) >= 2.0 * window.spread[_RADIUS, s]:
        return 0.0
    return float(min(w * first + e, 2.0 * math.sqrt(first * w * e)))
