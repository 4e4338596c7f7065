"""Kernels: k-means for the paper's proposal; k-means++ starts, a few Lloyd steps."""

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw._xoshiro import State, below, uniform
from driftlaw.inference.rows import squared_distances_inplace
from driftlaw.inference.window import Window

_N_LLOYD = 10


@lean_kernel
def seed_inplace(window: Window, random: State, means: Array, gaps: Array) -> None:
    """Choose all rows of ``means`` (k, d) among the points, far from each other (k-means++).

    ``gaps`` (2, capacity) is scratch.
    """
    n = window.n[0]
    _copy_point_inplace(window, below(random, n), means[0])
    for s in range(n):
        gaps[0, s] = 1e300
    for j in range(1, means.shape[0]):
        squared_distances_inplace(window.points, n, means[j - 1], gaps[1])
        total = 0.0
        for s in range(n):
            gaps[0, s] = min(gaps[0, s], gaps[1, s])
            total += gaps[0, s]
        rest, pick = uniform(random) * total, n - 1
        for s in range(n):
            rest -= gaps[0, s]
            if rest <= 0.0:
                pick = s
                break
        _copy_point_inplace(window, pick, means[j])


@lean_kernel
def _copy_point_inplace(window: Window, s: int, out: Array) -> None:
    for a in range(out.shape[0]):
        out[a] = window.points[a, s]


@lean_kernel
def lloyd_inplace(window: Window, means: Array, totals: Array) -> None:
    """Improve ``means`` (k, d) by at most ten Lloyd steps; ``totals`` (k, d + 1) is scratch.

    A mean that owns no point stays where it is.
    """
    for _ in range(_N_LLOYD):
        _add_up_inplace(window, means, totals)
        if not _move_means_inplace(means, totals):
            return


@lean_kernel
def _add_up_inplace(window: Window, means: Array, totals: Array) -> None:
    k, d = means.shape
    for j in range(k):
        for a in range(d + 1):
            totals[j, a] = 0.0
    for s in range(window.n[0]):
        j = _owner(window, means, s)
        for a in range(d):
            totals[j, a] += window.points[a, s]
        totals[j, d] += 1.0


@lean_kernel
def _move_means_inplace(means: Array, totals: Array) -> bool:
    k, d = means.shape
    moved = False
    for j in range(k):
        if totals[j, d] > 0.0:
            for a in range(d):
                new = totals[j, a] / totals[j, d]
                moved = moved or new != means[j, a]
                means[j, a] = new
    return moved


@lean_kernel
def _owner(window: Window, means: Array, s: int) -> int:
    owner, best = 0, 1e300
    for j in range(means.shape[0]):
        square = 0.0
        for a in range(means.shape[1]):
            square += (window.points[a, s] - means[j, a]) ** 2
        if square < best:
            owner, best = j, square
    return owner
