"""What a report needs of a run of any length, in bounded memory: thinned rows, events, counts."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import Array
from driftlaw.live.episodes import Episodes
from driftlaw.live.record import WARMUP, Told, Verdict

LEVELS = np.array(
    [.005, .025, .05, .1, .15, .2, .25, .3, .35, .4, .45, .5, .55, .6, .65, .7, .75, .8, .85, .9,
     .95, .975, .995]
)  # fmt: skip
COVERAGE_LEVELS = np.array([0.5, 0.8, 0.9, 0.95, 0.99])
N_BINS = 20
_MAX_CENTERS = 8
_MAX_EVENTS = 400
_EDGES = np.linspace(0.0, 1.0, N_BINS + 1)
_ROUNDING = 1e-12  # of levels, as in the quantiles of an empirical law


class Event(NamedTuple):
    """An anomaly or an alarm."""

    n: int
    time: str
    tail: float
    is_anomaly: bool
    is_alarm: bool
    values: tuple[float, ...]
    low: tuple[float, ...]  # ends of the range that was predicted
    high: tuple[float, ...]


def event_of(told: Told, n: int, time: str, x: Array, n_levels: int) -> Event | None:
    """Return what there is to remember of an observation; of most, nothing.

    ``n_levels`` are those of `driftlaw.live.record.record_levels`, the range's two ends last.
    """
    marks = (told.is_anomaly, told.is_alarm)
    if not any(marks):
        return None
    low, high = (tuple(end) for end in told.summary.quantiles[n_levels - 2 : n_levels].tolist())
    return Event(n, time, told.verdict.tail, *marks, tuple(x.tolist()), low, high)


class Sketch:
    """Keeps every s-th step, s doubling as the run grows, and all that can be counted.

    Parameters
    ----------
    dim : int
    max_rows : int
        Between half of them and all of them are kept of a long run.

    Examples
    --------
    >>> sketch = Sketch(1, max_rows=4)
    >>> for n in range(1, 12):
    ...     if sketch.wants(n):
    ...         sketch.keep(n, "", np.zeros(1), np.zeros((23, 1)), Verdict(1.0, 1.0, 0.0, 1.0, 1.0))
    >>> sketch.table()["n"].tolist()
    [1, 5, 9]
    """

    def __init__(self, dim: int, max_rows: int = 1500) -> None:
        self.dim, self.max_rows, self.stride = dim, max_rows, 1
        self.rows: dict[str, list[Any]] = {
            name: [] for name in ("n", "time", "x", "quantiles", "k", "memory", "total", "centers")
        }
        self.events: list[Event] = []
        self.episodes = Episodes(dim)
        self.n, self.total, self.n_anomalies, self.n_alarms = 0, 0.0, 0, 0
        self.has_alarm = False  # whether the predictor has one at all
        self.pit_counts = np.zeros((dim, N_BINS))
        self.covered = np.zeros((dim, len(COVERAGE_LEVELS)))
        self.held = np.zeros(dim)  # values inside the range of their record

    def wants(self, n: int) -> bool:
        """Whether step n (from 1) is to be kept with all its quantiles."""
        return (n - 1) % self.stride == 0

    def count(self, told: Told, event: Event | None) -> None:
        """Count a step."""
        pit, above = told.summary.pit, told.summary.above
        self.n += 1
        self.total += told.summary.score if self.n > WARMUP else 0.0
        self.pit_counts += _shares(1.0 - above, pit)
        self.held += told.is_inside
        # low <= x is P(X <= x) >= tail, and x <= high is P(X < x) < 1 - tail
        tails = (1.0 - COVERAGE_LEVELS) / 2.0
        is_above_low = pit[:, None] >= tails - _ROUNDING
        self.covered += is_above_low & (above[:, None] > tails + _ROUNDING)
        if event is not None:
            self.n_alarms += int(event.is_alarm)
            self.n_anomalies += int(event.is_anomaly)
            self._remember(event)

    def keep(self, n: int, time: str, x: Array, quantiles: Array, verdict: Verdict) -> None:
        """Keep a step that was wanted."""
        self.has_alarm = self.has_alarm or not math.isnan(verdict.alarm)
        values = (n, time, x, quantiles, verdict.k, verdict.memory, self.total)
        for name, value in zip(self.rows, values, strict=False):
            self.rows[name].append(value)
        self.rows["centers"].append(np.full((_MAX_CENTERS, self.dim + 2), np.nan))
        if len(self.rows["n"]) > self.max_rows:
            self.rows = {name: kept[::2] for name, kept in self.rows.items()}
            self.stride *= 2

    def keep_centers(self, centers: Array, weights: Array, identities: Array) -> None:
        """Add the centers to the step that was kept last."""
        if not self.rows["centers"]:
            return
        n = min(len(weights), _MAX_CENTERS)
        order = np.argsort(-weights)[:n]
        place = self.rows["centers"][-1]
        place[:n] = np.column_stack((centers, weights, identities))[order]

    def _remember(self, event: Event) -> None:
        self.events.append(event)
        if len(self.events) > _MAX_EVENTS:  # alarms stay, then the smallest tails
            order = sorted(self.events, key=lambda e: (not e.is_alarm, e.tail, -e.n))
            self.events = sorted(order[: _MAX_EVENTS * 3 // 4], key=lambda e: e.n)

    @property
    def mean_score(self) -> float:
        """Mean score of the steps after the first 20."""
        return self.total / (self.n - WARMUP) if self.n > WARMUP else math.nan

    def table(self) -> dict[str, NDArray[Any]]:
        """Kept rows as arrays: x (m, d), quantiles (m, n_levels, d), centers (m, 8, d + 2)."""
        return {name: np.array(values) for name, values in self.rows.items()}

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything, as arrays."""
        events = [
            (e.n, e.tail, e.is_anomaly, e.is_alarm, *e.values, *e.low, *e.high) for e in self.events
        ]
        counts = (self.n_anomalies, self.n_alarms, self.has_alarm)
        numbers = (self.n, self.total, *counts, self.stride)
        rows = {f"row_{name}": array for name, array in self.table().items()}
        return (
            rows
            | self.episodes.state()
            | {
                "events": np.array(events, dtype=np.float64).reshape(-1, 4 + 3 * self.dim),
                "event_times": np.array([e.time for e in self.events], dtype=np.str_),
                "numbers": np.array(numbers, dtype=np.float64),
                "pit_counts": self.pit_counts,
                "covered": self.covered,
                "held": self.held,
            }
        )

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state."""
        n, total, n_anomalies, n_alarms, has_alarm, stride = state["numbers"].tolist()
        self.n, self.total, self.stride = int(n), total, int(stride)
        self.n_anomalies, self.n_alarms = int(n_anomalies), int(n_alarms)
        self.has_alarm = bool(has_alarm)
        for name in self.rows:
            self.rows[name] = list(state[f"row_{name}"])
        self.events = [
            _event(row, str(time), self.dim)
            for row, time in zip(state["events"].tolist(), state["event_times"], strict=True)
        ]
        self.episodes.restore(state)
        self.pit_counts, self.covered = state["pit_counts"].copy(), state["covered"].copy()
        self.held = state["held"].copy()


def _shares(low: Array, high: Array) -> Array:
    """Shares (d, N_BINS) of the bins in the steps of a cdf from low to high (d,).

    Where the law has no atom a step has no height, and one bin has all.
    """
    low, high = low[:, None], high[:, None]
    height = np.minimum(high, _EDGES[1:]) - np.maximum(low, _EDGES[:-1])
    is_in = np.minimum((high * N_BINS).astype(int), N_BINS - 1) == np.arange(N_BINS)
    shares = np.maximum(height, 0.0) / np.where(high > low, high - low, 1.0)
    return np.asarray(np.where(high - low > _ROUNDING, shares, is_in))


def _event(row: list[float], time: str, dim: int) -> Event:
    n, tail, is_anomaly, is_alarm, *rest = row
    values, low, high = (tuple(rest[i * dim : (i + 1) * dim]) for i in range(3))
    return Event(int(n), time, tail, bool(is_anomaly), bool(is_alarm), values, low, high)
