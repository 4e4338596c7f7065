r"""Paths: functions of time that say where the parameters of a law are at step t.

A path is any callable ``t -> array``. A drift wraps a path (or an array that stands still), so
drifts compose: ``Jumps(Linear(centers, directions, 0.03), times, shifts)``. All paths of this
room are pure functions of t, so any t can be asked for in any order.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array
from driftlaw.errors import InputError

Path = Callable[[int], Array]
PathLike = Path | ArrayLike


@dataclass(frozen=True, slots=True, eq=False)
class Fixed:
    """The same value at every t.

    Examples
    --------
    >>> Fixed([0.5, 0.5])(10)
    array([0.5, 0.5])
    """

    value: ArrayLike

    def __post_init__(self) -> None:
        value = np.array(self.value, dtype=np.float64)
        if not np.isfinite(value).all():
            raise InputError(f"value must be finite, got {self.value!r}")
        value.setflags(write=False)
        object.__setattr__(self, "value", value)

    def __call__(self, t: int) -> Array:
        """Return the value."""
        return np.asarray(self.value)


def as_path(value: PathLike) -> Path:
    """Return a path as it is, and an array as the path that stays there."""
    return value if callable(value) else Fixed(value)


@dataclass(frozen=True, slots=True, eq=False)
class Drift:
    """What wraps another path; an array given as ``base`` becomes the path that stays there."""

    base: PathLike

    def __post_init__(self) -> None:
        object.__setattr__(self, "base", as_path(self.base))

    def base_at(self, t: int) -> Array:
        """Return the value of the wrapped path at ``t``."""
        return as_path(self.base)(t)
