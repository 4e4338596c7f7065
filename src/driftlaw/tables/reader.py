"""From named cells to rows of numbers: the columns chosen, every cell checked."""

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.tables._cells import CellReader
from driftlaw.tables.source import Cells, Source, TableSpec, open_source

LARGEST = 1e100  # squares of larger values would leave the range of floating point
_TIME_NAMES = ("timestamp", "datetime", "date", "time", "t")


class Row(NamedTuple):
    """One row: the number of its line, its time as written, its values (d,), NaN for missing."""

    line: int
    time: str
    values: Array


class Reader:
    """Rows of the chosen columns, in the order of the file; made by `open_reader`."""

    def __init__(self, spec: TableSpec, source: Source) -> None:
        self.name, self._unit, self._rows = spec.name, source.unit, source.rows
        self._number, self._top = CellReader(spec.missing_values), self._first_row()
        self.time = time = _time_column(spec, source.names)
        self._time_place = None if time is None else self._place(source.names, time)
        self.left_out: dict[str, str] = {}  # columns without numbers, and what they hold first
        self.columns = spec.columns or self._only_numeric(source.names)
        self._places = [self._place(source.names, name) for name in self.columns]

    def __iter__(self) -> Iterator[Row]:
        yield self._row(*self._top)
        for line, cells in self._rows:
            yield self._row(line, cells)

    def where(self, row: Row, column: int) -> str:
        """Name one cell for a message."""
        return self._where(row.line, self.columns[column])

    def _row(self, line: int, cells: Any) -> Row:
        values = np.empty(len(self._places))
        for i, place in enumerate(self._places):
            number = self._number(cells[place])
            if number is None or abs(number) > LARGEST:
                where, shown = self._where(line, self.columns[i]), _shown(cells[place])
                raise InputError(f"{where}: {_flaw(number)}: {shown}")
            values[i] = number
        time = "" if self._time_place is None else str(cells[self._time_place])
        return Row(line, time, values)

    def _where(self, line: int, column: str) -> str:
        return f"{self.name}, {self._unit} {line}, column {column!r}"

    def _first_row(self) -> Cells:
        top = next(self._rows, None)
        if top is None:
            raise InputError(f"{self.name}: only a header, expected at least one row")
        return top

    @property
    def choice(self) -> str:
        """What to tell of a choice that nobody made: empty where none was to be made."""
        if not self.left_out:
            return ""
        others = ", ".join(f"{name!r} (begins with {cell})" for name, cell in self.left_out.items())
        return (
            f"{self.name}: predicting column {self.columns[0]!r}; left out, as not numeric: "
            f"{others}; choose with --columns"
        )

    def _only_numeric(self, names: tuple[str, ...]) -> tuple[str, ...]:
        cells = dict(zip(names, self._top[1], strict=True))
        others = [name for name in names if name != self.time]
        numeric = tuple(name for name in others if self._number(cells[name]) is not None)
        if len(numeric) != 1:
            found = f"several numeric columns: {', '.join(numeric)}" if numeric else (
                f"no numeric column among {', '.join(names)}"
            )  # fmt: skip
            raise InputError(f"{self.name}: {found}; choose with --columns")
        self.left_out = {name: _shown(cells[name]) for name in others if name not in numeric}
        return numeric

    def _place(self, names: tuple[str, ...], name: str) -> int:
        if name not in names:
            raise InputError(f"{self.name}: no column {name!r}; its columns are {', '.join(names)}")
        return names.index(name)


@contextmanager
def open_reader(spec: TableSpec) -> Iterator[Reader]:
    r"""Open an input and choose its columns; rows are read and checked as they are asked for.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.csv")
    ...     _ = path.write_text("date,close\n2020-01-02,3.5\n")
    ...     with open_reader(TableSpec(path=str(path))) as reader:
    ...         print(reader.columns, reader.time, [row.values.tolist() for row in reader])
    ('close',) date [[3.5]]
    """
    with open_source(spec) as source:
        yield Reader(spec, source)


def _time_column(spec: TableSpec, names: tuple[str, ...]) -> str | None:
    if spec.time is not None:
        return spec.time
    words = {re.sub(r"[\W_]", "", name.lower()): name for name in reversed(names)}
    found = (words[word] for word in _TIME_NAMES if word in words)
    return next((name for name in found if name not in spec.columns), None)


def _flaw(number: float | None) -> str:
    if number is None:
        return "not a number"
    return "not finite" if math.isinf(number) else f"more than {LARGEST:g} in size"


def _shown(cell: Any) -> str:
    text = repr(cell)
    return text if len(text) <= 40 else f"{text[:37]}..."
