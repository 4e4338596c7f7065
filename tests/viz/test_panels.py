"""Panels show what their tables say."""

import numpy as np
import pytest

from driftlaw.viz import Panel, draw_panels, png_of, svg_of

TABLE = {
    "series": np.array(["a", "a", "b", "b"]),
    "x": np.array([1.0, 2.0, 1.0, 2.0]),
    "y": np.array([3.0, 4.0, 5.0, 6.0]),
    "lower": np.array([2.0, 3.0, np.nan, np.nan]),
    "upper": np.array([4.0, 5.0, np.nan, np.nan]),
}
PANEL = Panel("p", "a title", "steps", "regret", TABLE, marks=(1.5,))


def test_lines_bands_and_marks_are_those_of_the_table() -> None:
    (ax,) = draw_panels([PANEL]).axes
    named = {line.get_label(): line.get_xydata().tolist() for line in ax.lines}
    assert named["a"] == [[1.0, 3.0], [2.0, 4.0]]
    assert named["b"] == [[1.0, 5.0], [2.0, 6.0]]
    (band,) = ax.collections  # a line without bounds has none
    assert {tuple(point) for point in band.get_paths()[0].vertices} >= {(1.0, 2.0), (2.0, 5.0)}
    assert ax.lines[-1].get_xdata() == [1.5, 1.5]
    assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == ("a title", "steps", "regret")


@pytest.mark.parametrize(("n", "shape"), [(1, (1, 1)), (2, (1, 2)), (4, (2, 2)), (6, (2, 3))])
def test_panels_stand_in_rows(n: int, shape: tuple[int, int]) -> None:
    figure = draw_panels([PANEL] * n)
    grid = figure.axes[0].get_gridspec()
    assert (grid.nrows, grid.ncols) == shape
    assert sum(ax.get_visible() for ax in figure.axes) == n
    assert len(figure.legends[0].get_texts()) == 2


def test_scales_are_those_asked_for() -> None:
    (ax,) = draw_panels([PANEL._replace(x_scale="log", y_scale="log")]).axes
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_same_panel_same_bytes() -> None:
    first, second = (draw_panels([PANEL]) for _ in range(2))
    assert svg_of(first) == svg_of(second)
    assert png_of(first) == png_of(second)
