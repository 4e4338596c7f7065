"""Samplers whose arrays lie side by side, so that one compiled call advances them all."""

import copy
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from driftlaw._validate import Array
from driftlaw.inference.engine import History, Memory, Plan, advance_inplace
from driftlaw.inference.local import LocalSampler
from driftlaw.inference.long import LongWindow
from driftlaw.inference.rjmcmc import Target
from driftlaw.inference.sizes import new_history
from driftlaw.inference.state import SamplerState


class Together:
    """Samplers of the same sizes.

    Each goes on working by itself: what it has are views of the arrays here. One that went its
    own way, by learning alone or by becoming long, is noticed.

    Parameters
    ----------
    states : list of SamplerState
    """

    def __init__(self, states: list[SamplerState]) -> None:
        self._states = states
        self._bind()

    def can_advance(self, plan: Plan) -> bool:
        """Tell whether one call can take all samplers through the plan."""
        first = self._states[0]
        if not isinstance(first.sampler, LocalSampler):
            return False
        if not first.sizes.max_history and first.most_points(plan) >= first.sizes.long_from:
            return False
        if not self._is_bound():
            if not self._are_alike():
                return False
            self._bind()
        return bool((self._memory.window.n == first.window.n).all())

    def advance(
        self, batches: Array, plan: Plan, target: Target, n_threads: int = 1
    ) -> list[History]:
        """Learn n observations of each stream, ``batches`` (m, n, d), after `can_advance`."""
        most = self._states[0].most_points(plan)
        if most > self._memory.window.points.shape[2]:
            for state in self._states:
                state.reserve(most)
            if not self._is_bound():  # in bounded memory there may be room for all that is coming
                self._bind()
        history = new_history(self._states[0].sizes, *batches.shape[:2])
        edges = np.linspace(0, len(batches), n_threads + 1).astype(int).tolist()
        parts = [slice(a, b) for a, b in pairwise(edges)]
        with ThreadPoolExecutor(n_threads) as pool:
            runs = [pool.submit(self._run, part, batches, plan, target, history) for part in parts]
            for run in runs:
                run.result()
        return [_part(history, i) for i in range(len(batches))]

    def _run(
        self, part: slice, batches: Array, plan: Plan, target: Target, history: History
    ) -> None:
        sampler = copy.deepcopy(self._states[0].sampler)  # scratch of one thread
        memory = Memory._make(_part(record, part) for record in self._memory)
        advance_inplace(batches[part], plan, sampler, target, memory, _part(history, part))

    def _is_bound(self) -> bool:
        points = self._memory.window.points
        return all(
            state.window is view.window
            and state.chains is view.chains
            and state.records is view.records
            and state.window.points.base is points  # not so in a copy of all this
            for state, view in zip(self._states, self._views, strict=True)
        )

    def _are_alike(self) -> bool:
        """Tell whether windows are of one kind, not a long one, and have the same room."""
        kinds = {(type(state.window), state.window.points.shape) for state in self._states}
        return len(kinds) == 1 and not isinstance(self._states[0].window, LongWindow)

    def _bind(self) -> None:
        """Copy all arrays side by side and let the samplers have views of them."""
        self._memory = Memory(
            _side_by_side([state.window for state in self._states]),
            _side_by_side([state.chains for state in self._states]),
            _side_by_side([state.records for state in self._states]),
        )
        self._views = [
            Memory(*(_part(record, i) for record in self._memory)) for i in range(len(self._states))
        ]
        for state, view in zip(self._states, self._views, strict=True):
            state.window, state.chains, state.records = view


def _side_by_side(records: list[Any]) -> Any:
    return type(records[0])._make(np.stack(arrays) for arrays in zip(*records, strict=True))


def _part(record: Any, part: slice | int) -> Any:
    """Return some, or one, of what lies side by side: views."""
    return type(record)._make(array[part] for array in record)
