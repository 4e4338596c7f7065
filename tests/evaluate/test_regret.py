"""Regret curves, twin runs and growth exponents against sums and closed forms."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from driftlaw.corruption import (
    Adversary,
    CorruptedStream,
    SparseOutliers,
    ToMidpoint,
    paper_smooth,
)
from driftlaw.errors import InputError
from driftlaw.evaluate import (
    W1,
    RegretTracker,
    columns,
    growth_exponent,
    prequential,
    regret_curves,
    twin_regret,
    twin_run,
)
from driftlaw.streams import smooth_drift
from tests.reference_predictors import Stubborn, Window


@settings(deadline=None)
@given(values=st.lists(st.floats(0, 1e6), min_size=1, max_size=30))
def test_tracker_and_curves_are_the_naive_sums(values: list[float]) -> None:
    tracker = RegretTracker()
    points = [tracker.add(value) for value in values]
    curves = regret_curves(values)
    for i, point in enumerate(points):
        total = sum(values[: i + 1])
        assert point.n == i + 1
        assert point.per_step == curves.per_step[i] == values[i]
        assert point.cumulative == pytest.approx(total)
        assert point.average == pytest.approx(total / (i + 1))
        assert point.log1p == pytest.approx(np.log(1 + total))
        np.testing.assert_allclose([c[i] for c in curves[1:]], point[2:], rtol=1e-12)


def test_curves_of_many_seeds_at_once() -> None:
    values = np.random.default_rng(0).random((3, 5))
    np.testing.assert_allclose(regret_curves(values).average[1], regret_curves(values[1]).average)


@pytest.mark.parametrize("bad", [-1.0, np.nan])
def test_regret_is_not_negative(bad: float) -> None:
    tracker = RegretTracker()
    tracker.add(1.0)
    with pytest.raises(InputError, match="value must be >= 0"):
        tracker.add(bad)
    assert tracker.add(1.0).average == 1.0  # unchanged by what was refused
    with pytest.raises(InputError, match="values must be"):
        regret_curves([1.0, bad])


@pytest.mark.parametrize("bad", ["a", [1.0, "a"], [[1.0], [1.0, 2.0]], None, {}])
def test_what_is_no_array_of_numbers_has_no_curves(bad: Any) -> None:
    with pytest.raises(InputError, match="values must be"):
        regret_curves(bad)


STREAMS = {
    "noise": lambda: paper_smooth(n_steps=40, rng=0),
    "outliers": lambda: CorruptedStream(
        smooth_drift(n_steps=40, rng=1), SparseOutliers(0.2, 8.0), rng=0
    ),
    "adversary": lambda: CorruptedStream(
        smooth_drift(n_steps=40, rng=2), Adversary(ToMidpoint(), 3.0, 15), rng=0
    ),
}


@pytest.mark.parametrize("name", sorted(STREAMS))
def test_a_twin_run_is_two_runs_and_their_distance(name: str) -> None:
    stream = STREAMS[name]()
    records = list(twin_run(lambda: Window(2, 8), stream))
    total = columns(prequential(Window(2, 8), stream, [W1()]))["w1"]
    clean = columns(prequential(Window(2, 8), stream.stream, [W1()]))["w1"]
    np.testing.assert_array_equal([r.total for r in records], total)
    np.testing.assert_array_equal([r.clean for r in records], clean)
    for record in records:
        between = record.on_observed.law.w1(record.on_clean.law)
        assert record.corruption == between
        assert record.total <= record.clean + record.corruption + 1e-9  # [eq:appendix-total-split]
        assert record.on_observed.step.t == record.on_clean.step.t == record.t
    assert records[0].corruption == 0.0
    assert max(r.corruption for r in records) > 0.1


def test_twin_regret_accumulates_all_three() -> None:
    records = list(twin_run(lambda: Window(2, 8), STREAMS["noise"]()))
    *_, last = twin_regret(records)
    for name in ("total", "clean", "corruption"):
        expected = sum(getattr(record, name) for record in records)
        assert getattr(last, name).cumulative == pytest.approx(expected)
        assert getattr(last, name).n == 40
    assert last.total.cumulative <= last.clean.cumulative + last.corruption.cumulative


def test_without_corruption_the_twins_are_one() -> None:
    for record in twin_run(lambda: Window(2, 8), smooth_drift(n_steps=20, rng=0)):
        assert record.total == record.clean
        assert record.corruption == 0.0


def test_corruption_of_one_step_is_forgotten_with_the_window() -> None:
    """The clean side never hears of it; the other side only while it remembers."""
    attack = Adversary(lambda past, clean: np.array([9.0, 0.0]) * (past.t == 10), 9.0)
    stream = CorruptedStream(smooth_drift(n_steps=30, rng=0), attack, rng=0)
    sides = [record.corruption for record in twin_run(lambda: Window(2, 5), stream)]
    assert [t for t, side in enumerate(sides) if side > 0] == [11, 12, 13, 14, 15]


def test_twins_that_are_not_twins_are_refused() -> None:
    means = iter([np.zeros(2), np.ones(2)])
    with pytest.raises(InputError, match="make_predictor must give the same predictor twice"):
        next(twin_run(lambda: Stubborn(next(means)), paper_smooth(n_steps=5, rng=0)))


@settings(deadline=None)
@given(exponent=st.floats(-2, 3), scale=st.floats(0.1, 100), n=st.integers(2, 8))
def test_a_power_law_has_its_exponent(exponent: float, scale: float, n: int) -> None:
    horizons = 10.0 * 2.0 ** np.arange(n)
    values = scale * np.outer([1.0, 2.0, 0.5], horizons**exponent)
    fit = growth_exponent(values, horizons)
    assert fit.value == pytest.approx(exponent, abs=1e-9)
    assert fit.lower == pytest.approx(exponent, abs=1e-6)
    np.testing.assert_allclose(fit.slopes, exponent, atol=1e-9)


def test_slopes_are_those_of_scipy() -> None:
    rng = np.random.default_rng(0)
    horizons = np.array([500, 1000, 4000])
    values = horizons**0.9 * np.exp(0.1 * rng.standard_normal((6, 3)))
    fit = growth_exponent(values, horizons, level=0.9)
    expected = [stats.linregress(np.log(horizons), np.log(row)).slope for row in values]
    np.testing.assert_allclose(fit.slopes, expected)
    interval = stats.t.interval(0.9, 5, np.mean(expected), stats.sem(expected))
    np.testing.assert_allclose((fit.lower, fit.upper), interval)
    assert fit.standard_error == pytest.approx(stats.sem(expected))


def test_the_interval_covers_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    horizons = np.array([100.0, 300.0, 1000.0])
    hits = 0
    for _ in range(600):
        fit = growth_exponent(horizons**0.8 * np.exp(0.2 * rng.normal(size=(5, 3))), horizons)
        hits += fit.lower < 0.8 < fit.upper
    assert stats.binomtest(hits, 600, 0.95).pvalue > 1e-3


def test_one_seed_gives_a_slope_and_no_interval() -> None:
    fit = growth_exponent([1.0, 2.0, 4.0], [1, 2, 4])
    assert fit.value == pytest.approx(1.0)
    assert (fit.lower, fit.upper) == (-np.inf, np.inf)


def test_curves_over_time_need_no_horizons() -> None:
    assert growth_exponent(np.sqrt(np.arange(1.0, 50.0))).value == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("values", "horizons", "word"),
    [
        ([[1.0, 0.0]], [1, 2], "values_by_seed must be"),
        ([[1.0, np.nan]], [1, 2], "values_by_seed must be"),
        ([[1.0]], [1], "values_by_seed must be"),
        ([[1.0, 2.0]], [2, 1], "horizons must be"),
        ([[1.0, 2.0]], [0, 1], "horizons must be"),
        ([[1.0, 2.0]], [1, 2, 3], "horizons must be"),
    ],
)
def test_bad_input_is_named(values: Any, horizons: Any, word: str) -> None:
    with pytest.raises(InputError, match=word):
        growth_exponent(values, horizons)
