"""One stream as the kernel of many takes it: its arrays with an axis of streams before others."""

from operator import is_
from typing import Any

import numpy as np

from driftlaw._validate import Array
from driftlaw.inference.engine import History, Memory, Plan, advance_inplace
from driftlaw.inference.local import LocalSampler
from driftlaw.inference.rjmcmc import Sampler, Target


class AloneViews:
    """Views of a sampler's arrays, kept from step to step: to make two dozen costs microseconds.

    They belong to the records that they were made of and are made anew when these are others. A
    copy begins without any: its views would be of the original's arrays.

    Examples
    --------
    >>> views, part = AloneViews(), Plan(np.zeros(3), np.zeros(3, dtype=np.int64))
    >>> memory = Memory(part, part, part)
    >>> views.of(memory).window.rates.shape, views.of(memory) is views.of(memory)
    ((1, 3), True)
    """

    def __init__(self) -> None:
        self.forget()

    def __reduce__(self) -> tuple[type["AloneViews"], tuple[()]]:
        return AloneViews, ()

    def forget(self) -> None:
        """Hold no views: before arrays are changed in size, which no view survives."""
        self._seen: Memory | None = None
        self._views: Memory | None = None

    def of(self, memory: Memory) -> Memory:
        """Return the memory with an axis of streams before all others."""
        seen, views = self._seen, self._views
        if views is None or seen is None or not all(map(is_, memory, seen)):
            views = alone(memory)
            self._seen, self._views = memory, views
        return views


def advance_alone(
    batch: Array, plan: Plan, sampler: Sampler, target: Target, memory: Memory, history: History
) -> None:
    """Advance one stream; ``memory`` has the axis already, all else is given it here."""
    if not isinstance(sampler, LocalSampler):
        sampler = sampler._replace(means=alone(sampler.means))
    advance_inplace(batch[None], plan, sampler, target, memory, alone(history))


def alone(record: Any) -> Any:
    """Give all arrays of a record a first axis, of one stream."""
    arrays = [own[None] if own.__class__ is np.ndarray else alone(own) for own in record]
    return type(record)._make(arrays)
