import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from driftlaw.errors import InputError
from driftlaw.theory import (
    Ansatz,
    admissible_region,
    best_exponents,
    dominating_exponent,
    is_in_paper_regime,
    is_sublinear,
    term_exponents,
)


def test_exponents_of_the_appendix() -> None:
    """a=0.2, β=0.3, γ=0.1, h=0.35, each as the appendix states it."""
    a, b, g, h = 0.2, 0.3, 0.1, 0.35
    got = term_exponents(Ansatz(action=a, decay=b, corruption=g, window=h))
    assert got["corruption"] == pytest.approx(1 + h * (g - b))
    assert got["complexity"] == pytest.approx(1 - h * (1 - b) / 2)
    assert got["learning_rate"] == pytest.approx(1 - h * b / 2)
    assert got["deviation"] == pytest.approx(1 - b * h / 2)
    assert got["confidence"] == 0.75
    assert got["mismatch"] == pytest.approx((3 + a + 2 * h) / 4)
    assert got["lag"] == pytest.approx((3 + a) / 4)
    assert got["drift"] == pytest.approx((1 + a) / 2)


def test_no_restart_has_the_whole_horizon_mismatch() -> None:
    assert term_exponents(Ansatz(action=0.2, decay=0.5))["mismatch"] == pytest.approx(5.2 / 4)
    # a law that stands still is certified without restart
    assert is_sublinear(Ansatz(action=-math.inf, decay=0.5, corruption=0.3))


@settings(max_examples=200)
@given(st.floats(0, 1.2), st.floats(0, 1.5), st.floats(0, 1), st.floats(0.0, 1))
def test_sublinear_is_exactly_our_condition(a: float, b: float, g: float, h: float) -> None:
    point = Ansatz(action=a, decay=b, corruption=g, window=h)
    exact = a < 1 and g < b < 1 and 0 < h < (1 - a) / 2
    margins = (a - 1, g - b, b - 1, h - (1 - a) / 2)
    if min(abs(m) for m in margins) > 1e-6 and min(b, h) > 1e-6:
        assert is_sublinear(point) == exact
    if is_in_paper_regime(point) and min(b, h) > 1e-6 and min(abs(m) for m in margins) > 1e-6:
        assert is_sublinear(point)


def test_the_paper_condition_is_not_necessary() -> None:
    point = Ansatz(action=0.0, decay=0.5, corruption=0.2, window=0.3)
    assert is_sublinear(point)
    assert not is_in_paper_regime(point)


@given(st.floats(0, 0.99), st.one_of(st.just(-math.inf), st.floats(0, 0.99)))
def test_best_exponents_solve_the_linear_programme(a: float, g: float) -> None:
    """Minimise E over (h, u = βh, E): every exponent is linear in (h, u)."""
    rows = [
        ((-0.5, 0.5), -1.0),  # complexity: 1 - (h - u)/2
        ((0.0, -0.5), -1.0),  # learning rate, deviation: 1 - u/2
        ((0.5, 0.0), -(3 + a) / 4),  # mismatch
        ((0.0, 0.5), -0.5),  # confidence over λ: (1 + u)/2
        ((0.0, 0.0), -0.75),
        ((0.0, 0.0), -(3 + a) / 4),
    ]
    if g >= 0:
        rows.append(((g, -1.0), -1.0))  # corruption: 1 + γh - u
    matrix = [[*slopes, -1.0] for slopes, _ in rows]
    solved = linprog(
        [0, 0, 1],
        A_ub=[*matrix, [-1.0, 1.0, 0.0]],  # u <= h, β <= 1
        b_ub=[*[limit for _, limit in rows], 0.0],
        bounds=[(0, 1), (0, 1), (None, None)],
    )
    best = best_exponents(a, g)
    assert best.exponent == pytest.approx(solved.fun, abs=1e-8)
    point = Ansatz(action=a, decay=best.decay, corruption=g, window=best.window)
    assert dominating_exponent(point) == pytest.approx(best.exponent)


@pytest.mark.parametrize(("a", "g"), [(0.0, 0.0), (0.3, 0.1), (0.5, 0.6), (0.0, 0.9)])
def test_no_grid_point_is_better(a: float, g: float) -> None:
    region = admissible_region(a, g, n_grid=101)
    best = best_exponents(a, g)
    assert region["exponent"].min() >= best.exponent - 1e-12
    assert region["exponent"].min() <= best.exponent + 0.01
    inside = region["is_in_paper_regime"] == 1
    assert (region["is_sublinear"][inside] == 1).all()
    assert is_sublinear(Ansatz(action=a, decay=best.decay, corruption=g, window=best.window))


def test_closed_form_by_hand() -> None:
    # γ ≤ 1/4: β = 1/2, h = (1-a)/3, exponent (11+a)/12
    assert best_exponents(0.4, 0.2) == pytest.approx((0.5, 0.2, 11.4 / 12))
    # γ = 0.7: m = 0.1, β = 0.8, h = (1-a)/2.4, exponent 1 - 0.1(1-a)/2.4
    assert best_exponents(0.4, 0.7) == pytest.approx((0.8, 0.25, 0.975))
    # no drift: one window
    assert best_exponents(-math.inf) == pytest.approx((0.5, 1.0, 0.75))
    assert best_exponents(-math.inf, 0.7) == pytest.approx((0.8, 1.0, 0.9))


def test_too_much_corruption_has_no_power() -> None:
    assert (
        term_exponents(Ansatz(action=0.0, decay=0.2, corruption=0.5, window=0.3))["corruption"]
        == math.inf
    )
    assert term_exponents(Ansatz(action=0.0, decay=3.0, corruption=0.5, window=0.3))[
        "corruption"
    ] == pytest.approx(0.7)


def test_sums_grow_as_the_corruption_exponent_says() -> None:
    """T/H · Σ_{a<H} a^{γ-β} against T^{1 + h·max(γ-β, -1)} for three differences."""
    for difference in (-0.3, -0.8, -2.0):
        sizes = []
        for horizon in (10**8, 10**10):
            window = round(horizon**0.5)
            sizes.append(horizon / window * np.sum(np.arange(1.0, window) ** difference))
        slope = math.log(sizes[1] / sizes[0]) / math.log(100)
        stated = term_exponents(
            Ansatz(action=0.0, decay=0.0 - difference, corruption=0.0, window=0.5)
        )["corruption"]
        assert slope == pytest.approx(stated, abs=0.05)


def test_inputs_outside_the_assumptions() -> None:
    with pytest.raises(InputError, match="a < 1"):
        best_exponents(1.0, 0.0)
    with pytest.raises(InputError, match="gamma < beta < 1"):
        best_exponents(0.0, 1.0)
    with pytest.raises(InputError, match="corruption"):
        Ansatz(action=0.0, decay=0.5, corruption=1.1)
    with pytest.raises(InputError, match="do not increase"):
        Ansatz(action=0.0, decay=-0.1)
    with pytest.raises(InputError, match="H is at most T"):
        Ansatz(action=0.0, decay=0.1, window=1.1)
    with pytest.raises(InputError, match="action"):
        Ansatz(action=math.nan, decay=0.1)
