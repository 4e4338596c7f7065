"""A sampler's arrays: made, grown as the window grows, and handed out flat to be saved."""

import copy
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from driftlaw._rng import compiled_states
from driftlaw._validate import Array, IntArray
from driftlaw.inference.alone import AloneViews, advance_alone, alone
from driftlaw.inference.bounded import BoundedWindow
from driftlaw.inference.chain import BLOCK, LOG_STEP, N_NUMBERS, N_SAVED, Chain
from driftlaw.inference.decisions import longest_block
from driftlaw.inference.engine import (
    LEARN,
    RESTART,
    WAIT,
    History,
    Memory,
    Plan,
)
from driftlaw.inference.kmeans import Means
from driftlaw.inference.local import LocalSampler
from driftlaw.inference.long import LongWindow
from driftlaw.inference.rjmcmc import Record, Sampler, Target
from driftlaw.inference.sizes import (
    Sizes,
    new_history,
    new_records,
    new_sampler,
    new_window,
)
from driftlaw.inference.tree import LEAF, grow_sizes_inplace
from driftlaw.inference.window import COLUMNS, HELD

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
        self.window = new_window(sizes, _LEAST_CAPACITY)
        self.chains = Chain(
            k=np.ones((c, 1), dtype=np.int64),
            centers=np.zeros((c, p, d)),
            numbers=np.zeros((c, N_NUMBERS)),
            random=compiled_states(rng, c),
            trial_center=np.zeros((c, d)),
            distances=np.zeros((c, p, _LEAST_CAPACITY)),
            nearest=np.zeros((c, _LEAST_CAPACITY)),
            trial_distances=np.zeros((c, _LEAST_CAPACITY)),
            trial_nearest=np.zeros((c, _LEAST_CAPACITY)),
            decided=np.zeros((c, p, d)),
        )
        self.chains.numbers[:, LOG_STEP] = np.log(2.4 * np.sqrt(2.0 / d))
        self.chains.numbers[:, BLOCK] = longest_block(d) if sizes.n_burn else 1.0
        self.records = new_records(sizes)
        self.sampler = new_sampler(sizes)
        self._alone = AloneViews()

    @property
    def n_window(self) -> int:
        """Number of observations in the score."""
        columns, held = self.window.n[: HELD + 1].tolist()
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
        most = self.n_window + len(batch)
        if most > self.window.points.shape[1]:  # else it fits, whatever is planned
            most = self.most_points(plan)
        if self.sizes.max_history or most < self.sizes.long_from:
            return self._advance_window(most, batch, plan, target, n_threads)
        return self._advance_windows(batch, plan, target, n_threads)

    def _advance_windows(self, batch: Array, plan: Plan, target: Target, n_threads: int) -> History:
        """Advance with a short window, a long one, and so on."""
        ages = self._ages(plan)
        is_long = ages >= self.sizes.long_from
        edges = [0, *(np.flatnonzero(np.diff(is_long)) + 1).tolist(), len(batch)]
        parts = []
        for a, b in pairwise(edges):
            self._change_window(is_long=bool(is_long[a]))
            stretch = Plan(plan.rates[a:b], plan.restarts[a:b])
            most = max(self.n_window, int(ages[a:b].max()))
            parts.append(self._advance_window(most, batch[a:b], stretch, target, n_threads))
        return _joined(parts)

    def most_points(self, plan: Plan) -> int:
        """Largest window that the plan leads to."""
        restarts = np.flatnonzero(plan.restarts == RESTART).tolist()
        ends = [-1 - self.n_window, *restarts, len(plan.rates)]
        return max(late - early for early, late in pairwise(ends)) - 1

    def _ages(self, plan: Plan) -> IntArray:
        """Observations in the window after each step of the plan."""
        learnt = self.n_window + np.cumsum(plan.restarts == LEARN)
        forgotten = np.where(plan.restarts == RESTART, learnt, 0)
        ages: IntArray = learnt - np.maximum.accumulate(forgotten)
        return ages

    def _change_window(self, *, is_long: bool) -> None:
        """Let the window be of the kind that the coming steps ask for.

        A long one becomes short by forgetting all: nothing else makes it shorter.
        """
        old = self.window
        if isinstance(old, LongWindow) == is_long:
            return
        self.window = new_window(self.sizes, old.points.shape[1], is_long=is_long)
        if is_long:
            self.window.points[...] = old.points
            self.window.n[...] = old.n

    def _advance_window(
        self, most: int, batch: Array, plan: Plan, target: Target, n_threads: int
    ) -> History:
        """Advance with a window that keeps its kind and holds so many observations at most."""
        self.reserve(most)
        n_parts = min(n_threads, self.sizes.n_chains)
        if n_parts == 1:
            return self._run(batch, plan, target)
        history = new_history(self.sizes, len(batch))
        edges = np.linspace(0, self.sizes.n_chains, n_parts + 1).astype(int)
        parts = [
            self._part(slice(a, b), history, is_first=a == 0) for a, b in pairwise(edges.tolist())
        ]
        with ThreadPoolExecutor(n_parts) as pool:
            runs = [pool.submit(advance_alone, batch, plan, s, target, m, h) for s, m, h in parts]
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
        steps = history if is_first else new_history(self.sizes, len(history.n_window))
        own = steps._replace(
            mean_k=history.mean_k[chains],
            mean_loss=history.mean_loss[chains],
            loss_error=history.loss_error[chains],
            tally=history.tally[chains],
        )
        sampler = self.sampler if is_first else copy.deepcopy(self.sampler)
        if not isinstance(sampler, LocalSampler):
            means = Means._make(array[chains] for array in self.sampler.means)
            sampler = sampler._replace(means=means)
        return sampler, alone(memory), own

    def _run(self, batch: Array, plan: Plan, target: Target) -> History:
        history = new_history(self.sizes, len(batch))
        memory = self._alone.of(Memory(self.window, self.chains, self.records))
        advance_alone(batch, plan, self.sampler, target, memory, history)
        return history

    def reserve(self, n: int) -> None:
        """Make room for n observations; at least double, so that growth costs little overall."""
        most = self.sizes.max_history or max(self.sizes.long_from, self.sizes.n_front + LEAF)
        if isinstance(self.window, LongWindow):
            self._reserve_blocks(n // LEAF + 1)
        held, n = self.window.points.shape[1], min(n, most)
        if n <= held:
            return
        capacity, m = max(n, min(2 * held, most)), int(self.window.n[COLUMNS])
        c, p, d = self.sizes.n_chains, self.sizes.max_centers, self.sizes.dim
        self.window = self.window._replace(
            points=_widened(self.window.points, (d, capacity), m),
            weights=_widened(self.window.weights, (capacity,), m, 1.0),
        )
        if isinstance(self.window, BoundedWindow):
            spread = _widened(self.window.spread, (2, capacity), m)
            self.window = self.window._replace(spread=spread)
        nearest = _widened(self.chains.nearest, (c, capacity), m)
        self.chains = self.chains._replace(
            distances=_widened(self.chains.distances, (c, p, capacity), m),
            nearest=nearest,
            trial_distances=np.zeros_like(nearest),
            trial_nearest=np.zeros_like(nearest),
        )

    def _reserve_blocks(self, n: int) -> None:
        """Make room for n blocks, in place: memory is extended and not copied where it can be."""
        tree = self.window.tree
        held, dim = len(tree.blocks), self.sizes.dim
        if n > held:
            self._alone.forget()
            n = max(n, held + held // 8)
            tree.blocks.resize((n, dim, LEAF), refcheck=False)
            tree.nodes.resize((2 * n, 3 * dim + 1), refcheck=False)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """All that the next step depends on, by name."""
        n, n_held = self.window.n[: HELD + 1].tolist()
        saved: dict[str, NDArray[np.generic]] = {
            f"chain_{name}": getattr(self.chains, name) for name in _SAVED_CHAIN
        }
        saved["chain_numbers"] = self.chains.numbers[:, :N_SAVED]  # the others follow
        saved["chain_distances"] = self.chains.distances[:, :, :n]
        saved["chain_nearest"] = self.chains.nearest[:, :n]
        saved["window_points"] = self.window.points[:, :n]
        if n_held:
            saved["window_weights"] = self.window.weights[:n]
            saved["window_n"] = self.window.n[HELD : HELD + 1]
        if n_held and self.sizes.max_history:
            saved["window_spread"] = self.window.spread[:, :n]
            saved["window_offset"] = self.window.offset
        elif n_held:
            saved["tree_blocks"] = self.window.tree.blocks[: -(-n_held // LEAF)]
            saved["tree_nodes"] = self.window.tree.nodes[: 2 * (n_held // LEAF)]
        if not isinstance(self.sampler, LocalSampler):
            saved |= {f"mean_{name}": a for name, a in self.sampler.means._asdict().items()}
        return saved | {f"record_{name}": getattr(self.records, name) for name in Record._fields}

    def restore(self, saved: dict[str, NDArray[np.generic]]) -> None:
        """Take over arrays handed out by :meth:`arrays`; shapes and types must be the same."""
        n, n_held = saved["window_points"].shape[1], 0
        if "window_n" in saved:
            (n_held,) = (int(count) for count in saved["window_n"].tolist())
        self._check_counts(n, n_held)
        if n_held and not self.sizes.max_history:
            self._change_window(is_long=True)
        self.reserve(n_held or n)
        self.window.n[: HELD + 1] = n, n_held
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
            possible = n_held >= self.sizes.long_from and n - n_held % LEAF <= self.sizes.n_front
        else:
            possible = n < self.sizes.long_from
        if not possible:
            raise ValueError(f"window_n must fit {n} columns, got {n_held}")


def _joined(parts: list[History]) -> History:
    """Return the history of steps that were made one after the other."""
    n_window, outside, *of_chains = zip(*parts, strict=True)
    steps = (np.concatenate(arrays) for arrays in (n_window, outside))
    return History(*steps, *(np.concatenate(arrays, axis=1) for arrays in of_chains))


def _widened(array: Array, shape: tuple[int, ...], m: int, fill: float = 0.0) -> Array:
    """Return an array of this shape with the first m columns of another, and ``fill`` after."""
    out = np.full(shape, fill)
    out[..., :m] = array[..., :m]
    return out
