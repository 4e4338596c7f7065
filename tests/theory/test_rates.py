import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlaw.errors import InputError
from driftlaw.schedules import Constant, Power, SqrtLog
from driftlaw.theory import check_rates, decay_exponent, envelope, rise_penalty, schedule_rates


def test_rates_are_the_schedule_and_age_zero_takes_the_rate_of_age_one() -> None:
    assert schedule_rates(Power(2.0, 1.0), 4).tolist() == [2.0, 2.0, 1.0, 2 / 3]
    assert schedule_rates(SqrtLog(0.1), 3)[:2].tolist() == [0.0, 0.0]


@given(st.lists(st.floats(0.01, 10), min_size=1, max_size=12))
def test_envelope_is_the_smallest_non_increasing_majorant(rates: list[float]) -> None:
    n = len(rates)
    bounded = envelope(lambda age: rates[age] if 0 < age < n else rates[1 % n], n)
    used = np.array([rates[1 % n], *rates[1:]])
    assert (bounded >= used).all()
    assert (np.diff(bounded) <= 0).all()
    for s in range(n):  # any non-increasing majorant is at least the maximum of what follows
        assert bounded[s] == used[s:].max()


def test_an_increasing_schedule_is_refused_and_the_assumption_named() -> None:
    with pytest.raises(InputError, match="non-increasing"):
        envelope(lambda age: 0.1 * age, 20)
    with pytest.raises(InputError, match="non-increasing"):
        check_rates("rates", [0.1, 0.2])
    with pytest.raises(InputError, match="positive"):
        check_rates("rates", [0.1, 0.0])
    with pytest.raises(InputError, match="positive"):
        envelope(SqrtLog(0.1), 2)  # 0 at ages 0 and 1: nothing to level up
    with pytest.raises(InputError, match="finite"):
        schedule_rates(lambda age: -1.0, 3)


def test_first_rise_of_the_printed_schedule_is_levelled_even_in_a_short_window() -> None:
    # window 3 ends before the peak at age 3, yet the schedule falls later
    assert envelope(SqrtLog(0.1), 3) == pytest.approx([0.05887] * 3, abs=1e-5)


def test_rise_penalty_by_hand() -> None:
    # steps: -1 (none), +2 at s=1 -> 2² · 2, +1 at s=2 -> 3² · 1; (8 + 9) · 4² / 8 = 34
    assert rise_penalty([2.0, 1.0, 3.0, 4.0], 4.0) == 34.0
    assert rise_penalty([3.0, 2.0, 2.0], 4.0) == 0.0


def test_decay_exponents() -> None:
    assert decay_exponent(Power(1.0, 0.3), 50) == 0.3
    assert decay_exponent(SqrtLog(0.1), 50) == 0.5
    assert decay_exponent(Constant(0.1), 50) == 0.0
    assert decay_exponent(lambda age: 3 * age**-0.7, 1000) == pytest.approx(0.7)
