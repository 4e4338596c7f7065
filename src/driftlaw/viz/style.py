"""One style for all pictures: figures that read well on a light and on a dark page."""

from typing import Any

from driftlaw._validate import require

INK = "#7f8794"  # grey text and axes, legible on white and on near-black
TRUTH = "#c0392b"
OBSERVED = "#9aa3b2"
COLORS = ("#3b6fb6", "#d98324", "#2a9d8f", "#8e5ea2", "#b5536c", "#6b8e23")


def new_figure(width: float, height: float, *shape: int, **options: Any) -> tuple[Any, Any]:
    """Make a transparent figure and its axes, without touching any global state.

    Parameters
    ----------
    width, height : inches
    shape : rows and columns of axes
    options : passed on to ``Figure.subplots``
    """
    figures = require("matplotlib.figure", "plot")
    figure = figures.Figure(figsize=(width, height), layout="constrained")
    figure.patch.set_alpha(0.0)
    axes = figure.subplots(*shape, **options)
    for ax in figure.axes:
        dress(ax)
    return figure, axes


def dress(ax: Any) -> None:
    """Give axes the house's colours and a light grid."""
    ax.patch.set_alpha(0.0)
    ax.grid(visible=True, color=INK, alpha=0.18, linewidth=0.6)
    ax.tick_params(colors=INK, labelsize=8)
    for spine in ax.spines.values():
        spine.set_color(INK)
        spine.set_alpha(0.4)
    for text in (ax.title, ax.xaxis.label, ax.yaxis.label):
        text.set_color(INK)
        text.set_fontsize(9)


def legend(ax: Any, **options: Any) -> None:
    """Add a legend without a frame."""
    ax.legend(frameon=False, fontsize=8, labelcolor=INK, **options)
