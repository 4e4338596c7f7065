import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from driftlaw.errors import InputError
from driftlaw.schedules import SqrtLog
from driftlaw.theory import (
    LineWorld,
    check_exponential_weights,
    check_gibbs,
    check_lagged,
    check_mismatch,
    check_risk_shift,
    check_tv_to_w1,
    gibbs,
    gibbs_tv_bound_sharper,
    lemma_table,
    rise_penalty,
    schedule_rates,
)


def _world(seed: int, n: int = 5, k: int = 2, q: int = 4) -> tuple[LineWorld, np.random.Generator]:
    rng = np.random.default_rng(seed)
    points = np.sort(rng.uniform(-1, 1, size=q))
    return LineWorld(rng.uniform(-1, 1, (n, k)), rng.dirichlet(np.ones(n)), points), rng


def test_distances_on_the_line_agree_with_scipy_and_sorting() -> None:
    world, rng = _world(3)
    p, q = rng.dirichlet(np.ones(4), size=2)
    expected = wasserstein_distance(world.atoms, world.atoms, p, q)
    assert world.w1(p, q) == pytest.approx(expected)
    # equal weights on 2 and 2 of 4 points: sorted coupling of (x0, x1) with (x2, x3)
    x = world.atoms
    halves = np.array([0.5, 0.5, 0, 0]), np.array([0, 0, 0.5, 0.5])
    expected = 0.5 * ((x[0] - x[2]) ** 2 + (x[1] - x[3]) ** 2)
    assert world.w2_squared(*halves) == pytest.approx(expected)


def test_every_lemma_holds_on_many_worlds() -> None:
    checks = lemma_table(200, rng=1)
    assert len(checks) == 1200
    assert [check for check in checks if not check.holds] == []
    for name in {check.name for check in checks}:  # and none of them is idle
        rows = [c for c in checks if c.name == name and 0 < c.left < math.inf]
        assert min(c.sharper_ratio for c in rows) < 7


@given(st.floats(0.01, 12))
def test_tanh_is_attained_by_two_points(width: float) -> None:
    """Scores that differ by ±B, prior mass e^{-λB}·/(1+…) on one of them: equality."""
    # ρ(+) = 1/(1+e^{osc/2}), the extremal weight of the proof; energies 0, other energies ∓osc
    weight = 1 / (1 + math.exp(width / 2))
    prior = np.array([weight, 1 - weight])
    other = gibbs(prior, np.array([-width, 0.0]))
    distance = 0.5 * np.abs(other - prior).sum()
    assert distance == pytest.approx(gibbs_tv_bound_sharper(1.0, width), rel=1e-9)


@given(st.integers(0, 10_000), st.floats(0.01, 5))
def test_tanh_holds_for_any_finite_gibbs_pair(seed: int, spread: float) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    prior, base = rng.dirichlet(np.full(n, 0.5)), rng.normal(size=n)
    change = spread * rng.normal(size=n)
    distance = 0.5 * np.abs(gibbs(prior, base) - gibbs(prior, base + change)).sum()
    assert distance <= gibbs_tv_bound_sharper(1.0, float(np.ptp(change))) * (1 + 1e-9)


def test_gibbs_check_by_hand() -> None:
    # one centre at 0 or 1, even prior; x = 0 gives losses (0, 1), x̃ = 1 gives (1, 0); λ = 1.
    # posteriors (σ, 1-σ) and (1-σ, σ), σ = 1/(1+e^{-1}) = 0.731059: TV = 2σ-1 = 0.462117
    check = check_gibbs(LineWorld([[0.0], [1.0]], None, [0.0, 1.0]), [0.0], [1.0], 1.0)
    assert check.left == pytest.approx(0.4621172)
    assert check.right == pytest.approx((math.e**2 - 1) / 2)  # B = 1
    assert check.sharper == pytest.approx(math.tanh(0.5))  # osc = 2: equality
    assert check.ratio == pytest.approx(6.91281, rel=1e-5)  # 3.1945280 / 0.4621172


