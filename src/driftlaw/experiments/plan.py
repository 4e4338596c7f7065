"""From a figure and a scale to its cells: every point × predictor × seed."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from driftlaw.experiments.cells import Cell
from driftlaw.experiments.contenders import series_name, window_name
from driftlaw.experiments.spec import SETTINGS, Figure, Scale

ONLY = 0.0  # the point of a figure that sweeps nothing


class Entry(NamedTuple):
    """A cell and where it stands in a figure: at which point, as whose line."""

    point: float
    series: str
    cell: Cell


def points_of(figure: Figure, scale: str) -> tuple[float, ...]:
    """Return the swept values at this scale."""
    if figure.sweep is None:
        return (ONLY,)
    return figure.scales[scale].values or figure.sweep.values


def plan(figure: Figure, scale: str, n_seeds: int | None = None) -> list[Entry]:
    """Return the figure's cells: seed by seed, so that a part of them is a smaller figure.

    Windows of recorded data have nothing random about them: they are run once.

    Examples
    --------
    >>> from driftlaw.experiments import catalogue
    >>> entries = plan(catalogue()["main"], "smoke", n_seeds=1)
    >>> entries[0].series
    'vanilla, as printed'
    """
    size = figure.scales[scale]
    return [
        Entry(point, series, Cell(stream=stream, predictor=predictor, judge=judge, seed=seed))
        for seed in range(n_seeds or size.seeds)
        for point in points_of(figure, scale)
        for stream, judge in [_world(figure, size, point)]
        for series, predictor in _contenders(figure, stream, point)
        if seed == 0 or not (figure.needs_data and predictor["name"] == "window")
    ]


def _world(figure: Figure, size: Scale, point: float) -> tuple[dict[str, Any], dict[str, Any]]:
    stream = dict(figure.stream)
    if size.n_steps is not None:
        stream["n_steps"] = size.n_steps
    target = "" if figure.sweep is None else figure.sweep.target
    if target.startswith("stream."):
        stream[target.removeprefix("stream.")] = point
    return stream, {**figure.judge, "every": size.every}


def _contenders(
    figure: Figure, stream: Mapping[str, Any], point: float
) -> Iterator[tuple[str, dict[str, Any]]]:
    every = restart_every(figure, stream, point)
    for setting in SETTINGS:
        options = {"name": "quasibayes", **figure.settings[setting]}
        own = options.pop("restart_every", every)
        is_swept = figure.sweep is not None and figure.sweep.target == "restart_every"
        yield series_name("vanilla", setting), options
        yield (
            series_name("restarted", setting),
            {**options, "restart_every": every if is_swept else own},
        )
    for size in figure.windows:
        yield window_name(size), {"name": "window", "size": size}


def restart_every(figure: Figure, stream: Mapping[str, Any], point: float) -> int:
    """Return H: the swept one, the given one, or the power of the horizon."""
    if figure.sweep is not None and figure.sweep.target == "restart_every":
        return int(point)
    if "every" in figure.restart:
        return int(figure.restart["every"])
    horizon, power = float(stream["n_steps"]), float(figure.restart["power"])
    return math.floor(float(horizon**power) + 0.5)
