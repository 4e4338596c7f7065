"""A frozen table of a real stream: times, named columns, labels, and what loading did to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftlaw._validate import Array, check_points
from driftlaw.errors import InputError

Times = NDArray[Any]


class Dropped(NamedTuple):
    """One row or date that a loader or transform left out, and why."""

    where: str
    reason: str


class Gap(NamedTuple):
    """A pause longer than usual between two rows that follow each other (in time units)."""

    before: str
    after: str
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What loading found and did: nothing is repaired in silence."""

    n_read: int = 0
    dropped: tuple[Dropped, ...] = ()
    gaps: tuple[Gap, ...] = ()
    n_out_of_order: int = 0
    is_sorted_here: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """Rows of a real stream in time order: ``values`` (n, d) at ``times`` (n,).

    Parameters
    ----------
    times : (n,) array
        ``datetime64[D]`` for daily bars, ``datetime64[s]`` for monitoring series, whole numbers
        where the file counts its samples.
    columns : tuple of str
        The d names of the columns.
    values : (n, d) array
        Finite numbers; kept read-only.
    source : str
        Where the rows came from.
    labels : (n,) array of bool, optional
        Rows marked by the data's owner, for instance «inside an anomaly window».
    report : Report
        Rows dropped, gaps found, order repaired.

    Examples
    --------
    >>> days = np.array(["2020-01-02", "2020-01-03"], dtype="datetime64[D]")
    >>> table = Table(times=days, columns=("close",), values=[[100.0], [101.0]], source="by hand")
    >>> len(table), table.dim, table.column("close").tolist()
    (2, 1, [100.0, 101.0])
    """

    times: Times
    columns: tuple[str, ...]
    values: Array
    source: str
    labels: NDArray[np.bool_] | None = None
    report: Report = field(default_factory=Report)

    def __post_init__(self) -> None:
        values = check_points("values", self.values, len(self.columns))
        n = len(values)
        _freeze(self, "values", values)
        _freeze(self, "times", _check_length("times", self.times, n))
        if self.labels is not None:
            labels = _check_length("labels", self.labels, n)
            _freeze(self, "labels", labels.astype(np.bool_))
        if len(set(self.columns)) != len(self.columns):
            raise InputError(f"columns must be different names, got {self.columns}")

    def __len__(self) -> int:
        return len(self.values)

    @property
    def dim(self) -> int:
        """Number of columns."""
        return len(self.columns)

    def column(self, name: str) -> Array:
        """Return one column as (n,)."""
        if name not in self.columns:
            raise InputError(f"{self.source}: no column {name!r}; its columns are {self.columns}")
        return self.values[:, self.columns.index(name)]

    def select(self, *names: str) -> "Table":
        """Return the same rows with only the named columns, in the order asked."""
        values = np.column_stack([self.column(name) for name in names])
        return replace(self, columns=names, values=values)

    def take(self, rows: slice | ArrayLike) -> "Table":
        """Return the named rows (indices, a mask or a slice applied to times, values, labels)."""
        index = rows if isinstance(rows, slice) else np.asarray(rows)
        labels = None if self.labels is None else self.labels[index]
        return replace(self, times=self.times[index], values=self.values[index], labels=labels)

    def between(self, first: str, last: str) -> "Table":
        """Return the rows with first <= time <= last (written like the times themselves)."""
        try:
            low, high = (np.array(bound).astype(self.times.dtype) for bound in (first, last))
        except ValueError as error:
            raise InputError(f"first and last must be times, got {first!r}, {last!r}") from error
        inside = (self.times >= low) & (self.times <= high)
        if not inside.any():
            raise InputError(f"{self.source}: no row between {first} and {last}")
        return self.take(inside)


def align(tables: Mapping[str, Table], column: str = "close") -> Table:
    """Put one column of several tables side by side, on the dates that all of them have.

    The new columns carry the keys of ``tables``; every date that is missing from some table is
    dropped and listed in the report, with the tables that lack it.

    Examples
    --------
    >>> def bars(first, n):
    ...     days = np.arange(n) + np.datetime64(first)
    ...     return Table(times=days, columns=("close",), values=np.ones((n, 1)), source=first)
    >>> both = align({"A": bars("2020-01-01", 3), "B": bars("2020-01-02", 3)})
    >>> len(both), [drop.where for drop in both.report.dropped]
    (2, ['2020-01-01', '2020-01-04'])
    """
    if not tables:
        raise InputError("tables must hold at least one table, got none")
    every = np.unique(np.concatenate([table.times for table in tables.values()]))
    present = {name: np.isin(every, table.times) for name, table in tables.items()}
    common = np.logical_and.reduce(list(present.values()))
    if not common.any():
        raise InputError(f"{', '.join(tables)}: the tables have no date in common")
    dropped = tuple(
        Dropped(str(every[i]), "not in " + ", ".join(n for n in tables if not present[n][i]))
        for i in np.flatnonzero(~common)
    )
    values = [_on_times(table, every[common]).column(column) for table in tables.values()]
    return Table(
        times=every[common],
        columns=tuple(tables),
        values=np.column_stack(values),
        source=" + ".join(table.source for table in tables.values()),
        report=Report(n_read=len(every), dropped=dropped),
    )


def _on_times(table: Table, times: Times) -> Table:
    steps = np.diff(table.times)
    if (steps <= np.zeros((), dtype=steps.dtype)).any():
        raise InputError(f"{table.source}: times must increase strictly to be aligned")
    return table.take(np.searchsorted(table.times, times))


def _check_length(name: str, value: ArrayLike, n: int) -> NDArray[Any]:
    array = np.array(value)
    if array.shape != (n,):
        raise InputError(f"{name} must be ({n},), got {array.shape}")
    return array


def _freeze(table: Table, name: str, array: NDArray[Any]) -> None:
    array.flags.writeable = False
    object.__setattr__(table, name, array)
