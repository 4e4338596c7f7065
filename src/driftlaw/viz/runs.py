"""Runs as pictures: tables of numbers in, figures out; draws, never computes."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from driftlaw._validate import Array, require
from driftlaw.viz.style import COLORS, OBSERVED, TRUTH, color_bar, new_figure, shared_legend

Table = Mapping[str, Array]


def draw_regret(tables: Mapping[str, Table]) -> Any:
    """Draw distance per step, cumulative regret and average regret of several runs.

    Parameters
    ----------
    tables : by name, with columns ``t``, ``w1``, ``cumulative``, ``average``
    """
    figure, axes = new_figure(10.5, 3.3, 1, 3)
    panels = (
        ("w1", "distance at each step"),
        ("cumulative", "sum of distances so far"),
        ("average", "mean distance so far"),
    )
    _panels(axes, panels, tables)
    shared_legend(figure)
    return figure


def _panels(axes: Any, panels: tuple[tuple[str, str], ...], tables: Mapping[str, Table]) -> None:
    """One panel per (column, title), one line per table; rows without a value are left out."""
    for ax, (column, title) in zip(axes, panels, strict=True):
        for color, (name, table) in zip(COLORS, tables.items(), strict=False):
            known = np.isfinite(table[column])
            if known.any():
                ax.plot(table["t"][known], table[column][known], color=color, lw=1.3, label=name)
        ax.set(title=title, xlabel="step")
        ax.set_ylim(bottom=0.0)


def draw_laws(tables: Mapping[str, Table], world: Table) -> Any:
    """Draw, for each run, the predicted law of the first coordinate over time against the truth.

    One scale of shading serves all runs: equal colour strength is equal density.

    Parameters
    ----------
    tables : by name, with columns ``t`` (n,) and ``density`` (n, B), the mean density in each bin
    world : columns ``t``, ``observed`` (T, d), ``centers`` (T, K, d) and ``edges`` (B + 1,) of bins
    """
    rows = (len(tables) + 1) // 2
    figure, axes = new_figure(10.5, 2.9 * rows, rows, 2, sharex=True, sharey=True, squeeze=False)
    most = float(np.quantile([table["density"].max(axis=1) for table in tables.values()], 0.95))
    for ax, color, (name, table) in zip(axes.flat, COLORS, tables.items(), strict=False):
        _shade(ax, table, world["edges"], color, most)
        ax.plot(world["t"], world["observed"][:, 0], ".", color=OBSERVED, ms=1.8, alpha=0.8)
        ax.plot(world["t"], world["centers"][:, :, 0], color=TRUTH, lw=1.2)
        ax.set(title=name, xlabel="step", ylabel="first coordinate")
        ax.set(xlim=(0, len(world["t"])), ylim=world["edges"][[0, -1]])
        ax.label_outer()
    if len(tables) % 2:
        _fill_gap(axes[:, 1])
    return figure


def _fill_gap(column: Any) -> None:
    """Say in the place that no run needs what the colours mean; the panel above has the axis."""
    *above, last = column
    last.axis("off")
    for ax in above[-1:]:
        ax.tick_params(labelbottom=True)
        ax.set_xlabel("step")
    last.plot([], [], color=TRUTH, lw=1.2, label="true centres")
    last.plot([], [], ".", color=OBSERVED, ms=6, label="observations")
    last.fill_between([], [], color=OBSERVED, alpha=0.4, label="predicted density, in each colour")
    last.legend(loc="center", frameon=False)


def _shade(ax: Any, table: Table, edges: Array, color: str, most: float) -> None:
    """Show each predicted density until the next one; the root makes thin laws visible too."""
    times = np.append(table["t"], 2 * table["t"][-1] - table["t"][-2])
    colors = require("matplotlib.colors", "plot")
    ax.pcolormesh(
        times,
        edges,
        table["density"].T,
        cmap=colors.LinearSegmentedColormap.from_list("law", [(color, 0.0), (color, 1.0)]),
        norm=colors.PowerNorm(0.5, vmin=0.0, vmax=most),
        rasterized=True,
    )


def draw_centers(tables: Mapping[str, Table], world: Table) -> Any:
    """Draw the centres of the kept configurations in the plane, with the true paths.

    Parameters
    ----------
    tables : by name, with columns ``center_t`` (n,), ``centers`` (n, d)
    world : column ``centers`` (T, K, d)
    """
    figure, axes = new_figure(10.5, 3.6, 1, len(tables), sharex=True, sharey=True, squeeze=False)
    for ax, (name, table) in zip(axes.flat, tables.items(), strict=True):
        shown = ax.scatter(
            table["centers"][:, 0],
            table["centers"][:, 1],
            c=table["center_t"],
            s=5,
            cmap="viridis",
            alpha=0.5,
            linewidths=0,
            rasterized=True,
        )
        for j in range(world["centers"].shape[1]):
            ax.plot(*world["centers"][:, j, :2].T, color=TRUTH, lw=1.6)
        ax.set(title=name, xlabel="first coordinate", aspect="equal")
    axes.flat[0].set_ylabel("second coordinate")
    color_bar(shown, axes, "step")
    return figure


def draw_mixing(tables: Mapping[str, Table]) -> Any:
    """Draw the mean number of centres and the share of accepted proposals of several runs.

    Parameters
    ----------
    tables : by name, with columns ``t``, ``k``, ``acceptance`` (NaN where nothing was proposed)
    """
    figure, axes = new_figure(10.5, 3.0, 1, 2)
    panels = (
        ("k", "centres in use (mean)"),
        ("acceptance", "proposals accepted (share)"),
    )
    _panels(axes, panels, tables)
    axes[0].yaxis.get_major_locator().set_params(integer=True)
    shared_legend(figure)
    return figure
