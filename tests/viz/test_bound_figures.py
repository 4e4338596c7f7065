import numpy as np
import pytest

from driftlaw.errors import InputError
from driftlaw.theory import BoundFlags, admissible_region, bound, bound_curve
from driftlaw.viz.bounds import draw_bound, draw_bound_curve, draw_region, draw_shares


def test_curve_shows_every_finite_line_and_the_measured_points() -> None:
    problem = BoundFlags(horizon=200, restart_every=10, action=0.1).problem()
    curve = bound_curve(problem, [100, 200, 400])
    axes = draw_bound_curve(curve, {"horizon": [100, 200], "regret": [50.0, 90.0]})
    lines = {line.get_label(): line for line in axes.lines}
    assert set(lines) == {
        "as printed", "at most D per step", "sharper constants", "D per step", "measured regret",
    }  # fmt: skip
    assert lines["sharper constants"].get_ydata().tolist() == curve["sharper"].tolist()
    assert lines["measured regret"].get_ydata().tolist() == [50.0, 90.0]


def test_report_is_a_figure_of_curve_and_shares() -> None:
    problem = BoundFlags(horizon=200, restart_every=10, action=0.1).problem()
    curve = bound_curve(problem, [100, 200])
    figure = draw_bound(bound(problem).table(), curve, {"horizon": [100], "regret": [50.0]})
    left, right = figure.axes
    assert "measured regret" in [line.get_label() for line in left.lines]
    assert len(right.patches) == 10


def test_infinite_line_is_left_out() -> None:
    curve = {name: np.array([1.0, 2.0]) for name in ("horizon", "capped", "sharper", "trivial")}
    axes = draw_bound_curve(curve | {"total": np.array([np.inf, np.inf])})
    assert "as printed" not in [line.get_label() for line in axes.lines]


def test_shares_and_region() -> None:
    report = bound(BoundFlags(horizon=200, action=0.1).problem())
    bars = draw_shares(report.table()).patches
    assert sum(bar.get_width() for bar in bars) == pytest.approx(100.0)
    axes = draw_region(admissible_region(0.2, 0.1, n_grid=11))
    assert axes.get_xlabel().startswith("beta")
    with pytest.raises(InputError, match="decay"):
        draw_region({})
