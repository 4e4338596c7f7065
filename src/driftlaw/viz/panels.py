"""Panels of lines with bands: tables in, figures out; draws, never computes."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from driftlaw._validate import Array
from driftlaw.viz.style import COLORS, OBSERVED, new_figure, shared_legend

_COLUMNS = 3
_MARKED = 12  # lines of at most so many points show them


class Panel(NamedTuple):
    """One pair of axes: a tidy ``table`` and how to show it.

    ``table`` has the columns ``series``, ``x``, ``y``, ``lower``, ``upper`` (NaN: no band);
    ``marks`` are places on the horizontal axis for dashed lines.
    """

    name: str
    title: str
    x_label: str
    y_label: str
    table: dict[str, Array]
    x_scale: str = "linear"
    y_scale: str = "linear"
    marks: tuple[float, ...] = ()


def draw_panels(panels: Sequence[Panel]) -> Any:
    """Draw panels side by side, at most three in a row, with one legend for all."""
    n_columns = min(_COLUMNS, len(panels)) if len(panels) != 4 else 2
    n_rows = -(-len(panels) // n_columns)
    size = (3.6 * n_columns + 1.0, 3.0 * n_rows + 0.7)
    figure, axes = new_figure(*size, n_rows, n_columns, squeeze=False)
    for ax, panel in zip(axes.flat, panels, strict=False):
        _draw(ax, panel)
    for ax in axes.flat[len(panels) :]:
        ax.set_visible(False)
    shared_legend(figure, per_row=n_columns + 1)
    return figure


def _draw(ax: Any, panel: Panel) -> None:
    columns = {name: np.asarray(column) for name, column in panel.table.items()}
    names = list(dict.fromkeys(columns["series"].tolist()))
    for color, name in zip(COLORS, names, strict=False):
        row = columns["series"] == name
        x, y = columns["x"][row], columns["y"][row]
        marker = "o" if len(x) <= _MARKED else ""
        ax.plot(x, y, color=color, lw=1.3, marker=marker, ms=3, label=name)
        if np.isfinite(columns["lower"][row]).all():
            ax.fill_between(
                x, columns["lower"][row], columns["upper"][row], color=color, alpha=0.18, lw=0
            )
    for place in panel.marks:
        ax.axvline(place, color=OBSERVED, ls="--", lw=0.9)
    ax.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label)
    ax.set(xscale=panel.x_scale, yscale=panel.y_scale)
    if panel.y_scale == "linear":
        ax.set_ylim(bottom=min(0.0, float(np.nanmin(columns["y"]))))
