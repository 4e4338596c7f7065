"""Segments of recorded series: 250 rows for the scale, then 600 observations that are judged.

The law at a step is that of the next 20 clean values, its own included. On `spy_tape` the
observations come from a feed with bad prints and the clean values from another of the same days.
"""

import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.worlds import World
from driftlaw._validate import Array
from driftlaw.law import SampleLaw

AHEAD, _PREFIX, _LENGTH = 20, 250, 600
_BARS = ("Open", "High", "Low", "Close")
_FUNDS = ("SPY", "QQQ", "IWM", "TLT", "GLD")

SEGMENTS = {  # first rows
    "spy_close": (600, 1000, 1900, 2700, 4100, 5000, 5700),
    "spy_ohlcv": (600, 1000, 1900, 2700, 4100, 5000, 5700),
    "etf5": (0, 950, 1250, 2450, 2900),
    "spy_tape": (0, 700, 1500),
    "well_log": (0, 400, 2300),
    "nab_temp": (0, 5000, 9000, 12000, 17500),
    "nab_ec2": (600, 2200),
}


def _rows(path: Path, columns: tuple[str, ...]) -> dict[str, list[float]]:
    """Values of the columns by the row's date, or by its number where there is none."""
    with path.open(newline="") as file:
        rows = csv.DictReader(file)
        return {
            row.get("Date", str(i)): [float(row[c]) for c in columns] for i, row in enumerate(rows)
        }


def _values(path: Path, *columns: str) -> Array:
    return np.array(list(_rows(path, columns).values()))


def _returns(path: Path, *columns: str) -> Array:
    return np.diff(np.log(_values(path, *columns)), axis=0)


def _tape(folder: Path) -> tuple[Array, Array]:
    """Give the returns of both feeds on the days of the one with bad prints."""
    dirty = _rows(folder / "spy_daily_tape.csv", _BARS)
    clean = _rows(folder / "spy_daily.csv", _BARS)
    both = [day for day in dirty if day in clean]
    first, second = (np.array([feed[day] for day in both]) for feed in (dirty, clean))
    return np.diff(np.log(first), axis=0), np.diff(np.log(second), axis=0)


_SERIES: dict[str, Callable[[Path], Array]] = {
    "spy_close": lambda folder: _returns(folder / "spy_daily.csv", "Close"),
    "spy_ohlcv": lambda folder: _returns(folder / "spy_daily.csv", *_BARS, "Volume"),
    "etf5": lambda folder: _returns(folder / "etf5_adjclose.csv", *_FUNDS),
    "well_log": lambda folder: _values(folder / "well_log.csv", "value"),
    "nab_temp": lambda folder: _values(folder / "nab_machine_temperature.csv", "value"),
    "nab_ec2": lambda folder: _values(folder / "nab_ec2_request_latency.csv", "value"),
}


def series(name: str, folder: Path) -> Array:
    """Return all observations (n, d) of a recorded series that has one feed."""
    return _SERIES[name](folder)


def segment(name: str, folder: Path, first: int) -> World:
    """Return the observations after the scale's rows, in units of these."""
    if name == "spy_tape":
        seen, clean = _tape(folder)
    else:
        seen = clean = series(name, folder)
    head, end = seen[first : first + _PREFIX], first + _PREFIX + _LENGTH
    center, scale = head.mean(axis=0), head.std(axis=0)
    points = (seen[first + _PREFIX : end] - center) / scale
    future = (clean[first + _PREFIX : end + AHEAD] - center) / scale
    is_returns = name.startswith(("spy", "etf"))
    n = len(points)
    return World(points, future[:n], lambda t: SampleLaw(future[t : t + AHEAD]), is_returns)
