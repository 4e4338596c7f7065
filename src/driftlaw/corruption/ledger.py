r"""Counting corruption: the budget spent, in total and inside a segment."""

from bisect import bisect_left
from collections import deque

from driftlaw._validate import check_count
from driftlaw.errors import InputError
from driftlaw.streams import Step


class CorruptionLedger:
    r"""Corrupted steps so far: :math:`\Lambda_t = \sum_{s \le t} 1\{C_s \ne 0\}`.

    Feed it every step with ``add``. ``total(t)`` counts among the first t observations, which is
    the paper's :math:`\Lambda_t`; ``since(tau, t)`` among the steps tau … t - 1, which is the
    count :math:`\Lambda_{r,t}` inside a segment that started at step tau.

    Parameters
    ----------
    memory : number of latest steps about which it can be asked, None for all
        The ledger holds one number per corrupted step in its memory, so an endless run needs a
        limit: the length of a segment.

    Notes
    -----
    Paper: [eq:no-restart-corruption-term], [eq:restart-corruption-term].

    Examples
    --------
    >>> import numpy as np
    >>> ledger = CorruptionLedger()
    >>> for t, bad in enumerate([True, False, True, True]):
    ...     ledger.add(Step(t, np.zeros(1), np.zeros(1), bad))
    >>> ledger.total(), ledger.total(2), ledger.since(1, 4)
    (3, 1, 2)
    """

    def __init__(self, memory: int | None = None) -> None:
        self._memory = None if memory is None else check_count("memory", memory)
        self._times: deque[int] = deque()
        self._forgotten = 0
        self.n_steps = 0

    def add(self, step: Step) -> None:
        """Count one step; steps come in order, none left out."""
        if step.t != self.n_steps:
            raise InputError(f"step.t must be {self.n_steps}, the next step, got {step.t}")
        self.n_steps += 1
        if step.corrupted:
            self._times.append(step.t)
        while self._memory is not None and self._times and self._times[0] < self._oldest():
            self._times.popleft()
            self._forgotten += 1

    def total(self, t: int | None = None) -> int:
        """Count the corrupted among the first ``t`` observations (all so far by default)."""
        if t is None:
            return self._forgotten + len(self._times)
        if not self._oldest() <= t <= self.n_steps:
            raise InputError(f"t must be in [{self._oldest()}, {self.n_steps}], got {t}")
        return self._forgotten + bisect_left(self._times, t)

    def since(self, tau: int, t: int | None = None) -> int:
        """Count the corrupted among the steps ``tau`` … ``t - 1`` (up to now by default)."""
        return self.total(t) - self.total(tau)

    def _oldest(self) -> int:
        return 0 if self._memory is None else max(0, self.n_steps - self._memory)
