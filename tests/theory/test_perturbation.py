import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlaw.errors import InputError
from driftlaw.theory import (
    corruption_term,
    counts_before,
    gibbs_tv_bound,
    gibbs_tv_bound_sharper,
    loss_lipschitz,
    score_perturbation,
    spread_corruption,
)


def test_values_by_hand() -> None:
    assert loss_lipschitz(2.5) == 10.0
    # L δ Λ = 10 · 0.2 · 3
    assert score_perturbation(2.5, 0.2, [3]).tolist() == pytest.approx([6.0])
    # (e^{2·0.1·6} - 1) / 2 = (e^{1.2} - 1) / 2 = (3.320117 - 1) / 2
    assert gibbs_tv_bound(0.1, 6.0) == pytest.approx(1.1600585, abs=1e-7)
    # tanh(0.1·12/4) = tanh(0.3)
    assert gibbs_tv_bound_sharper(0.1, 12.0) == pytest.approx(0.2913126, abs=1e-7)


def test_printed_exponents_of_the_smooth_experiment() -> None:
    """D=10, δ=√2, every step corrupted, λ=0.1·sqrt(log t/t): 631 at t=500 and 50 at age 9."""
    for age, exponent in ((500, 631), (9, 50)):
        rate = 0.1 * math.sqrt(math.log(age) / age)
        got = 2 * rate * score_perturbation(10.0, math.sqrt(2), [age])[0]
        assert got == pytest.approx(exponent, abs=0.5)


def test_counts_are_those_before_the_step_and_start_again_after_a_restart() -> None:
    marks = [1, 0, 1, 1, 1, 0, 1]
    assert counts_before(marks).tolist() == [0, 1, 1, 2, 3, 4, 4]
    assert counts_before(marks, 3).tolist() == [0, 1, 1, 0, 1, 2, 0]
    assert counts_before(marks, 1).tolist() == [0] * 7


@given(st.integers(1, 60), st.data())
def test_spread_corruption_meets_its_budget(horizon: int, data: st.DataObject) -> None:
    budget = data.draw(st.integers(0, horizon))
    marks = spread_corruption(horizon, budget)
    assert marks.sum() == budget
    gaps = np.diff(np.flatnonzero(marks))
    assert gaps.size == 0 or gaps.max() - gaps.min() <= 1


def test_corruption_term_by_hand() -> None:
    # D=2, δ=0.1: Lδ = 0.8. Rates 1, 0.5, 0.25 with counts 0, 1, 2:
    # exponents 0, 2·0.5·0.8 = 0.8, 2·0.25·1.6 = 0.8; (2/2)·2·(e^0.8 - 1) = 2.451082
    term = corruption_term(
        np.array([1, 0.5, 0.25]), np.array([0, 1, 2]), diameter=2.0, amplitude=0.1
    )
    assert term.value == pytest.approx(2.4510819)
    assert term.capped == pytest.approx(2.4510819)
    assert term.log_value == pytest.approx(math.log(2.4510819))
    # sharper: 2·(tanh(0.5·2·0.1·1/2) + tanh(0.25·2·0.1·2/2)) = 4·tanh(0.05)
    assert term.sharper == pytest.approx(4 * math.tanh(0.05))


def test_infinite_printed_value_is_a_value_and_not_an_exception() -> None:
    counts = np.arange(3) * 1000
    term = corruption_term(np.ones(3), counts, diameter=3.0, amplitude=1.0)
    assert term.value == math.inf
    # largest exponent 2·12·2000 = 48000 dominates the sum: log(1.5) + 48000
    assert term.log_value == pytest.approx(48000 + math.log(1.5))
    assert term.capped == pytest.approx(6.0)
    assert term.sharper <= term.capped


def test_no_corruption_costs_nothing() -> None:
    term = corruption_term(np.ones(4), np.zeros(4, int), diameter=1.0, amplitude=0.5)
    assert term == (0.0, -math.inf, 0.0, 0.0)


@given(
    st.lists(st.tuples(st.floats(0, 5), st.integers(0, 50)), min_size=1, max_size=20),
    st.floats(0.1, 10),
    st.floats(0, 10),
)
def test_order_of_the_readings(
    steps: list[tuple[float, int]], diameter: float, amplitude: float
) -> None:
    rates, counts = (np.array(column) for column in zip(*steps, strict=True))
    term = corruption_term(rates, counts, diameter=diameter, amplitude=amplitude)
    slack, tiny = 1 + 1e-9, 1e-300  # below it floats have too few digits for a relative slack
    assert term.sharper <= term.capped * slack + tiny
    assert term.capped <= term.value * slack + tiny
    assert term.capped <= diameter * len(steps) * slack


@given(st.floats(0.1, 10), st.floats(0, 3), st.floats(0.1, 10))
def test_term_scales_with_space(diameter: float, amplitude: float, scale: float) -> None:
    rates, counts = np.array([0.3, 0.2, 0.1]), np.array([0, 1, 2])
    small = corruption_term(rates / diameter**2, counts, diameter=diameter, amplitude=amplitude)
    large = corruption_term(
        rates / (scale * diameter) ** 2,
        counts,
        diameter=scale * diameter,
        amplitude=scale * amplitude,
    )
    for one, other in zip(small, large, strict=True):
        if one is not small.log_value:
            assert other == pytest.approx(scale * one, rel=1e-9, abs=1e-300)


def test_bad_input_names_the_rule() -> None:
    with pytest.raises(InputError, match="delta >= 0"):
        score_perturbation(1.0, -0.1, [1])
    with pytest.raises(InputError, match="diameter"):
        loss_lipschitz(0.0)
    with pytest.raises(InputError, match="booleans"):
        counts_before([0, 2])
    with pytest.raises(InputError, match="horizon"):
        spread_corruption(3, 4)
