"""Rows into time order: unsorted, duplicate and missing rows are errors or reported treatments."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import Array, check_choice
from driftlaw.datasets._cells import Sheet
from driftlaw.datasets.table import Dropped, Gap, Report, Times
from driftlaw.errors import InputError

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Treatment:
    """What to do with rows that break a rule; checked at birth."""

    on_unsorted: str
    on_duplicate: str
    on_missing: str

    def __post_init__(self) -> None:
        check_choice("on_unsorted", self.on_unsorted, ("error", "sort", "keep"))
        check_choice("on_duplicate", self.on_duplicate, ("error", "first", "last", "keep"))
        check_choice("on_missing", self.on_missing, ("error", "drop"))


def arrange(
    sheet: Sheet, times: Times, values: Array, columns: list[int], treatment: Treatment
) -> tuple[Rows, Report]:
    """Return the rows to keep, in order, and the report of what was done."""
    kept, dropped = _without_missing(sheet, values, columns, treatment.on_missing)
    backwards = np.flatnonzero(_steps(times[kept]) < 0)
    if len(backwards) and treatment.on_unsorted == "error":
        late = kept[backwards[0] + 1]
        raise InputError(
            f"{sheet.path}, line {sheet.lines[late]}: {times[late]} comes after"
            f" {times[kept[backwards[0]]]}; sort the file or pass on_unsorted='sort'"
        )
    is_sorted_here = len(backwards) > 0 and treatment.on_unsorted == "sort"
    if is_sorted_here:
        kept = kept[np.argsort(times[kept], kind="stable")]
    kept, repeated = _without_duplicates(sheet, times, kept, treatment.on_duplicate)
    report = Report(
        n_read=len(sheet.rows),
        dropped=dropped + repeated,
        n_out_of_order=len(backwards),
        is_sorted_here=is_sorted_here,
    )
    return kept, report


def _without_missing(
    sheet: Sheet, values: Array, columns: list[int], on_missing: str
) -> tuple[Rows, tuple[Dropped, ...]]:
    missing = np.isnan(values)
    rows = np.flatnonzero(missing.any(axis=1))
    where = [sheet.where(int(r), columns[int(np.argmax(missing[r]))]) for r in rows]
    if where and on_missing == "error":
        raise InputError(f"{where[0]}: no value; fill it or pass on_missing='drop'")
    if len(rows) == len(values):
        raise InputError(f"{sheet.path}: every row has a missing value")
    return np.setdiff1d(np.arange(len(values)), rows), tuple(Dropped(w, "no value") for w in where)


def _without_duplicates(
    sheet: Sheet, times: Times, kept: Rows, on_duplicate: str
) -> tuple[Rows, tuple[Dropped, ...]]:
    if on_duplicate == "keep":
        return kept, ()
    seen: dict[Any, int] = {}
    dropped = []
    for row in kept.tolist():
        earlier = seen.setdefault(times[row], row)
        if earlier == row:
            continue
        if on_duplicate == "error":
            raise InputError(
                f"{sheet.path}, line {sheet.lines[row]}: {times[row]} is already on line"
                f" {sheet.lines[earlier]}; pass on_duplicate='first' or 'last'"
            )
        out = row if on_duplicate == "first" else earlier
        seen[times[row]] = earlier if on_duplicate == "first" else row
        dropped.append(Dropped(f"{sheet.path}, line {sheet.lines[out]}", "repeated time"))
    chosen = set(seen.values())
    return np.array([row for row in kept.tolist() if row in chosen]), tuple(dropped)


def find_gaps(times: Times, longest: float) -> tuple[Gap, ...]:
    """List the steps longer than ``longest`` units of time."""
    steps = _steps(times)
    return tuple(
        Gap(str(times[i]), str(times[i + 1]), int(steps[i]))
        for i in np.flatnonzero(steps > longest)
    )


def usual_step(times: Times) -> float:
    """Return the median step between rows that follow each other (0 for a single row)."""
    return float(np.median(_steps(times))) if len(times) > 1 else 0.0


def _steps(times: Times) -> Rows:
    return np.diff(times).astype(np.int64)
