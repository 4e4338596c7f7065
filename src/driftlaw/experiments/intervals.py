"""Confidence intervals: Student's over seeds, the block bootstrap's over time."""

from typing import NamedTuple

import numpy as np
from scipy import special

from driftlaw._validate import Array, check_count, check_fraction

LEVEL = 0.95


class Interval(NamedTuple):
    """A mean and the interval around it; infinite where the spread is not known."""

    value: float
    lower: float
    upper: float


def student(values: Array, level: float = LEVEL) -> Interval:
    r"""Student's interval :math:`\bar v \pm t_{n-1}\, s/\sqrt n` for the mean of (n,) values.

    Examples
    --------
    >>> [round(number, 3) for number in student([1.0, 2.0, 3.0])]
    [2.0, -0.484, 4.484]
    """
    check_fraction("level", level)
    values = np.asarray(values, dtype=np.float64)
    n, mean = len(values), float(values.mean())
    if n == 1:
        return Interval(mean, -np.inf, np.inf)
    reach = special.stdtrit(n - 1, (1.0 + level) / 2.0) * values.std(ddof=1) / np.sqrt(n)
    return Interval(mean, mean - float(reach), mean + float(reach))


def block_bootstrap(
    values: Array, block: int, *, level: float = LEVEL, n_draws: int = 2000, seed: int = 0
) -> Interval:
    """Percentile interval for the mean of a series (n,) whose neighbours depend on each other.

    Blocks of ``block`` consecutive values are drawn with replacement, round the end to the
    beginning, until the series is as long as it was. With fewer than five blocks nothing is known.
    """
    check_count("block", block)
    values = np.asarray(values, dtype=np.float64)
    n, mean = len(values), float(values.mean())
    n_blocks = -(-n // block)
    if n < 5 * block:
        return Interval(mean, -np.inf, np.inf)
    rng = np.random.default_rng(seed)
    starts = rng.integers(n, size=(n_draws, n_blocks, 1))
    chosen = (starts + np.arange(block)).reshape(n_draws, -1)[:, :n] % n
    lower, upper = np.quantile(
        values[chosen].mean(axis=1), [(1.0 - level) / 2.0, (1.0 + level) / 2.0]
    )
    return Interval(mean, float(lower), float(upper))
