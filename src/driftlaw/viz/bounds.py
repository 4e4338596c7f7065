"""Bounds as pictures: tables of `driftlaw.theory` in, Axes out; draws, never computes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.viz.style import COLORS, OBSERVED, TRUTH, axes_or_new, color_bar, legend, new_figure

_LINES = {"total": "as printed", "capped": "at most D per step", "sharper": "sharper constants"}


def draw_bound_curve(
    curve: Mapping[str, Array], measured: Mapping[str, ArrayLike] | None = None, ax: Any = None
) -> Any:
    """Draw bounds against T on logarithmic axes, with measured regret beside them.

    Parameters
    ----------
    curve : table of `driftlaw.theory.bound_curve`
    measured : columns ``horizon`` and ``regret``, optional
    ax : Axes, a new one when None

    Returns
    -------
    Axes
    """
    axes = axes_or_new(ax)
    horizon, trivial = _column(curve, "horizon"), _column(curve, "trivial")
    for color, (name, label) in zip(COLORS, _LINES.items(), strict=False):
        values = _column(curve, name)
        if np.isfinite(values).any():
            line = ":" if name == "capped" else "-"  # what lies under it stays visible
            axes.plot(horizon, values, line, color=color, marker="o", ms=3, label=label)
    axes.plot(horizon, trivial, color=OBSERVED, ls="--", label="D per step")
    if measured is not None:
        points = (np.asarray(measured["horizon"]), np.asarray(measured["regret"]))
        axes.plot(*points, color=TRUTH, marker="s", ms=3, label="measured regret")
    axes.set(xscale="log", yscale="log", xlabel="T", ylabel="total regret")
    legend(axes)
    return axes


def draw_bound(
    table: Mapping[str, list[Any]],
    curve: Mapping[str, Array],
    measured: Mapping[str, ArrayLike] | None = None,
) -> Any:
    """Draw a report as a figure: bounds against T, and the share of every term.

    Parameters
    ----------
    table : columns of `driftlaw.theory.BoundReport.table`
    curve : table of `driftlaw.theory.bound_curve`
    measured : columns ``horizon`` and ``regret``, optional
    """
    figure, (left, right) = new_figure(10, 4, 1, 2)
    draw_bound_curve(curve, measured, left)
    draw_shares(table, right)
    return figure


def draw_shares(table: Mapping[str, list[Any]], ax: Any = None) -> Any:
    """Draw the share of every term of a report as bars, the largest on top.

    Parameters
    ----------
    table : columns of `driftlaw.theory.BoundReport.table`
    ax : Axes, a new one when None
    """
    axes = axes_or_new(ax)
    shares = np.asarray(table["share"], dtype=np.float64)
    order = np.argsort(shares)
    names = [str(table["name"][i]).replace("_", " ") for i in order]
    axes.barh(names, 100 * shares[order], color=COLORS[0])
    axes.set(xlabel="share of the bound, %")
    return axes


def draw_region(region: Mapping[str, Array], ax: Any = None) -> Any:
    """Draw the dominating exponent over (beta, h), with the borders of the two conditions.

    Parameters
    ----------
    region : table of `driftlaw.theory.admissible_region`
    ax : Axes, a new one when None
    """
    axes = axes_or_new(ax)
    size = round(len(_column(region, "decay")) ** 0.5)
    beta, h, exponent, ours, paper = (
        _column(region, name).reshape(size, size)
        for name in ("decay", "window", "exponent", "is_sublinear", "is_in_paper_regime")
    )
    shown = axes.pcolormesh(
        beta, h, np.minimum(exponent, 1.25), shading="nearest", cmap="viridis_r"
    )
    color_bar(shown, axes, "dominating exponent")
    for mask, color in ((ours, "white"), (paper, "black")):
        if 0 < mask.sum() < mask.size:
            axes.contour(beta, h, mask, levels=[0.5], colors=color)
    axes.set(xlabel="beta (decay of the rates)", ylabel="h (growth of the window)")
    return axes


def _column(table: Mapping[str, Array], name: str) -> Array:
    if name not in table:
        raise InputError(f"table must hold the column {name!r}, got {', '.join(table)}")
    return np.asarray(table[name])
