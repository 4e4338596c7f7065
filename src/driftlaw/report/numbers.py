"""Numbers, shares and times as a reader thinks of them."""

import math

import numpy as np

from driftlaw.live import Outcome


def number(value: float, digits: int = 5) -> str:
    """Significant digits, without an exponent where that stays readable.

    Examples
    --------
    >>> number(133530.62), number(-0.0123456), number(3.0), number(2.5e-9)
    ('133531', '-0.012346', '3', '2.5e-09')
    """
    if not math.isfinite(value):
        return "–"
    if value and not 1e-4 <= abs(value) < 1e9:
        return f"{value:.{digits - 1}g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def rounded(value: float, width: float) -> float:
    """Round to a place that a range of this width can spare, a hundredth of it or less.

    Examples
    --------
    >>> rounded(1.9997, 2.0), rounded(-0.00095, 2.0), rounded(133530.62, 6000.0)
    (2.0, 0.0, 133530.0)
    """
    if not 0.0 < width < math.inf:
        return value
    decimals = 2 - math.floor(math.log10(width))
    return round(value, decimals) + 0.0  # no minus zero


def shown(value: float, transform: str, digits: int = 5) -> str:
    """Return a value as its reader thinks of it: a log-return as a change in per cent.

    Examples
    --------
    >>> shown(0.0123, "log-return"), shown(0.0123, "diff")
    ('+1.24 %', '0.0123')
    """
    if transform != "log-return":
        return number(value, digits)
    with np.errstate(over="ignore"):
        change = 100.0 * float(np.expm1(value))
    return f"{'+' if change > 0 else ''}{number(change, 3)} %"


def quantity(column: str, transform: str) -> str:
    """Name what is predicted."""
    names = {"none": column, "standardize": f"standardised {column}"}
    return names.get(transform, f"change of {column}")


def percent(share: float) -> str:
    """Return a share in per cent, with one decimal where it matters."""
    text = f"{100 * share:.1f}"
    return f"{text.removesuffix('.0')} %"


def place_of(outcome: Outcome, n: int, time: str) -> str:
    """Name a time, or the number of the observation where the stream has no times."""
    if not time:
        return f"observation {n}"
    return f"{outcome.time} {time}" if time.isdigit() else time