def test_tv_to_w1_by_hand() -> None:
    world = LineWorld([[0.0], [1.0]], None, [0.0, 4.0])
    kernel = np.array([[1.0, 0.0], [0.0, 1.0]])  # p(·|c) point masses at 0 and 4
    check = check_tv_to_w1(world, np.array([1.0, 0.0]), np.array([0.25, 0.75]), kernel)
    assert (check.left, check.right, check.sharper) == (3.0, 3.0, 3.0)


def test_risk_shift_and_lag_by_hand() -> None:
    # centres 0 or 1; mass moves from 0 to 1: W1 = 1, reach = D = 1
    world = LineWorld([[0.0], [1.0]], None, [0.0, 1.0])
    old, new = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    shift = check_risk_shift(world, old, new)
    assert (shift.left, shift.right, shift.sharper) == (1.0, 4.0, 2.0)
    # posterior on centre 1: today's excess 0, yesterday's 1; 8D W1 = 8, ours 2·1·1
    lag = check_lagged(world, np.array([0.0, 1.0]), old, new)
    assert (lag.left, lag.right, lag.sharper) == (1.0, 8.0, 2.0)


def test_exponential_weights_by_hand() -> None:
    # two experts, losses (0, 1) then (1, 0) [x = 0, then 1], λ = (1, 1):
    # t=1: 1/2; t=2: posterior (σ, 1-σ), loss σ = 0.731059; left 1.231059
    # comparator even: E L = 1, KL = 0; D⁴/2 · 2 = 1 → 2; ours 1 + 2/8
    world = LineWorld([[0.0], [1.0]], None, [0.0, 1.0])
    even = np.array([0.5, 0.5])
    check = check_exponential_weights(world, [0.0, 1.0], np.ones(2), even)
    assert check.left == pytest.approx(1.2310586)
    assert check.right == pytest.approx(2.0)
    assert check.sharper == pytest.approx(1.25)


@settings(max_examples=60)
@given(st.integers(0, 10_000))
def test_exponential_weights_with_rates_that_rise(seed: int) -> None:
    """Any rates >= 0 with a positive last one, paid by the rise penalty."""
    world, rng = _world(seed)
    n = int(rng.integers(2, 9))
    rates = rng.gamma(0.7, 3.0, size=n) * (rng.random(n) < 0.7)
    rates[-1] += 0.1
    comparator = np.eye(5)[rng.integers(5)]
    check = check_exponential_weights(world, rng.choice(world.atoms, n), rates, comparator)
    assert check.left <= check.sharper * (1 + 1e-12)


def test_the_rise_penalty_is_needed() -> None:
    """Rates 0, 0, …, 0, then large: without the penalty the inequality is false."""
    world = LineWorld([[0.0], [1.0]], [1e-3, 1 - 1e-3], [0.0, 1.0])
    rates = np.array([0.0] * 9 + [1000.0])
    best = np.array([1.0, 0.0])
    check = check_exponential_weights(world, np.zeros(10), rates, best)
    penalty = rise_penalty(rates, 1.0)
    assert check.left > check.sharper - penalty - 1000 / 8
    assert check.left > -math.log(1e-3) / 1000 + 1  # far above E_ν L + KL/λ = 0.007
    assert check.left <= check.sharper


def test_mismatch_by_hand() -> None:
    # law jumps from 0 to 1 at t = 2 of 3: first oracle pays 1 + 1; A = 1
    world = LineWorld([[0.0], [1.0]], None, [0.0, 1.0])
    laws = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    check = check_mismatch(world, laws)
    assert check.left == 2.0
    assert check.right == pytest.approx(8 * 3**1.5)
    assert check.sharper == pytest.approx(2 * math.sqrt(5))


def test_printed_schedule_satisfies_the_paper_inequality_through_its_slack() -> None:
    world, rng = _world(11)
    sample = rng.choice(world.atoms, 30)
    rates = schedule_rates(SqrtLog(0.5), 30)
    for j in range(5):
        check = check_exponential_weights(world, sample, rates, np.eye(5)[j])
        assert check.left <= check.sharper <= check.right


def test_bad_rates_are_refused() -> None:
    world, _ = _world(0)
    with pytest.raises(InputError, match="rates"):
        check_exponential_weights(world, [0.0, 0.1], np.array([1.0, 0.0]), np.ones(5) / 5)
    with pytest.raises(InputError, match="points"):
        LineWorld([[0.0]], None, [math.nan])
