r"""Growth exponents: how a regret grows with the horizon, with an interval over seeds."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from driftlaw._validate import Array, check_fraction
from driftlaw.errors import InputError


class GrowthExponent(NamedTuple):
    r"""Fitted :math:`\alpha` in :math:`R_T \approx c\, T^\alpha`.

    ``value`` is the mean of the ``slopes`` (S,) of the seeds, ``lower`` and ``upper`` Student's
    interval for it; with one seed nothing is known about the spread and both are infinite.
    """

    value: float
    lower: float
    upper: float
    standard_error: float
    slopes: Array


def growth_exponent(
    values_by_seed: ArrayLike, horizons: ArrayLike | None = None, *, level: float = 0.95
) -> GrowthExponent:
    r"""Least-squares slope of :math:`\log R_T` on :math:`\log T`, one per seed.

    Parameters
    ----------
    values_by_seed : (S, n) array > 0
        For each seed the regret at each horizon; (n,) is one seed.
    horizons : (n,) array > 0, increasing; 1, …, n by default, for curves over time
    level : confidence of the interval

    Notes
    -----
    Paper: [fig:supp-abrupt-shift-scaling]. The interval is over seeds: it does not know about a
    power law that does not hold.

    Examples
    --------
    >>> fit = growth_exponent([[1.0, 2.0, 4.0], [3.0, 6.0, 12.0]], [1, 4, 16])
    >>> round(fit.value, 12), round(fit.standard_error, 12)
    (0.5, 0.0)
    """
    check_fraction("level", level)
    values = np.atleast_2d(np.array(values_by_seed, dtype=np.float64))
    n = values.shape[-1]
    at = np.arange(1.0, n + 1) if horizons is None else np.array(horizons, dtype=np.float64)
    if values.ndim != 2 or n < 2 or not (np.isfinite(values) & (values > 0)).all():
        raise InputError(
            f"values_by_seed must be (S, n >= 2) and > 0, got {values.shape} with "
            f"least {values.min(initial=np.inf)}"
        )
    if at.shape != (n,) or not (at[0] > 0 and (np.diff(at) > 0).all() and np.isfinite(at).all()):
        raise InputError(f"horizons must be ({n},), > 0 and increasing, got {at}")
    x = np.log(at) - np.log(at).mean()
    return _interval(np.log(values) @ x / (x @ x), level)


def _interval(slopes: Array, level: float) -> GrowthExponent:
    n = len(slopes)
    value = float(slopes.mean())
    if n == 1:
        return GrowthExponent(value, -np.inf, np.inf, np.inf, slopes)
    error = float(slopes.std(ddof=1) / np.sqrt(n))
    reach = error * float(special.stdtrit(n - 1, (1.0 + level) / 2.0))
    return GrowthExponent(value, value - reach, value + reach, error, slopes)
