"""Sizes of a sampler's arrays, and the arrays themselves, made from them."""

import sys
from dataclasses import dataclass

import numpy as np

from driftlaw.inference import moves, paper
from driftlaw.inference.bounded import N_STACK, BoundedWindow
from driftlaw.inference.engine import History
from driftlaw.inference.kmeans import Means
from driftlaw.inference.local import N_ANCHORS, LocalSampler
from driftlaw.inference.long import SPLIT_FROM, LongWindow
from driftlaw.inference.rjmcmc import Record, Sampler
from driftlaw.inference.tree import FIRST_TREE, LEAF, MAX_DEPTH, MAX_TREES, Tree
from driftlaw.inference.window import ShortWindow, Window

SAMPLERS = ("local", "paper", "paper-symmetric")
# Where trees give more effective samples of the loss per second than rows: by a factor of 4 at 2048
# points of two clusters in the plane and of 2 at 8192 points of one cluster in five dimensions, but
# with half as many per update there; so beyond the plane they wait a little longer.
_LONG_AT = {1: 4096, 2: 4096}
_LONG_AT_BEYOND = 8192
_CELLS, _CELLS_BEYOND = {1: 256, 2: 256, 3: 512}, 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Shapes of a sampler's arrays."""

    dim: int
    max_centers: int
    n_chains: int
    n_kept: int  # iterations after burn-in
    n_configurations: int  # kept per chain
    n_burn: int
    sampler: str  # one of SAMPLERS
    long_at: int = 0  # observations from which on trees hold the window; 0: where they win
    is_counting: bool = True  # whether occupancies are wanted of long windows
    max_history: int = 0  # columns that a window in bounded memory may have; 0: not bounded

    @property
    def long_from(self) -> int:
        """Observations from which on trees hold the window; the paper's sampler has none."""
        if self.sampler != "local":
            return sys.maxsize
        return self.long_at or _LONG_AT.get(self.dim, _LONG_AT_BEYOND)

    @property
    def n_cells(self) -> int:
        """Cells that a long window is summed up in."""
        return _CELLS.get(self.dim, _CELLS_BEYOND)

    @property
    def n_front(self) -> int:
        """Columns that may stand for the trees of a long window."""
        return self.n_cells * (1 if self.dim < SPLIT_FROM else 2)

    @property
    def n_moves(self) -> int:
        """Number of kinds of moves that the sampler reports."""
        return len(move_names(self.sampler))


def move_names(sampler: str) -> tuple[str, ...]:
    """Names of the moves that a sampler reports.

    Examples
    --------
    >>> move_names("local")
    ('walk', 'jump', 'birth', 'death', 'block')
    """
    return (*moves.MOVE_NAMES, "block") if sampler == "local" else paper.MOVE_NAMES


def new_window(sizes: Sizes, capacity: int, *, is_long: bool = False) -> Window:
    """Return an empty window with so many columns; of bounded memory where sizes say so."""
    limit = sizes.max_history or sizes.long_from
    points, weights = np.zeros((sizes.dim, capacity)), np.ones(capacity)
    n = np.array([0, 0, 0 if sizes.is_counting else -1, limit])
    if sizes.max_history:
        stack = np.zeros((N_STACK, 2), dtype=np.int64)
        return BoundedWindow(points, n, weights, np.zeros((2, capacity)), np.zeros(1), stack)
    if is_long:
        return LongWindow(points, n, weights, new_tree(sizes))
    return ShortWindow(points, n, weights)


def new_tree(sizes: Sizes, n_blocks: int = 0) -> Tree:
    """Return trees without points, with room for so many blocks."""
    p, d = sizes.max_centers, sizes.dim
    return Tree(
        blocks=np.zeros((n_blocks, d, LEAF)),
        nodes=np.zeros((2 * n_blocks, 3 * d + 1)),
        sizes=np.zeros(FIRST_TREE + MAX_TREES, dtype=np.int64),
        stack=np.zeros((MAX_DEPTH, 4 + p), dtype=np.int64),
        gaps=np.zeros(p),
        rows=np.zeros((p + 3, LEAF)),
        front=np.zeros((sizes.n_cells, 3), dtype=np.int64),
    )


def new_sampler(sizes: Sizes) -> Sampler:
    """Return the record that brings the sampler's kernel, with its scratch."""
    c, p, d = sizes.n_chains, sizes.max_centers, sizes.dim
    if sizes.sampler == "local":
        return LocalSampler(sizes.n_burn, np.zeros((d, N_ANCHORS)))
    is_symmetric = sizes.sampler == "paper-symmetric"
    return paper.PaperSampler(
        n_burn=sizes.n_burn,
        is_symmetric=is_symmetric,
        means=Means(np.zeros((c, p, p, d)), np.zeros((c, p, p)), np.zeros((c, p))),
        trial=np.zeros((p, d)),
        square=np.zeros((p, max(p, d + 1))),
        table=np.zeros(2**p if is_symmetric else 1),
    )


def new_records(sizes: Sizes) -> Record:
    """Return empty records of all chains."""
    c, m, p = sizes.n_chains, sizes.n_configurations, sizes.max_centers
    return Record(
        k=np.ones((c, m), dtype=np.int64),
        centers=np.zeros((c, m, p, sizes.dim)),
        loss=np.zeros((c, m)),
        counts=np.zeros((c, m, p)),
        trace_k=np.zeros((c, sizes.n_kept)),
        trace_loss=np.zeros((c, sizes.n_kept)),
        tally=np.zeros((c, sizes.n_moves, 2), dtype=np.int64),
    )


def new_history(sizes: Sizes, *shape: int) -> History:
    """Return an empty history of (..., n) observations."""
    *streams, n = shape
    c, moves = sizes.n_chains, (sizes.n_moves, 2)
    return History(
        np.zeros(shape, dtype=np.int64),
        np.zeros(shape, dtype=np.int64),
        np.zeros((*streams, c, n)),
        np.zeros((*streams, c, n)),
        np.zeros((*streams, c, n)),
        np.zeros((*streams, c, n, *moves), dtype=np.int64),
    )
