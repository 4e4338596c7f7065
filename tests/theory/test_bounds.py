import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftlaw.errors import InputError
from driftlaw.schedules import Constant, Power, SqrtLog
from driftlaw.theory import (
    Ansatz,
    BoundReport,
    ClusterPrior,
    Problem,
    Space,
    bound,
    bound_curve,
    envelope,
    no_restart_bracket,
    restart_bracket,
    sharper_bound,
    spread_corruption,
)


def _problem(**values: Any) -> Problem:
    prior = ClusterPrior(
        dim=2, n_centers=2, max_centers=4, support_radius=2.0, oracle_norm=1.0, separation=1.0
    )
    space = Space.balls(data_radius=1.0, center_radius=2.0, predictive_radius=2.0)
    start: dict[str, Any] = {
        "horizon": 60,
        "space": space,
        "prior": prior,
        "schedule": Power(0.05, 0.5),
    }
    return Problem(**(start | values))


def _term(report: BoundReport, name: str) -> float:
    return next(term.value for term in report.terms if term.name == name)


def test_total_is_the_sum_of_the_theorem() -> None:
    marks = spread_corruption(60, 3)
    problem = _problem(restart_every=7, action=0.3, corrupted=marks, amplitude=0.01, growth=0.5)
    report = bound(problem)
    rates = envelope(problem.schedule, 7)
    bracket = restart_bracket(problem, rates).total
    # λ_a by age, Λ by hand: marks at 19, 39, 59 (from 0); H=7 segments start at 14, 35, 56
    hurt = 0.0
    for t in range(60):
        start = t - t % 7
        count = sum(start <= s < t for s in (19, 39, 59))
        hurt += 2 * math.expm1(2 * rates[t % 7] * 16 * 0.01 * count)
    clean = math.sqrt(60 * bracket / 0.5) + math.sqrt(60 * 0.3)
    assert report.total == pytest.approx(4.0 + hurt + clean)
    assert report.n_segments == 9
    assert "does not divide" in " ".join(report.notes)
    assert sum(term.share for term in report.terms) == pytest.approx(1.0)
    assert sum(term.contribution for term in report.terms) == pytest.approx(report.capped)
    assert report.dominating.contribution == max(t.contribution for t in report.terms)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 60), st.floats(0, 5), st.integers(0, 60))
def test_one_window_over_the_whole_horizon_is_no_restart(
    horizon: int, action: float, n_corrupted: int
) -> None:
    """With H = T the theorems agree term by term, but for T where the first has T - 1.

    Corruption and the five PAC-Bayes terms are equal; mismatch, lag and path length, all of the
    form √(n A), and the outer √n differ by √(T/(T-1)) exactly.
    """
    marks = spread_corruption(horizon, min(n_corrupted, horizon))
    problem = _problem(horizon=horizon, action=action, corrupted=marks, amplitude=0.02)
    whole = replace(problem, restart_every=horizon)
    rates = envelope(problem.schedule, horizon)
    ratio = math.sqrt(horizon / (horizon - 1))
    none, one = no_restart_bracket(problem, rates), restart_bracket(whole, rates)
    for (name, left), (_, right) in zip(none.items(), one.items(), strict=True):
        factor = ratio if name in ("mismatch", "lag") else 1.0
        assert right == pytest.approx(factor * left), name
    reports = [bound(problem), bound(whole)]
    assert _term(reports[0], "corruption") == _term(reports[1], "corruption")
    assert _term(reports[1], "drift") == pytest.approx(ratio * _term(reports[0], "drift"))
    assert reports[0].total <= reports[1].total <= ratio**1.5 * reports[0].total * (1 + 1e-12)
    # ours has T - 1 in both: no difference at all
    assert sharper_bound(problem).total == pytest.approx(sharper_bound(whole).total)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([None, 1, 4, 9]), st.sampled_from([0.0, 0.5, 1.0]), st.data())
def test_bounds_rise_with_horizon_amplitude_corruption_and_action(
    window: int | None, beta: float, data: st.DataObject
) -> None:
    horizon, longer = data.draw(st.integers(20, 60)), data.draw(st.integers(1, 12))
    first = data.draw(st.integers(0, 20))
    problem = _problem(
        horizon=horizon,
        restart_every=window,
        schedule=Power(0.05, beta),
        action=data.draw(st.floats(0, 3)),
        amplitude=data.draw(st.floats(0, 0.1)),
        corrupted=np.arange(horizon) < first,
    )
    worse = [
        replace(problem, action=problem.action + 0.5),
        replace(problem, amplitude=problem.amplitude + 0.05),
        replace(problem, corrupted=np.arange(horizon) < first + 3),
        replace(problem, horizon=horizon + longer, corrupted=np.arange(horizon + longer) < first),
    ]
    for compute in (bound, sharper_bound):
        total = compute(problem).total
        for harder in worse:
            assert compute(harder).total >= total * (1 - 1e-12)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 80),
    st.sampled_from([None, 1, 3, 10]),
    st.sampled_from([Power(0.05, 0.5), Power(1.0, 1.5), Constant(0.3), Power(1e-4, 0.0)]),
    st.floats(0, 3),
    st.floats(0, 2),
)
def test_ours_is_never_above_the_paper(
    horizon: int, window: int | None, schedule: Power, action: float, amplitude: float
) -> None:
    if window is not None and window > horizon:
        window = horizon
    problem = _problem(
        horizon=horizon,
        restart_every=window,
        schedule=schedule,
        action=action,
        amplitude=amplitude,
        corrupted=np.ones(horizon, bool),
    )
    paper, ours = bound(problem), sharper_bound(problem)
    assert ours.total <= paper.capped * (1 + 1e-12) <= paper.total * (1 + 1e-11)


