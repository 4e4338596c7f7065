import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftlaw.errors import InputError
from driftlaw.schedules import Power, SqrtLog
from driftlaw.theory import (
    Bracket,
    ClusterPrior,
    Problem,
    Space,
    best_local_radius,
    bound,
    clean_term,
    comparator_complexity,
    learning_to_yesterday,
    no_restart_bracket,
    restart_bracket,
    schedule_rates,
    sharper_bound,
    sharper_bracket,
)


def _problem(**values: Any) -> Problem:
    # one centre on a ball of radius 2 in the plane, k certain: C(r) = 2 log(2/r)
    prior = ClusterPrior(dim=2, n_centers=1, max_centers=1, support_radius=2.0)
    start: dict[str, Any] = {
        "horizon": 8,
        "space": Space.common(2.0),
        "prior": prior,
        "local_radius": 0.5,
    }
    return Problem(**(start | {"failure_probability": 0.1} | values))


RATES = np.array([0.5, 0.25, 0.25, 0.125])


def test_no_restart_bracket_by_hand() -> None:
    """T=4, D=2, r=0.5: C = 2 log 4 = 2.7725887; log(2/δ0) = log 20 = 2.9957323; A=3."""
    got = no_restart_bracket(_problem(horizon=4, action=3.0), RATES)
    assert got.localization == pytest.approx(8.0)  # L_c T r = 4·4·0.5
    assert got.complexity == pytest.approx(68.327277)  # (2·2.7725887 + 2.9957323)/0.125
    assert got.learning_rate == pytest.approx(9.0)  # 16/2 · 1.125
    assert got.deviation == pytest.approx(1.0)  # 16·4·0.125/8
    assert got.confidence == pytest.approx(9.790980)  # 4·√(2·2.9957323)
    assert got.mismatch == pytest.approx(192.0)  # 8·2·4·√(3·3)
    assert got.lag == pytest.approx(48.0)  # 8·2·√(3·3)
    assert got.total == pytest.approx(336.118257)


def test_restart_bracket_by_hand() -> None:
    """T=8, H=4, m=2, otherwise as above; A=2 so that √(T A) = 4."""
    got = restart_bracket(_problem(restart_every=4, action=2.0), RATES)
    assert got.localization == pytest.approx(16.0)  # 4·8·0.5
    assert got.complexity == pytest.approx(112.688697)  # (2·2·2.7725887 + 2.9957323)/0.125
    assert got.learning_rate == pytest.approx(18.0)  # 16/2 · 2 · 1.125
    assert got.deviation == pytest.approx(2.0)  # 16·8·0.125/8
    assert got.confidence == pytest.approx(13.846537)  # 4·√(4·2.9957323)
    assert got.mismatch == pytest.approx(256.0)  # 8·2·4·4
    assert got.lag == pytest.approx(64.0)  # 8·2·4


def test_segments_are_counted_up_when_the_window_does_not_divide() -> None:
    whole = restart_bracket(_problem(restart_every=4), RATES)
    more = restart_bracket(_problem(horizon=9, restart_every=4), RATES)
    # m = 3 in place of 9/4
    assert more.learning_rate == pytest.approx(whole.learning_rate * 3 / 2)
    kl = comparator_complexity(_problem().prior, 0.5)
    assert more.complexity - whole.complexity == pytest.approx(2 * kl / 0.125)


def test_clean_terms_by_hand() -> None:
    names = ("localization", "complexity", "learning_rate", "deviation", "confidence")
    bracket = Bracket(**dict.fromkeys((*names, "mismatch", "lag"), 1.0))  # total 7
    still = _problem(action=4.0, growth=0.25, predictive_lipschitz=3.0)
    # 3/√0.25 · √(7·7) + √(7·4) = 42 + 5.2915026
    assert clean_term(still, bracket) == pytest.approx(47.2915026)
    # with restart T in place of T-1: 6·√(8·7) + √(8·4)
    restarted = replace(still, restart_every=4)
    assert clean_term(restarted, bracket) == pytest.approx(6 * math.sqrt(56) + math.sqrt(32))
    assert learning_to_yesterday(6.0, 7, 7.0) == pytest.approx(42.0)


