"""Raw rows of a file or a pipe, one at a time: named cells with the number of their line."""

import csv
import gzip
import io
import json
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from driftlaw._validate import check_choice, require
from driftlaw.errors import InputError
from driftlaw.tables._cells import CellReader

FORMATS = ("csv", "tsv", "jsonl", "parquet")
_SUFFIXES = {
    ".csv": "csv", ".txt": "csv", ".dat": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl",
    ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_DAMAGE = (OSError, EOFError, zlib.error)

Cells = tuple[int, Sequence[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSpec:
    """What to read and how.

    Parameters
    ----------
    path : str
        A file (``.gz`` is unpacked), or ``-`` for the standard input.
    format : {"csv", "tsv", "jsonl", "parquet"}, optional
        From the file's name when None; ``csv`` for the standard input and for unknown names.
    columns : tuple of str
        The columns of the observations; when empty, the only numeric one besides the time.
    time : str, optional
        The column of times, passed on as it is written. When None: one called timestamp,
        datetime, date, time or t, if there is one.
    header : bool, optional
        Whether the first line names the columns; when None, it does if it holds a word. Columns
        without names are called c1, c2, ...
    encoding : str
    missing_values : tuple of str
        Cells that mean «nothing was measured», besides empty ones and words like nan: numbers,
        equal however they are written, or words.

    Examples
    --------
    >>> TableSpec(path="prices.csv.gz").kind
    'csv'
    """

    path: str
    format: str | None = None
    columns: tuple[str, ...] = ()
    time: str | None = None
    header: bool | None = None
    encoding: str = "utf-8"
    missing_values: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.format is not None:
            check_choice("format", self.format, FORMATS)
        if len(set(self.columns)) != len(self.columns):
            raise InputError(f"columns must be different names, got {', '.join(self.columns)}")
        if self.time is not None and self.time in self.columns:
            raise InputError(f"time must be another column than {self.time!r} of columns")
        if not all(isinstance(v, str) and v.strip() for v in self.missing_values):
            raise InputError(f"missing values must be texts, got {self.missing_values!r}")
        if self.header is not None and self.kind in ("jsonl", "parquet"):
            raise InputError(f"header belongs to csv and tsv, got format {self.kind!r}")
        if self.kind == "parquet" and self.is_pipe:
            raise InputError("format must be csv, tsv or jsonl for the standard input")

    @property
    def is_pipe(self) -> bool:
        """Whether rows come from the standard input."""
        return self.path == "-"

    @property
    def name(self) -> str:
        """What messages call the input."""
        return "standard input" if self.is_pipe else self.path

    @property
    def kind(self) -> str:
        """The format, given or from the name."""
        if self.format is not None or self.is_pipe:
            return self.format or "csv"
        path = Path(self.path)
        suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
        return _SUFFIXES.get(suffix.lower(), "csv")


class Source(NamedTuple):
    """Named columns and an iterator of (line, cells)."""

    names: tuple[str, ...]
    unit: str
    rows: Iterator[Cells]


@contextmanager
def open_source(spec: TableSpec) -> Iterator[Source]:
    """Open the input; what cannot be read is an `InputError` that says why."""
    try:
        if spec.kind == "parquet":
            with Path(spec.path).open("rb") as file:
                yield _parquet(spec, file)
        else:
            with _text(spec) as text:
                yield _jsonl(spec, text) if spec.kind == "jsonl" else _delimited(spec, text)
    except FileNotFoundError as error:
        if error.filename != spec.path:
            raise
        raise InputError(f"{spec.name}: no such file") from error
    except UnicodeDecodeError as error:
        where = f"{spec.name}: byte {error.object[error.start]:#04x} is not {spec.encoding}"
        raise InputError(f"{where}; pass --encoding") from error
    except LookupError as error:
        if "encoding" not in str(error):
            raise
        raise InputError(f"encoding must name a codec, got {spec.encoding!r}") from error
    except _UnreadableError as error:
        raise InputError(f"{spec.name}: cannot be read ({error})") from error


class _UnreadableError(Exception):
    """The input broke while it was read."""


@contextmanager
def _text(spec: TableSpec) -> Iterator[TextIO]:
    encoding = "utf-8-sig" if spec.encoding.lower() in ("utf-8", "utf8") else spec.encoding
    if spec.is_pipe:
        text = io.TextIOWrapper(sys.stdin.buffer, encoding, newline="")
        try:
            yield text
        finally:
            text.detach()  # the standard input belongs to the process: it stays open
        return
    try:
        file: Any = (gzip.open if spec.path.endswith(".gz") else open)(spec.path, "rb")
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _UnreadableError(error.strerror or error) from error
    with file, io.TextIOWrapper(file, encoding, newline="") as text:
        yield text


def _lines(text: TextIO) -> Iterator[str]:
    try:
        for line in text:  # noqa: UP028 - «yield from» would close what is not ours
            yield line
    except _DAMAGE as error:
        raise _UnreadableError(str(error)) from error


def _delimited(spec: TableSpec, text: TextIO) -> Source:
    lines = _lines(text)
    first = next((line for line in lines if line.strip()), None)
    if first is None:
        raise InputError(f"{spec.name}: it is empty, expected a header and at least one row")
    delimiter = "\t" if spec.kind == "tsv" else max(",;\t", key=first.count)
    reader = csv.reader(_chain(first, lines), delimiter=delimiter, strict=True)
    top = _next_row(spec, reader)
    has_header = spec.header
    if has_header is None:
        number = CellReader(spec.missing_values)
        has_header = any(number(cell) is None for cell in top)
    names = tuple(top) if has_header else tuple(f"c{i + 1}" for i in range(len(top)))
    _check_names(spec, names)
    return Source(names, "line", _delimited_rows(spec, reader, names, None if has_header else top))


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


def _next_row(spec: TableSpec, reader: Any) -> list[str]:
    try:
        return [cell.strip() for cell in next(reader)]
    except csv.Error as error:
        where = f"{spec.name}, line {reader.line_num}"
        raise InputError(f"{where}: not a row of cells ({error})") from error


def _delimited_rows(
    spec: TableSpec, reader: Any, names: tuple[str, ...], top: list[str] | None
) -> Iterator[Cells]:
    blank: list[int] = []  # empty lines: in a single column missing values, but not at the end
    if top is not None:
        yield 1, top
    while True:
        try:
            row = _next_row(spec, reader)
        except StopIteration:
            return
        if not row or row == [""]:
            blank += [reader.line_num] if len(names) == 1 else []
            continue
        yield from ((line, [""]) for line in blank)
        blank.clear()
        if len(row) != len(names):
            raise InputError(
                f"{spec.name}, line {reader.line_num}: {len(row)} cells where "
                f"{len(names)} are expected"
            )
        yield reader.line_num, row


def _check_names(spec: TableSpec, names: tuple[str, ...]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{spec.name}: column {name!r} is in the header more than once")


def _jsonl(spec: TableSpec, text: TextIO) -> Source:
    rows = _json_rows(spec, text)
    top = next(rows, None)
    if top is None:
        raise InputError(f"{spec.name}: it is empty, expected at least one row")
    names = tuple(top[1])
    return Source(names, "line", _json_cells(spec, top, rows, names))


def _json_rows(spec: TableSpec, text: TextIO) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(_lines(text), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise InputError(f"{spec.name}, line {number}: not JSON ({error})") from error
        if not isinstance(value, dict):
            cells = value if isinstance(value, list) else [value]
            value = {f"c{i + 1}": cell for i, cell in enumerate(cells)}
        yield number, value


def _json_cells(
    spec: TableSpec,
    top: tuple[int, dict[str, Any]],
    rows: Iterator[tuple[int, dict[str, Any]]],
    names: tuple[str, ...],
) -> Iterator[Cells]:
    known = set(names)
    yield top[0], [top[1][name] for name in names]
    for number, row in rows:
        if not known.issuperset(row):
            new = next(name for name in row if name not in known)
            raise InputError(f"{spec.name}, line {number}: {new!r} is not in the first row")
        yield number, [row.get(name) for name in names]


def _parquet(spec: TableSpec, file: Any) -> Source:
    parquet = require("pyarrow.parquet", "files")
    try:
        table = parquet.ParquetFile(file)
    except Exception as error:  # a foreign reader may raise anything on a foreign file
        raise _UnreadableError(f"not a Parquet file: {error}") from error
    names = tuple(table.schema_arrow.names)
    return Source(names, "row", _parquet_rows(table))


def _parquet_rows(table: Any) -> Iterator[Cells]:
    number = 0
    for batch in table.iter_batches(batch_size=4096):
        columns = [column.to_pylist() for column in batch.columns]
        for cells in zip(*columns, strict=True):
            number += 1
            yield number, cells
