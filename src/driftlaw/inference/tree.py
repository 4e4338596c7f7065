"""Kernels: a long window, in trees whose nodes know enough to score all their points at once.

Points stand in blocks of `LEAF`. A tree covers consecutive blocks; each of its nodes halves its
range at the median of its widest axis, so that all depths are logarithmic, whatever the points.
Nothing is stored about the shape: node v over b blocks has its first child at v + 1, over b // 2
blocks, and its second one behind that child's 2 (b // 2) - 1 nodes. New points wait in the last
block; when it is full it becomes a tree, and a tree that has grown to a quarter of its neighbour
is united with it. So the number of points says which blocks make a tree.
"""

from typing import NamedTuple

from driftlaw._jit import called_kernel, lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw.inference.select import select_inplace

LEAF = 256
GROUP = 16  # points in a block are ordered down to groups of this size
MAX_TREES = 40
MAX_DEPTH = 64
_SHIFT, _MASK = 8, LEAF - 1
_RATIO = 4

N_POINTS, N_TREES, FIRST_TREE = 0, 1, 2


class Tree(NamedTuple):
    """The points of a long window in trees; ``sizes`` holds points, trees, blocks of each tree."""

    blocks: Array  # (n_blocks, d, LEAF)
    nodes: Array  # (2 n_blocks, 3 d + 1): mean, scatter, middle of the box, half its widths
    sizes: IntArray  # (FIRST_TREE + MAX_TREES,)
    stack: IntArray  # (MAX_DEPTH, 4 + max_centers) scratch
    gaps: Array  # (max_centers,) scratch
    rows: Array  # (max_centers + 3, LEAF) scratch, but for zeros in the third from the end
    front: IntArray  # (n_cells, 3) scratch: nodes that a summary stands for

    @staticmethod
    @lean_kernel
    def _coordinate(tree: "Tree", s: int, axis: int) -> float:
        return float(tree.blocks[s >> _SHIFT, axis, s & _MASK])

    @staticmethod
    @lean_kernel
    def _swap_inplace(tree: "Tree", i: int, j: int) -> None:
        b, s, c, t = i >> _SHIFT, i & _MASK, j >> _SHIFT, j & _MASK
        for a in range(tree.blocks.shape[1]):
            x = tree.blocks[b, a, s]
            tree.blocks[b, a, s] = tree.blocks[c, a, t]
            tree.blocks[c, a, t] = x


@lean_kernel
def tree_of(trees: Tree, i: int) -> Tree:
    """Return what has the number i along the first axis."""
    return Tree(
        trees.blocks[i],
        trees.nodes[i],
        trees.sizes[i],
        trees.stack[i],
        trees.gaps[i],
        trees.rows[i],
        trees.front[i],
    )


@called_kernel
def plant_inplace(tree: Tree, z: Array) -> bool:
    """Add a point; tell whether trees have changed."""
    n = tree.sizes[N_POINTS]
    for a in range(z.shape[0]):
        tree.blocks[n >> _SHIFT, a, n & _MASK] = z[a]
    tree.sizes[N_POINTS] = n + 1
    if (n + 1) & _MASK:
        return False
    start = _unite_inplace(tree.sizes, 1)
    n_blocks = tree.sizes[FIRST_TREE + tree.sizes[N_TREES] - 1]
    _walk_inplace(tree, start, n_blocks, True)
    _walk_inplace(tree, start, n_blocks, False)
    return True


@lean_kernel
def _unite_inplace(sizes: IntArray, n_blocks: int) -> int:
    """Append a tree of so many blocks and unite small neighbours; return the last one's start."""
    n_trees = sizes[N_TREES]
    last = n_blocks
    while n_trees > 0 and last * _RATIO >= sizes[FIRST_TREE + n_trees - 1]:
        n_trees -= 1
        last += sizes[FIRST_TREE + n_trees]
    sizes[FIRST_TREE + n_trees] = last
    sizes[N_TREES] = n_trees + 1
    start = 0
    for i in range(n_trees):
        start += sizes[FIRST_TREE + i]
    return start


