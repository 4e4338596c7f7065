"""Prices into returns: log differences of the columns of a table."""

from dataclasses import replace

import numpy as np

from driftlaw._validate import check_choice
from driftlaw.datasets.table import Dropped, Table
from driftlaw.errors import InputError

_OHLCV = ("open", "high", "low", "close", "volume")


def log_returns(table: Table, *columns: str, on_nonpositive: str = "error") -> Table:
    r"""Log differences :math:`x_t^a = \log P_t^a - \log P_{t-1}^a` of the named columns.

    Parameters
    ----------
    table : Table
        n rows.
    columns : str
        All columns when none is named.
    on_nonpositive : {"error", "drop"}
        A row with a value <= 0 (a zero volume) has no logarithm. "drop" leaves the row out, so
        the next return spans the pause, and lists it in the report.

    Returns
    -------
    Table
        n - 1 rows, each at the time of the later of its two rows, with the label of that row.

    Notes
    -----
    Paper: section «Real-Data SPY Return Streams»; no label of its own.

    Examples
    --------
    >>> days = np.arange(3) + np.datetime64("2020-01-01")
    >>> prices = Table(times=days, columns=("close",), values=[[1.0], [2.0], [1.0]], source="x")
    >>> log_returns(prices).values.round(4).ravel().tolist()
    [0.6931, -0.6931]
    """
    check_choice("on_nonpositive", on_nonpositive, ("error", "drop"))
    table = _positive(table.select(*columns) if columns else table, on_nonpositive)
    if len(table) < 2:
        raise InputError(f"{table.source}: returns need at least 2 rows, got {len(table)}")
    later = table.take(slice(1, None))
    return replace(later, values=np.diff(np.log(table.values), axis=0))


def close_returns(table: Table, *, column: str = "close") -> Table:
    r"""Close log returns :math:`x_t = \log \mathrm{Close}_t - \log \mathrm{Close}_{t-1}`, (n-1, 1).

    ``column="adj_close"`` takes the prices adjusted for dividends and splits.

    Examples
    --------
    >>> days = np.arange(2) + np.datetime64("2020-01-01")
    >>> prices = Table(times=days, columns=("close",), values=[[1.0], [np.e]], source="x")
    >>> close_returns(prices).values
    array([[1.]])
    """
    return log_returns(table, column)


def ohlcv_returns(table: Table, *, on_nonpositive: str = "error") -> Table:
    """Log differences of open, high, low, close and volume, (n-1, 5); see `log_returns`.

    Examples
    --------
    >>> names = ("open", "high", "low", "close", "volume")
    >>> rows = [[1.0, 1.0, 1.0, 1.0, 1.0], [1.0, np.e, 1.0, np.e, np.e]]
    >>> prices = Table(times=np.arange(2), columns=names, values=rows, source="x")
    >>> ohlcv_returns(prices).values
    array([[0., 1., 0., 1., 1.]])
    """
    return log_returns(table, *_OHLCV, on_nonpositive=on_nonpositive)


def _positive(table: Table, on_nonpositive: str) -> Table:
    bad = table.values <= 0
    rows = bad.any(axis=1)
    if not rows.any():
        return table
    names = [f"{table.columns[int(np.argmax(row))]} <= 0" for row in bad[rows]]
    where = [str(time) for time in table.times[rows]]
    if on_nonpositive == "error":
        raise InputError(f"{table.source}, {where[0]}: {names[0]} has no logarithm")
    dropped = tuple(Dropped(*pair) for pair in zip(where, names, strict=True))
    report = replace(table.report, dropped=table.report.dropped + dropped)
    return replace(table.take(~rows), report=report)
