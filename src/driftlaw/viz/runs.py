"""Runs as pictures: tables of numbers in, figures out; draws, never computes."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from driftlaw._validate import Array
from driftlaw.viz.style import COLORS, OBSERVED, TRUTH, legend, new_figure

Table = Mapping[str, Array]


def draw_regret(tables: Mapping[str, Table]) -> Any:
    """Draw distance per step, cumulative regret and average regret of several runs.

    Parameters
    ----------
    tables : by name, with columns ``t``, ``w1``, ``cumulative``, ``average``
    """
    figure, axes = new_figure(10.5, 3.2, 1, 3)
    panels = (
        ("w1", "distance to the true law"),
        ("cumulative", "cumulative"),
        ("average", "average"),
    )
    for ax, (column, title) in zip(axes, panels, strict=True):
        for color, (name, table) in zip(COLORS, tables.items(), strict=False):
            ax.plot(table["t"], table[column], color=color, lw=1.4, label=name)
        ax.set(title=title, xlabel="step")
        ax.set_ylim(bottom=0.0)
    legend(axes[0])
    return figure


def draw_fans(tables: Mapping[str, Table], world: Table) -> Any:
    """Draw, for each run, predicted quantiles of the first coordinate against the truth.

    Parameters
    ----------
    tables : by name, with columns ``t`` and ``quantiles`` (n, 2 m + 1), levels rising
    world : columns ``t``, ``observed`` (T, d) and ``centers`` (T, K, d)
    """
    rows = (len(tables) + 1) // 2
    figure, axes = new_figure(10.5, 2.9 * rows, rows, 2, sharex=True, sharey=True, squeeze=False)
    for ax, color, (name, table) in zip(axes.flat, COLORS, tables.items(), strict=False):
        _fan(ax, table, color)
        ax.plot(world["t"], world["observed"][:, 0], ".", color=OBSERVED, ms=2, alpha=0.6)
        ax.plot(world["t"], world["centers"][:, :, 0], color=TRUTH, lw=1.2)
        ax.set(title=name, xlabel="step", ylabel="first coordinate")
    for ax in axes.flat[len(tables) :]:
        ax.set_visible(False)
    return figure


def _fan(ax: Any, table: Table, color: str) -> None:
    quantiles = table["quantiles"]
    n_bands = quantiles.shape[1] // 2
    for band in range(n_bands):
        low, high = quantiles[:, band], quantiles[:, -1 - band]
        ax.fill_between(table["t"], low, high, color=color, alpha=0.18, lw=0)
    ax.plot(table["t"], quantiles[:, n_bands], color=color, lw=1.0)


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
    bar = figure.colorbar(shown, ax=axes, label="step")
    bar.ax.tick_params(labelsize=8, colors="#7f8794")
    bar.ax.yaxis.label.set_color("#7f8794")
    return figure


def draw_mixing(tables: Mapping[str, Table]) -> Any:
    """Draw the mean number of centres and the share of accepted proposals of several runs.

    Parameters
    ----------
    tables : by name, with columns ``t``, ``k``, ``acceptance`` (NaN where nothing was proposed)
    """
    figure, axes = new_figure(10.5, 2.9, 1, 2)
    panels = (("k", "centres in use (mean over draws)"), ("acceptance", "accepted proposals"))
    for ax, (column, title) in zip(axes, panels, strict=True):
        for color, (name, table) in zip(COLORS, tables.items(), strict=False):
            if np.isfinite(table[column]).any():
                ax.plot(table["t"], table[column], color=color, lw=1.2, label=name)
        ax.set(title=title, xlabel="step")
        ax.set_ylim(bottom=0.0)
    legend(axes[0])
    return figure
