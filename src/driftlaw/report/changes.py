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
    if abs(episode.shifts[i]) >= SHIFT:
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
    sketch, episodes = outcome.sketch, outcome.sketch.episodes
    if not sketch.n_alarms:
        return ["No change of behaviour was signalled."] if sketch.has_alarm else []
    n, latest = episodes.n_all, episodes.found(sketch.n)[-1]
    text = f"A change of behaviour was signalled {'once' if n == 1 else f'{n} times'}"
    if sketch.n_alarms > n:
        text += f" (signals at most {REACH} observations apart count as one)"
    parts = [text + _fate(n, episodes.n_lasting, episodes.n_unknown)]
    if episodes.n_lasting:
        parts += _lasting_told(outcome, transform, is_latest_told=not latest.is_early)
    if latest.is_early:
        parts.append(_early_told(outcome, latest, transform))
    return [" ".join(parts)]


def _fate(n: int, n_lasting: int, n_unknown: int) -> str:
    """Say what became of n changes."""
    if n_unknown == n:
        return f"; there are too few values to tell whether {'it' if n == 1 else 'they'} lasted."
    unknown = f"of {n_unknown} there are too few values to tell"
    if n_lasting:
        text = f"; {n_lasting} made a difference that lasted"
        return f"{text}, {unknown}." if n_unknown else f"{text}."
    text = f"; {REACH} observations later the values were much as before"
    return f"{text}, but {unknown}." if n_unknown else f"{text}."


def _lasting_told(outcome: Outcome, transform: str, *, is_latest_told: bool) -> list[str]:
    """Tell the largest change that lasted, and the latest one where it is another."""
    found = outcome.sketch.episodes.found(outcome.sketch.n)
    largest, latest = largest_changes(outcome)[0], [e for e in found if e.is_lasting][-1]
    told = {"The largest": largest}
    if is_latest_told and largest.start == latest.start:
        told = {"The largest and latest": largest}
    elif is_latest_told:
        told["The latest"] = latest
    return [
        f"{which}: {_when(outcome, e)}, {change_in_words(e, outcome.columns, transform)}."
        for which, e in told.items()
    ]


def _early_told(outcome: Outcome, episode: Episode, transform: str) -> str:
    """Tell of the latest change what has come so far, without a judgement."""
    count = {0: "no observation has", 1: "only one observation has"}
    come = count.get(episode.n_after, f"only {episode.n_after} observations have")
    place = place_of(outcome, episode.end, episode.end_time)
    text = f"Since the latest signal, {place}, {come} come"
    i = int(np.argmax(episode.sizes))
    before, after = float(episode.before[0, i]), float(episode.after[0, i])
    if math.isnan(before) or math.isnan(after):
        return f"{text}."
    name = f" of {outcome.columns[i]}" if len(outcome.columns) > 1 else ""
    return (
        f"{text}: the middle{name} was {shown(before, transform)} before the change and is "
        f"{shown(after, transform)} so far."
    )


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
