"""What a run saw, in plain words and with its numbers."""

import math
from typing import NamedTuple

import numpy as np

from driftlaw.law import PredictiveLaw
from driftlaw.live import Event, Outcome, RunSettings
from driftlaw.live.record import line_of
from driftlaw.report.changes import alarm_sentences
from driftlaw.report.numbers import percent, place_of, quantity, rounded, shown

_ENOUGH = 50  # observations below which nothing is said about calibration


class NextRange(NamedTuple):
    """What is predicted for the coming value of one column."""

    column: str
    low: float
    middle: float
    high: float


def next_ranges(law: PredictiveLaw, columns: tuple[str, ...], level: float) -> list[NextRange]:
    """Median and central interval of every coordinate of a law, rounded as the interval allows."""
    tails = np.array([(1 - level) / 2, 0.5, (1 + level) / 2])
    lines = [line_of(law.marginal(i) if law.dim > 1 else law) for i in range(law.dim)]
    ranges = []
    for column, line in zip(columns, lines, strict=True):
        ends = line.quantile(tails).tolist()
        ranges.append(NextRange(column, *(rounded(end, ends[2] - ends[0]) for end in ends)))
    return ranges


class Calibration(NamedTuple):
    """How often ranges held what came."""

    level: float
    share: float
    word: str  # "as promised", "too narrow", "too wide" or "too early to say"


def calibration(outcome: Outcome, level: float) -> Calibration:
    """Compare the promised with the found share of values inside, over all columns."""
    sketch = outcome.sketch
    share = float(sketch.held.sum() / max(sketch.n * sketch.dim, 1))
    if sketch.n < _ENOUGH:
        return Calibration(level, share, "too early to say")
    # three standard errors, and never stricter than two points in a hundred
    tolerance = max(0.02, 3 * math.sqrt(level * (1 - level) / sketch.n))
    if abs(share - level) <= tolerance:
        return Calibration(level, share, "as promised")
    return Calibration(level, share, "too narrow" if share < level else "too wide")


def run_sentences(outcome: Outcome, settings: RunSettings) -> list[str]:
    """Say what happened, for somebody who has never heard of a distribution."""
    if not outcome.sketch.n:
        return ["No observation has come yet."]
    return [
        *_rows_sentence(outcome),
        _calibration_sentence(outcome, settings),
        _anomaly_sentence(outcome, settings),
        *alarm_sentences(outcome, settings.transform),
        *_next_sentences(outcome, settings),
    ]


def _rows_sentence(outcome: Outcome) -> list[str]:
    counts, notes = outcome.counts, []
    if counts.skipped:
        notes.append(f"{counts.skipped} rows with a missing value were left out")
    if counts.held:
        notes.append(f"{counts.held} missing values were filled with the last one before")
    if counts.used_up:
        first = "the first" if counts.used_up == 1 else f"the first {counts.used_up}"
        notes.append(f"{first} only started the transform")
    return [f"Of {counts.rows} rows, {'; '.join(notes)}."] if notes else []


def _calibration_sentence(outcome: Outcome, settings: RunSettings) -> str:
    found = calibration(outcome, settings.level)
    begin = (
        f"Before each value a range was given that should hold it {percent(found.level)} of the "
        f"time; it did {percent(found.share)} of the time"
    )
    return {
        "as promised": f"{begin}: as promised.",
        "too narrow": f"{begin}: the ranges were too narrow.",
        "too wide": f"{begin}: the ranges were wider than needed.",
        "too early to say": f"{begin}; there are too few values yet to judge.",
    }[found.word]


def _anomaly_sentence(outcome: Outcome, settings: RunSettings) -> str:
    sketch = outcome.sketch
    expected = settings.anomaly * sketch.n
    chance = f"about {expected:.0f}" if expected >= 0.95 else "fewer than one"
    text = (
        f"{_count(sketch.n_anomalies)} very unusual, further out than the prediction held "
        f"likely even once in {1 / settings.anomaly:.0f} times (by chance alone one would see "
        f"{chance})"
    )
    anomalies = [event for event in sketch.events if event.is_anomaly]
    if not anomalies:
        return f"{text}."
    latest = anomalies[-1]
    place = place_of(outcome, latest.n, latest.time)
    return f"{text}; the latest: {place}, {_values(outcome, latest, settings.transform)}."


def _count(n: int) -> str:
    return {0: "No value was", 1: "One value was"}.get(n, f"{n} values were")


def _next_sentences(outcome: Outcome, settings: RunSettings) -> list[str]:
    ranges = next_ranges(outcome.next_law, outcome.columns, settings.level)
    how = settings.transform
    return [
        f"Next {quantity(r.column, how)}: {percent(settings.level)} sure between "
        f"{shown(r.low, how)} and {shown(r.high, how)}, with the middle at {shown(r.middle, how)}."
        for r in ranges
    ]


def _values(outcome: Outcome, event: Event, transform: str) -> str:
    named = zip(outcome.columns, event.values, strict=True)
    return ", ".join(f"{column} {shown(value, transform)}" for column, value in named)
