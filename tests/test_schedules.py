"""Learning rates by age."""

import math
from collections.abc import Callable
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlaw.errors import InputError
from driftlaw.schedules import Constant, Power, Schedule, SqrtLog

AGES = st.integers(1, 10**6)


@pytest.mark.parametrize("schedule", [SqrtLog(), SqrtLog(3.0), Power(2.0, 0.5), Constant(0.3)])
def test_the_prior_predicts_at_age_zero(schedule: Schedule) -> None:
    assert schedule(0) == 0.0


def test_sqrt_log_by_hand() -> None:
    schedule = SqrtLog(0.1)
    assert schedule(1) == 0.0
    assert schedule(2) == pytest.approx(0.1 * math.sqrt(0.34657359027997264))
    assert schedule(100) == pytest.approx(0.1 * math.sqrt(0.04605170185988091))


def test_sqrt_log_rises_to_age_three_and_falls() -> None:
    rates = [SqrtLog(0.1)(age) for age in range(1, 500)]
    assert rates.index(max(rates)) == 2
    assert rates[2:] == sorted(rates[2:], reverse=True)
    assert max(rates) == pytest.approx(0.1 * math.sqrt(math.log(3) / 3))


@given(AGES, st.floats(1e-3, 1e3), st.floats(0, 3))
def test_power_is_linear_in_log_log(age: int, c: float, beta: float) -> None:
    rate = Power(c, beta)(age)
    assert math.log(rate) == pytest.approx(math.log(c) - beta * math.log(age), abs=1e-9)


def test_power_never_rises() -> None:
    rates = [Power(2.0, 0.3)(age) for age in range(1, 200)]
    assert rates == sorted(rates, reverse=True)


@given(AGES)
def test_constant_is_constant(age: int) -> None:
    assert Constant(0.25)(age) == 0.25
    assert Power(0.25, 0.0)(age) == 0.25


def test_constant_may_be_zero() -> None:
    assert Constant(0.0)(5) == 0.0


@pytest.mark.parametrize("bad", [-1.0, math.nan, math.inf, "much"])
@pytest.mark.parametrize("make", [SqrtLog, Constant, lambda c: Power(c, 0.5)])
def test_bad_rates_are_refused_at_birth(make: Callable[[object], object], bad: object) -> None:
    with pytest.raises(InputError, match="c must be"):
        make(bad)


def test_zero_and_bad_exponents() -> None:
    with pytest.raises(InputError, match="c must be finite and > 0, got 0"):
        SqrtLog(0.0)
    with pytest.raises(InputError, match="c must be finite and > 0, got 0"):
        Power(0.0, 1.0)
    with pytest.raises(InputError, match=r"beta must be finite and >= 0, got -0\.5"):
        Power(1.0, -0.5)


def test_schedules_are_values() -> None:
    assert SqrtLog(0.1) == SqrtLog(0.1) != SqrtLog(0.2)
    assert hash(Power(1.0, 0.5)) == hash(Power(1.0, 0.5))
    with pytest.raises(FrozenInstanceError):
        SqrtLog(0.1).c = 0.2  # type: ignore[misc]
