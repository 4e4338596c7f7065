"""Stopping between two observations: an interrupt never leaves half of one."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Stopper:
    """Hears the first Ctrl-C (or a request to terminate) and lets the current step end.

    While the run waits for input there is no step to end, and the interrupt is raised at once;
    so is a second one.

    Examples
    --------
    >>> stopper = Stopper()
    >>> stopper.is_asked
    False
    """

    def __init__(self) -> None:
        self.is_asked = False
        self._is_waiting = False

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear signals inside the block; only the main thread of a process can."""
        signals = (signal.SIGINT, signal.SIGTERM)
        try:
            before = [signal.signal(number, self._hear) for number in signals]
        except ValueError:  # another thread: signals go elsewhere
            yield
            return
        try:
            yield
        finally:
            for number, handler in zip(signals, before, strict=True):
                signal.signal(number, handler)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Mark a wait for input."""
        self._is_waiting = True
        try:
            yield
        finally:
            self._is_waiting = False

    def _hear(self, _number: int, _frame: FrameType | None) -> None:
        if self.is_asked or self._is_waiting:
            self.is_asked = True
            raise KeyboardInterrupt
        self.is_asked = True
