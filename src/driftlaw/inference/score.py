r"""Kernels: the cumulative loss :math:`S(c) = \sum_s \min_j \|c_j - z_s\|^2`, kept up to date.

Observations stand in columns, ``points`` (d, capacity), of which the first n count; so do squared
distances, ``distances`` (max_centers, capacity), and each point's smallest one, ``nearest``. A
change of one centre then costs that centre's distances and a minimum over rows, all of it in
loops that vectorise.
Paper: [eq:clustering-loss], [eq:vanilla-cumulative-score], [eq:restart-score].
"""

from driftlaw._jit import called_kernel, kernel_of_record, lean_kernel
from driftlaw._validate import Array
from driftlaw.inference.chain import LOSS, Chain
from driftlaw.inference.rows import (
    copy_inplace,
    minimum_inplace,
    squared_distances_inplace,
    total_of,
    weighted_total_of,
)
from driftlaw.inference.window import Window, full_loss, is_summary

IntTriple = tuple[int, int, int]


@lean_kernel
def _fold_inplace(window: Window, out: Array, first: Array, rows: Array, triple: IntTriple) -> None:
    """Write the minimum of ``first`` and three rows into ``out``."""
    a, b, c = triple
    for s in range(window.n[0]):
        out[s] = min(first[s], rows[a, s], rows[b, s], rows[c, s])


@lean_kernel
def _fold_others_inplace(
    window: Window, out: Array, first: Array, chain: Chain, slot: int
) -> float:
    """Write the least of ``first`` and all rows but that of ``slot`` into ``out``; return its loss.

    Rows are folded three at a time; a missing one is replaced by a row that is in already.
    """
    k, i = chain.k[0], _next_row(-1, slot)
    while i < k:
        second = _next_row(i, slot)
        second = second if second < k else i
        third = _next_row(second, slot)
        third = third if third < k else second
        _fold_inplace(window, out, first, chain.distances, (i, second, third))
        first = out
        i = _next_row(third, slot)
    return total_loss(window, out)


@lean_kernel
def _next_row(i: int, slot: int) -> int:
    return i + 2 if i + 1 == slot else i + 1


@lean_kernel
def total_loss(window: Window, nearest: Array) -> float:
    """Sum of the smallest squared distances; of the summary, where columns are one."""
    if is_summary(window):
        return weighted_total_of(nearest, window.weights, window.n[0])
    return total_of(nearest, window.n[0])


@lean_kernel
def score_replacing(window: Window, chain: Chain, slot: int) -> float:
    """Loss when ``slot`` moves to the trial centre; fills the trial rows."""
    n = window.n[0]
    squared_distances_inplace(window.points, n, chain.trial_center, chain.trial_distances)
    if chain.k[0] == 1:
        copy_inplace(chain.trial_nearest, chain.trial_distances, n)
        return total_loss(window, chain.trial_nearest)
    return _fold_others_inplace(window, chain.trial_nearest, chain.trial_distances, chain, slot)


@lean_kernel
def score_adding(window: Window, chain: Chain) -> float:
    """Loss when the trial centre is added; fills the trial rows."""
    n = window.n[0]
    squared_distances_inplace(window.points, n, chain.trial_center, chain.trial_distances)
    for s in range(n):
        chain.trial_nearest[s] = min(chain.nearest[s], chain.trial_distances[s])
    return total_loss(window, chain.trial_nearest)


@lean_kernel
def score_removing(window: Window, chain: Chain, slot: int) -> float:
    """Loss when the centre of ``slot`` is removed; fills the trial nearest row."""
    first = chain.distances[1 if slot == 0 else 0]
    return _fold_others_inplace(window, chain.trial_nearest, first, chain, slot)


@lean_kernel
def put_center_inplace(window: Window, chain: Chain, slot: int) -> None:
    """Put the trial centre, with its rows, into ``slot``."""
    n = window.n[0]
    copy_inplace(chain.centers[slot], chain.trial_center, chain.trial_center.shape[0])
    copy_inplace(chain.distances[slot], chain.trial_distances, n)
    copy_inplace(chain.nearest, chain.trial_nearest, n)


@lean_kernel
def drop_center_inplace(window: Window, chain: Chain, slot: int) -> None:
    """Remove the centre of ``slot``; the last centre takes its place."""
    n, last = window.n[0], chain.k[0] - 1
    if slot != last:
        copy_inplace(chain.centers[slot], chain.centers[last], chain.centers.shape[1])
        copy_inplace(chain.distances[slot], chain.distances[last], n)
    copy_inplace(chain.nearest, chain.trial_nearest, n)
    chain.k[0] = last


@lean_kernel
def append_inplace(window: Window, chain: Chain) -> None:
    """Let the chain's rows and loss take in the newest point of the window."""
    s, d = window.n[0] - 1, window.points.shape[0]
    nearest = 0.0
    for j in range(chain.k[0]):
        square = 0.0
        for a in range(d):
            square += (window.points[a, s] - chain.centers[j, a]) ** 2
        chain.distances[j, s] = square
        nearest = square if j == 0 or square < nearest else nearest
    chain.nearest[s] = nearest
    chain.numbers[LOSS] += nearest


@called_kernel
def rescore_inplace(window: Window, chain: Chain) -> None:
    """Compute all rows and the loss of the chain's configuration anew."""
    refill_inplace(window, chain)
    columns = total_loss(window, chain.nearest)
    chain.numbers[LOSS] = full_loss(window, chain.centers, chain.k[0], columns)


@called_kernel
def refill_inplace(window: Window, chain: Chain) -> None:
    """Compute all rows of the chain's configuration anew."""
    n = window.n[0]
    for j in range(chain.k[0]):
        squared_distances_inplace(window.points, n, chain.centers[j], chain.distances[j])
        if j == 0:
            copy_inplace(chain.nearest, chain.distances[0], n)
        else:
            minimum_inplace(chain.nearest, chain.distances[j], n)


@kernel_of_record
def occupancy_inplace(window: Window, chain: Chain, counts: Array) -> None:
    """Count, for each centre, the points nearest to it; a tie counts for both."""
    for j in range(counts.shape[0]):
        counts[j] = 0.0
    for j in range(chain.k[0]):
        total = 0.0
        for s in range(window.n[0]):
            total += window.weights[s] if chain.distances[j, s] == chain.nearest[s] else 0.0
        counts[j] = total
