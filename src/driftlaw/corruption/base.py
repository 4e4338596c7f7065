r"""What a corruption is, and the wrapper that puts it on a stream and keeps it within its means."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from driftlaw._rng import RngLike, as_seed
from driftlaw._validate import Array, check_point
from driftlaw.corruption.ledger import CorruptionLedger
from driftlaw.corruption.past import Past
from driftlaw.errors import InputError
from driftlaw.law import PredictiveLaw
from driftlaw.streams import Step, Stream

Propose = Callable[[Past, Array], Array]


class Corruption(Protocol):
    r"""A causal process of offsets: :math:`C_t = \mathcal C_t((x_s)_{s \le t}, (C_s)_{s<t})`.

    ``start`` begins a fresh run: a function of the past and of the current clean point that
    proposes the offset. It is handed nothing else, so it cannot know the future. What the wrapper
    admits of a proposal is bounded by ``amplitude_in(dim)`` and ``budget``.
    """

    @property
    def budget(self) -> int | None:
        r"""Largest number of corrupted steps :math:`\Lambda_T`; None for no limit."""

    @property
    def memory(self) -> int:
        """How many past steps it wants to see."""

    def amplitude_in(self, dim: int) -> float:
        r"""Bound :math:`\delta` on the Euclidean length of an offset in ``dim`` dimensions."""

    def start(self, dim: int, rng: np.random.Generator) -> Propose:
        """Begin a run."""


@dataclass(frozen=True, slots=True, eq=False)
class CorruptedStream:
    r"""A stream seen through a corruption: :math:`z_t = x_t + C_t`.

    .. math:: \|z_t - x_t\|_2 \le \delta, \qquad \Lambda_T = \sum_t 1\{C_t \ne 0\} \le
       \text{budget}

    Both are enforced here, whatever the corruption proposes. The clean points and the laws are
    those of ``stream``; the corruption draws from a seed of its own, so a stream and its
    corrupted twin share their random numbers. Wrapping a corrupted stream adds the offsets.

    Examples
    --------
    >>> from driftlaw.corruption import UniformNoise
    >>> from driftlaw.streams import smooth_drift
    >>> stream = CorruptedStream(smooth_drift(n_steps=5, rng=0), UniformNoise(1.0), rng=1)
    >>> round(stream.amplitude, 3), stream.ledger().total(5)
    (1.414, 5)
    """

    stream: Stream
    corruption: Corruption
    rng: RngLike = None

    def __post_init__(self) -> None:
        for name, kind, method in (
            ("stream", "stream", "law_at"),
            ("corruption", "corruption", "start"),
        ):
            if not hasattr(getattr(self, name), method):
                raise InputError(f"{name} must be a {kind}, got {getattr(self, name)!r}")
        object.__setattr__(self, "rng", as_seed(self.rng))

    @property
    def dim(self) -> int:
        """Dimension of the points."""
        return self.stream.dim

    @property
    def n_steps(self) -> int | None:
        """Number of steps, None for an endless stream."""
        return self.stream.n_steps

    @property
    def amplitude(self) -> float:
        r"""The :math:`\delta` that no offset exceeds, with what lies below this wrapper."""
        below = getattr(self.stream, "amplitude", 0.0)
        return float(below) + self.corruption.amplitude_in(self.dim)

    def law_at(self, t: int) -> PredictiveLaw:
        """Law of the clean point at step ``t``."""
        return self.stream.law_at(t)

    def ledger(self, n_steps: int | None = None) -> CorruptionLedger:
        """Replay the first ``n_steps`` steps (all of a finite stream) and count."""
        ledger = CorruptionLedger()
        limit = self.n_steps if n_steps is None else n_steps
        for step in self:
            if limit is not None and step.t >= limit:
                break
            ledger.add(step)
        return ledger

    def __iter__(self) -> Iterator[Step]:
        model = self.corruption
        propose = model.start(self.dim, np.random.default_rng(as_seed(self.rng)))
        delta, left = model.amplitude_in(self.dim), model.budget
        past = Past(dim=self.dim, memory=model.memory, amplitude=delta, left=left)
        for step in self.stream:
            observed = step.observed
            if left is None or left > 0:
                offset = check_point("offset", propose(past, step.clean.copy()), self.dim)
                observed = _moved(step.observed, offset, delta)
            is_moved = bool((observed != step.observed).any())
            if left is not None:
                left -= is_moved
            past.left = left
            past.add(step.clean, observed - step.observed)
            observed.setflags(write=False)
            yield Step(step.t, observed, step.clean, bool((observed != step.clean).any()))


def _moved(point: Array, offset: Array, delta: float) -> Array:
    """Return point + offset, shortened where needed so that the rounded sum is within delta."""
    peak = float(np.abs(offset).max())
    if peak == 0.0:
        return point
    direction = offset / peak  # of length 1 to sqrt(d): no square overflows
    reach = min(peak, delta / float(np.linalg.norm(direction)))
    for shrink in (1.0, 1.0 - 1e-9):
        moved = np.asarray(point + direction * (reach * shrink))
        if np.linalg.norm(moved - point) <= delta:
            return moved
    return point
