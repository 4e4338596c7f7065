"""Labelled series: a value per row, perhaps a time, perhaps a mark by the data's owner."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from driftlaw.datasets._cells import (
    PathLike,
    Sheet,
    as_seconds,
    normalised,
    parse_datetimes,
    parse_numbers,
    read_sheet,
)
from driftlaw.datasets._order import Treatment, arrange, find_gaps, usual_step
from driftlaw.datasets.table import Table, Times
from driftlaw.errors import InputError

_TIME_NAMES = ("timestamp", "datetime", "date", "time", "t")
_LABEL_NAMES = ("inwindow", "label", "anomaly")


def load_series(
    path: PathLike,
    columns: Sequence[str] = ("value",),
    *,
    label: str | None = None,
    on_unsorted: str = "keep",
    on_duplicate: str = "keep",
    on_missing: str = "error",
) -> Table:
    r"""Read a monitoring or sensor series such as the files of the Numenta benchmark.

    Parameters
    ----------
    path : str or Path
    columns : sequence of str
        The value columns.
    label : str, optional
        Column of 0 and 1; when None, ``in_window``, ``label`` or ``anomaly`` if there is one.
    on_unsorted : {"keep", "error", "sort"}
    on_duplicate : {"keep", "error", "first", "last"}
        Clocks of real machines step back. By default the rows stay in the order in which they
        were written, and ``report.n_out_of_order`` counts the steps back.
    on_missing : {"error", "drop"}

    Returns
    -------
    Table
        ``times`` from the first column called timestamp, datetime, date, time or t: seconds for
        dates, whole numbers for counts; the row number where there is none. ``report.gaps`` lists
        the steps longer than 1.5 times the usual one.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "series.csv"
    ...     _ = path.write_text("t,value,in_window\n0,3.5,0\n1,4.5,1\n")
    ...     table = load_series(path)
    >>> table.values.ravel().tolist(), table.labels.tolist()
    ([3.5, 4.5], [False, True])
    """
    treatment = Treatment(on_unsorted=on_unsorted, on_duplicate=on_duplicate, on_missing=on_missing)
    if isinstance(columns, str) or not columns:
        raise InputError(f"columns must be a sequence of names, got {columns!r}")
    sheet = read_sheet(path, "utf-8")
    places = [sheet.place(name) for name in columns]
    times = _times(sheet)
    values = parse_numbers(sheet, places)
    labels = _labels(sheet, label)
    kept, report = arrange(sheet, times, values, places, treatment)
    gaps = find_gaps(times[kept], 1.5 * usual_step(times[kept]))
    return Table(
        times=times[kept],
        columns=tuple(columns),
        values=values[kept],
        source=sheet.path,
        labels=None if labels is None else labels[kept],
        report=replace(report, gaps=gaps),
    )


def _times(sheet: Sheet) -> Times:
    found = [sheet.header.index(name) for name in _TIME_NAMES if name in sheet.header]
    if not found:
        return np.arange(len(sheet.rows))
    column = found[0]
    if not sheet.rows[0][column].isdigit() or len(sheet.rows[0][column]) == 8:
        return as_seconds(parse_datetimes(sheet, column, None))
    counts = parse_numbers(sheet, [column])[:, 0]
    whole = counts == np.floor(counts)
    if not whole.all():
        row = int(np.argmin(whole))
        raise InputError(f"{sheet.where(row, column)}: not a whole number: {counts[row]}")
    return counts.astype(np.int64)


def _labels(sheet: Sheet, label: str | None) -> NDArray[np.bool_] | None:
    names = (normalised(label),) if label is not None else _LABEL_NAMES
    found = [name for name in names if name in sheet.header]
    if not found:
        if label is not None:
            sheet.place(label)
        return None
    column = sheet.header.index(found[0])
    numbers = parse_numbers(sheet, [column])[:, 0]
    good = (numbers == 0) | (numbers == 1)
    if not good.all():
        row = int(np.argmin(good))
        cell = sheet.rows[row][column]
        raise InputError(f"{sheet.where(row, column)}: a label must be 0 or 1, got {cell!r}")
    return np.equal(numbers, 1)
