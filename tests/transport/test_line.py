"""W1 on the line: the axioms of a distance, closed forms, SciPy and a linear programme."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import wasserstein_distance

from driftlaw._validate import Array, IntArray
from driftlaw.errors import InputError
from driftlaw.transport import w1

NUMBERS = st.floats(-1e3, 1e3, allow_subnormal=False)
SAMPLES = st.lists(NUMBERS, min_size=1, max_size=12).map(np.array)
COUNTS = st.lists(st.integers(1, 4), min_size=12, max_size=12).map(np.array)

few = settings(max_examples=60, deadline=None)


@few
@given(SAMPLES, SAMPLES, SAMPLES)
def test_it_is_a_distance(x: Array, y: Array, z: Array) -> None:
    assert w1(x, x) == 0
    assert w1(x, y) == pytest.approx(w1(y, x), rel=1e-12)
    assert w1(x, z) <= w1(x, y) + w1(y, z) + 1e-9


def test_different_samples_are_apart() -> None:
    assert w1([0.0, 0.0, 1.0], [0.0, 1.0, 1.0]) == pytest.approx(1 / 3)


@few
@given(SAMPLES, SAMPLES, NUMBERS, st.floats(0.1, 10))
def test_translation_and_scaling(x: Array, y: Array, shift: float, factor: float) -> None:
    assert w1(x, x + shift) == pytest.approx(abs(shift), abs=1e-9)
    assert w1(x + shift, y + shift) == pytest.approx(w1(x, y), abs=1e-9)
    assert w1(-factor * x, -factor * y) == pytest.approx(factor * w1(x, y), abs=1e-9)


@few
@given(SAMPLES, SAMPLES)
def test_means_are_never_further_apart(x: Array, y: Array) -> None:
    assert abs(x.mean() - y.mean()) <= w1(x, y) + 1e-9


@few
@given(SAMPLES, SAMPLES, COUNTS, COUNTS)
def test_weights_are_replication(x: Array, y: Array, p: IntArray, q: IntArray) -> None:
    p, q = p[: len(x)], q[: len(y)]
    replicated = w1(np.repeat(x, p), np.repeat(y, q))
    assert w1(x, y, p, q) == pytest.approx(replicated, abs=1e-9)
    assert w1(x, y, None, q) == pytest.approx(w1(x, np.repeat(y, q)), abs=1e-9)


@few
@given(SAMPLES, SAMPLES, COUNTS, COUNTS)
def test_agrees_with_scipy_and_the_linear_programme(x: Array, y: Array, p: Array, q: Array) -> None:
    import ot  # slow to load: not while tests are collected

    p, q = p[: len(x)] / p[: len(x)].sum(), q[: len(y)] / q[: len(y)].sum()
    ours = w1(x, y, p, q)
    assert ours == pytest.approx(wasserstein_distance(x, y, p, q), abs=1e-9)
    programme = ot.emd2(p, q, abs(x[:, None] - y))
    assert ours == pytest.approx(programme, abs=1e-6)
    assert w1(x, y) == pytest.approx(wasserstein_distance(x, y), abs=1e-9)


@pytest.mark.parametrize(("n", "m"), [(500, 500), (300, 701), (1, 50)])
def test_larger_samples_agree_with_scipy(n: int, m: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=n), rng.standard_t(3, size=m)
    assert w1(x, y) == pytest.approx(wasserstein_distance(x, y), rel=1e-10)


def test_inputs_are_left_alone() -> None:
    x, y = np.array([3.0, 1.0, 2.0]), np.array([1.0, 0.0, 5.0])
    w1(x, y)
    np.testing.assert_array_equal(x, [3.0, 1.0, 2.0])
    np.testing.assert_array_equal(y, [1.0, 0.0, 5.0])


@pytest.mark.parametrize(
    ("x", "y", "weights", "message"),
    [
        ([np.nan], [0.0], None, "x must be finite"),
        (np.array([0.0, np.nan, 1.0]), [0.0], None, "x must be finite, got nan at"),
        (np.array([-np.inf, 1.0]), [0.0], None, "x must be finite, got -inf at"),
        (np.array([np.inf, 1.0]), [0.0], None, "x must be finite, got inf at"),
        (np.array([]), [0.0], None, "x must be"),
        ([0.0], [np.inf], None, "y must be finite"),
        ([], [0.0], None, "x must be"),
        ([[0.0, 1.0]], [0.0], None, r"x must be \(n, 1\)"),
        ([0.0], [0.0], [-1.0], "x_weights must be >= 0"),
        ([0.0], [0.0], [1.0, 1.0], r"x_weights must be \(1,\)"),
        (["a"], [0.0], None, "x must hold real numbers"),
    ],
)
def test_bad_input_is_named(x: object, y: object, weights: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        w1(x, y, weights)  # type: ignore[arg-type]
