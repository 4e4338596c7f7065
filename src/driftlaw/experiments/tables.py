"""Tidy tables: columns by name, to CSV and back, and to Parquet where pyarrow is there."""

import csv
import io
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import require
from driftlaw.errors import InputError
from driftlaw.viz import write_whole

Column = Sequence[Any] | NDArray[Any]
Table = Mapping[str, Column]


def to_csv(table: Table) -> bytes:
    r"""Write a table as CSV; numbers in the shortest form that reads back as the same number.

    Examples
    --------
    >>> to_csv({"t": [0, 1], "w1": [0.1, 2.0]})
    b't,w1\n0,0.1\n1,2.0\n'
    """
    n_rows = {len(column) for column in table.values()}
    if len(n_rows) > 1:
        raise InputError(f"columns must have one length, got {sorted(n_rows)}")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*(_plain(column) for column in table.values()), strict=True))
    return text.getvalue().encode()


def _plain(column: Column) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)


def from_csv(data: bytes) -> dict[str, Any]:
    """Read what `to_csv` wrote: whole numbers, numbers or words, each column of one kind."""
    header, *rows = csv.reader(io.StringIO(data.decode()))
    cells = zip(*rows, strict=True) if rows else ((),) * len(header)
    return {name: _parsed(list(column)) for name, column in zip(header, cells, strict=True)}


def _parsed(column: list[str]) -> Any:
    for kind in (np.int64, np.float64):
        try:
            return np.array(column, dtype=str).astype(kind)
        except ValueError:
            continue
    return column


def stacked(tables: Sequence[Table]) -> dict[str, list[Any]]:
    """Put tables of the same columns under one another."""
    if not tables:
        return {}
    return {
        name: [value for table in tables for value in _plain(table[name])] for name in tables[0]
    }


def where(table: Table, **wanted: object) -> dict[str, Any]:
    """Return the rows whose cells equal the wanted ones, columns as arrays.

    Examples
    --------
    >>> where({"who": ["a", "b"], "y": [1.0, 2.0]}, who="b")["y"]
    array([2.])
    """
    columns = {name: np.asarray(column) for name, column in table.items()}
    chosen = np.ones(len(next(iter(columns.values()))), dtype=bool)
    for name, value in wanted.items():
        chosen &= columns[name] == value
    return {name: column[chosen] for name, column in columns.items()}


def write_table(folder: Path, name: str, table: Table) -> None:
    """Write ``name.csv``, and ``name.parquet`` where pyarrow is installed."""
    write_whole("output", folder / f"{name}.csv", to_csv(table))
    if find_spec("pyarrow") is not None:
        write_whole("output", folder / f"{name}.parquet", _to_parquet(table))


def _to_parquet(table: Table) -> bytes:
    arrow, parquet = require("pyarrow", "files"), require("pyarrow.parquet", "files")
    buffer = io.BytesIO()
    columns = {name: _plain(column) for name, column in table.items()}
    parquet.write_table(arrow.table(columns), buffer)
    return buffer.getvalue()
