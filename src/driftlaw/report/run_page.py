"""The page of a run."""

import platform
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftlaw.live import Outcome, RunSettings
from driftlaw.live.episodes import REACH, Episodes
from driftlaw.live.sketch import COVERAGE_LEVELS, LEVELS, N_BINS
from driftlaw.report.changes import MAX_LISTED, change_rows, largest_changes, unusual_rows
from driftlaw.report.numbers import number, percent, quantity, shown
from driftlaw.report.page import chart, pack, page, table, write
from driftlaw.report.scales import heat, usual_range
from driftlaw.report.words import calibration, next_ranges, run_sentences
from driftlaw.viz import PathLike

_CHARTS = {
    "fan": (
        "What was predicted, and what came",
        "Each shaded band was drawn before the value came: the darker, the more likely. Dots are "
        "the values; red rings were very unusual. Numbered lines are the largest changes that "
        "lasted, as in the table below; ticks at the top are all signals. Triangles and rings on "
        "the edge stand for values beyond it. Drag to zoom; double-click to see all, and again to "
        "come back.",
    ),
    "heat": (
        "Where the next value was expected",
        "The predicted density at each moment: the stronger the colour, the more likely a value "
        "there.",
    ),
    "centers": (
        "Groups that were found",
        "Centres of the groups of values that the predictor follows; larger dots carry more of "
        "the values.",
    ),
    "memory": (
        "How far it looks back, and number of groups",
        "Memory: how many past values the prediction rests on; it shrinks when the stream "
        "changes. Groups: how many centres are in use.",
    ),
    "calibration": (
        "Could the ranges be trusted?",
        "Left: share of values inside each range against the share promised; dots on the line are "
        "right. Right: where values fell inside the prediction, from far below to far above; even "
        "bars are right, high ends mean that the ranges were too narrow.",
    ),
    "score": (
        "How good the predictions were over time",
        "Typical miss, in the units of the data, averaged over stretches of the stream and over "
        "columns: the lower the better. (It is the continuous ranked probability score.)",
    ),
}
_N_DRAWS = 400


def write_run_report(outcome: Outcome, settings: RunSettings, source: str, path: PathLike) -> None:
    """Write the page of a run.

    Parameters
    ----------
    outcome : what `driftlaw.live.run_stream` returned
    settings : what it was asked to do
    source : name of the input
    path : the HTML file
    """
    title = f"What comes next in {Path(source).name}"
    body = _intro(outcome, settings) + _cards(outcome, settings) + _summary(outcome, settings)
    body += _selector(outcome) + _charts(outcome, settings.transform)
    body += _footer(outcome, settings)
    write(path, page(title, body, _data(outcome, settings), "run.js"))


def _intro(outcome: Outcome, settings: RunSettings) -> str:
    what = ", ".join(outcome.columns)
    change = {
        "none": "",
        "diff": " (change from row to row)",
        "log-return": " (log-return: 0.01 is about one per cent up)",
    }
    what += change.get(settings.transform, " (standardised by its own past)")
    n = outcome.sketch.n
    first, last = outcome.span
    span = f", {escape(first)} to {escape(last)}" if first else ""
    return f'<p class="soft">{escape(what)}: {n} observations{span}.</p>'


def _cards(outcome: Outcome, settings: RunSettings) -> str:
    if not outcome.sketch.n:
        return ""
    found, how = calibration(outcome, settings.level), settings.transform
    first = next_ranges(outcome.next_law, outcome.columns, settings.level)[0]
    cards = [
        (
            f"next {quantity(first.column, how)}",
            f"{shown(first.low, how, 3)} … {shown(first.high, how, 3)}",
            f"{percent(settings.level)} range; middle {shown(first.middle, how, 3)}",
        ),
        ("ranges held", percent(found.share), f"{percent(found.level)} promised: {found.word}"),
        ("very unusual values", str(outcome.sketch.n_anomalies), f"of {outcome.sketch.n}"),
    ]
    if outcome.sketch.has_alarm:
        cards.append(_change_card(outcome.sketch.episodes))
    boxes = "".join(
        f'<div class="card"><span>{escape(name)}</span><b>{escape(value)}</b>'
        f"<span>{escape(note)}</span></div>"
        for name, value, note in cards
    )
    return f'<div class="cards">{boxes}</div>'


def _change_card(episodes: Episodes) -> tuple[str, str, str]:
    n_passed = episodes.n_all - episodes.n_lasting - episodes.n_unknown
    parts = [f"{episodes.n_all} signalled"]
    if n_passed:
        parts.append(f"{n_passed} passed")
    if episodes.n_unknown:
        parts.append(f"{episodes.n_unknown} too early to tell")
    return "changes that lasted", str(episodes.n_lasting), ", ".join(parts)


def _has_memory(outcome: Outcome) -> bool:
    return bool(np.isfinite(np.array(outcome.sketch.rows["memory"], dtype=np.float64)).any())


def _summary(outcome: Outcome, settings: RunSettings) -> str:
    lines = "".join(f"<p>{escape(text)}</p>" for text in run_sentences(outcome, settings))
    return f'<div class="summary">{lines}</div>'


def _selector(outcome: Outcome) -> str:
    if len(outcome.columns) == 1:
        return ""
    options = "".join(
        f'<option value="{i}">{escape(name)}</option>' for i, name in enumerate(outcome.columns)
    )
    return (
        f'<p class="choose"><label>Show column <select id="column">{options}</select></label></p>'
    )


