r"""Learning-rate schedules: age of the segment in, :math:`\lambda` out.

The age is the number of observations in the score; age 0 has no score, so every schedule is 0
there and the prediction comes from the prior. Paper: [eq:generic-gibbs-update],
[eq:restart-posterior] and section «Experimental Setup».
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from driftlaw._validate import check_nonnegative, check_positive
from driftlaw.errors import InputError

Schedule = Callable[[int], float]


def rate_at(schedule: Schedule, age: int) -> float:
    """Return the rate of any schedule at ``age``; `InputError` if it is none.

    Examples
    --------
    >>> rate_at(lambda age: 1.0 / age, 4)
    0.25
    """
    value = schedule(age)
    if isinstance(value, float) and 0.0 <= value < math.inf:
        return float(value)
    try:
        return check_nonnegative("schedule", value)
    except InputError as error:
        raise InputError(
            f"schedule must give finite rates >= 0, got {value!r} at age {age}"
        ) from error


@dataclass(frozen=True, slots=True)
class SqrtLog:
    r""":math:`\lambda_a = c \sqrt{\log a / a}`, the schedule of the paper's main figure.

    It is 0 at ages 0 and 1, rises until age 3 and falls from there.

    Examples
    --------
    >>> round(SqrtLog(0.1)(3), 4)
    0.0605
    """

    c: float = 0.1

    def __post_init__(self) -> None:
        check_positive("c", self.c)

    def __call__(self, age: int) -> float:
        """Return the rate at ``age``."""
        return self.c * math.sqrt(math.log(age) / age) if age > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Power:
    r""":math:`\lambda_a = c\, a^{-\beta}`.

    Examples
    --------
    >>> Power(2.0, 0.25)(16)
    1.0
    """

    c: float
    beta: float

    def __post_init__(self) -> None:
        check_positive("c", self.c)
        check_nonnegative("beta", self.beta)

    def __call__(self, age: int) -> float:
        """Return the rate at ``age``."""
        return float(self.c * age**-self.beta) if age > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Constant:
    r""":math:`\lambda_a = c` at every age from 1 on.

    Examples
    --------
    >>> Constant(0.5)(7)
    0.5
    """

    c: float

    def __post_init__(self) -> None:
        check_nonnegative("c", self.c)

    def __call__(self, age: int) -> float:
        """Return the rate at ``age``."""
        return float(self.c) if age > 0 else 0.0
