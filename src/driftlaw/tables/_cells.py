"""One cell: a number, a missing value, or neither."""

import math
from collections.abc import Iterable
from typing import Any

MISSING_WORDS = frozenset({"", "-", "n/a", "na", "nan", "none", "null"})


def is_missing(cell: Any) -> bool:
    """Whether a cell is empty, null or says so in a word."""
    if isinstance(cell, str):
        return cell.lower() in MISSING_WORDS
    return cell is None or (isinstance(cell, float) and math.isnan(cell))


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


class CellReader:
    """Reads cells as `as_number` does; what stands for no reading is missing, too.

    Parameters
    ----------
    void : texts that mean «nothing was measured»: numbers, equal however they are written, or words

    Examples
    --------
    >>> read = CellReader(["-9999", "ERR"])
    >>> [read(cell) for cell in ("-9999.0", "err", "x", 3)]
    [nan, nan, None, 3.0]
    """

    def __init__(self, void: Iterable[str] = ()) -> None:
        texts = [text.strip().lower() for text in void]
        self._numbers = frozenset(n for n in map(as_number, texts) if n is not None)
        self._words = frozenset(texts)

    def __call__(self, cell: Any) -> float | None:
        """Return a cell as a float, perhaps infinite; NaN where missing; None for anything else."""
        number = as_number(cell)
        if number is None:
            is_void = isinstance(cell, str) and cell.lower() in self._words
            return math.nan if is_void else None
        return math.nan if number in self._numbers else number
