"""A sampler's arrays: made, grown as the window grows, and handed out flat to be saved."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from driftlaw._rng import compiled_states
from driftlaw._validate import Array
from driftlaw.inference import moves, paper
from driftlaw.inference.engine import RESTART, WAIT, History, Memory, Plan, advance_inplace
from driftlaw.inference.local import N_ANCHORS, LocalSampler
from driftlaw.inference.rjmcmc import Record, Sampler, Target
from driftlaw.inference.score import LOG_STEP, Chain, Window
from driftlaw.inference.tree import (
    FIRST_TREE,
    LEAF,
    MAX_DEPTH,
    MAX_TREES,
    N_FRONT,
    Tree,
    grow_sizes_inplace,
    regrow_inplace,
)

SAMPLERS = ("local", "paper", "paper-symmetric")
_LEAST_CAPACITY = 16
# Where trees win, measured: their boxes are cut by ever more boundaries as dimensions are added.
_LONG_AT = {1: 2048, 2: 2048, 3: 8192}
_NEVER = 1 << 62
_SAVED_CHAIN = ("k", "centers", "random")


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

    @property
    def long_from(self) -> int:
        """Observations from which on trees hold the window."""
        return self.long_at or _LONG_AT.get(self.dim, _NEVER)

    @property
    def n_moves(self) -> int:
        """Number of kinds of moves that the sampler reports."""
        return len(move_names(self.sampler))


def move_names(sampler: str) -> tuple[str, ...]:
    """Names of the moves that a sampler reports.

    Examples
    --------
    >>> move_names("local")
    ('walk', 'jump', 'birth', 'death')
    """
    return moves.MOVE_NAMES if sampler == "local" else paper.MOVE_NAMES


class SamplerState:
    """Window, chains, records and scratch of one sampler; all mutable state of a predictor.

    Parameters
    ----------
    sizes : Sizes
    rng : numpy Generator
        Seeds the chains, once; afterwards all randomness comes from their own states.
    """

    def __init__(self, sizes: Sizes, rng: np.random.Generator) -> None:
        c, p, d = sizes.n_chains, sizes.max_centers, sizes.dim
        self.sizes = sizes
        self.window = Window(
            np.zeros((d, _LEAST_CAPACITY)),
            np.array([0, 0, 0, sizes.long_from]),
            np.ones(_LEAST_CAPACITY),
            new_tree(sizes),
        )
        self.chains = Chain(
            k=np.ones((c, 1), dtype=np.int64),
            centers=np.zeros((c, p, d)),
            numbers=np.zeros((c, 4)),
            random=compiled_states(rng, c),
            trial_center=np.zeros((c, d)),
            distances=np.zeros((c, p, _LEAST_CAPACITY)),
            nearest=np.zeros((c, _LEAST_CAPACITY)),
            trial_distances=np.zeros((c, _LEAST_CAPACITY)),
            trial_nearest=np.zeros((c, _LEAST_CAPACITY)),
        )
        self.chains.numbers[:, LOG_STEP] = np.log(2.4 * np.sqrt(2.0 / d))
        self.records = _records(sizes)
        self.sampler = _sampler(sizes)

    @property
    def n_window(self) -> int:
        """Number of observations in the score."""
        columns, held = self.window.n[:2].tolist()
        return int(held or columns)

    def sample(self, target: Target, times: int = 1) -> None:
        """Sample the target given the window as it is, so many times over."""
        plan = Plan(np.full(times, target.rate, dtype=float), np.full(times, WAIT))
        self._run(np.zeros((times, self.sizes.dim)), plan, target)

    def advance(self, batch: Array, plan: Plan, target: Target) -> History:
        """Learn the rows of ``batch`` (n, dim), sampling after each with the plan's rate."""
        self._reserve(self._most_points(plan))
        return self._run(batch, plan, target)

    def _run(self, batch: Array, plan: Plan, target: Target) -> History:
        n = len(batch)
        history = History(
            np.zeros(n, dtype=np.int64),
            np.zeros(n, dtype=np.int64),
            np.zeros(n),
            np.zeros(n),
            np.zeros((n, self.sizes.n_moves, 2), dtype=np.int64),
        )
        memory = Memory(self.window, self.chains, self.records)
        advance_inplace(batch, plan, self.sampler, target, memory, history)
        return history

    def _most_points(self, plan: Plan) -> int:
        """Largest window that the plan leads to."""
        restarts = np.flatnonzero(plan.restarts == RESTART).tolist()
        ends = [-1 - self.n_window, *restarts, len(plan.rates)]
        return max(late - early for early, late in pairwise(ends)) - 1

    def _reserve(self, n: int) -> None:
        """Make room for n observations; at least double, so that growth costs little overall."""
        if n >= self.sizes.long_from:
            self._reserve_blocks(n // LEAF + 1)
        most = max(self.sizes.long_from, N_FRONT + LEAF)
        held, n = self.window.points.shape[1], min(n, most)
        if n <= held:
            return
        capacity, m = max(n, min(2 * held, most)), int(self.window.n[0])
        points = np.zeros((self.sizes.dim, capacity))
        points[:, :m] = self.window.points[:, :m]
        distances = np.zeros((self.sizes.n_chains, self.sizes.max_centers, capacity))
        nearest = np.zeros((self.sizes.n_chains, capacity))
        distances[:, :, :m] = self.chains.distances[:, :, :m]
        nearest[:, :m] = self.chains.nearest[:, :m]
        weights = np.ones(capacity)
        weights[:m] = self.window.weights[:m]
        self.window = self.window._replace(points=points, weights=weights)
        self.chains = self.chains._replace(
            distances=distances,
            nearest=nearest,
            trial_distances=np.zeros_like(nearest),
            trial_nearest=np.zeros_like(nearest),
        )

    def _reserve_blocks(self, n: int) -> None:
        """Make room for n blocks, in place: memory is extended and not copied where it can be."""
        tree = self.window.tree
        held, dim = len(tree.blocks), self.sizes.dim
        if n > held:
            n = max(n, held + held // 8)
            tree.blocks.resize((n, dim, LEAF), refcheck=False)
            tree.nodes.resize((2 * n, 3 * dim + 1), refcheck=False)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """All that the next step depends on, by name."""
        n, n_held = self.window.n[:2].tolist()
        saved: dict[str, NDArray[np.generic]] = {
            f"chain_{name}": getattr(self.chains, name) for name in _SAVED_CHAIN
        }
        saved["chain_numbers"] = self.chains.numbers[:, :3]  # the fourth follows from the rest
        saved["chain_distances"] = self.chains.distances[:, :, :n]
        saved["chain_nearest"] = self.chains.nearest[:, :n]
        saved["window_points"] = self.window.points[:, :n]
        if n_held:
            saved["window_weights"] = self.window.weights[:n]
            saved["tree_blocks"] = self.window.tree.blocks[: -(-n_held // LEAF)]
            saved["tree_n"] = self.window.n[1:2]
        if not isinstance(self.sampler, LocalSampler):
            saved["means"] = self.sampler.means
        return saved | {f"record_{name}": getattr(self.records, name) for name in Record._fields}

    def restore(self, saved: dict[str, NDArray[np.generic]]) -> None:
        """Take over arrays handed out by :meth:`arrays`; shapes and types must be the same."""
        n, n_held = saved["window_points"].shape[1], 0
        if "tree_n" in saved:
            (n_held,) = (int(count) for count in saved["tree_n"].tolist())
            if n_held < self.sizes.long_from or n - n_held % LEAF > N_FRONT:
                raise ValueError(f"tree_n must fit {n} columns, got {n_held}")
        self._reserve(n_held or n)
        self.window.n[:2] = n, n_held
        for name, own in self.arrays().items():
            given = saved[name]
            if given.shape != own.shape or given.dtype != own.dtype:
                raise ValueError(
                    f"{name} must be {own.dtype}{own.shape}, got {given.dtype}{given.shape}"
                )
            own[...] = given
        if n_held:
            grow_sizes_inplace(self.window.tree.sizes, n_held)
            regrow_inplace(self.window.tree, False)


def new_tree(sizes: Sizes, n_blocks: int = 0) -> Tree:
    """Return trees without points, with room for so many blocks."""
    p, d = sizes.max_centers, sizes.dim
    return Tree(
        blocks=np.zeros((n_blocks, d, LEAF)),
        nodes=np.zeros((2 * n_blocks, 3 * d + 1)),
        sizes=np.zeros(FIRST_TREE + MAX_TREES, dtype=np.int64),
        stack=np.zeros((MAX_DEPTH, 6 + p), dtype=np.int64),
        gaps=np.zeros(p + 2),
        rows=np.zeros((p + 3, LEAF)),
        counts=np.zeros(p),
        front=np.zeros((N_FRONT, 3), dtype=np.int64),
    )


def _sampler(sizes: Sizes) -> Sampler:
    p, d = sizes.max_centers, sizes.dim
    if sizes.sampler == "local":
        return LocalSampler(sizes.n_burn, np.zeros((d, N_ANCHORS)))
    is_symmetric = sizes.sampler == "paper-symmetric"
    return paper.PaperSampler(
        n_burn=sizes.n_burn,
        is_symmetric=is_symmetric,
        means=np.zeros((sizes.n_chains, p, p, d)),
        trial=np.zeros((p, d)),
        square=np.zeros((p, max(p, d + 1))),
        table=np.zeros(2**p if is_symmetric else 1),
    )


def _records(sizes: Sizes) -> Record:
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
