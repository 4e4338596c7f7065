"""pandas, polars and Arrow: a frame in, a frame of records out."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from driftlaw._validate import Array, require
from driftlaw.errors import InputError
from driftlaw.evaluate import prequential
from driftlaw.live import RunSettings, make_predictor
from driftlaw.live.record import record_columns, record_levels, record_values
from driftlaw.tables import Preparation, Row


def observations(frame: Any, columns: Sequence[str] | str) -> Array:
    """Return columns of a pandas or polars frame or an Arrow table as an array (n, d).

    Missing values are NaN.

    Examples
    --------
    >>> import pandas as pd
    >>> observations(pd.DataFrame({"a": [1, 2], "b": [3.0, None]}), ["b", "a"]).tolist()
    [[3.0, 1.0], [nan, 2.0]]
    """
    narwhals = require("narwhals", "frames")
    names = [columns] if isinstance(columns, str) else list(columns)
    if not names:
        raise InputError("columns must name at least one column")
    table = _table(narwhals, frame)
    return np.column_stack([_column(narwhals, table, name) for name in names])


def run_frame(
    frame: Any,
    columns: Sequence[str] | str,
    *,
    time: str | None = None,
    settings: RunSettings | None = None,
) -> Any:
    """Predict every row of a frame before it comes; return a frame of the same kind.

    Parameters
    ----------
    frame : pandas or polars DataFrame, or Arrow table
    columns : the columns of the observations
    time : the column of times, passed on
    settings : as for `driftlaw.live.run_stream`; the defaults when None

    Returns
    -------
    frame
        One row per observation, with the columns that ``driftlaw run`` writes.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"x": [1.0, 2.0, 3.0]})
    >>> run_frame(frame, "x", settings=RunSettings(predictor="kde"))["n"].tolist()
    [1, 2, 3]
    """
    narwhals = require("narwhals", "frames")
    chosen = settings or RunSettings()
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    points = observations(frame, names)
    table = _table(narwhals, frame)
    times = [""] * len(points) if time is None else _times(table, time)
    kinds = record_columns(names, time, chosen)
    rows = _records(points, times, chosen, has_time=time is not None)
    cells = {name: [row[i] for row in rows] for i, name in enumerate(kinds)}
    dtypes = {float: narwhals.Float64(), int: narwhals.Int64(), str: narwhals.String()}
    # a whole number that may be missing is a float: not every frame knows the other
    schema = {name: dtypes[float if None in cells[name] else kind] for name, kind in kinds.items()}
    made = narwhals.from_dict(cells, schema=schema, backend=table.implementation)
    return made.to_native()


def _records(
    points: Array, times: list[str], settings: RunSettings, *, has_time: bool
) -> list[list[Any]]:
    dim, levels = points.shape[1], record_levels(settings)
    predictor = make_predictor(settings.predictor, dim, settings.options, settings.seed)
    preparation = Preparation(dim, transform=settings.transform, missing=settings.missing)
    rows = [
        Row(i, time, values) for i, (time, values) in enumerate(zip(times, points, strict=True))
    ]
    made = [(row.time, preparation.feed(row, None)) for row in rows]
    kept = [(time, point) for time, point in made if point is not None]
    records = prequential(predictor, (point for _, point in kept))
    found = []
    for n, (record, (time, _)) in enumerate(zip(records, kept, strict=True), 1):
        told = record_values(record, n, levels, settings)
        found.append([n, time, *told.values] if has_time else [n, *told.values])
    return found


def _table(narwhals: Any, frame: Any) -> Any:
    try:
        return narwhals.from_native(frame, eager_only=True)
    except TypeError as error:
        kind = type(frame).__name__
        raise InputError(
            f"frame must be a pandas or polars DataFrame or an Arrow table, got {kind}"
        ) from error


def _column(narwhals: Any, table: Any, name: str) -> Array:
    if name not in table.columns:
        raise InputError(f"no column {name!r}; the columns are {', '.join(table.columns)}")
    if not table[name].dtype.is_numeric():
        raise InputError(f"column {name!r} must hold numbers, got {table[name].dtype}")
    values: Array = table[name].cast(narwhals.Float64()).to_numpy().astype(np.float64)
    if np.isinf(values).any():
        raise InputError(f"column {name!r} must be finite, got an infinite value")
    return values


def _times(table: Any, name: str) -> list[str]:
    if name not in table.columns:
        raise InputError(f"no column {name!r}; the columns are {', '.join(table.columns)}")
    return [str(value) for value in table[name].to_list()]
