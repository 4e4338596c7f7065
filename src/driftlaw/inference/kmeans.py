"""Kernels: k-means for the paper's proposal, kept up as observations come.

A young segment is fitted anew at each update: k-means++ starts, a few Lloyd steps. Afterwards an
observation joins the nearest of k means, at O(k d), and this one moves to the mean of all that
joined it (MacQueen's k-means). That adds c / (c + 1) times their squared distance to the sum of
squares within clusters, where c observations had joined before. When such additions exceed a tenth
of the loss at the last fit, Lloyd steps over all observations make the next fit.

So the loss is at most 1.1 times that at the last fit; and at most 1.1 times the least possible one
if the fit had found that, for more observations cannot lower it. Where observations keep coming
alike, there is a fit at every tenth more of them: their work per observation does not grow with
the segment. Where they change, fits come earlier.
"""

from typing import NamedTuple

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw._xoshiro import State, below, uniform
from driftlaw.inference.rows import minimum_inplace, squared_distances_inplace, total_of
from driftlaw.inference.window import Window

_N_LLOYD = 10
_YOUNG = 3  # observations for each of max_centers, until which a segment is young
_SHARE = 0.1  # of the loss at a fit, that joining may add until the next one


class Means(NamedTuple):
    """Means of k clusters for every k, and of how many observations each is the mean."""

    centers: Array  # (max_centers, max_centers, d); row k - 1 holds k of them
    counts: Array  # (max_centers, max_centers); the first is the number of all that are known
    budgets: Array  # (max_centers,): what joining may still add to the loss until the next fit


@lean_kernel
def means_of(means: Means, i: int) -> Means:
    """Return number i along the first axis: of a stream, or of a chain."""
    return Means(means.centers[i], means.counts[i], means.budgets[i])


@lean_kernel
def follow_inplace(window: Window, random: State, means: Means, gaps: Array, totals: Array) -> None:
    """Bring the means of every k up to the window, of which they know the first observations.

    ``gaps`` (2, capacity) and ``totals`` (max_centers, d + 1) are scratch.
    """
    p, n_known = means.counts.shape[0], int(means.counts[0, 0])
    is_young = n_known < _YOUNG * p
    for k in range(1, p + 1):
        centers, counts = means.centers[k - 1, :k], means.counts[k - 1, :k]
        if is_young:
            seed_inplace(window, random, centers, gaps)
        else:
            for s in range(n_known, window.n[0]):
                means.budgets[k - 1] -= _join_inplace(window, s, centers, counts)
        if is_young or means.budgets[k - 1] < 0.0:
            means.budgets[k - 1] = _SHARE * lloyd_inplace(window, centers, totals)
            for j in range(k):
                counts[j] = totals[j, totals.shape[1] - 1]


@lean_kernel
def _join_inplace(window: Window, s: int, means: Array, counts: Array) -> float:
    """Let observation s join the nearest of ``means`` (k, d); return what it adds to the loss."""
    j, square = _owner(window, means, s)
    added = square * counts[j] / (counts[j] + 1.0)
    counts[j] += 1.0
    for a in range(means.shape[1]):
        means[j, a] += (window.points[a, s] - means[j, a]) / counts[j]
    return float(added)


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
        minimum_inplace(gaps[0], gaps[1], n)
        rest, pick = uniform(random) * total_of(gaps[0], n), n - 1
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
def lloyd_inplace(window: Window, means: Array, totals: Array) -> float:
    """Improve ``means`` (k, d) by at most ten Lloyd steps; return their loss before the last one.

    A mean that owns no point stays where it is. The last column of ``totals`` (k, d + 1) becomes
    the number of points that each mean is the mean of.
    """
    loss = 0.0
    for _ in range(_N_LLOYD):
        loss = _add_up_inplace(window, means, totals)
        if not _move_means_inplace(means, totals):
            break
    return loss


@lean_kernel
def _add_up_inplace(window: Window, means: Array, totals: Array) -> float:
    k, d = means.shape
    loss = 0.0
    for j in range(k):
        for a in range(d + 1):
            totals[j, a] = 0.0
    for s in range(window.n[0]):
        j, square = _owner(window, means, s)
        loss += square
        for a in range(d):
            totals[j, a] += window.points[a, s]
        totals[j, d] += 1.0
    return loss


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
def _owner(window: Window, means: Array, s: int) -> tuple[int, float]:
    """Return which mean is nearest to observation s, and its squared distance."""
    owner, best = 0, 1e300
    for j in range(means.shape[0]):
        square = 0.0
        for a in range(means.shape[1]):
            square += (window.points[a, s] - means[j, a]) ** 2
        if square < best:
            owner, best = j, square
    return owner, best
