"""A sampler's arrays: made, grown as the window grows, and handed out flat to be saved."""

import copy
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from driftlaw._rng import compiled_states
from driftlaw._validate import Array
from driftlaw.inference.engine import RESTART, WAIT, History, Memory, Plan, advance_inplace
from driftlaw.inference.local import LocalSampler
from driftlaw.inference.rjmcmc import Record, Sampler, Target
from driftlaw.inference.score import LOG_STEP, Chain, Window
from driftlaw.inference.sizes import Sizes, new_records, new_sampler, new_tree
from driftlaw.inference.tree import (
    LEAF,
    N_FRONT,
    grow_sizes_inplace,
)

_LEAST_CAPACITY = 16
_SAVED_CHAIN = ("k", "centers", "random")


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
            np.array([0, 0, 0 if sizes.is_counting else -1, sizes.long_from, sizes.max_history]),
            np.ones(_LEAST_CAPACITY),
            np.zeros((2, _LEAST_CAPACITY)),
            np.zeros(1),
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
        self.records = new_records(sizes)
        self.sampler = new_sampler(sizes)

    @property
    def n_window(self) -> int:
        """Number of observations in the score."""
        columns, held = self.window.n[:2].tolist()
        return int(held or columns)

    def sample(self, target: Target, times: int = 1) -> None:
        """Sample the target given the window as it is, so many times over."""
        plan = Plan(np.full(times, target.rate, dtype=float), np.full(times, WAIT))
        self._run(np.zeros((times, self.sizes.dim)), plan, target)

    def advance(self, batch: Array, plan: Plan, target: Target, n_threads: int = 1) -> History:
        """Learn the rows of ``batch`` (n, dim), sampling after each with the plan's rate.

        Each thread takes some of the chains, with a window of its own; chains know nothing of each
        other, so that their number changes nothing.
        """
        self._reserve(self._most_points(plan))
        n_parts = min(n_threads, self.sizes.n_chains)
        if n_parts == 1:
            return self._run(batch, plan, target)
        history = self._history(len(batch))
        edges = np.linspace(0, self.sizes.n_chains, n_parts + 1).astype(int)
        parts = [
            self._part(slice(a, b), history, is_first=a == 0) for a, b in pairwise(edges.tolist())
        ]
        with ThreadPoolExecutor(n_parts) as pool:
            runs = [pool.submit(advance_inplace, batch, plan, s, target, m, h) for s, m, h in parts]
            for run in runs:
                run.result()
        return history

    def _part(
        self, chains: slice, history: History, *, is_first: bool
    ) -> tuple[Sampler, Memory, History]:
        """Return what some chains need to go on alone; the first part uses the window itself."""
        memory = Memory(
            self.window if is_first else copy.deepcopy(self.window),
            Chain._make(array[chains] for array in self.chains),
            Record._make(array[chains] for array in self.records),
        )
        steps = history if is_first else self._history(len(history.n_window))
        own = steps._replace(
            mean_k=history.mean_k[chains],
            mean_loss=history.mean_loss[chains],
            loss_error=history.loss_error[chains],
            tally=history.tally[chains],
        )
        sampler = self.sampler if is_first else copy.deepcopy(self.sampler)
        if not isinstance(sampler, LocalSampler):
            sampler = sampler._replace(means=self.sampler.means[chains])
        return sampler, memory, own

    def _run(self, batch: Array, plan: Plan, target: Target) -> History:
        history = self._history(len(batch))
        memory = Memory(self.window, self.chains, self.records)
        advance_inplace(batch, plan, self.sampler, target, memory, history)
        return history

    def _history(self, n: int) -> History:
        c = self.sizes.n_chains
        return History(
            np.zeros(n, dtype=np.int64),
            np.zeros(n, dtype=np.int64),
            np.zeros((c, n)),
            np.zeros((c, n)),
            np.zeros((c, n)),
            np.zeros((c, n, self.sizes.n_moves, 2), dtype=np.int64),
        )

    def _most_points(self, plan: Plan) -> int:
        """Largest window that the plan leads to."""
        restarts = np.flatnonzero(plan.restarts == RESTART).tolist()
        ends = [-1 - self.n_window, *restarts, len(plan.rates)]
        return max(late - early for early, late in pairwise(ends)) - 1

    def _reserve(self, n: int) -> None:
        """Make room for n observations; at least double, so that growth costs little overall."""
        most = self.sizes.max_history or max(self.sizes.long_from, N_FRONT + LEAF)
        if n >= self.sizes.long_from and not self.sizes.max_history:
            self._reserve_blocks(n // LEAF + 1)
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
        weights, spread = np.ones(capacity), np.zeros((2, capacity))
        weights[:m], spread[:, :m] = self.window.weights[:m], self.window.spread[:, :m]
        self.window = self.window._replace(points=points, weights=weights, spread=spread)
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
            saved["window_n"] = self.window.n[1:2]
        if n_held and self.sizes.max_history:
            saved["window_spread"] = self.window.spread[:, :n]
            saved["window_offset"] = self.window.offset
        elif n_held:
            saved["tree_blocks"] = self.window.tree.blocks[: -(-n_held // LEAF)]
            saved["tree_nodes"] = self.window.tree.nodes[: 2 * (n_held // LEAF)]
        if not isinstance(self.sampler, LocalSampler):
            saved["means"] = self.sampler.means
        return saved | {f"record_{name}": getattr(self.records, name) for name in Record._fields}

    def restore(self, saved: dict[str, NDArray[np.generic]]) -> None:
        """Take over arrays handed out by :meth:`arrays`; shapes and types must be the same."""
        n, n_held = saved["window_points"].shape[1], 0
        if "window_n" in saved:
            (n_held,) = (int(count) for count in saved["window_n"].tolist())
        self._check_counts(n, n_held)
        self._reserve(n_held or n)
        self.window.n[:2] = n, n_held
        for name, own in self.arrays().items():
            given = saved[name]
            if given.shape != own.shape or given.dtype != own.dtype:
                raise ValueError(
                    f"{name} must be {own.dtype}{own.shape}, got {given.dtype}{given.shape}"
                )
            own[...] = given
        if n_held and not self.sizes.max_history:
            grow_sizes_inplace(self.window.tree.sizes, n_held)

    def _check_counts(self, n: int, n_held: int) -> None:
        """Raise ValueError where no run has n columns for so many observations."""
        bound = self.sizes.max_history
        if bound:
            possible = n < bound and (n_held == 0 or n_held >= bound)
        elif n_held:
            possible = n_held >= self.sizes.long_from and n - n_held % LEAF <= N_FRONT
        else:
            possible = n < self.sizes.long_from
        if not possible:
            raise ValueError(f"window_n must fit {n} columns, got {n_held}")
