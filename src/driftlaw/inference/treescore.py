r"""Kernels: the loss over trees, exact, without touching every point.

Where one centre owns a node's box, its n points cost
:math:`\sum_s \|z_s - c\|^2 = n \|\bar z - c\|^2 + \text{scatter}`.
Elsewhere the children are asked.

Centre r is at least as near as c on a whole box with middle m and half widths h if
:math:`\|m - r\|^2 - \|m - c\|^2 + 2 \sum_a h_a |c_a - r_a| \le 0`.
"""

from driftlaw._jit import called_kernel, lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw.inference.rows import lower_inplace, squared_distances_inplace, total_of
from driftlaw.inference.tree import FIRST_TREE, LEAF, N_POINTS, N_TREES, Tree

# Columns of a stack: a node, its first block, how many; candidates, how many, and which.
_NODE, _BLOCK, _SIZE, _N, _FIRST = 0, 1, 2, 3, 4
_FAR = 1e300


@lean_kernel
def _square(node: Array, offset: int, center: Array) -> float:
    """Squared distance of a centre to the mean (offset 0) or the middle (d + 1) of a node."""
    total = 0.0
    for a in range(center.shape[0]):
        total += (node[offset + a] - center[a]) ** 2
    return total


@lean_kernel
def _reach(node: Array, r: Array, c: Array) -> float:
    """How far the difference of two squared distances can move between the middle and a corner."""
    d, total = r.shape[0], 0.0
    for a in range(d):
        total += node[2 * d + 1 + a] * abs(c[a] - r[a])
    return 2.0 * total


@lean_kernel
def _filter_inplace(node: Array, entry: IntArray, centers: Array, gaps: Array) -> int:
    """Leave those centres in ``entry`` that may own points; return the one nearest to the middle.

    Their squared distances to the middle go to ``gaps``.
    """
    n, best, d = entry[_N], 0, centers.shape[1]
    for i in range(n):
        gaps[i] = _square(node, d + 1, centers[entry[_FIRST + i]])
        best = i if gaps[i] < gaps[best] else best
    nearest, least, kept = entry[_FIRST + best], gaps[best], 0
    for i in range(n):
        j = entry[_FIRST + i]
        if j == nearest or least - gaps[i] + _reach(node, centers[nearest], centers[j]) > 0.0:
            entry[_FIRST + kept], gaps[kept] = j, gaps[i]
            kept += 1
    entry[_N] = kept
    return int(nearest)


@lean_kernel
def _push_inplace(stack: IntArray, top: int) -> None:
    """Replace the entry at ``top`` by its node's children, with the same candidates."""
    half, width = stack[top, _SIZE] // 2, _FIRST + stack[top, _N]
    for i in range(width):
        stack[top + 1, i] = stack[top, i]
    stack[top + 1, _NODE] += 1
    stack[top + 1, _SIZE] = half
    stack[top, _NODE] += 2 * half
    stack[top, _BLOCK] += half
    stack[top, _SIZE] -= half


@lean_kernel
def _start_inplace(tree: Tree, i: int, start: int, k: int) -> None:
    """Let the stack hold the root of tree i, with k centres as candidates."""
    entry = tree.stack[0]
    entry[_NODE], entry[_BLOCK], entry[_SIZE] = 2 * start, start, tree.sizes[FIRST_TREE + i]
    entry[_N] = k
    for j in range(k):
        entry[_FIRST + j] = j


@called_kernel
def loss_inplace(tree: Tree, centers: Array, k: int, counts: Array) -> float:
    """Loss of the first k centres; ``counts`` takes the points nearest to each, ties for both.

    Empty counts are not wanted ones, which is faster.
    """
    total, start = 0.0, 0
    for j in range(counts.shape[0]):
        counts[j] = 0.0
    for i in range(tree.sizes[N_TREES]):
        _start_inplace(tree, i, start, k)
        total += _loss_below_inplace(tree, centers, counts)
        start += tree.sizes[FIRST_TREE + i]
    rest = tree.sizes[N_POINTS] - start * LEAF
    if rest > 0:
        _start_inplace(tree, 0, start, k)
        total += _leaf_loss_inplace(tree, tree.stack[0], centers, counts, rest)
    return total


@lean_kernel
def _loss_below_inplace(tree: Tree, centers: Array, counts: Array) -> float:
    stack, d, top, total = tree.stack, centers.shape[1], 0, 0.0
    is_counting = counts.shape[0] > 0
    while top >= 0:
        entry = stack[top]
        node = tree.nodes[entry[_NODE]]
        owner = _filter_inplace(node, entry, centers, tree.gaps)
        if entry[_N] > 1 and entry[_SIZE] > 1:
            _push_inplace(stack, top)
            top += 1
            continue
        top -= 1
        if entry[_N] > 1 and is_counting:
            total += _leaf_loss_inplace(tree, entry, centers, counts, LEAF)
            continue
        n = float(entry[_SIZE] * LEAF)
        total += node[d] + n * _square(node, 0, centers[owner])
        if entry[_N] > 1:
            total += _leaf_saving_inplace(tree, entry, centers, owner)
        elif is_counting:
            counts[owner] += n
    return total


@lean_kernel
def _leaf_saving_inplace(tree: Tree, entry: IntArray, centers: Array, owner: int) -> float:
    """Difference that all candidates together make to the loss of a block under one of them."""
    block, rows, n, total = tree.blocks[entry[_BLOCK]], tree.rows, 0, 0.0
    least = rows[rows.shape[0] - 3]  # zeros, always
    for i in range(entry[_N]):
        j = entry[_FIRST + i]
        if j != owner:
            total = lower_inplace(rows[n], least, block, LEAF, centers[owner], centers[j])
            least, n = rows[n], 1 - n
    return total


@called_kernel
def _leaf_loss_inplace(tree: Tree, entry: IntArray, centers: Array, counts: Array, n: int) -> float:
    """Loss of the first n points of a block, and who owns them, among the entry's candidates."""
    block, rows = tree.blocks[entry[_BLOCK]], tree.rows
    nearest, spare = rows[rows.shape[0] - 1], rows[rows.shape[0] - 2]
    for s in range(n):
        nearest[s] = _FAR
    for i in range(entry[_N]):
        squared_distances_inplace(block, n, centers[entry[_FIRST + i]], rows[i])
        for s in range(n):  # not in place: see rows.lower_inplace
            spare[s] = min(nearest[s], rows[i, s])
        nearest, spare = spare, nearest
    for i in range(entry[_N] if counts.shape[0] > 0 else 0):
        owned = 0.0
        for s in range(n):
            owned += 1.0 if rows[i, s] == nearest[s] else 0.0
        counts[entry[_FIRST + i]] += owned
    return total_of(nearest, n)
