r"""Kernels: the loss over trees, exact, without touching every point.

Where one centre owns a node's box, its n points cost
:math:`\sum_s \|z_s - c\|^2 = n \|\bar z - c\|^2 + \text{scatter}`.
Elsewhere the children are asked.
A change of one centre is asked of those nodes alone whose points the old or the new one can own.

Centre r is at least as near as c on a whole box with middle m and half widths h if
:math:`\|m - r\|^2 - \|m - c\|^2 + 2 \sum_a h_a |c_a - r_a| \le 0`.
"""

from driftlaw._jit import called_kernel, lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw.inference.chain import Change
from driftlaw.inference.rows import lower_inplace, squared_distances_inplace
from driftlaw.inference.tree import FIRST_TREE, LEAF, N_POINTS, N_TREES, Tree

# Columns of a stack: a node, its first block, how many; candidates, how many; whether the centre
# that leaves and the one that comes can own points here.
_NODE, _BLOCK, _SIZE, _N, _LEAVES, _COMES, _FIRST = 0, 1, 2, 3, 4, 5, 6
_NOTHING, _PART, _ALL = 0, 1, 2
_SPLIT = 1e300  # no difference: ask the children
_FAR = 1e300
_LEAST = -1  # where the gaps keep that of the nearest candidate


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
    entry[_N], gaps[_LEAST] = kept, least
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
def _start_inplace(tree: Tree, i: int, start: int, k: int, out: int) -> None:
    """Let the stack hold the root of tree i, with all centres but ``out`` as candidates."""
    entry, n = tree.stack[0], 0
    entry[_NODE], entry[_BLOCK], entry[_SIZE] = 2 * start, start, tree.sizes[FIRST_TREE + i]
    for j in range(k):
        if j != out:
            entry[_FIRST + n] = j
            n += 1
    entry[_N] = n


@called_kernel
def loss_inplace(tree: Tree, centers: Array, k: int, counts: Array) -> float:
    """Loss of the first k centres; ``counts`` takes the points nearest to each, ties for both."""
    total, start = 0.0, 0
    for j in range(counts.shape[0]):
        counts[j] = 0.0
    for i in range(tree.sizes[N_TREES]):
        _start_inplace(tree, i, start, k, -1)
        total += _loss_below_inplace(tree, centers, counts)
        start += tree.sizes[FIRST_TREE + i]
    rest = tree.sizes[N_POINTS] - start * LEAF
    if rest > 0:
        _start_inplace(tree, 0, start, k, -1)
        total += _leaf_loss_inplace(tree, tree.stack[0], centers, counts, rest)
    return total


@lean_kernel
def _loss_below_inplace(tree: Tree, centers: Array, counts: Array) -> float:
    stack, d, top, total = tree.stack, centers.shape[1], 0, 0.0
    while top >= 0:
        entry = stack[top]
        node = tree.nodes[entry[_NODE]]
        owner = _filter_inplace(node, entry, centers, tree.gaps)
        if entry[_N] == 1:
            n = float(entry[_SIZE] * LEAF)
            total += node[d] + n * _square(node, 0, centers[owner])
            counts[owner] += n
            top -= 1
        elif entry[_SIZE] == 1:
            total += _leaf_loss_inplace(tree, entry, centers, counts, LEAF)
            top -= 1
        else:
            _push_inplace(stack, top)
            top += 1
    return total


@called_kernel
def _leaf_loss_inplace(tree: Tree, entry: IntArray, centers: Array, counts: Array, n: int) -> float:
    """Loss of the first n points of a block, and who owns them, among the entry's candidates."""
    block, rows, total = tree.blocks[entry[_BLOCK]], tree.rows, 0.0
    nearest, spare = rows[rows.shape[0] - 1], rows[rows.shape[0] - 2]
    for s in range(n):
        nearest[s] = _FAR
    for i in range(entry[_N]):
        squared_distances_inplace(block, n, centers[entry[_FIRST + i]], rows[i])
        for s in range(n):  # not in place: see rows.lower_inplace
            spare[s] = min(nearest[s], rows[i, s])
        nearest, spare = spare, nearest
    for i in range(entry[_N]):
        owned = 0.0
        for s in range(n):
            owned += 1.0 if rows[i, s] == nearest[s] else 0.0
        counts[entry[_FIRST + i]] += owned
    for s in range(n):
        total += nearest[s]
    return total


@called_kernel
def loss_change(tree: Tree, change: Change) -> float:
    """Difference that a change of centres makes to the loss."""
    total, start, stack = 0.0, 0, tree.stack
    for i in range(tree.sizes[N_TREES] + 1):
        _start_inplace(tree, i, start, change.k, change.out)
        stack[0, _LEAVES], stack[0, _COMES] = change.out >= 0, change.is_coming
        if i < tree.sizes[N_TREES]:
            total += _change_below(tree, change)
            start += tree.sizes[FIRST_TREE + i]
        else:
            rest = tree.sizes[N_POINTS] - start * LEAF
            total += _leaf_change(tree, stack[0], change, rest)
    return total


@lean_kernel
def _change_below(tree: Tree, change: Change) -> float:
    stack, top, total = tree.stack, 0, 0.0
    while top >= 0:
        entry = stack[top]
        here = _change_at(tree.nodes[entry[_NODE]], entry, change, tree.gaps)
        if here != _SPLIT:
            total += here
            top -= 1
        elif entry[_SIZE] == 1:
            total += _leaf_change(tree, entry, change, LEAF)
            top -= 1
        else:
            _push_inplace(stack, top)
            top += 1
    return total


