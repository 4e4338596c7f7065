"""Labelled anomalies and change points: alarm and restarts of `Adaptive`, ADWIN and BOCPD.

Run ``python -m benchmarks.detection FOLDER`` with the folder of the CSV files and their labels;
it prints a Markdown table. ADWIN needs River and is left out without it. Without a folder it prints
how often the alarm rings on simulated streams, four seeds each, and whether it finds their jumps:
a jump is found by an alarm within the `_MARGIN` rows from it on.

Every detector sees the rows one by one and has its usual settings, the same on all series. Alarms
within `_GAP` rows of the one before belong to it. On NAB a window is found when an alarm lies in
it, and alarms outside all windows are false. On the well log an alarm matches an annotated change
at most `_MARGIN` rows away, each change once (five samples of the series that was annotated);
precision is taken against the changes of all annotators together, recall is the mean over them.
"""

import csv
import importlib
import importlib.util
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import gammaln, logsumexp

from benchmarks.worlds import garch
from driftlaw import Adaptive
from driftlaw._validate import Array
from driftlaw.streams import Stream, abrupt_shift, jump_times, random_walk

_GAP, _MARGIN = 20, 30
_ODDS, _YOUNG, _SAME = 2.0, 30, 10  # log odds; rows; rows between births that are one restart
_HAZARD = 1 / 250
_MOST_RUNS = 200
_SEEDS = range(4)
_N, _N_WALK, _N_ABRUPT, _ABRUPTNESS = 4000, 3000, 1000, 0.15

Detector = Callable[[Array], list[int]]


def adaptive_alarms(values: Array, rate: float = 0.001) -> list[int]:
    """Rows at which the change alarm rings."""
    points = values.reshape(len(values), -1)
    history = Adaptive(points.shape[1], false_alarm_rate=rate).learn_many(points)
    return [int(row) for row in np.flatnonzero(history.is_alarm)]


def restart_alarms(values: Array) -> list[int]:
    """Rows at which the odds of a new restart first exceed `_ODDS`, within 30 rows of it."""
    history = Adaptive(1).learn_many(values[:, None])
    is_young = (history.t - history.last_restart < _YOUNG) & (history.last_restart > _YOUNG)
    rows: list[int] = []
    births: list[int] = []
    for row in np.flatnonzero(is_young & (history.restart_evidence > _ODDS)).tolist():
        birth = int(history.last_restart[row])
        if all(abs(birth - other) >= _SAME for other in births):
            rows.append(row)
        births.append(birth)
    return rows


def adwin_alarms(values: Array) -> list[int]:
    """Rows at which River's ADWIN reports drift."""
    detector: Any = importlib.import_module("river.drift").ADWIN()
    rows = []
    for row, value in enumerate(values.tolist()):
        detector.update(value)
        if detector.drift_detected:
            rows.append(row)
    return rows


def bocpd_alarms(values: Array) -> list[int]:
    """Rows at which the likeliest run of Adams & MacKay becomes a young one.

    Normal data with unknown mean and variance; the prior is set from the first 20 rows.
    """
    first = values[:20]
    prior = np.array([first.mean(), 0.05, 1.5, 0.5 * max(first.var(), 1e-12)])
    runs, log_weight = prior[:, None], np.zeros(1)
    length, rows, previous = np.zeros(1, dtype=int), [], 0
    for row, z in enumerate(values):
        m, k, a, b = runs
        scale = b * (k + 1) / (a * k)
        log_p = gammaln(a + 0.5) - gammaln(a) - 0.5 * np.log(2 * np.pi * a * scale)
        log_p -= (a + 0.5) * np.log1p((z - m) ** 2 / (2 * a * scale))
        joint = log_weight + log_p
        spread = k * (z - m) ** 2 / (2 * k + 2)
        grown = np.array([(k * m + z) / (k + 1), k + 1, a + 0.5, b + spread])
        runs = np.column_stack([prior, grown])
        log_weight = np.r_[logsumexp(joint) + np.log(_HAZARD), joint + np.log1p(-_HAZARD)]
        log_weight -= logsumexp(log_weight)
        length = np.r_[0, length + 1]
        kept = np.sort(np.argsort(-log_weight)[:_MOST_RUNS])
        runs, log_weight, length = runs[:, kept], log_weight[kept], length[kept]
        likeliest = int(length[np.argmax(log_weight)])
        if likeliest < previous - 1:
            rows.append(row)
        previous = likeliest
    return rows


def merged(rows: list[int]) -> list[int]:
    """Alarms without those that follow another within the gap."""
    kept: list[int] = []
    last = -_GAP - 1
    for row in rows:
        if row - last > _GAP:
            kept.append(row)
        last = row
    return kept


def window_score(alarms: list[int], windows: list[tuple[int, int]]) -> tuple[float, float]:
    """Precision and recall of alarms against windows of rows."""
    hits = [any(low <= row <= high for low, high in windows) for row in alarms]
    found = [any(low <= row <= high for row in alarms) for low, high in windows]
    return (float(np.mean(hits)) if hits else np.nan), float(np.mean(found))


