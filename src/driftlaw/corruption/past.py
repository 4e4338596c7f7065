r"""What a causal corruption may see: earlier clean points and offsets, nothing later."""

import numpy as np

from driftlaw._validate import Array


class Past:
    r"""The revealed past :math:`((x_s)_{s<t}, (C_s)_{s<t})`, its last ``memory`` steps.

    ``clean`` and ``offsets`` are read-only (m, d) arrays, oldest first, m <= memory; the offsets
    are those admitted, 0 where the point stayed clean. ``t`` counts all steps so far,
    ``amplitude`` and ``left`` say what may still be done (``left`` is None without a budget).
    Two buffers of twice the memory make adding a step cheap and the arrays contiguous.

    Examples
    --------
    >>> past = Past(dim=1, memory=2, amplitude=1.0, left=None)
    >>> for value in (1.0, 2.0, 3.0):
    ...     past.add(np.array([value]), np.zeros(1))
    >>> past.clean.ravel(), past.t
    (array([2., 3.]), 3)
    """

    __slots__ = ("_clean", "_end", "_memory", "_offsets", "amplitude", "left", "t")

    def __init__(self, *, dim: int, memory: int, amplitude: float, left: int | None) -> None:
        self.amplitude = amplitude
        self.left = left
        self.t = 0
        self._memory = memory
        self._end = 0
        self._clean = np.empty((2 * memory, dim))
        self._offsets = np.empty((2 * memory, dim))

    @property
    def clean(self) -> Array:
        """Earlier clean points (m, d)."""
        return self._view(self._clean)

    @property
    def offsets(self) -> Array:
        """Earlier offsets (m, d)."""
        return self._view(self._offsets)

    def add(self, clean: Array, offset: Array) -> None:
        """Reveal one more step; it is the wrapper that calls this."""
        self.t += 1
        if self._memory == 0:
            return
        if self._end == len(self._clean):
            for buffer in (self._clean, self._offsets):
                buffer[: self._memory] = buffer[self._memory :]
            self._end = self._memory
        self._clean[self._end] = clean
        self._offsets[self._end] = offset
        self._end += 1

    def _view(self, buffer: Array) -> Array:
        view = buffer[max(0, self._end - self._memory) : self._end]
        view.flags.writeable = False
        return view
