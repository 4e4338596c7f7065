"""Transforms and missing values against the same done on whole arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.tables import TRANSFORMS, Preparation, Row


def _feed(preparation: Preparation, values: Array) -> list[Array | None]:
    rows = [Row(i + 2, "", np.atleast_1d(v)) for i, v in enumerate(values)]
    return [preparation.feed(row, None) for row in rows]


def test_transforms_are_those_of_the_whole_array() -> None:
    x = np.random.default_rng(0).gamma(3.0, size=(70, 2))
    made = {name: _feed(Preparation(2, transform=name), x) for name in TRANSFORMS}
    np.testing.assert_array_equal(np.array(made["none"]), x)
    np.testing.assert_array_equal(np.array(made["diff"][1:]), np.diff(x, axis=0))
    np.testing.assert_allclose(np.array(made["log-return"][1:]), np.diff(np.log(x), axis=0))
    expected = [(x[t] - x[:t].mean(axis=0)) / x[:t].std(axis=0, ddof=1) for t in range(40, 70)]
    assert made["standardize"][:40] == [None] * 40
    np.testing.assert_allclose(np.array(made["standardize"][40:]), expected)
    assert made["diff"][0] is None
    assert made["log-return"][0] is None


def test_missing_values_are_left_out_or_held_and_counted() -> None:
    x = np.array([1.0, np.nan, 4.0, np.nan, np.nan, 9.0])
    skip = Preparation(1, transform="diff", missing="skip")
    assert [float(v[0]) for v in _feed(skip, x) if v is not None] == [3.0, 5.0]
    assert skip.counts == (6, 3, 0, 1)
    hold = Preparation(1, missing="hold-last")
    assert [float(v[0]) for v in _feed(hold, x) if v is not None] == [1, 1, 4, 4, 4, 9]
    assert hold.counts == (6, 0, 3, 0)


def test_the_span_is_that_of_all_rows_whether_they_give_an_observation_or_not() -> None:
    preparation = Preparation(1, transform="diff", missing="skip")
    assert preparation.span == ("", "")
    for time, value in (("mon", 1.0), ("tue", 2.0), ("", 3.0), ("thu", np.nan)):
        preparation.feed(Row(2, time, np.array([value])), None)
    assert preparation.span == ("mon", "thu")
    again = Preparation(1, transform="diff", missing="skip")
    again.restore(preparation.state())
    assert again.span == ("mon", "thu")


@pytest.mark.parametrize(
    ("options", "values", "message"),
    [
        ({}, [1.0, np.nan], "line 3: the value is missing; choose --missing"),
        ({"missing": "hold-last"}, [np.nan], "line 2: the value is missing and there is none"),
        ({"transform": "log-return"}, [1.0, 0.0], "line 3: a log-return needs values > 0, got 0"),
        ({"transform": "log-return"}, [-2.0], "line 2: a log-return needs values > 0, got -2"),
        ({"transform": "standardize"}, [3.0] * 41, "line 42: all values before are equal"),
        ({}, [1.0, -2e100], r"line 3: more than 1e\+100 in size: -2e\+100"),
        ({"transform": "diff"}, [9e99, -9e99], r"line 3: .* in size after diff: -1.8e\+100"),
        (
            {"transform": "standardize"},
            [1e-9, -1e-9] * 20 + [1e95],
            r"line 42: more than 1e\+100 in size after standardize: 9.87\d*e\+103",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(
    options: dict[str, str], values: list[float], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        _feed(Preparation(1, **options), np.array(values))


@pytest.mark.parametrize("transform", ["none", "diff", "standardize"])
def test_a_refused_row_leaves_no_trace(transform: str) -> None:
    preparation = Preparation(2, transform=transform, missing="hold-last")
    _feed(preparation, np.random.default_rng(0).normal(size=(50, 2)) * 1e-9)
    before = preparation.state()
    with pytest.raises(InputError, match=r"more than 1e\+100 in size"):
        _feed(preparation, np.array([[np.nan, 2e100]]))
    for name, value in preparation.state().items():
        np.testing.assert_array_equal(value, before[name])


@given(
    st.sampled_from(TRANSFORMS),
    st.lists(st.floats(0.5, 10.0) | st.just(float("nan")), min_size=60, max_size=70),
    st.integers(0, 60),
)
def test_a_state_put_down_and_taken_up_goes_on_alike(
    transform: str, values: list[float], cut: int
) -> None:
    x = np.array([0.7, 0.9, *values])
    whole, first, second = (
        Preparation(1, transform=transform, missing="hold-last") for _ in range(3)
    )
    expected = _feed(whole, x)
    made = _feed(first, x[:cut])
    second.restore(first.state())
    made += _feed(second, x[cut:])
    assert [None if v is None else v.tolist() for v in made] == [
        None if v is None else v.tolist() for v in expected
    ]
    assert second.counts == whole.counts
