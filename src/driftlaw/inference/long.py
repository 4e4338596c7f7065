r"""Kernels: a window that has grown long: all points in trees, a summary of them in columns.

The summary has one column for each of some hundred nodes that share out the points, with their
mean and their number (or two, with their scatter too), and one for each point that is in no tree
yet. Its loss
:math:`\tilde S(c) = \sum_i w_i \min_j \|c_j - m_i\|^2` leads the chain; the exact loss decides.
"""

import math
from typing import NamedTuple

from driftlaw._jit import called_kernel, lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw.inference.chain import SKETCH, Chain
from driftlaw.inference.decisions import close_block_inplace, mark_inplace
from driftlaw.inference.rjmcmc import Record, Target
from driftlaw.inference.tree import (
    FIRST_TREE,
    GROUP,
    LEAF,
    N_POINTS,
    N_TREES,
    Tree,
    grow_sizes_inplace,
    plant_inplace,
    regrow_inplace,
    tree_of,
)
from driftlaw.inference.treescore import loss_inplace
from driftlaw.inference.window import COLUMNS, HELD, LIMIT, WANTED

SPLIT_FROM = 4  # dimensions from which on two columns stand for a cell
_STRIDE = 37  # takes points from all places of their blocks


class LongWindow(NamedTuple):
    """Observations in trees.

    Up to one less than ``n[3]`` of them may still be all in columns: the next one moves them.
    """

    points: Array  # (d, capacity)
    n: IntArray  # (4,)
    weights: Array  # (capacity,)
    tree: Tree

    @staticmethod
    @lean_kernel
    def _window_of(windows: "LongWindow", i: int) -> "LongWindow":
        return LongWindow(
            windows.points[i], windows.n[i], windows.weights[i], tree_of(windows.tree, i)
        )

    @staticmethod
    @lean_kernel
    def _is_summary(_window: "LongWindow") -> bool:
        return True

    @staticmethod
    @lean_kernel
    def _full_loss(window: "LongWindow", centers: Array, k: int, _columns: float) -> float:
        return loss_inplace(window.tree, centers, k, window.tree.gaps[:0])

    @staticmethod
    @lean_kernel
    def _occupancy_inplace(window: "LongWindow", chain: Chain, counts: Array) -> None:
        if window.n[WANTED] > 0:
            loss_inplace(window.tree, chain.centers, chain.k[0], counts)

    @staticmethod
    @lean_kernel
    def _leading_loss(_window: "LongWindow") -> int:
        return SKETCH

    @staticmethod
    @lean_kernel
    def _begin_inplace(_window: "LongWindow", chain: Chain, columns: float) -> None:
        chain.numbers[SKETCH] = columns
        mark_inplace(chain)

    @staticmethod
    @lean_kernel
    def _close_iteration_inplace(
        window: "LongWindow", chain: Chain, target: Target, record: Record, i: int
    ) -> None:
        close_block_inplace(window, chain, target, record, i)

    @staticmethod
    @lean_kernel
    def _is_summed_up_inplace(window: "LongWindow", z: Array) -> bool:
        if window.n[HELD] > 0:
            window.n[HELD] += 1
            window.weights[window.n[COLUMNS] - 1] = 1.0
            if not plant_inplace(window.tree, z):
                return False
            summarise_inplace(window)
            return True
        if window.n[COLUMNS] < window.n[LIMIT]:
            return False
        lengthen_inplace(window)
        return True

    @staticmethod
    @lean_kernel
    def _copy_observation_inplace(window: "LongWindow", s: int, out: Array, i: int) -> None:
        for a in range(out.shape[0]):
            out[a, i] = window.tree.blocks[s // LEAF, a, s % LEAF]


@called_kernel
def lengthen_inplace(window: LongWindow) -> None:
    """Move the points of the columns into trees."""
    tree, n = window.tree, window.n[COLUMNS]
    for a in range(window.points.shape[0]):
        for s in range(n):
            tree.blocks[s // LEAF, a, s % LEAF] = window.points[a, s]
    grow_sizes_inplace(tree.sizes, n)
    regrow_inplace(tree)
    window.n[HELD] = n
    summarise_inplace(window)


@called_kernel
def summarise_inplace(window: LongWindow) -> None:
    """Write the summary of the trees, and the points that are in none, into the columns."""
    tree = window.tree
    n_front = _choose_front_inplace(tree)
    parts, n_blocks = 1, tree.sizes[N_POINTS] // LEAF
    while n_blocks * parts * 2 <= tree.front.shape[0] and parts * GROUP < LEAF:
        parts *= 2
    n = 0
    for i in range(n_front):
        n = _write_parts_inplace(window, i, parts, n)
    for s in range(n_blocks * LEAF, tree.sizes[N_POINTS]):
        for a in range(window.points.shape[0]):
            window.points[a, n] = tree.blocks[s // LEAF, a, s % LEAF]
        window.weights[n] = 1.0
        n += 1
    window.n[COLUMNS] = n


@lean_kernel
def _choose_front_inplace(tree: Tree) -> int:
    """Choose nodes that share out the points, by halving the one of largest scatter."""
    front, n, start = tree.front, tree.sizes[N_TREES], 0
    for i in range(n):
        size = tree.sizes[FIRST_TREE + i]
        front[i, 0], front[i, 1], front[i, 2] = 2 * start, start, size
        start += size
    while n < front.shape[0]:
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
def _write_parts_inplace(window: LongWindow, i: int, parts: int, n: int) -> int:
    """Write node i of the front from column n on, a block in so many parts; return the next."""
    tree, d = window.tree, window.points.shape[0]
    v, b, size = tree.front[i, 0], tree.front[i, 1], tree.front[i, 2]
    if parts == 1:
        for a in range(d):
            window.points[a, n] = tree.nodes[v, a]
        window.weights[n] = size * LEAF
        return _split_inplace(window, n, b + size // 2, v * _STRIDE % LEAF, tree.nodes[v, d])
    width = LEAF // parts
    for part in range(parts):
        scatter = 0.0
        for a in range(d):
            row = tree.blocks[b, a]
            window.points[a, n] = _mean(row, part * width, width)
            for s in range(part * width, (part + 1) * width):
                scatter += (row[s] - window.points[a, n]) ** 2
        window.weights[n] = width
        n = _split_inplace(window, n, b, part * width + v * _STRIDE % width, scatter)
    return n


@lean_kernel
def _split_inplace(window: LongWindow, n: int, b: int, s: int, scatter: float) -> int:
    """Put two columns in the place of column n, with its mean and scatter; return the next.

    They lie on the line through point s of block b, which is one of those that they stand for. In
    few dimensions cells are so small that their means will do.
    """
    d, square = window.points.shape[0], 0.0
    if d < SPLIT_FROM:
        return n + 1
    for a in range(d):
        square += (window.tree.blocks[b, a, s] - window.points[a, n]) ** 2
    factor = math.sqrt(scatter / (window.weights[n] * square)) if square > 0.0 else 0.0
    for a in range(d):
        mean = window.points[a, n]
        step = factor * (window.tree.blocks[b, a, s] - mean)
        window.points[a, n], window.points[a, n + 1] = mean + step, mean - step
    window.weights[n] *= 0.5
    window.weights[n + 1] = window.weights[n]
    return n + 2


@lean_kernel
def _mean(row: Array, start: int, n: int) -> float:
    total = 0.0
    for s in range(start, start + n):
        total += row[s]
    return total / n
