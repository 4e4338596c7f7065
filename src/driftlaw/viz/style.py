"""One style for all pictures: figures that read well on a light and on a dark page."""

import io
from typing import Any

from driftlaw._validate import require

INK = "#5b6472"  # text and axes; a page swaps it for the other one on a dark ground
INK_ON_DARK = "#aab2bf"
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


def png_of(figure: Any) -> bytes:
    """Return a figure as a PNG picture on white."""
    figure.patch.set_alpha(1.0)  # the ink is for a light ground, wherever the picture is shown
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, facecolor="white")
    return buffer.getvalue()


def svg_of(figure: Any) -> bytes:
    """Return a figure as an SVG picture, the same bytes for the same figure."""
    buffer = io.BytesIO()
    with require("matplotlib", "plot").rc_context({"svg.hashsalt": "driftlaw"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None}, dpi=160)
    return buffer.getvalue()


def axes_or_new(ax: Any) -> Any:
    """Return ``ax``, or the only axes of a new figure when it is None."""
    return new_figure(6, 4, 1, 1)[1] if ax is None else ax


def legend(owner: Any, **options: Any) -> None:
    """Add a legend without a frame to axes or to a whole figure."""
    owner.legend(frameon=False, fontsize=9, labelcolor=INK, **options)


def shared_legend(figure: Any, per_row: int = 6) -> None:
    """Name every line once, above all axes, in the order of drawing."""
    named: dict[str, Any] = {}
    for ax in figure.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            named.setdefault(label, handle)
    if named:
        where = {"loc": "outside upper left", "ncols": min(per_row, len(named))}
        legend(figure, handles=list(named.values()), labels=list(named), **where)


def color_bar(shown: Any, axes: Any, label: str) -> None:
    """Add a colour bar for what is ``shown`` beside the axes."""
    bar = shown.figure.colorbar(shown, ax=axes, label=label)
    bar.outline.set_visible(False)
    bar.solids.set_alpha(1.0)
    bar.ax.tick_params(labelsize=8, colors=INK)
    bar.ax.yaxis.label.set(color=INK, fontsize=9)