def test_the_envelope_is_said_and_pays_for_the_printed_schedule() -> None:
    report = bound(_problem(schedule=SqrtLog(0.1), restart_every=10))
    assert "smallest non-increasing majorant" in report.notes[0]
    assert "holds for the schedule itself" in report.notes[0]
    assert bound(_problem()).notes == ()


def test_infinity_is_said_and_survives_json() -> None:
    problem = _problem(horizon=400, corrupted=np.ones(400, bool), amplitude=2.0)
    report = bound(replace(problem, schedule=Constant(1.0)))
    assert report.total == math.inf
    assert np.isfinite(report.capped)
    assert "exceeds the largest float" in report.notes[-1]
    read = json.loads(report.to_json())
    assert read["total"] == "inf"
    assert read["horizon"] == 400
    assert len(read["terms"]) == len(report.terms) == 10
    assert "inf" in str(report)


def test_table_and_text_hold_every_term() -> None:
    report = bound(_problem(action=0.1))
    table = report.table()
    assert table["name"][:3] == ["first_step", "corruption", "drift"]
    text = report.to_text()
    assert all(str(name) in text for name in table["name"])
    assert report.is_vacuous == (report.capped >= 4.0 * 60)
    assert ("Vacuous" in text) == report.is_vacuous
    assert "Vacuous" not in replace(report, trivial=math.inf).to_text()


def test_curve_follows_the_exponents() -> None:
    """The path length grows from T = 10⁴ to 1.6·10⁵ with its exponent."""
    ansatz = Ansatz(action=0.2, decay=0.5, window=0.25)
    problem = _problem(horizon=10_000, restart_every=10, action=0.5, local_radius=0.1)
    curve = bound_curve(problem, [10_000, 40_000, 160_000], ansatz)
    slope = np.log(curve["drift"][-1] / curve["drift"][0]) / math.log(16)
    assert slope == pytest.approx(0.6)  # (1 + a)/2
    assert curve["trivial"].tolist() == [4e4, 1.6e5, 6.4e5]
    assert (curve["sharper"] <= curve["total"]).all()


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ({"amplitude": -0.1}, "bounded by delta"),
        ({"action": -1.0}, "action"),
        ({"growth": 0.0}, "growth"),
        ({"failure_probability": 0.0}, "failure_probability"),
        ({"failure_probability": 1.0}, "failure_probability"),
        ({"restart_every": 61}, "restart_every"),
        ({"restart_every": 0}, "restart_every"),
        ({"first_step": 5.0}, "first_step"),
        ({"corrupted": np.zeros(3, bool)}, "corrupted"),
        ({"local_radius": math.nan}, "local_radius"),
        ({"predictive_lipschitz": math.inf}, "predictive_lipschitz"),
    ],
)
def test_problems_outside_the_assumptions(values: dict[str, Any], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        _problem(**values)


def test_a_diameter_too_small_for_the_loss_is_refused() -> None:
    """Centres on the ball of radius 2R and D = 2R: the loss reaches 9R² > D²."""
    with pytest.raises(InputError, match="bounded support"):
        Space(
            diameter=2.0,
            data_diameter=2.0,
            center_diameter=4.0,
            predictive_diameter=2.0,
            reach=3.0,
        )
    assert Space.balls(data_radius=1.0, center_radius=2.0, predictive_radius=1.0).diameter == 3.0


def test_an_increasing_schedule_is_refused() -> None:
    with pytest.raises(InputError, match="non-increasing"):
        bound(_problem(schedule=lambda age: 0.01 * age))


def test_a_space_too_small_for_the_prior_is_said() -> None:
    # centres up to 2, the oracle at 1 among the data: up to 3 apart
    for compute in (bound, sharper_bound):
        assert "may be 3 from a data point" in compute(_problem(space=Space.common(2.0))).notes[-1]
        assert "assumption" not in " ".join(compute(_problem(space=Space.common(3.0))).notes)


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ({"horizon": 10**9}, "horizon must be <="),
        ({"failure_probability": "a"}, "failure_probability must be a number"),
        ({"space": lambda: Space.common(1e200)}, "diameter must be <="),
    ],
)
def test_values_beyond_reason_are_refused(values: dict[str, Any], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        _problem(**{name: v() if callable(v) else v for name, v in values.items()})


@pytest.mark.parametrize("rate", [None, "0.5", math.inf])
def test_a_schedule_must_give_rates(rate: Any) -> None:
    with pytest.raises(InputError, match="schedule must give finite rates"):
        bound(_problem(schedule=lambda _age: rate))