def test_sharper_bracket_by_hand() -> None:
    """T=8, H=4, centre norm 0, b = 4: see each line."""
    problem = _problem(restart_every=4, action=2.0, failure_probability=0.1)
    got = sharper_bracket(problem, RATES / 64)
    # per segment C/λ = 2.7725887·64/0.125 = 1419 is more than 4·4 = 16: the cap is paid, twice
    assert got.complexity == pytest.approx(32.0)
    assert got.localization == got.learning_rate == 0.0
    assert got.confidence == pytest.approx(4 * math.sqrt(16 * math.log(10)))
    # 2·2·√(2·(1+4+9))·√2
    assert got.mismatch == pytest.approx(4 * math.sqrt(56))
    assert got.deviation == got.lag == 0.0
    strong = sharper_bracket(_problem(restart_every=4), 4 * RATES)
    assert strong.localization == pytest.approx(8 * 0.5**2 * 2 / 4)  # T r² d/(kd+2)
    assert strong.complexity == pytest.approx(2 * 2.7725887 / 0.5)
    assert strong.learning_rate == pytest.approx(2 * 16 / 8 * 4.5)


def test_rates_that_rise_are_refused_by_the_paper_and_paid_by_ours() -> None:
    rising = schedule_rates(SqrtLog(40.0), 4)
    with pytest.raises(InputError, match="non-increasing"):
        restart_bracket(_problem(restart_every=4), rising)
    flat = np.full(4, rising[-1])
    problem = _problem(restart_every=4)
    mild = schedule_rates(SqrtLog(1.0), 4)
    # two segments of (b⁴/8)Σλ and more, for the rise
    assert sharper_bracket(problem, mild).learning_rate > 2 * 16 / 8 * mild.sum() * 1.01
    # far too strong a rate: each segment pays the range of its losses, 4·4
    assert sharper_bracket(problem, rising).complexity == pytest.approx(32.0)
    assert sharper_bracket(problem, flat).total > 0


def test_best_radius_is_the_minimiser() -> None:
    problem = _problem(horizon=400, restart_every=4, local_radius=None)
    radius = best_local_radius(problem, 1.0)

    def cost(r: float) -> float:
        bracket = restart_bracket(replace(problem, local_radius=r), np.ones(4))
        return bracket.localization + bracket.complexity

    assert radius == pytest.approx(2 * 100 * 2 / (4 * 400))
    assert cost(radius) <= min(cost(0.98 * radius), cost(1.02 * radius))


@settings(max_examples=40, deadline=None)
@given(st.floats(0.1, 20), st.floats(0, 3), st.integers(1, 12), st.floats(0, 1))
def test_homogeneous_under_rescaling_of_space(
    scale: float, action: float, window: int, amplitude: float
) -> None:
    """x → s·x: D, δ, r scale as s, A as s², λ as 1/s²; brackets as s², the bound as s."""
    marks = np.arange(12) % 3 == 0
    values: dict[str, Any] = {"horizon": 12, "restart_every": window, "corrupted": marks}
    small = _problem(**values, action=action, amplitude=amplitude, schedule=Power(0.1, 0.5))
    large = replace(
        small,
        space=Space.common(2.0 * scale),
        prior=replace(small.prior, support_radius=2.0 * scale),
        schedule=Power(0.1 / scale**2, 0.5),
        action=action * scale**2,
        amplitude=amplitude * scale,
        local_radius=0.5 * scale,
    )
    for compute in (bound, sharper_bound):
        one, other = compute(small), compute(large)
        assert other.total == pytest.approx(scale * one.total, rel=1e-9)
        assert other.capped == pytest.approx(scale * one.capped, rel=1e-9)
        shares = [[t.share for t in report.terms] for report in (one, other)]
        assert shares[0] == pytest.approx(shares[1], rel=1e-8, abs=1e-12)
