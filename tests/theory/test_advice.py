import math
from dataclasses import replace
from typing import Any

import pytest

from driftlaw.errors import InputError
from driftlaw.schedules import Constant, SqrtLog
from driftlaw.theory import (
    BoundFlags,
    ClusterPrior,
    Problem,
    Space,
    advise,
    bound,
    problem_from_flags,
    problem_from_manifest,
)


def _problem(**values: Any) -> Problem:
    prior = ClusterPrior(dim=1, n_centers=1, max_centers=2, support_radius=2.0, oracle_norm=1.0)
    start: dict[str, Any] = {"horizon": 2000, "space": Space.common(2.0), "prior": prior}
    return Problem(**(start | values))


def test_advice_is_the_best_of_its_candidates_and_says_so() -> None:
    problem = _problem(action=0.5, amplitude=0.05)
    advice = advise(problem, corruption_rate=0.005, windows=[5, 20, 80, 2000], decays=[0.0, 0.5])
    assert advice.restart_every in (5, 20, 80, None)
    chosen = replace(problem, schedule=advice.schedule, restart_every=advice.restart_every)
    same = advise(chosen, corruption_rate=0.005, windows=[5], decays=[0.5])
    assert advice.certified.total <= same.certified.total
    assert advice.certified.total <= advice.printed.total
    assert advice.asymptotic is not None
    text = str(advice)
    assert "T=2000" in text
    assert "Certified" in text
    assert f"beta={advice.schedule.beta:g}" in text


def test_more_drift_asks_for_a_shorter_window() -> None:
    windows = [
        advise(_problem(horizon=20_000, action=action), decays=[0.5]).restart_every or 20_000
        for action in (0.0, 1.0, 100.0)
    ]
    assert windows == sorted(windows, reverse=True)
    assert windows[0] == 20_000
    assert windows[-1] < windows[0]


def test_advice_without_a_regime_names_the_assumption() -> None:
    advice = advise(_problem(amplitude=0.1), corruption_rate=1.0, windows=[10], decays=[0.5])
    assert advice.asymptotic is None
    assert "gamma < beta < 1" in advice.reason
    drifting = advise(_problem(action=4.0 * 2000**1.1), windows=[10], decays=[0.5])
    assert "a < 1" in drifting.reason
    with pytest.raises(InputError, match="corruption_rate"):
        advise(_problem(), corruption_rate=1.5)
    with pytest.raises(InputError, match="must not be empty"):
        advise(_problem(), windows=[])


def test_flags_build_the_problem_they_name() -> None:
    flags = BoundFlags(
        horizon=300, restart_every=20, schedule="constant", scale=0.02, radius=1.0, action=0.1
    )
    problem = flags.problem()
    assert problem.schedule == Constant(0.02)
    assert problem.prior.support_radius == 2.0
    assert problem.space == Space.balls(data_radius=1.0, center_radius=2.0, predictive_radius=2.0)
    named = {"restart_every": 20, "schedule": "constant", "scale": 0.02, "radius": 1.0}
    assert bound(problem_from_flags(horizon=300, action=0.1, **named)) == bound(problem)
    assert BoundFlags().problem().schedule == SqrtLog(0.1)
    assert BoundFlags(diameter=10.0).problem().space == Space.common(10.0)
    assert BoundFlags(corruption_rate=0.1).problem().n_corrupted == 50


def test_printed_smooth_experiment_is_infinite_only_without_restart() -> None:
    printed: dict[str, Any] = {"amplitude": math.sqrt(2), "corruption_rate": 1.0}
    whole = bound(problem_from_flags(**printed))
    assert whole.total == math.inf  # D = 4R = 20 here: exponent twice the 631 of D = 10
    assert math.isfinite(bound(problem_from_flags(**printed, restart_every=10)).total)
    assert whole.is_vacuous


def test_manifest_top_level_or_table() -> None:
    run = {"seed": 3, "horizon": 100, "restart_every": 10, "started": "now"}
    one = bound(problem_from_manifest(run))
    table = {"bound": {"horizon": 100, "restart_every": 10}, "horizon": 7}
    other = bound(problem_from_manifest(table))
    assert one == other
    with pytest.raises(InputError, match="unknown value 'seed'"):
        problem_from_manifest({"bound": {"seed": 1}})
    with pytest.raises(InputError, match="horizon"):
        problem_from_manifest({"seed": 1})


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ({"schedule": "linear"}, "schedule must be one of"),
        ({"n_centers": 9}, "max_centers"),
        ({"amplitude": -1.0}, "delta"),
        ({"n_corrupted": 3, "corruption_rate": 0.1}, "not both"),
        ({"n_corrupted": 501}, "horizon"),
        ({"horizon": 2.5}, "horizon"),
        ({"horizon": 10**11}, "horizon must be <="),
        ({"radius": -1.0}, "radius must be"),
        ({"corruption_rate": 2.0}, "corruption_rate must be in"),
        ({"restart_every": 2}, "positive"),  # the printed schedule is 0 at ages 0 and 1
        ({"nonsense": 1}, "unknown value"),
    ],
)
def test_bad_flags(values: dict[str, Any], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        bound(problem_from_flags(**values))
