"""One cell: a number, a missing value, or neither."""

import math
from typing import Any

MISSING_WORDS = frozenset({"", "-", "n/a", "na", "nan", "none", "null"})


def is_missing(cell: Any) -> bool:
    """Whether a cell is empty, null or says so in a word."""
    if isinstance(cell, str):
        return cell.lower() in MISSING_WORDS
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


def is_number(cell: Any) -> bool:
    """Whether a cell is a number or missing."""
    return is_missing(cell) or as_number(cell) is not None


def as_number(cell: Any) -> float | None:
    """Return a cell as a float, perhaps infinite; NaN where missing; None for anything else."""
    if type(cell) is str:  # the common case first: this runs once per cell
        try:
            return float(cell) if "_" not in cell else None
        except ValueError:
            return math.nan if is_missing(cell) else None
    if is_missing(cell):
        return math.nan
    if isinstance(cell, bool):
        return None
    try:
        return None if isinstance(cell, str) else float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
