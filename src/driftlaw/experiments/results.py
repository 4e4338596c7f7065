"""Cells gathered into what a figure is about: for each point and line, metrics by seed and step."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from driftlaw._validate import Array, IntArray
from driftlaw.experiments.contenders import window_name
from driftlaw.experiments.plan import Entry, plan, points_of
from driftlaw.experiments.runner import Names
from driftlaw.experiments.spec import Figure

BEST = "best window"


class Block(NamedTuple):
    """One line at one point: judged steps, the steps each stands for, values by seed and step."""

    t: IntArray  # (n,)
    weights: Array  # (n,)
    seeds: tuple[int, ...]
    values: dict[str, Array]  # each (S, n)
    size: int = 0  # of the window, where it is one

    def totals(self, metric: str) -> Array:
        """Regret (S,) over the whole stream, each judged value counted with its weight."""
        return np.asarray(self.values[metric] @ self.weights)

    def averages(self, metric: str) -> Array:
        """Regret per step (S,)."""
        return np.asarray(self.totals(metric) / self.weights.sum())


class Results(NamedTuple):
    """All lines of a figure, with the best window in hindsight as one of them."""

    figure: Figure
    scale: str
    points: tuple[float, ...]
    blocks: dict[tuple[float, str], Block]

    @property
    def series(self) -> list[str]:
        """Names of the lines that are shown: all but the windows that were not the best."""
        names = dict.fromkeys(name for _, name in self.blocks)
        return [name for name in names if not name.startswith(window_name(0)[:-1])]


def gather(
    figure: Figure,
    scale: str,
    names: Names,
    tables: Mapping[Path, Mapping[str, Any]],
    n_seeds: int | None = None,
) -> Results:
    """Put the rows of a figure's cells together and choose the best window at every point."""
    grouped: dict[tuple[float, str], list[Entry]] = {}
    for entry in plan(figure, scale, n_seeds):
        grouped.setdefault((entry.point, entry.series), []).append(entry)
    blocks = {
        place: _block(entries, [tables[names.path(entry.cell)] for entry in entries])
        for place, entries in grouped.items()
    }
    points = points_of(figure, scale)
    metric = figure.judge["metrics"][0]
    for point in points if figure.windows else ():
        windows = [blocks[point, window_name(size)] for size in figure.windows]
        blocks[point, BEST] = min(windows, key=lambda block: block.averages(metric).mean())
    return Results(figure, scale, points, blocks)


def _block(entries: Sequence[Entry], tables: Sequence[Mapping[str, Any]]) -> Block:
    cell = entries[0].cell
    t = np.asarray(tables[0]["t"], dtype=np.int64)
    every = cell.judge["every"]
    n_steps = cell.stream.get("n_steps", t[-1] + every)
    return Block(
        t,
        np.minimum(every, n_steps - t).astype(np.float64),
        tuple(entry.cell.seed for entry in entries),
        {
            name: np.array([table[name] for table in tables], dtype=np.float64)
            for name in cell.judge["metrics"]
        },
        cell.predictor.get("size", 0),
    )


def steps_table(results: Results) -> dict[str, Array]:
    """Return the tidy table of all judged steps: point, series, seed, t, weight, metrics."""
    parts: list[dict[str, Array]] = []
    for (point, series), block in results.blocks.items():
        if series == BEST:
            continue
        n, n_seeds = len(block.t), len(block.seeds)
        parts.append(
            {
                "point": np.full(n * n_seeds, point),
                "series": np.full(n * n_seeds, series),
                "seed": np.repeat(block.seeds, n),
                "t": np.tile(block.t, n_seeds),
                "weight": np.tile(block.weights, n_seeds),
                **{name: values.ravel() for name, values in block.values.items()},
            }
        )
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def runs_table(results: Results) -> dict[str, list[Any]]:
    """Return the tidy table of runs: point, series, seed, window, and each metric's regret."""
    table: dict[str, list[Any]] = {name: [] for name in ("point", "series", "seed", "window")}
    for (point, series), block in results.blocks.items():
        for i, seed in enumerate(block.seeds):
            row = {"point": point, "series": series, "seed": seed, "window": block.size}
            for name in block.values:
                row[f"{name}_total"] = float(block.totals(name)[i])
                row[f"{name}_average"] = float(block.averages(name)[i])
            for name, value in row.items():
                table.setdefault(name, []).append(value)
    return table
