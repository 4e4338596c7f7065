r"""Learning rates as the theorems want them: :math:`\lambda_0,\dots,\lambda_{n-1}`, non-increasing.

A schedule of this package is 0 at age 0, where the score is empty and the posterior is the prior
whatever the rate; some schedules rise first. The theorems need positive, non-increasing rates.
"""

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_count, check_points
from driftlaw.errors import InputError
from driftlaw.schedules import Constant, Power, Schedule, SqrtLog, rate_at

_ASSUMED = "the theorems assume positive, non-increasing learning rates"


def schedule_rates(schedule: Schedule, n: int) -> Array:
    r"""Rates of ages 0 to n-1 as the learner uses them; age 0 is given the rate of age 1.

    At age 0 the score is empty, so the posterior is the prior for every :math:`\lambda_0`: the
    value is free, and :math:`\lambda_0 = \lambda_1` avoids a rise that no learner ever sees.

    Returns
    -------
    (n,) array

    Examples
    --------
    >>> from driftlaw.schedules import Power
    >>> schedule_rates(Power(2.0, 0.5), 5).round(3).tolist()
    [2.0, 2.0, 1.414, 1.155, 1.0]
    """
    n = check_count("n", n)
    ages = [1, *range(1, n)]
    return np.array([rate_at(schedule, age) for age in ages])


def envelope(schedule: Schedule, n: int) -> Array:
    r"""Smallest non-increasing majorant: :math:`\bar\lambda_s = \max_{s \le u < n} \lambda_u`.

    A first rise (``SqrtLog`` rises until age 3) is levelled up; at age 0 it is the largest rate.
    A schedule that at age 2n is above everything before age n is increasing: it is refused.

    Returns
    -------
    (n,) array, positive and non-increasing

    Examples
    --------
    >>> from driftlaw.schedules import SqrtLog
    >>> envelope(SqrtLog(0.1), 5).round(4).tolist()
    [0.0605, 0.0605, 0.0605, 0.0605, 0.0589]
    """
    rates = schedule_rates(schedule, n)
    if rate_at(schedule, 2 * n) > rates.max() > 0:
        raise InputError(f"schedule must not increase: {_ASSUMED}, got a rise up to age {2 * n}")
    return check_rates("schedule", np.maximum.accumulate(rates[::-1])[::-1])


def check_rates(name: str, rates: ArrayLike) -> Array:
    """Return the rates (n,) if they are positive and non-increasing; say the assumption if not.

    Examples
    --------
    >>> check_rates("rates", [0.2, 0.1]).tolist()
    [0.2, 0.1]
    """
    values = check_points(name, rates, 1)[:, 0]
    if not (values > 0).all():
        first = int(np.argmin(values > 0))
        raise InputError(f"{name} must be > 0: {_ASSUMED}, got {values[first]} at age {first}")
    rises = np.diff(values) > 0
    if rises.any():
        age = int(np.argmax(rises))
        raise InputError(
            f"{name} must not increase: {_ASSUMED}, got {values[age]} then {values[age + 1]}"
        )
    return values


def rise_penalty(rates: ArrayLike, loss_range: float) -> float:
    r"""Price of rates that rise: :math:`\frac{b^2}{8}\sum_s (s+1)^2 (\lambda_{s+1}-\lambda_s)_+`.

    Ours, docs/theory.md: with it the deterministic exponential-weights inequality holds for any
    rates >= 0 and losses of range b, not only for non-increasing ones. 0 if the rates never rise.

    Examples
    --------
    >>> rise_penalty([0.0, 0.0, 0.5], loss_range=2.0)
    1.0
    """
    values = check_points("rates", rates, 1)[:, 0]
    ages = np.arange(1, len(values))
    return float(loss_range**2 / 8 * np.sum(ages**2 * np.maximum(np.diff(values), 0.0)))


def decay_exponent(schedule: Schedule, n: int) -> float:
    r"""Exponent :math:`\beta` of :math:`\lambda_a \asymp a^{-\beta}` [eq:polynomial-ansatz].

    Known for the schedules of the package (1/2 for ``SqrtLog``, up to its logarithm); for another
    callable the slope between ages n/2 and n on logarithmic axes.

    Examples
    --------
    >>> decay_exponent(lambda age: 1 / (1 + age), 1000) > 0.99
    True
    """
    if isinstance(schedule, Power):
        return schedule.beta
    if isinstance(schedule, SqrtLog | Constant):
        return 0.5 if isinstance(schedule, SqrtLog) else 0.0
    late = max(check_count("n", n), 4)
    early = late // 2
    return float(-np.log(schedule(late) / schedule(early)) / np.log(late / early))
