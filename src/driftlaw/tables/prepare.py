"""Between a row and an observation: missing values and causal transforms, with their state."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import Array, check_choice
from driftlaw.errors import InputError
from driftlaw.tables.reader import LARGEST, Row

TRANSFORMS = ("none", "diff", "log-return", "standardize")
MISSING = ("error", "skip", "hold-last")
_WARMUP = 40  # rows that only feed the first moments of a standardised stream


class Counts(NamedTuple):
    """What became of the rows: nothing is repaired in silence."""

    rows: int
    skipped: int  # rows left out because a value was missing
    held: int  # values filled with the last one of their column
    used_up: int  # rows that only began a transform


class _Places(Protocol):
    """What a message needs to know of the input."""

    def where(self, row: Row, column: int) -> str:
        """Name one cell."""


class Preparation:
    r"""Turn rows into observations, one at a time, from the past alone.

    ``diff`` is :math:`x_t - x_{t-1}`, ``log-return`` :math:`\log x_t - \log x_{t-1}`, and
    ``standardize`` :math:`(x_t - m_t) / s_t` with mean and standard deviation of all rows before;
    its first 40 rows only feed them.

    Parameters
    ----------
    dim : int
        Values per row.
    transform : {"none", "diff", "log-return", "standardize"}
    missing : {"error", "skip", "hold-last"}
        What to do with a missing value: stop; leave out the row; take the column's last value.

    Examples
    --------
    >>> preparation = Preparation(1, transform="diff")
    >>> rows = [Row(1, "", np.array([3.0])), Row(2, "", np.array([5.0]))]
    >>> [preparation.feed(row, None) for row in rows]
    [None, array([2.])]
    """

    def __init__(self, dim: int, *, transform: str = "none", missing: str = "error") -> None:
        self.transform = check_choice("transform", transform, TRANSFORMS)
        self.missing = check_choice("missing", missing, MISSING)
        self._last = np.full(dim, np.nan)
        self._mean, self._scatter = np.zeros(dim), np.zeros(dim)
        self._n = np.zeros(5, dtype=np.int64)  # rows, skipped, held, used up, in the moments
        self._first_time, self._last_time = "", ""

    @property
    def counts(self) -> Counts:
        """What became of the rows so far."""
        return Counts(*(int(n) for n in self._n[:4]))

    @property
    def span(self) -> tuple[str, str]:
        """Times of the first and the last row that have one; empty as long as none has come."""
        return self._first_time, self._last_time

    def feed(self, row: Row, reader: _Places | None) -> Array | None:
        """Return the observation of a row; None where it gives none."""
        values = self._complete(row, reader)
        made = None if values is None else self._transformed(values, row, reader)
        if made is not None:
            self._check_size(made, row, reader)
        if values is not None:
            self._learn(values)
            self._n[2] += int(np.isnan(row.values).sum())
        self._n[0] += 1
        self._first_time = self._first_time or row.time
        self._last_time = row.time or self._last_time
        if values is None:
            self._n[1] += 1
        elif made is None:
            self._n[3] += 1
        return made

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that the next row depends on."""
        return {
            "last": self._last.copy(),
            "mean": self._mean.copy(),
            "scatter": self._scatter.copy(),
            "n": self._n.astype(np.float64),
            "span": np.array(self.span, dtype=np.str_),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""
        self._last[:], self._mean[:] = state["last"], state["mean"]
        self._scatter[:], self._n[:] = state["scatter"], state["n"]
        self._first_time, self._last_time = (str(time) for time in state["span"])

    def _complete(self, row: Row, reader: _Places | None) -> Array | None:
        gaps = np.isnan(row.values)
        if not gaps.any():
            return row.values
        column = int(np.argmax(gaps))
        if self.missing == "error":
            raise InputError(
                f"{_place(row, column, reader)}: the value is missing; choose --missing skip or "
                "hold-last"
            )
        if self.missing == "skip":
            return None
        filled = np.where(gaps, self._last, row.values)
        if np.isnan(filled).any():
            raise InputError(
                f"{_place(row, column, reader)}: the value is missing and there is none before "
                "it to hold"
            )
        return filled

    def _transformed(self, values: Array, row: Row, reader: _Places | None) -> Array | None:
        if self.transform == "log-return" and not (values > 0).all():
            column = int(np.argmin(values))
            raise InputError(
                f"{_place(row, column, reader)}: a log-return needs values > 0, "
                f"got {values[column]:g}"
            )
        if self.transform == "none":
            return values
        if self.transform == "standardize":
            return self._standardised(values, row, reader)
        if np.isnan(self._last).any():
            return None
        if self.transform == "diff":
            return np.asarray(values - self._last)
        return np.asarray(np.log(values) - np.log(self._last))

    def _standardised(self, values: Array, row: Row, reader: _Places | None) -> Array | None:
        n = int(self._n[4])
        if n < _WARMUP:
            return None
        spread = np.sqrt(self._scatter / (n - 1))
        if not (spread > 0).all():
            place = _place(row, int(np.argmin(spread)), reader)
            raise InputError(f"{place}: all values before are equal, nothing to scale by")
        return np.asarray((values - self._mean) / spread)

    def _check_size(self, made: Array, row: Row, reader: _Places | None) -> None:
        fits = np.abs(made) <= LARGEST
        if not fits.all():
            column = int(np.argmin(fits))
            how = "" if self.transform == "none" else f" after {self.transform}"
            raise InputError(
                f"{_place(row, column, reader)}: more than {LARGEST:g} in size{how}: "
                f"{made[column]:g}"
            )

    def _learn(self, values: Array) -> None:
        self._last[:] = values
        if self.transform == "standardize":
            step = values - self._mean
            self._mean += step / (self._n[4] + 1)
            self._scatter += step * (values - self._mean)
            self._n[4] += 1


def _place(row: Row, column: int, reader: _Places | None) -> str:
    return f"line {row.line}" if reader is None else reader.where(row, column)
