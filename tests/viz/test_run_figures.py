"""Pictures show the numbers they are given, and change nothing outside themselves."""

import subprocess
import sys
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

from driftlaw._validate import Array
from driftlaw.viz import draw_centers, draw_laws, draw_mixing, draw_regret
from driftlaw.viz.style import axes_or_new


def _table(seed: int) -> dict[str, Array]:
    rng = np.random.default_rng(seed)
    columns = {name: rng.uniform(size=6) for name in ("w1", "cumulative", "average", "k")}
    return columns | {
        "t": np.arange(0.0, 42.0, 7.0),
        "acceptance": np.array([np.nan, 0.1, np.nan, 0.3, 0.2, np.nan]),
        "density": rng.uniform(size=(6, 5)),
        "center_t": np.arange(9.0),
        "centers": rng.normal(size=(9, 2)),
    }


TABLES = {"first": _table(0), "second": _table(1), "third": _table(2)}
WORLD = {
    "t": np.arange(40.0),
    "observed": np.random.default_rng(3).normal(size=(40, 2)),
    "centers": np.random.default_rng(4).normal(size=(40, 2, 2)),
    "edges": np.linspace(-2.0, 3.0, 6),
}


def _lines(ax: Any) -> dict[str, list[list[float]]]:
    return {line.get_label(): np.transpose(line.get_data()).tolist() for line in ax.lines}


def _pairs(x: Array, y: Array) -> list[list[float]]:
    return np.column_stack([x, y]).tolist()  # type: ignore[no-any-return]


def test_regret_draws_each_column_once_per_run_under_one_legend() -> None:
    figure = draw_regret(TABLES)
    for ax, column in zip(figure.axes, ("w1", "cumulative", "average"), strict=True):
        given = {name: _pairs(table["t"], table[column]) for name, table in TABLES.items()}
        assert _lines(ax) == given
        assert ax.get_legend() is None
        assert ax.get_ylim()[0] == 0
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == list(TABLES)


def test_legend_stands_above_all_axes() -> None:
    figure = draw_regret(TABLES)
    figure.canvas.draw()
    lowest = figure.legends[0].get_window_extent().y0
    assert all(ax.get_window_extent().y1 < lowest for ax in figure.axes)


def test_mixing_leaves_out_steps_without_proposals_and_runs_without_any() -> None:
    silent = _table(5) | {"acceptance": np.full(6, np.nan)}
    figure = draw_mixing(TABLES | {"silent": silent})
    lines = _lines(figure.axes[1])
    assert lines["first"] == [[7.0, 0.1], [21.0, 0.3], [28.0, 0.2]]
    assert "silent" not in lines
    assert "silent" in _lines(figure.axes[0])


def test_laws_are_shaded_on_one_scale_with_the_truth_on_top() -> None:
    figure = draw_laws(TABLES, WORLD)
    shown = [ax for ax in figure.axes if ax.axison]
    assert [ax.get_title() for ax in shown] == list(TABLES)
    (gap,) = [ax for ax in figure.axes if not ax.axison]  # three runs in four places
    words = [text.get_text() for text in gap.get_legend().get_texts()]
    assert words[:2] == ["true centres", "observations"]
    limits = set()
    for ax, table in zip(shown, TABLES.values(), strict=True):
        (mesh,) = ax.collections
        np.testing.assert_array_equal(np.asarray(mesh.get_array()), table["density"].T)
        corners = mesh.get_coordinates()
        assert corners[0, :, 0].tolist() == [0, 7, 14, 21, 28, 35, 42]
        assert corners[:, 0, 1].tolist() == WORLD["edges"].tolist()
        limits.add(mesh.get_clim())
        observed, *paths = ax.lines
        assert observed.get_ydata().tolist() == WORLD["observed"][:, 0].tolist()
        drawn = [path.get_ydata().tolist() for path in paths]
        assert drawn == WORLD["centers"][:, :, 0].T.tolist()
        assert ax.get_ylim() == (-2.0, 3.0)
    assert len(limits) == 1


def test_centers_are_drawn_where_they_are() -> None:
    figure = draw_centers(TABLES, WORLD)
    for ax, table in zip(figure.axes, TABLES.values(), strict=False):
        (cloud,) = ax.collections
        np.testing.assert_array_equal(cloud.get_offsets(), table["centers"])
        np.testing.assert_array_equal(cloud.get_array(), table["center_t"])
        paths = [np.transpose(line.get_data()) for line in ax.lines]
        np.testing.assert_array_equal(paths, WORLD["centers"].swapaxes(0, 1))


def test_given_axes_are_used_and_new_ones_are_dressed() -> None:
    ax = axes_or_new(None)
    assert axes_or_new(ax) is ax
    assert ax.patch.get_alpha() == 0.0


@pytest.mark.parametrize("draw", [draw_regret, draw_mixing])
def test_settings_of_matplotlib_stay_as_they_were(draw: Any) -> None:
    before = dict(mpl.rcParams)
    draw(TABLES)
    assert dict(mpl.rcParams) == before


def test_pyplot_is_never_loaded() -> None:
    code = """
import sys, io
import numpy as np
from driftlaw.viz import Page, draw_regret, draw_shares
t = np.arange(3.0)
page = Page("x")
page.figure(draw_regret({"a": {"t": t, "w1": t, "cumulative": t, "average": t}}), "a picture")
page.figure(draw_shares({"name": ["a"], "share": [1.0]}).figure, "a picture")
print("matplotlib.pyplot" in sys.modules, "matplotlib.figure" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == ["False", "True"]
