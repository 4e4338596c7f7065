r"""Kernels: a segment that has grown long: all points in trees, a summary of them in columns.

The summary has one column for each of some hundred nodes that share out the points, with their
mean and their number, and one for each point that is in no tree yet. Its loss
:math:`\tilde S(c) = \sum_i w_i \min_j \|c_j - m_i\|^2` leads the chain; the exact loss decides.
"""

from driftlaw._jit import called_kernel, lean_kernel
from driftlaw._validate import Array
from driftlaw.inference.score import Window, is_long
from driftlaw.inference.tree import (
    FIRST_TREE,
    GROUP,
    LEAF,
    N_FRONT,
    N_POINTS,
    N_TREES,
    Tree,
    grow_sizes_inplace,
    regrow_inplace,
)


@called_kernel
def lengthen_inplace(window: Window) -> None:
    """Move the points of the columns into trees."""
    tree, n = window.tree, window.n[0]
    for a in range(window.points.shape[0]):
        for s in range(n):
            tree.blocks[s // LEAF, a, s % LEAF] = window.points[a, s]
    grow_sizes_inplace(tree.sizes, n)
    regrow_inplace(tree)
    window.n[1] = n
    summarise_inplace(window)


@lean_kernel
def shorten_inplace(window: Window) -> None:
    """Forget everything."""
    if is_long(window):
        for s in range(window.weights.shape[0]):
            window.weights[s] = 1.0
    window.n[0], window.n[1] = 0, 0
    window.offset[0] = 0.0


@called_kernel
def summarise_inplace(window: Window) -> None:
    """Write the summary of the trees, and the points that are in none, into the columns."""
    tree = window.tree
    n_front = _choose_front_inplace(tree)
    parts, n_blocks = 1, tree.sizes[N_POINTS] // LEAF
    while n_blocks * parts * 2 <= N_FRONT and parts * GROUP < LEAF:
        parts *= 2
    n = 0
    for i in range(n_front):
        n = _write_parts_inplace(window, i, parts, n)
    for s in range(n_blocks * LEAF, tree.sizes[N_POINTS]):
        for a in range(window.points.shape[0]):
            window.points[a, n] = tree.blocks[s // LEAF, a, s % LEAF]
        window.weights[n] = 1.0
        n += 1
    window.n[0] = n


@lean_kernel
def _choose_front_inplace(tree: Tree) -> int:
    """Choose nodes that share out the points, by halving the one of largest scatter."""
    front, n, start = tree.front, tree.sizes[N_TREES], 0
    for i in range(n):
        size = tree.sizes[FIRST_TREE + i]
        front[i, 0], front[i, 1], front[i, 2] = 2 * start, start, size
        start += size
    while n < N_FRONT:
        i = _largest(tree, n)
        if i < 0:
            return int(n)
        half = front[i, 2] // 2
        front[n, 0], front[n, 1], front[n, 2] = front[i, 0] + 1, front[i, 1], half
        front[i, 0], front[i, 1], front[i, 2] = (
            front[i, 0] + 2 * half,
            front[i, 1] + half,
            front[i, 2] - half,
        )
        n += 1
    return int(n)


@lean_kernel
def _largest(tree: Tree, n: int) -> int:
    """Among the first n nodes of the front, find that of largest scatter that can be halved."""
    best, most, d = -1, -1.0, tree.blocks.shape[1]
    for i in range(n):
        scatter = tree.nodes[tree.front[i, 0], d]
        if tree.front[i, 2] > 1 and scatter > most:
            best, most = i, scatter
    return best


@lean_kernel
def _write_parts_inplace(window: Window, i: int, parts: int, n: int) -> int:
    """Write node i of the front from column n on, a block in so many parts; return the next."""
    tree = window.tree
    v, b, size = tree.front[i, 0], tree.front[i, 1], tree.front[i, 2]
    if parts == 1:
        for a in range(window.points.shape[0]):
            window.points[a, n] = tree.nodes[v, a]
        window.weights[n] = size * LEAF
        return n + 1
    width = LEAF // parts
    for part in range(parts):
        for a in range(window.points.shape[0]):
            window.points[a, n] = _mean(tree.blocks[b, a], part * width, width)
        window.weights[n] = width
        n += 1
    return n


@lean_kernel
def _mean(row: Array, start: int, n: int) -> float:
    total = 0.0
    for s in range(start, start + n):
        total += row[s]
    return total / n