@lean_kernel
def _change_at(node: Array, entry: IntArray, change: Change, gaps: Array) -> float:
    """Difference at a node that has one owner before and one after; `_SPLIT` elsewhere."""
    centers, new, nearest = change.centers, change.new, entry[_FIRST]
    old, leaving, coming = centers[max(change.out, 0)], _NOTHING, _NOTHING
    if entry[_N] == 1:  # most often
        leaving = _standing_beside(node, centers[nearest], old) if entry[_LEAVES] else _NOTHING
        coming = _standing_beside(node, centers[nearest], new) if entry[_COMES] else _NOTHING
    else:
        nearest = _filter_inplace(node, entry, centers, gaps) if entry[_N] > 0 else 0
        if entry[_LEAVES]:
            leaving = _standing(node, entry, centers, nearest, old, gaps)
        if entry[_COMES]:
            coming = _standing(node, entry, centers, nearest, new, gaps)
    entry[_LEAVES], entry[_COMES] = leaving != _NOTHING, coming != _NOTHING
    if leaving + coming == _NOTHING:
        return 0.0
    if _PART in (leaving, coming) or (leaving != coming and entry[_N] > 1):
        return _SPLIT
    before = _square(node, 0, old if leaving == _ALL else centers[nearest])
    after = _square(node, 0, new if coming == _ALL else centers[nearest])
    return float(entry[_SIZE] * LEAF) * (after - before)


@lean_kernel
def _standing_beside(node: Array, c: Array, guest: Array) -> int:
    """Tell whether a guest beside one centre owns nothing, part or all of the box."""
    d, excess, reach = guest.shape[0], 0.0, 0.0
    for a in range(d):
        slope = c[a] - guest[a]
        excess += slope * (2.0 * node[d + 1 + a] - c[a] - guest[a])
        reach += node[2 * d + 1 + a] * abs(slope)
    if excess >= 2.0 * reach:
        return _NOTHING
    return _ALL if excess <= -2.0 * reach else _PART


@lean_kernel
def _standing(
    node: Array, entry: IntArray, centers: Array, nearest: int, guest: Array, gaps: Array
) -> int:
    """Tell whether a guest among the entry's candidates owns nothing, part or all of the box."""
    if entry[_N] == 0:
        return _ALL
    d = guest.shape[0]
    gap = _square(node, d + 1, guest)
    excess, reach = gap - gaps[_LEAST], _reach(node, guest, centers[nearest])
    if excess >= reach:
        return _NOTHING
    if excess + reach > 0.0:
        return _PART
    for i in range(entry[_N]):
        j = entry[_FIRST + i]
        if j != nearest and gap - gaps[i] + _reach(node, guest, centers[j]) > 0.0:
            return _PART
    return _ALL


@lean_kernel
def _leaf_change(tree: Tree, entry: IntArray, change: Change, n: int) -> float:
    """Difference over the first n points of a block."""
    block = tree.blocks[entry[_BLOCK]]
    if entry[_N] != 1 or block.shape[0] != 2:
        return _leaf_change_of_many(block, entry, change, n, tree.rows)
    other, old = change.centers[entry[_FIRST]], change.centers[max(change.out, 0)]
    if entry[_COMES] and entry[_LEAVES]:
        return _less_than(block, n, other, change.new, old)
    if entry[_COMES]:
        return _less_than(block, n, other, change.new, other)
    return _less_than(block, n, other, other, old)


@lean_kernel
def _less_than(block: Array, n: int, c: Array, g: Array, h: Array) -> float:
    r"""Sum of :math:`\min(0, \|x - g\|^2 - \|x - c\|^2)` less the same for h, in the plane."""
    u, v, w = 2.0 * (c[0] - g[0]), 2.0 * (c[1] - g[1]), _shift(c, g)
    p, q, r = 2.0 * (c[0] - h[0]), 2.0 * (c[1] - h[1]), _shift(c, h)
    total = 0.0
    for s in range(n):
        x, y = block[0, s], block[1, s]
        total += min(u * x + v * y - w, 0.0) - min(p * x + q * y - r, 0.0)
    return total


@lean_kernel
def _shift(c: Array, g: Array) -> float:
    """Return what the squared distance of the origin to c exceeds that to g by, in the plane."""
    return float((c[0] - g[0]) * (c[0] + g[0]) + (c[1] - g[1]) * (c[1] + g[1]))


@called_kernel
def _leaf_change_of_many(
    block: Array, entry: IntArray, change: Change, n: int, rows: Array
) -> float:
    """Difference over the first n points of a block, for any number of candidates.

    All squared distances are taken less that to the first candidate.
    """
    others, spare, before, after, total = rows[0], rows[1], rows[2], rows[3], 0.0
    is_alone = entry[_N] == 0
    base = change.centers[change.out if is_alone else entry[_FIRST]]
    for s in range(n):
        others[s] = _FAR if is_alone else 0.0
    for i in range(1, entry[_N]):
        lower_inplace(spare, others, block, n, base, change.centers[entry[_FIRST + i]])
        others, spare = spare, others
    if entry[_LEAVES]:
        lower_inplace(before, others, block, n, base, change.centers[change.out])
    else:
        before = others
    if entry[_COMES]:
        lower_inplace(after, others, block, n, base, change.new)
    else:
        after = others
    for s in range(n):
        total += after[s] - before[s]
    return total