def _charts(outcome: Outcome, transform: str) -> str:
    absent = set()
    if not np.isfinite(outcome.sketch.table()["centers"]).any():
        absent.add("centers")
    if not _has_memory(outcome):
        absent.add("memory")
    parts = [chart(name, *text) for name, text in _CHARTS.items() if name not in absent]
    parts.insert(1, _stood_out(outcome, transform))
    if len(outcome.columns) > 1:
        parts.insert(3, _pair_chart(outcome))
    return "".join(parts)


def _pair_chart(outcome: Outcome) -> str:
    def select(name: str, chosen: int) -> str:
        options = "".join(
            f'<option value="{i}"{" selected" if i == chosen else ""}>{escape(column)}</option>'
            for i, column in enumerate(outcome.columns)
        )
        return f'<select id="{name}" aria-label="{name} axis">{options}</select>'

    text = (
        "Dots are values, paler the older; crosses are 400 draws from what is predicted for the "
        "next observation."
    )
    place = chart("pair", "Two columns together", text)
    chooser = f'<p class="choose">{select("horizontal", 0)} against {select("vertical", 1)}</p>'
    return place.replace('<div id="pair"', f'{chooser}<div id="pair"', 1)


def _stood_out(outcome: Outcome, transform: str) -> str:
    """Tables of what to look at first."""
    sketch, rows = outcome.sketch, change_rows(outcome, transform)
    header: tuple[str, ...] = ("", "from", "to", f"what was different {REACH} observations later")
    if not any(row[2] for row in rows):  # every one has a single signal
        header, rows = (*header[:2], header[3]), [(*row[:2], row[3]) for row in rows]
    changes = _listed(
        f"Changes that lasted{_of(sketch.episodes.n_lasting, 'largest')}", header, rows
    )
    unusual = _listed(
        f"Very unusual values{_of(sketch.n_anomalies, 'least likely')}",
        ("when", "what came", "expected", "chance"),
        unusual_rows(outcome, transform),
    )
    return f'<div class="first">{changes}{unusual}</div>'


def _of(n: int, which: str) -> str:
    return f": the {MAX_LISTED} {which} of {n}" if n > MAX_LISTED else ""


def _listed(title: str, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    return f"<section><h2>{escape(title)}</h2>{table(header, rows)}</section>" if rows else ""


def _footer(outcome: Outcome, settings: RunSettings) -> str:
    options = ", ".join(f"{name}={value}" for name, value in settings.options.items())
    predictor = settings.predictor + (f" ({options})" if options else "")
    score = number(outcome.sketch.mean_score)
    return (
        f'<p class="soft">Predictor: {escape(predictor)}. Transform: {escape(settings.transform)}. '
        f"Mean score (CRPS, after the first 20 observations): {score}. A value is called very "
        f"unusual where the law before it gave so far out less than {settings.anomaly:g}; the "
        "first 20 are not judged. "
        f"{_thinning(outcome)}driftlaw {version('driftlaw')}, "
        f"Python {platform.python_version()}.</p>"
    )


def _thinning(outcome: Outcome) -> str:
    sketch, text = outcome.sketch, ""
    if sketch.stride > 1:
        text = f"Charts show one in {sketch.stride} observations; counts and marks are of all. "
    n_marks = sum(event.is_anomaly + event.is_alarm for event in sketch.events)
    if n_marks < sketch.n_anomalies + sketch.n_alarms:
        text += f"Of {sketch.n_anomalies + sketch.n_alarms} marks, {n_marks} are drawn. "
    return text + "Every observation with its marks is in the records. "


def _data(outcome: Outcome, settings: RunSettings) -> dict[str, Any]:
    sketch, table = outcome.sketch, outcome.sketch.table()
    n = table["n"].astype(float)
    times = [str(time) for time in table["time"]]
    totals = np.concatenate(([0.0], table["total"].astype(float)))
    steps = np.diff(np.concatenate(([0.0], n)))
    law, quantiles = outcome.next_law, np.moveaxis(table["quantiles"], 2, 0)
    by_column = list(zip(table["x"].T, quantiles, strict=True))
    return {
        "columns": list(outcome.columns),
        "n": pack(n),
        "times": times if all(times) else None,
        "x": pack(table["x"]),
        "levels": LEVELS.tolist(),
        "quantiles": pack(table["quantiles"]),
        "ranges": [usual_range(x, q).tolist() for x, q in by_column],
        "heat": [heat(q, usual_range(x, q)) for x, q in by_column],
        "k": _optional(table["k"]),
        "memory": _optional(table["memory"]),
        "centers": _optional(table["centers"]),
        "score": pack(np.diff(totals) / np.maximum(steps, 1.0)),
        "events": [
            [e.n, e.time, e.tail, e.is_anomaly, e.is_alarm, *e.values] for e in sketch.events
        ],
        "largest": [[e.start, e.start_time] for e in largest_changes(outcome)],
        "coverage_levels": COVERAGE_LEVELS.tolist(),
        "coverage": (sketch.covered / max(sketch.n, 1)).tolist(),
        "pit": (sketch.pit_counts / max(sketch.n, 1) * N_BINS).tolist(),
        "n_all": sketch.n,
        "draws": pack(law.sample(_N_DRAWS, 0)) if law.dim > 1 else None,
    }


def _optional(values: NDArray[Any]) -> dict[str, Any] | None:
    """Pack numbers, NaN as a number that no chart will meet; None where there are none."""
    numbers = np.asarray(values, dtype=np.float64)
    return pack(np.nan_to_num(numbers, nan=-3e38)) if np.isfinite(numbers).any() else None