@lean_kernel
def grow_sizes_inplace(sizes: IntArray, n: int) -> None:
    """Set the sizes that n points lead to, however they came."""
    sizes[N_POINTS], sizes[N_TREES] = n, 0
    for _ in range(n // LEAF):
        _unite_inplace(sizes, 1)


@lean_kernel
def plant_many_inplace(tree: Tree, batch: Array) -> None:
    """Add the rows of ``batch`` (n, d), for which there must be room."""
    for i in range(batch.shape[0]):
        plant_inplace(tree, batch[i])


@called_kernel
def regrow_inplace(tree: Tree) -> None:
    """Order the points of all trees anew and describe their nodes."""
    start = 0
    for i in range(tree.sizes[N_TREES]):
        size = tree.sizes[FIRST_TREE + i]
        _walk_inplace(tree, start, size, True)
        _walk_inplace(tree, start, size, False)
        start += size


@called_kernel
def _walk_inplace(tree: Tree, start: int, n_blocks: int, is_ordering: bool) -> None:
    """Visit the nodes of one tree from the root down: order their points, or describe them."""
    stack, top = tree.stack, 1
    stack[0, 0], stack[0, 1], stack[0, 2] = 2 * start, start, n_blocks
    while top > 0:
        top -= 1
        v, b, q = stack[top, 0], stack[top, 1], stack[top, 2]
        half = q // 2
        if not is_ordering:
            _describe_inplace(tree, v, b, q)
        elif q > 1:
            low, high = b * LEAF, (b + q) * LEAF - 1
            axis = _widest_axis(tree.blocks, b, q)
            select_inplace(tree, low, high, low + half * LEAF, axis)
        else:
            _order_block_inplace(tree, b)
        if q > 1:
            stack[top, 0], stack[top, 1], stack[top, 2] = v + 2 * half, b + half, q - half
            stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = v + 1, b, half
            top += 2


@lean_kernel
def _widest_axis(blocks: Array, start: int, n_blocks: int) -> int:
    axis, widest = 0, -1.0
    for a in range(blocks.shape[1]):
        low, high = blocks[start, a, 0], blocks[start, a, 0]
        for b in range(start, start + n_blocks):
            for s in range(LEAF):
                low = min(low, blocks[b, a, s])
                high = max(high, blocks[b, a, s])
        if high - low > widest:
            axis, widest = a, high - low
    return axis


@lean_kernel
def _order_block_inplace(tree: Tree, b: int) -> None:
    """Halve a block, its halves and so on, down to groups."""
    blocks, size = tree.blocks, LEAF
    while size > GROUP:
        for low in range(0, LEAF, size):
            axis, widest = 0, -1.0
            for a in range(blocks.shape[1]):
                least, most = blocks[b, a, low], blocks[b, a, low]
                for s in range(low, low + size):
                    least = min(least, blocks[b, a, s])
                    most = max(most, blocks[b, a, s])
                if most - least > widest:
                    axis, widest = a, most - least
            first = b * LEAF + low
            select_inplace(tree, first, first + size - 1, first + size // 2, axis)
        size //= 2


@lean_kernel
def _describe_inplace(tree: Tree, v: int, start: int, n_blocks: int) -> None:
    """Compute mean, scatter and box of a node."""
    node, d, n = tree.nodes[v], tree.blocks.shape[1], float(n_blocks * LEAF)
    scatter = 0.0
    for a in range(d):
        total, low, high = 0.0, tree.blocks[start, a, 0], tree.blocks[start, a, 0]
        for b in range(start, start + n_blocks):
            for s in range(LEAF):
                x = tree.blocks[b, a, s]
                total += x
                low = min(low, x)
                high = max(high, x)
        mean = total / n
        for b in range(start, start + n_blocks):
            for s in range(LEAF):
                scatter += (tree.blocks[b, a, s] - mean) ** 2
        node[a] = mean
        node[d + 1 + a], node[2 * d + 1 + a] = 0.5 * (low + high), 0.5 * (high - low)
    node[d] = scatter
