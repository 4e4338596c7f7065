"""What a stream is: points one by one, and the law each clean point was drawn from.

Time starts at 0: ``t`` is the number of points seen before this one, so the paper's round t is
step t - 1 here, and a prediction made at ``t`` rests on ``t`` observations.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol, runtime_checkable

from driftlaw._validate import Array
from driftlaw.law import PredictiveLaw


class Step(NamedTuple):
    r"""One round of a stream: :math:`z_t = x_t + C_t`.

    ``observed`` (d,) is what a predictor may learn from, ``clean`` (d,) the draw from the true
    law, ``corrupted`` whether they differ.

    Examples
    --------
    >>> import numpy as np
    >>> Step(0, np.array([1.5]), np.array([1.0]), True).observed - 1.0
    array([0.5])
    """

    t: int
    observed: Array
    clean: Array
    corrupted: bool


@runtime_checkable
class Stream(Protocol):
    """Points of dimension ``dim`` whose laws are known; ``n_steps`` is None for an endless stream.

    Iterating twice gives the same points, and holds none of them.
    """

    @property
    def dim(self) -> int:
        """Dimension of the points."""

    @property
    def n_steps(self) -> int | None:
        """Number of steps, None for an endless stream."""

    def __iter__(self) -> Iterator[Step]: ...

    def law_at(self, t: int) -> PredictiveLaw:
        """Law of the clean point at step ``t``."""
