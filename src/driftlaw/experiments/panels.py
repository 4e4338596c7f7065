"""Tables of the panels: means over seeds with their intervals, ready to be drawn."""

import numpy as np

from driftlaw._validate import Array
from driftlaw.experiments.intervals import Interval, student
from driftlaw.experiments.results import Block, Results
from driftlaw.streams import jump_times
from driftlaw.viz import Panel

METRIC_WORDS = {
    "w1": "distance",
    "paper_w1": "distance, the paper's estimate",
    "mean_error": "mean error",
    "total": "total",
    "clean": "clean side",
    "corruption": "corruption side",
}
_TITLES = {
    "average": ("average {}", "$R_t/t$"),
    "cumulative": ("cumulative {}", "$R_t$"),
    "log1p": ("logarithm of cumulative {}", r"$\log(1+R_t)$"),
    "per_step": ("{} at each step", "$W_1$"),
    "final": ("final average {}", "$R_T/T$"),
    "total": ("final cumulative {}", "$R_T$"),
}


def panels_of(results: Results) -> list[Panel]:
    """Return the panels of a figure in the paper's order."""
    drawn = [name for name in results.figure.judge["metrics"] if name != "paper_w1"]
    make = _at_points if results.figure.sweep is not None else _over_time
    return [make(results, metric, word) for metric in drawn for word in results.figure.panels]


def _panel_name(results: Results, metric: str, word: str) -> str:
    return f"{metric}-{word.replace('_', '-')}"


def _over_time(results: Results, metric: str, word: str) -> Panel:
    rows: list[tuple[str, float, Interval]] = []
    for name in results.series:
        block = results.blocks[results.points[0], name]
        x, curves = _curve(block, metric, word)
        for i, place in enumerate(x):
            rows.append((name, float(place), _band(curves[:, i])))
    title, y_label = _TITLES[word]
    return Panel(
        _panel_name(results, metric, word),
        title.format(METRIC_WORDS[metric]),
        "t",
        y_label,
        _table(rows),
        marks=_marks(results),
    )


def _curve(block: Block, metric: str, word: str) -> tuple[Array, Array]:
    """Places (n,) and values (S, n): after each judged step and those it stands for."""
    values = block.values[metric]
    cumulative, so_far = np.cumsum(values * block.weights, axis=1), np.cumsum(block.weights)
    curves: dict[str, Array] = {
        "per_step": values,
        "cumulative": cumulative,
        "average": cumulative / so_far,
        "log1p": np.log1p(cumulative),
    }
    x = block.t.astype(np.float64) if word == "per_step" else block.t[0] + so_far
    return x, curves[word]


def _at_points(results: Results, metric: str, word: str) -> Panel:
    rows: list[tuple[str, float, Interval]] = []
    for name in results.series:
        for point in results.points:
            block = results.blocks[point, name]
            values = block.averages(metric) if word == "final" else block.totals(metric)
            rows.append((name, float(point), _band(values)))
    title, y_label = _TITLES[word]
    sweep = results.figure.sweep
    is_scaling = results.figure.kind == "horizons"
    return Panel(
        _panel_name(results, metric, word),
        title.format(METRIC_WORDS[metric]),
        "" if sweep is None else sweep.word,
        y_label,
        _table(rows),
        x_scale="log" if is_scaling else "linear",
        y_scale="log" if is_scaling and word == "total" else "linear",
    )


def _band(values: Array) -> Interval:
    """Mean and interval over seeds; no interval where there is one run alone."""
    found = student(values)
    return found if len(values) > 1 else Interval(found.value, np.nan, np.nan)


def _table(rows: list[tuple[str, float, Interval]]) -> dict[str, Array]:
    return {
        "series": np.array([name for name, _, _ in rows]),
        "x": np.array([x for _, x, _ in rows]),
        "y": np.array([found.value for _, _, found in rows]),
        "lower": np.array([found.lower for _, _, found in rows]),
        "upper": np.array([found.upper for _, _, found in rows]),
    }


def _marks(results: Results) -> tuple[float, ...]:
    figure = results.figure
    if figure.stream["name"] != "abrupt":
        return ()
    n_steps = figure.scales[results.scale].n_steps or figure.stream["n_steps"]
    return tuple(float(t) for t in jump_times(n_steps, figure.stream["exponent"]))
