"""Changes and unusual values in plain words, the largest first."""

import math

import numpy as np

from driftlaw.live import Episode, Event, Outcome
from driftlaw.live.episodes import RATIO, REACH, SHIFT
from driftlaw.report.numbers import place_of, shown

MAX_LISTED = 10


def largest_changes(outcome: Outcome) -> list[Episode]:
    """Return the lasting changes that a reader should look at first, at most ten."""
    found = [e for e in outcome.sketch.episodes.found(outcome.sketch.n) if e.is_lasting]
    return sorted(found, key=lambda e: (-float(e.sizes.max()), -e.start))[:MAX_LISTED]


def most_unusual(outcome: Outcome) -> list[Event]:
    """Return the least likely values, at most ten."""
    odd = [event for event in outcome.sketch.events if event.is_anomaly]
    return sorted(odd, key=lambda event: (event.tail, -event.n))[:MAX_LISTED]


def change_in_words(episode: Episode, columns: tuple[str, ...], transform: str) -> str:
    """Say what is different after a change, in the column where it shows most."""
    i, parts = int(np.argmax(episode.sizes)), []
    before, after = (
        shown(float(side[0, i]), transform) for side in (episode.before, episode.after)
    )
    if abs(episode.shifts[i]) > SHIFT:
        parts.append(f"{'up' if episode.shifts[i] > 0 else 'down'} from {before} to {after}")
    ratio = float(episode.ratios[i])
    if ratio >= RATIO:
        parts.append(f"swings {_times(ratio)} as wide")
    elif ratio <= 1 / RATIO:
        share = f"only {100 * ratio:.0f} %" if ratio >= 0.01 else "less than 1 %"
        parts.append(f"swings {share} as wide")
    name = f"{columns[i]} " if len(columns) > 1 else ""
    return name + ", ".join(parts)


def _times(ratio: float) -> str:
    return f"{ratio:.1f} times" if ratio < 100 else "very many times"


def alarm_sentences(outcome: Outcome, transform: str) -> list[str]:
    """Say how often a change was signalled, how many lasted, which was largest, which last."""
    sketch = outcome.sketch
    if not sketch.n_alarms:
        return ["No change of behaviour was signalled."] if sketch.has_alarm else []
    n, n_lasting = sketch.episodes.n_all, sketch.episodes.n_lasting(sketch.n)
    text = f"A change of behaviour was signalled {'once' if n == 1 else f'{n} times'}"
    if sketch.n_alarms > n:
        text += f" (signals fewer than {REACH} observations apart count as one)"
    if not n_lasting:
        return [f"{text}; {REACH} observations later the values were much as before."]
    lasting = [e for e in sketch.episodes.found(sketch.n) if e.is_lasting]
    first, latest = largest_changes(outcome)[0], lasting[-1]
    which = "the largest" if first.start != latest.start else "the largest and latest"
    text += f"; {n_lasting} made a difference that lasted. " + _told(
        outcome, first, which, transform
    )
    if first.start != latest.start:
        text += " " + _told(outcome, latest, "the latest", transform)
    return [text]


def _told(outcome: Outcome, episode: Episode, which: str, transform: str) -> str:
    what = change_in_words(episode, outcome.columns, transform)
    return f"{which.capitalize()}: {_when(outcome, episode)}, {what}."


def _when(outcome: Outcome, episode: Episode) -> str:
    return place_of(outcome, episode.start, episode.start_time)


def change_rows(outcome: Outcome, transform: str) -> list[tuple[str, ...]]:
    """Rows of the table of changes: rank, first and last signal, what is different."""
    return [
        (
            str(rank),
            _when(outcome, episode),
            place_of(outcome, episode.end, episode.end_time) if episode.n_alarms > 1 else "",
            change_in_words(episode, outcome.columns, transform),
        )
        for rank, episode in enumerate(largest_changes(outcome), 1)
    ]


def unusual_rows(outcome: Outcome, transform: str) -> list[tuple[str, ...]]:
    """Rows of the table of unusual values: when, what came, what was expected, how likely."""
    rows: list[tuple[str, ...]] = []
    for event in most_unusual(outcome):
        out = [abs(v - (lo + hi) / 2) / ((hi - lo) or 1.0) for v, lo, hi in _ranges(event)]
        i = int(np.argmax(out))
        name = f"{outcome.columns[i]} " if len(outcome.columns) > 1 else ""
        low, high = shown(event.low[i], transform), shown(event.high[i], transform)
        rows.append(
            (
                place_of(outcome, event.n, event.time),
                name + shown(event.values[i], transform),
                f"{low} … {high}",
                chance(event.tail),
            )
        )
    return rows


def _ranges(event: Event) -> list[tuple[float, float, float]]:
    return list(zip(event.values, event.low, event.high, strict=True))


def chance(tail: float) -> str:
    """Return a small probability as one in so many.

    Examples
    --------
    >>> chance(4.6e-4), chance(0.0), chance(2e-9)
    ('1 in 2200', 'less than 1 in a million', 'less than 1 in a million')
    """
    if tail < 1e-6:
        return "less than 1 in a million"
    digits = max(0, math.floor(math.log10(1 / tail)) - 1)
    return f"1 in {round(1 / tail, -digits):.0f}"
