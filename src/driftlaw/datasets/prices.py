"""Daily bars from CSV files of the usual vendors, and the S&P 500 bars that ``arch`` ships."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from driftlaw._validate import Array, check_choice, require
from driftlaw.datasets._cells import (
    PathLike,
    Sheet,
    as_days,
    normalised,
    parse_datetimes,
    parse_numbers,
    read_sheet,
)
from driftlaw.datasets._order import Treatment, arrange, find_gaps
from driftlaw.datasets.table import Table, align
from driftlaw.errors import InputError

_DATE_NAMES = ("date", "datetime", "timestamp", "day", "")
_OHLCV = ("open", "high", "low", "close", "adj_close", "volume")
_ALIASES = {
    "adj_close": ("adjclose", "adjustedclose", "closeadj"),
    "volume": ("volume", "vol"),
}
_USUAL_PAUSE_DAYS = 4


def load_prices(
    path: PathLike,
    *,
    on_unsorted: str = "error",
    on_duplicate: str = "error",
    on_missing: str = "error",
    date_format: str | None = None,
    encoding: str = "utf-8",
) -> Table:
    r"""Read daily bars in the layouts of Yahoo, Stooq and plain CSV.

    Headers are matched without case, spaces and punctuation (``Adj Close``, ``<CLOSE>``,
    ``1. open``); a date and a close column must be there, of open, high, low, adjusted close and
    volume those that are. Prices must be > 0, volumes >= 0. Separators are comma, semicolon or
    tab; a name in ``.gz`` is unpacked.

    Parameters
    ----------
    path : str or Path
    on_unsorted : {"error", "sort"}
    on_duplicate : {"error", "first", "last"}
        Which row of a repeated date to keep.
    on_missing : {"error", "drop"}
        Rows with an empty, «null» or «NaN» cell.
    date_format : str, optional
        A ``strptime`` format. Without it the one known format that reads every row is taken; a
        file that reads both as month/day and as day/month is an error.
    encoding : str

    Returns
    -------
    Table
        Columns among ``open high low close adj_close volume``; ``report`` lists dropped rows and
        pauses of more than 4 calendar days.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "bars.csv"
    ...     _ = path.write_text("Date,Close\n2020-01-02,100\n2020-01-03,101\n")
    ...     load_prices(path).column("close").tolist()
    [100.0, 101.0]
    """
    treatment = _treatment(on_unsorted, on_duplicate, on_missing)
    sheet = read_sheet(path, encoding)
    found = {name: _find(sheet, name) for name in _OHLCV}
    if found["close"] is None:
        sheet.place("Close")
    columns = {name: column for name, column in found.items() if column is not None}
    return _table(sheet, columns, treatment, date_format)


def load_wide(
    path: PathLike,
    columns: Sequence[str] | None = None,
    *,
    on_unsorted: str = "error",
    on_duplicate: str = "error",
    on_missing: str = "error",
    date_format: str | None = None,
) -> Table:
    r"""Read one file with a date column and one price column per asset.

    ``columns`` names the assets (all columns but the date when None), and the result keeps these
    names; treatments are those of `load_prices`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "wide.csv"
    ...     _ = path.write_text("Date,SPY,TLT\n2020-01-02,320,136\n2020-01-03,318,138\n")
    ...     load_wide(path).columns
    ('SPY', 'TLT')
    """
    treatment = _treatment(on_unsorted, on_duplicate, on_missing)
    sheet = read_sheet(path, "utf-8")
    date = _date_column(sheet)
    names = columns
    if names is None:
        names = [name for i, name in enumerate(sheet.written) if i != date]
    if not names:
        raise InputError(f"{path}: no price column beside the date")
    return _table(sheet, {name: sheet.place(name) for name in names}, treatment, date_format)


def load_closes(paths: Mapping[str, PathLike], *, column: str = "close") -> Table:
    r"""Read one file per asset and align one price column by date (see `load_prices`, `align`).

    Parameters
    ----------
    paths : mapping of asset name to path
    column : str
        ``"close"`` or ``"adj_close"``.

    Returns
    -------
    Table
        One column per asset on the dates that all files have; ``report.dropped`` lists the others.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     paths = {name: Path(folder) / f"{name}.csv" for name in ("SPY", "TLT")}
    ...     for path in paths.values():
    ...         _ = path.write_text("Date,Close\n2020-01-02,100\n2020-01-03,101\n")
    ...     load_closes(paths).columns
    ('SPY', 'TLT')
    """
    if not isinstance(paths, Mapping):
        raise InputError(f"paths must map names to files, got {paths!r}")
    return align({name: load_prices(path) for name, path in paths.items()}, column)


def sp500() -> Table:
    """Daily bars of the S&P 500 index (not of an ETF on it), January 1999 to December 2018.

    The file is the one that the PyPI package ``arch`` ships for its examples
    (``arch.data.sp500``, 5031 rows, extra ``data``); it is read in place, without a network.

    Examples
    --------
    >>> bars = sp500()
    >>> len(bars), str(bars.times[0]), str(bars.times[-1])
    (5031, '1999-01-04', '2018-12-31')
    """
    spec = find_spec("arch")  # found, not imported: the import of arch takes seconds
    origin = require("arch", "data").__file__ if spec is None else spec.origin
    folder = Path(str(origin)).parent / "data" / "sp500"
    return load_prices(folder / "sp500.csv.gz", date_format="%m/%d/%Y")


def _treatment(on_unsorted: str, on_duplicate: str, on_missing: str) -> Treatment:
    check_choice("on_unsorted", on_unsorted, ("error", "sort"))
    check_choice("on_duplicate", on_duplicate, ("error", "first", "last"))
    return Treatment(on_unsorted=on_unsorted, on_duplicate=on_duplicate, on_missing=on_missing)


def _find(sheet: Sheet, name: str) -> int | None:
    for key in _ALIASES.get(name, (normalised(name),)):
        if key in sheet.header:
            return sheet.header.index(key)
    return None


def _date_column(sheet: Sheet) -> int:
    for key in _DATE_NAMES:
        if key in sheet.header:
            return sheet.header.index(key)
    return sheet.place("Date")


def _table(
    sheet: Sheet, columns: dict[str, int], treatment: Treatment, date_format: str | None
) -> Table:
    times = as_days(parse_datetimes(sheet, _date_column(sheet), date_format))
    places = list(columns.values())
    values = parse_numbers(sheet, places)
    _check_signs(sheet, columns, values)
    kept, report = arrange(sheet, times, values, places, treatment)
    gaps = find_gaps(times[kept], _USUAL_PAUSE_DAYS)
    return Table(
        times=times[kept],
        columns=tuple(columns),
        values=values[kept],
        source=sheet.path,
        report=replace(report, gaps=gaps),
    )


def _check_signs(sheet: Sheet, columns: dict[str, int], values: Array) -> None:
    for i, (name, column) in enumerate(columns.items()):
        is_volume = name == "volume"
        bad = values[:, i] < 0 if is_volume else values[:, i] <= 0
        if bad.any():
            row = int(np.argmax(bad))
            rule = "a volume must be >= 0" if is_volume else "a price must be > 0"
            cell = sheet.rows[row][column]
            raise InputError(f"{sheet.where(row, column)}: {rule}, got {cell}")
