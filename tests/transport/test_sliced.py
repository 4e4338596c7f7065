"""Sliced W1 of samples, and the fixed directions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.transport import directions, sliced_w1, w1, w1_exact

POINTS = arrays(np.float64, (6, 3), elements=st.floats(-100, 100, allow_subnormal=False))

few = settings(max_examples=40, deadline=None)


@few
@given(POINTS, POINTS, POINTS)
def test_it_is_a_distance_below_w1(x: Array, y: Array, z: Array) -> None:
    def distance(a: Array, b: Array) -> float:
        return sliced_w1(a, b, n_directions=16, rng=3).value

    assert distance(x, x) == 0
    assert distance(x, y) == pytest.approx(distance(y, x), rel=1e-12)
    assert distance(x, z) <= distance(x, y) + distance(y, z) + 1e-9
    assert distance(x, y) <= w1_exact(x, y) + 1e-6


@few
@given(POINTS, POINTS)
def test_on_the_line_it_is_w1(x: Array, y: Array) -> None:
    found = sliced_w1(x[:, :1], y[:4, :1], n_directions=7, rng=0)
    assert found.value == pytest.approx(w1(x[:, 0], y[:4, 0]), abs=1e-12)
    assert found.standard_error == 0


def test_agrees_with_pot_on_the_same_directions() -> None:
    import ot  # slow to load: not while tests are collected

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(50, 3)), rng.normal(size=(50, 3)) + 1
    theirs = ot.sliced_wasserstein_distance(x, y, projections=directions(3, 40).T, p=1)
    lines = [w1(x @ u, y @ u) for u in directions(3, 40)]
    assert np.mean(lines) == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("sizes", [(80, 80), (80, 45)])
def test_value_and_error_are_those_of_the_directions(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(sizes[0], 2)), rng.normal(size=(sizes[1], 2)) + 0.5
    found = sliced_w1(x, y, n_directions=30, rng=5)
    vectors = np.random.default_rng(5).standard_normal((30, 2))
    units = vectors / np.linalg.norm(vectors, axis=1)[:, None]
    lines = np.array([w1(x @ u, y @ u) for u in units])
    assert found.value == pytest.approx(lines.mean(), rel=1e-12)
    assert found.standard_error == pytest.approx(lines.std(ddof=1) / math.sqrt(30), rel=1e-9)


def test_the_error_covers_the_truth() -> None:
    """Shifted points: SW1 = |shift| * 2/pi in the plane; 200 runs, each z-score is about normal."""
    x = np.random.default_rng(2).normal(size=(20, 2))
    scores = []
    for seed in range(200):
        found = sliced_w1(x, x + np.array([3.0, 0.0]), n_directions=64, rng=seed)
        scores.append((found.value - 6 / math.pi) / found.standard_error)
    # Mean of 200 scores: standard error 0.071, so 0.24 is 3.3 of them (level 1e-3).
    assert abs(np.mean(scores)) < 0.24
    assert 0.8 < np.std(scores) < 1.2


def test_one_direction_has_no_error_estimate() -> None:
    assert math.isnan(sliced_w1(np.eye(2), np.eye(2), n_directions=1, rng=0).standard_error)


def test_same_seed_same_answer() -> None:
    x, y = np.eye(3), np.ones((3, 3))
    assert sliced_w1(x, y, rng=4) == sliced_w1(x, y, rng=4)
    assert sliced_w1(x, y, rng=4) != sliced_w1(x, y, rng=5)


@pytest.mark.parametrize("dim", [1, 2, 3, 5, 10])
def test_directions_are_unit_vectors_that_balance(dim: int) -> None:
    units = directions(dim, 60)
    assert units.shape == (1 if dim == 1 else 60, dim)
    np.testing.assert_allclose(np.linalg.norm(units, axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(units.T @ units / len(units), np.eye(dim) / dim, atol=1e-12)
    assert not units.flags.writeable
    np.testing.assert_array_equal(units, directions(dim, 60))


@pytest.mark.parametrize("dim", [2, 3, 5])
def test_fixed_directions_integrate_an_absolute_value(dim: int) -> None:
    """The mean of |<u, e>| over the sphere is Gamma(d/2) / (sqrt(pi) Gamma((d+1)/2))."""
    exact = math.gamma(dim / 2) / (math.sqrt(math.pi) * math.gamma((dim + 1) / 2))
    vector = np.random.default_rng(0).normal(size=dim)
    found = abs(directions(dim, 64) @ vector).mean() / np.linalg.norm(vector)
    assert found == pytest.approx(exact, rel=0.001 if dim == 2 else 0.1)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"y": np.ones((2, 3))}, r"y must be \(n, 2\)"),
        ({"x": np.full((2, 2), np.nan)}, "x must be finite"),
        ({"n_directions": 0}, "n_directions must be"),
        ({"rng": -1}, "rng must be"),
    ],
)
def test_bad_input_is_named(kwargs: dict[str, object], message: str) -> None:
    good: dict[str, object] = {"x": np.eye(2), "y": np.eye(2)}
    with pytest.raises(InputError, match=message):
        sliced_w1(**(good | kwargs))  # type: ignore[arg-type]
