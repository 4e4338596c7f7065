"""Text files into named cells: every error names the file, the line, the column and the value."""

import csv
import gzip
import io
import math
import re
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from driftlaw._validate import Array
from driftlaw.errors import InputError

PathLike = str | Path

_MISSING = frozenset({"", "-", "n/a", "na", "nan", "none", "null"})
_ISO = "ISO 8601"
_DATE_FORMATS = (
    _ISO,
    "%Y/%m/%d",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%d.%m.%Y",
    "%Y.%m.%d",
    "%d-%b-%Y",
    "%d %b %Y",
    "%b %d, %Y",
)


class Sheet(NamedTuple):
    """A parsed file: normalised header, the header as written, line numbers, rows of text."""

    path: str
    header: tuple[str, ...]
    written: tuple[str, ...]
    lines: list[int]
    rows: list[list[str]]

    def where(self, row: int, column: int) -> str:
        """Name one cell for a message."""
        return f"{self.path}, line {self.lines[row]}, column {self.written[column]!r}"

    def place(self, name: str) -> int:
        """Find a column by its name, or say which columns there are."""
        key = normalised(name)
        if key not in self.header:
            found = ", ".join(self.written)
            raise InputError(f"{self.path}: no column {name!r}; its columns are {found}")
        return self.header.index(key)


def normalised(name: str) -> str:
    """Drop case, spaces, punctuation and a leading number: «1. Adj Close**» is ``adjclose``."""
    return re.sub(r"[\W_]", "", re.sub(r"^\s*\d+\.\s+", "", name.lower()))


def read_sheet(path: PathLike, encoding: str) -> Sheet:
    """Read a delimited file (comma, semicolon or tab; ``.gz`` is unpacked) with its header."""
    text = _text(path, encoding)
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    lines, rows = [], []
    try:
        for row in reader:
            if row:
                lines.append(reader.line_num)
                rows.append([cell.strip() for cell in row])
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: not a CSV line ({error})") from error
    if not rows:
        raise InputError(f"{path}: the file is empty, expected a header and at least one row")
    if len(rows) == 1:
        raise InputError(f"{path}: only a header line, expected at least one row")
    header = tuple(normalised(name) for name in rows[0])
    sheet = Sheet(str(path), header, tuple(rows[0]), lines[1:], rows[1:])
    _check_shape(sheet)
    return sheet


def _text(path: PathLike, encoding: str) -> str:
    try:
        raw = Path(path).read_bytes()
        raw = gzip.decompress(raw) if Path(path).suffix == ".gz" else raw
        text = raw.decode(encoding)
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: byte {error.start} is not {encoding} (got {raw[error.start]:#04x});"
            " pass encoding="
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error
    except (LookupError, TypeError) as error:
        raise InputError(f"encoding must name a codec, got {encoding!r}") from error
    return text.removeprefix("\ufeff")


def _check_shape(sheet: Sheet) -> None:
    for name, key in zip(sheet.written, sheet.header, strict=True):
        if sheet.header.count(key) > 1:
            raise InputError(f"{sheet.path}: column {name!r} is in the header more than once")
    wanted = len(sheet.header)
    for line, row in zip(sheet.lines, sheet.rows, strict=True):
        if len(row) != wanted:
            raise InputError(
                f"{sheet.path}, line {line}: {len(row)} cells where the header has {wanted}"
            )


def parse_numbers(sheet: Sheet, columns: list[int]) -> Array:
    """Return the named columns as floats (n, c); missing cells (empty, «null», «NaN») are NaN."""
    values = np.empty((len(sheet.rows), len(columns)))
    for row, cells in enumerate(sheet.rows):
        for out, column in enumerate(columns):
            values[row, out] = _number(sheet, row, column, cells[column])
    return values


def _number(sheet: Sheet, row: int, column: int, cell: str) -> float:
    if cell.lower() in _MISSING:
        return math.nan
    try:
        value = float(cell) if "_" not in cell else math.inf
    except ValueError:
        value = math.inf
    if not math.isfinite(value):
        raise InputError(f"{sheet.where(row, column)}: not a finite number: {cell!r}")
    return value


def parse_datetimes(sheet: Sheet, column: int, date_format: str | None) -> list[datetime]:
    """Read one column as dates in one format for the whole file.

    Without ``date_format`` it is the one format (ISO 8601, year first, month/day/year,
    day/month/year, day.month.year, with month names) that reads every row; where two formats read
    every row and disagree, the file is ambiguous and that is an error.
    """
    formats = _DATE_FORMATS if date_format is None else (date_format,)
    parsed: dict[str, list[datetime]] = {name: [] for name in formats}
    for row, cells in enumerate(sheet.rows):
        for name in tuple(parsed):
            moment = _moment(cells[column], name)
            if moment is None:
                del parsed[name]
            else:
                parsed[name].append(moment)
        if not parsed:
            known = "the same format as the rows above" if row else "a known format"
            wanted = known if date_format is None else f"of the form {date_format!r}"
            raise InputError(
                f"{sheet.where(row, column)}: not a date in {wanted}: {cells[column]!r}"
            )
    first, *others = parsed.values()
    if any(other != first for other in others):
        names = " and ".join(parsed)
        raise InputError(f"{sheet.path}: its dates read as {names}; pass date_format=")
    return first


def _moment(cell: str, name: str) -> datetime | None:
    try:
        return datetime.fromisoformat(cell) if name == _ISO else datetime.strptime(cell, name)
    except ValueError:
        return None


def as_days(moments: list[datetime]) -> np.ndarray[tuple[int], np.dtype[np.datetime64]]:
    """Calendar days as written: a time of day and its zone are left out."""
    return np.array([moment.date() for moment in moments], dtype="datetime64[D]")


def as_seconds(moments: list[datetime]) -> np.ndarray[tuple[int], np.dtype[np.datetime64]]:
    """Moments in seconds; those with a zone are brought to UTC."""
    naive = [m.astimezone(UTC).replace(tzinfo=None) if m.tzinfo else m for m in moments]
    return np.array(naive, dtype="datetime64[s]")
