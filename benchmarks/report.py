"""Ratios between two functions timed in turn in one run, and the table that shows them.

A time alone says more about the machine than about the code. Both functions are therefore timed
in alternating rounds, so that a busy moment of the machine hurts both, and the best round of
each is compared: noise only ever adds time.
"""

import json
import platform
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np


class Ratio(NamedTuple):
    """Time of ``name`` over time of ``reference``, with what was hoped for."""

    name: str
    reference: str
    seconds: float
    reference_seconds: float
    value: float
    low: float
    high: float
    at_most: float | None

    @property
    def verdict(self) -> str:
        """Return ``ok``, ``missed``, or nothing where no limit was set."""
        if self.at_most is None:
            return ""
        return "ok" if self.value <= self.at_most else "missed"


def measure_ratio(  # noqa: PLR0913 - settings, each by name
    name: str,
    ours: Callable[[], object],
    reference: Callable[[], object],
    *,
    reference_name: str,
    at_most: float | None = None,
    n_rounds: int = 15,
    round_seconds: float = 0.02,
    work: tuple[float, float] = (1.0, 1.0),
) -> Ratio:
    """Time both functions in alternating rounds; compiling and warming up are left out.

    Times are per unit of ``work``, where the two functions do not do the same.

    ``low`` and ``high`` are the quartiles of the round-by-round ratios: where they are far from
    ``value`` the machine was busy, and the run should be repeated.
    """
    loops = [_calibrate(function, round_seconds) for function in (ours, reference)]
    times = np.array([[_time(ours, loops[0]), _time(reference, loops[1])] for _ in range(n_rounds)])
    times /= np.array(work)
    best = times.min(axis=0)
    low, high = np.quantile(times[:, 0] / times[:, 1], [0.25, 0.75])
    return Ratio(
        name, reference_name, best[0], best[1], best[0] / best[1], float(low), float(high), at_most
    )


def ratio_table(ratios: Iterable[Ratio]) -> str:
    """Return the ratios as a plain-text table."""
    rows: list[tuple[str, ...]] = [
        ("ours", "time", "reference", "time", "ratio", "quartiles", "at most", "")
    ]
    rows += [_row(ratio) for ratio in ratios]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def _row(r: Ratio) -> tuple[str, ...]:
    times = (r.name, _clock(r.seconds), r.reference, _clock(r.reference_seconds))
    limit = "" if r.at_most is None else f"{r.at_most:g}"
    return (*times, f"{r.value:.3g}", f"{r.low:.3g}-{r.high:.3g}", limit, r.verdict)


def write_json(ratios: Iterable[Ratio], path: Path) -> None:
    """Write the ratios with the versions and the machine type they were measured on."""
    record: dict[str, Any] = {
        "python": sys.version.split()[0],
        "machine": platform.machine(),
        "versions": _versions(),
        "ratios": [{**r._asdict(), "verdict": r.verdict} for r in ratios],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def _versions() -> dict[str, str]:
    from importlib.metadata import version

    return {name: version(name) for name in ("driftlaw", "numba", "numpy", "scipy")}


def _time(function: Callable[[], object], n_loops: int) -> float:
    start = perf_counter()
    for _ in range(n_loops):
        function()
    return (perf_counter() - start) / n_loops


def _calibrate(function: Callable[[], object], round_seconds: float) -> int:
    """Run once to compile, then choose how many calls fill one round."""
    function()
    n_loops = 1
    while (spent := _time(function, n_loops) * n_loops) < round_seconds / 2:
        n_loops *= 2 if spent > round_seconds / 20 else 8
    return n_loops


def _clock(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
