"""`Adaptive` at work, as a picture: one stream on the line, the law before each of its points.

Run ``python -m benchmarks.pictures [FILE]``; it writes ``docs/images/adaptive.png`` unless told
otherwise. Two groups drift slowly; at step 240 both jump, at 400 one of them leaves, from 500 on
the other one is skewed and its scale grows sixfold. Five readings are gross, wherever they fall.
"""

import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.colors import LinearSegmentedColormap, PowerNorm, to_rgba
from matplotlib.ticker import FuncFormatter, PercentFormatter

from driftlaw import Adaptive
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.info import AdaptiveHistory
from driftlaw.viz import png_of, write_whole
from driftlaw.viz.style import COLORS, INK, TRUTH, legend, new_figure

_SEED, _STEPS = 5, 900
_JUMP, _LEAVES, _SKEWED = 240, 400, 500
_EVENTS = {_JUMP: "both jump", _LEAVES: "one leaves", _SKEWED: "the other is skewed, and widens"}
_GROSS = {90: 16.0, 130: -11.0, 175: 17.0, 330: 13.0, 460: -12.5}
_NORMAL = np.array([-1.645, 0.0, 1.645])  # quantiles of 5, 50 and 95 %
_GRID = np.linspace(-14.0, 19.0, 265)
_TIMES = np.arange(_STEPS)
_KINDS = ("geometries", "windows", "carried windows", "skewed geometries")


class World(NamedTuple):
    """Points (n,) and three quantiles (n, 2, 3) of each group, NaN where there is none."""

    points: Array
    truth: Array


class Run(NamedTuple):
    """Density of each law on the grid (n, B), and what the points did."""

    density: Array
    history: AdaptiveHistory


def world() -> World:
    """Draw the stream of the picture."""
    rng, t = np.random.default_rng(_SEED), _TIMES
    level = 0.01 * np.minimum(t, _SKEWED) - 9.0 * (t >= _JUMP)
    scale = 0.6 * np.exp(1.8 * np.maximum(t - _SKEWED, 0) / (_STEPS - _SKEWED))
    is_second = rng.random(_STEPS) < np.where(t < _LEAVES, 0.4, 0.0)

    def groups(noise: Array) -> Array:
        skewed = level - 0.6 + scale * np.exp(0.7 * noise)
        first = np.where(t < _SKEWED, level + 0.6 * noise, skewed)
        return np.array([first, np.where(t < _LEAVES, level + 5.5 + 0.8 * noise, np.nan)])

    points = groups(rng.normal(size=_STEPS))[is_second.astype(int), t]
    points[list(_GROSS)] = list(_GROSS.values())
    truth = np.stack([groups(np.full(_STEPS, q)) for q in _NORMAL], axis=-1)
    truth[:, _JUMP] = np.nan  # a gap in the lines
    return World(points, truth.swapaxes(0, 1))


def run(points: Array) -> Run:
    """Ask for the law before each point, then learn it."""
    p, density = Adaptive(1), np.zeros((len(points), len(_GRID)))
    for t, z in enumerate(points):
        density[t] = p.predict().pdf(_GRID[:, None])
        p.learn_one([z])
    return Run(density, Adaptive(1).learn_many(points[:, None]))


def draw(stream: World, found: Run) -> Any:
    """Draw the law above, and what `Adaptive` says of itself below, on one axis of time."""
    heights = {"height_ratios": [4.4, 1.2, 1.2, 1.2]}
    figure, axes = new_figure(10.0, 8.2, 4, 1, sharex=True, gridspec_kw=heights)
    _draw_law(axes[0], stream, found)
    axes[1].plot(_TIMES, found.history.memory, color=COLORS[0], lw=1.4)
    axes[1].set(yscale="log", ylabel="memory", ylim=(1, 300), yticks=[1, 10, 100])
    _draw_surprise(axes[2], found.history)
    _draw_experts(axes[3], found.history)
    axes[3].set(xlabel="observation", xlim=(0, _STEPS))
    for ax in axes:
        for time in _EVENTS:
            ax.axvline(time, color=INK, lw=0.9, ls=":", alpha=0.8)
    for ax in axes[1:3]:
        ax.minorticks_off()
        ax.yaxis.set_major_formatter(FuncFormatter("{0:g}".format))
    figure.align_ylabels(axes)
    return figure


def _draw_law(ax: Any, stream: World, found: Run) -> None:
    ends = [to_rgba(COLORS[0], alpha) for alpha in (0.0, 1.0)]
    shades = LinearSegmentedColormap.from_list("law", ends, 40)
    norm, t = PowerNorm(0.5, vmin=0.0, vmax=0.5), _TIMES
    ax.pcolormesh(t, _GRID, found.density.T, cmap=shades, norm=norm, rasterized=True)
    ax.plot(t, stream.points, ".", color=INK, ms=2.8, alpha=0.8, label="observation")
    gross = np.array(list(_GROSS))
    ax.plot(gross, stream.points[gross], "o", mfc="none", color=INK, ms=8, label="gross reading")
    ax.plot(t, stream.truth[:, 0, 1], color=TRUTH, lw=1.3, label="truth: median, 5 % and 95 %")
    ax.plot(t, stream.truth[:, 1, 1], color=TRUTH, lw=1.3)
    for tail in (0, 2):
        ax.plot(t, stream.truth[:, :, tail], color=TRUTH, lw=0.7, alpha=0.7)
    ax.fill_between([], [], color=COLORS[0], alpha=0.6, lw=0, label="predicted density")
    for time, name in _EVENTS.items():
        where = {"textcoords": "offset points", "color": INK, "fontsize": 9}
        ax.annotate(name, (time, _GRID[-1]), (0, 4), annotation_clip=False, **where)
    ax.set(ylabel="value", ylim=(_GRID[0], _GRID[-1]))
    legend(ax, loc="lower right", ncols=2)


def _draw_surprise(ax: Any, history: AdaptiveHistory) -> None:
    ax.plot(_TIMES, history.p_value, ".", color=INK, ms=2.8, alpha=0.8)
    rang = _TIMES[history.is_alarm]
    ax.vlines(rang, 5e-4, 1.5, color=TRUTH, lw=1.4)
    ax.plot(rang, np.full(len(rang), 1e-3), "^", color=TRUTH, ms=7, label="alarm")
    ax.set(yscale="log", ylabel="p-value", ylim=(5e-4, 1.5), yticks=[0.001, 0.01, 0.1, 1.0])
    legend(ax, loc="lower left")


def _draw_experts(ax: Any, history: AdaptiveHistory) -> None:
    e = history.experts
    parts = (e[:, 0], e[:, 1:-2].sum(axis=1), e[:, -2], e[:, -1])
    ax.stackplot(_TIMES, *parts, colors=COLORS, labels=_KINDS, alpha=0.85, lw=0)
    ax.set(ylabel="weight in the law", ylim=(0, 1), yticks=[0, 0.5, 1])
    ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    legend(ax, loc="upper center", ncols=4, bbox_to_anchor=(0.5, -0.35))


def main(path: Path) -> None:
    """Write the picture."""
    stream = world()
    write_whole("picture", path, png_of(draw(stream, run(stream.points))))


if __name__ == "__main__":
    here = Path(__file__).parents[1] / "docs" / "images" / "adaptive.png"
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else here)
