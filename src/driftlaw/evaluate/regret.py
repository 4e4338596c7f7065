r"""Regret: per step, cumulative, average and on the logarithmic scale."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array
from driftlaw.errors import InputError


class RegretPoint(NamedTuple):
    r"""Regret after ``n`` steps: :math:`r_t,\ R_t,\ R_t/t,\ \log(1 + R_t)`."""

    n: int
    per_step: float
    cumulative: float
    average: float
    log1p: float


class RegretCurves(NamedTuple):
    """The same quantities for every step, arrays of the shape of the values."""

    per_step: Array
    cumulative: Array
    average: Array
    log1p: Array


class RegretTracker:
    r"""Running regret :math:`R_t = \sum_{s \le t} r_s` in constant memory.

    Paper: [eq:clean-regret], [eq:total-regret].

    Examples
    --------
    >>> tracker = RegretTracker()
    >>> tracker.add(1.0).average, tracker.add(3.0).average
    (1.0, 2.0)
    """

    def __init__(self) -> None:
        self._n = 0
        self._sum = 0.0

    def add(self, value: float) -> RegretPoint:
        """Add the regret of one step."""
        if not value >= 0:  # written so that nan fails too
            raise InputError(f"value must be >= 0, got {value!r}")
        self._n += 1
        self._sum += value
        total = self._sum
        return RegretPoint(self._n, float(value), total, total / self._n, float(np.log1p(total)))


def regret_curves(values: ArrayLike) -> RegretCurves:
    """Return the curves of per-step values (..., n), along the last axis.

    Examples
    --------
    >>> regret_curves([1.0, 3.0, 2.0]).cumulative
    array([1., 4., 6.])
    """
    try:
        per_step = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"values must be (..., n) numbers, got {values!r}") from error
    if per_step.ndim == 0 or not (per_step >= 0).all():
        raise InputError(f"values must be (..., n) and >= 0, got {values!r}")
    cumulative = np.cumsum(per_step, axis=-1)
    ages = np.arange(1, per_step.shape[-1] + 1)
    return RegretCurves(per_step, cumulative, cumulative / ages, np.log1p(cumulative))
