"""Drifts of scales (K,) or of Cholesky factors (K, d, d): abrupt and smooth change."""

from dataclasses import dataclass

import numpy as np

from driftlaw._validate import Array, check_count, check_positive
from driftlaw.streams.paths import Drift


@dataclass(frozen=True, slots=True, eq=False)
class Alternating(Drift):
    r"""Scales that change abruptly: the base in even blocks, ``factor`` times it in odd blocks.

    Examples
    --------
    >>> path = Alternating([1.0], factor=3.0, block=10)
    >>> path(9), path(10), path(20)
    (array([1.]), array([3.]), array([1.]))
    """

    factor: float
    block: int

    def __post_init__(self) -> None:
        Drift.__post_init__(self)
        check_positive("factor", self.factor)
        check_count("block", self.block)

    def __call__(self, t: int) -> Array:
        """Return the value at ``t``."""
        value = self.base_at(t)
        return np.asarray(value * self.factor) if (t // self.block) % 2 else value


@dataclass(frozen=True, slots=True, eq=False)
class Breathing(Drift):
    r"""Scales that change smoothly: :math:`b_t f^{\sin^2(\pi t/P)}`, from 1 to ``factor`` times.

    Examples
    --------
    >>> Breathing([1.0], factor=3.0, period=100)(50)
    array([3.])
    """

    factor: float
    period: float

    def __post_init__(self) -> None:
        Drift.__post_init__(self)
        check_positive("factor", self.factor)
        check_positive("period", self.period)

    def __call__(self, t: int) -> Array:
        """Return the value at ``t``."""
        share = np.sin(np.pi * t / self.period) ** 2
        return np.asarray(self.base_at(t) * self.factor**share)