def matches(alarms: list[int], changes: list[int]) -> int:
    """Count the changes that have an alarm of their own within the margin."""
    free, count = list(alarms), 0
    for change in sorted(changes):
        near = [row for row in free if abs(row - change) <= _MARGIN]
        if near:
            free.remove(min(near, key=lambda row: abs(row - change)))
            count += 1
    return count


def change_score(alarms: list[int], annotators: list[list[int]]) -> tuple[float, float]:
    """Precision against all annotators together, mean recall over them."""
    everything = sorted({row for rows in annotators for row in rows})
    precision = matches(alarms, everything) / len(alarms) if alarms else np.nan
    return precision, float(np.mean([matches(alarms, rows) / len(rows) for rows in annotators]))


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _autoregression(seed: int) -> Array:
    """Slow autoregression: half of a deviation is gone after 13 observations."""
    noise, values = np.random.default_rng((seed, 3)).normal(size=_N), np.zeros(_N)
    for t in range(1, _N):
        values[t] = 0.95 * values[t - 1] + noise[t]
    return values


def _observed(stream: Stream) -> Array:
    return np.array([step.observed for step in stream])


def _walks(seed: int) -> Array:
    return _observed(random_walk(step=0.15, n_steps=_N_WALK, rng=seed))


def _abrupt(seed: int) -> Array:
    return _observed(abrupt_shift(n_steps=_N_ABRUPT, rng=seed))


def _counts(seed: int) -> Array:
    return np.random.default_rng((seed, 5)).poisson(1.0, _N).astype(float)


def _mostly_zeros(seed: int) -> Array:
    """Nine zeros of ten, and latencies between them."""
    rng = np.random.default_rng((seed, 6))
    return np.where(rng.random(_N) < 0.9, 0.0, rng.lognormal(3.0, 1.0, _N))


def _shifted(size: float, seed: int) -> Array:
    """Independent values whose mean jumps every 250 observations, there and back."""
    means = size * (np.arange(1000) // 250 % 2)
    return np.random.default_rng((seed, 7)).normal(means)


class _Made(NamedTuple):
    make: Callable[[int], Array]
    jumps: tuple[int, ...] = ()


def simulated() -> None:
    """Print how often the alarm rings at its default rate on streams whose changes are known."""
    jumps = tuple(jump_times(_N_ABRUPT, _ABRUPTNESS))
    made = {
        "independent": _Made(lambda seed: np.random.default_rng((seed, 4)).normal(size=(_N, 2))),
        "counts of mean 1": _Made(_counts),
        "nine zeros of ten": _Made(_mostly_zeros),
        "GARCH": _Made(lambda seed: garch(seed, _N).points),
        "slow autoregression": _Made(_autoregression),
        "random walks": _Made(_walks),
        "abrupt1000": _Made(_abrupt, jumps),
    }
    for size in (1.5, 3.0, 6.0):
        made[f"jumps of {size} deviations"] = _Made(partial(_shifted, size), (250, 500, 750))
    print("| stream | observations | alarms | jumps | found | other alarms |")
    print("|---|---|---|---|---|---|")
    for name, (make, times) in made.items():
        points = [make(seed) for seed in _SEEDS]
        rows = [adaptive_alarms(values) for values in points]
        found = [any(0 <= a - t < _MARGIN for a in alarms) for alarms in rows for t in times]
        n = sum(map(len, rows))
        print(
            f"| {name} | {sum(map(len, points))} | {n} | {len(found)} | {sum(found)} "
            f"| {n - sum(found)} |",
            flush=True,
        )


def main(folder: Path) -> None:
    """Print the table."""
    detectors: dict[str, Detector] = {
        "Adaptive, alarm": adaptive_alarms,
        "Adaptive, restart": restart_alarms,
        "BOCPD": bocpd_alarms,
    }
    if importlib.util.find_spec("river"):
        detectors["ADWIN (River)"] = adwin_alarms
    labels = json.loads((folder / "nab_labels.json").read_text())
    notes = json.loads((folder / "well_log_annotations.json").read_text())["well_log"]
    annotators = [rows for rows in notes["annotations"].values() if rows]
    print("| series | detector | alarms | precision | recall | F1 |\n|---|---|---|---|---|---|")
    for name in [*labels, "well_log"]:
        rows = _table(folder / f"{name}.csv")
        values = np.array([float(row["value"]) for row in rows])
        for title, detect in detectors.items():
            alarms = merged(detect(values))
            if name == "well_log":
                precision, recall = change_score(alarms, annotators)
            else:
                times = [row["timestamp"] for row in rows]
                windows = [(_first(times, a), _first(times, b)) for a, b in labels[name]["windows"]]
                precision, recall = window_score(alarms, windows)
            f1 = 2 * precision * recall / max(precision + recall, 1e-300)
            print(
                f"| {name} | {title} | {len(alarms)} | {precision:.2f} | {recall:.2f} | {f1:.2f} |",
                flush=True,
            )


def _first(times: list[str], time: str) -> int:
    """First row at the time or after it."""
    return int(np.searchsorted(np.array(times), time[:19]))


if __name__ == "__main__":
    main(Path(sys.argv[1])) if len(sys.argv) > 1 else simulated()
