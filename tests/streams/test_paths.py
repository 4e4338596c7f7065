"""Paths that are known in advance, against sums written out by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import special_ortho_group

from driftlaw.errors import InputError
from driftlaw.streams import (
    Alternating,
    Breathing,
    Fixed,
    Jumps,
    Linear,
    Lives,
    Oscillation,
    RandomLives,
    Rotation,
    Switching,
)

CENTERS = np.array([[-2.0, 0.0, 1.0], [3.0, 1.0, 0.5]])


@settings(deadline=None)
@given(t=st.integers(0, 10**6))
def test_linear_is_the_sum_of_its_steps(t: int) -> None:
    directions = np.array([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    expected = CENTERS.copy()
    expected[0, 0] += 0.03 * t
    expected[1, 1] -= 0.03 * t
    np.testing.assert_allclose(Linear(CENTERS, directions, 0.03)(t), expected, rtol=1e-12)


@settings(deadline=None)
@given(
    times=st.lists(st.integers(1, 50), min_size=1, max_size=6, unique=True).map(sorted),
    t=st.integers(0, 60),
)
def test_jumps_add_every_shift_that_has_come(times: list[int], t: int) -> None:
    shifts = np.arange(3.0 * len(times)).reshape(-1, 3)
    expected = CENTERS.copy()
    for time, shift in zip(times, shifts, strict=True):
        if time <= t:
            expected = expected + shift
    np.testing.assert_allclose(Jumps(CENTERS, times, shifts)(t), expected)


def test_drifts_compose_in_any_order() -> None:
    directions = np.ones((2, 3))
    one = Jumps(Linear(CENTERS, directions, 0.1), [5], [[7.0, 0.0, 0.0]])
    other = Linear(Jumps(CENTERS, [5], [[7.0, 0.0, 0.0]]), directions, 0.1)
    for t in (0, 4, 5, 20):
        np.testing.assert_allclose(one(t), other(t))


def test_any_function_of_time_is_a_path() -> None:
    path = Linear(lambda t: np.array([[float(t**2)]]), [[1.0]], 1.0)
    assert path(3) == 12.0


def test_rotation_keeps_lengths_and_composes_over_time() -> None:
    path = Rotation(CENTERS, 0.1, plane=(0, 2))
    np.testing.assert_allclose(
        np.linalg.norm(path(17), axis=1), np.linalg.norm(CENTERS, axis=1), rtol=1e-12
    )
    np.testing.assert_allclose(Rotation(path(5), 0.1, plane=(0, 2))(12), path(17), rtol=1e-12)
    np.testing.assert_allclose(path(3)[:, 1], CENTERS[:, 1])


def test_rotation_of_shapes_turns_the_covariance() -> None:
    basis = special_ortho_group.rvs(2, random_state=0)
    factor = np.linalg.cholesky(basis @ np.diag([4.0, 0.1]) @ basis.T)
    angle = 0.3
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    turned = Rotation(factor[None], angle)(1)[0]
    assert turned[0, 1] == 0.0
    np.testing.assert_allclose(turned @ turned.T, turn @ factor @ factor.T @ turn.T, atol=1e-12)


@settings(deadline=None)
@given(
    amplitude=st.floats(0, 1), period=st.floats(2, 500), t=st.integers(0, 2000), k=st.integers(2, 5)
)
def test_oscillating_weights_stay_weights(amplitude: float, period: float, t: int, k: int) -> None:
    weights = Oscillation(np.full(k, 1 / k), amplitude, period)(t)
    expected = [(1 + amplitude * np.sin(2 * np.pi * (t / period + j / k))) / k for j in range(k)]
    np.testing.assert_allclose(weights, expected, atol=1e-12)
    assert weights.min() >= -1e-12
    assert weights.sum() == pytest.approx(1.0)


def test_lives_begin_and_end_where_they_are_said_to() -> None:
    path = Lives([0.2, 0.3, 0.5], births=[0, 3, 5], deaths=[np.inf, 6, 5])
    living = [(path(t) > 0).tolist() for t in range(8)]
    assert living == [[True, 3 <= t < 6, False] for t in range(8)]
    np.testing.assert_allclose(path(4), [0.4, 0.6, 0.0])


def test_random_lives_hold_within_a_block_and_leave_one_alive() -> None:
    path = RandomLives(np.full(3, 1 / 3), block=7, probability=0.2, rng=0)
    states = [tuple(path(t) > 0) for t in range(7 * 300)]
    assert all(len(set(states[7 * b : 7 * b + 7])) == 1 for b in range(300))
    counts = np.array([sum(states[7 * b]) for b in range(300)])
    assert counts.min() == 1
    # Alive alone: by chance or because none was: 3 * 0.2 * 0.8^2 + 0.8^3 = 0.896.
    assert abs((counts == 1).mean() - 0.896) < 3.3 * np.sqrt(0.896 * 0.104 / 300)


def test_switching_stays_in_reach_and_moves_all_centers_together() -> None:
    path = Switching(CENTERS, block=10, size=4.0, rng=3)
    shifts = np.array([path(10 * b) - CENTERS for b in range(200)])
    np.testing.assert_allclose(shifts[:, 0], shifts[:, 1], atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(shifts[:, 0], axis=1), 4.0)
    assert (path(19) == path(10)).all()
    # Mean of 200 uniform directions: each coordinate has variance 4^2 / 3 / 200.
    assert (np.abs(shifts[:, 0].mean(axis=0)) < 3.5 * np.sqrt(16 / 600)).all()


def test_scales_alternate_and_breathe() -> None:
    jumpy = Alternating([1.0, 2.0], factor=3.0, block=4)
    assert [jumpy(t)[0] for t in range(9)] == [1, 1, 1, 1, 3, 3, 3, 3, 1]
    smooth = Breathing([1.0, 2.0], factor=3.0, period=8)
    np.testing.assert_allclose(smooth(4), [3.0, 6.0])
    np.testing.assert_allclose(smooth(8), [1.0, 2.0])
    assert all(1 <= smooth(t)[0] <= 3 for t in range(30))


def test_a_fixed_path_cannot_be_changed_from_outside() -> None:
    values = np.ones(2)
    path = Fixed(values)
    values[0] = 5.0
    assert path(0).tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="read-only"):
        path(0)[0] = 2.0


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: Fixed([np.nan]), "value must be finite"),
        (lambda: Linear(CENTERS, np.ones((2, 2)), 0.1), "directions must be"),
        (lambda: Jumps(CENTERS, [3, 3], np.ones((2, 3))), "times must increase"),
        (lambda: Jumps(CENTERS, [3], np.ones((2, 3))), "shifts must be"),
        (lambda: Rotation(CENTERS, 0.1, plane=(0, 3)), "plane must name"),
        (lambda: Rotation(CENTERS, 0.1, plane=(1, 1)), "plane must name"),
        (lambda: Oscillation([0.5, 0.5], 1.5, 10), "amplitude must be"),
        (lambda: Oscillation([0.5, 0.5], 0.5, 0), "period must be"),
        (lambda: Lives([0.5, 0.5], [0], [5, 5]), "births must be"),
        (lambda: Lives([0.5, 0.5], [0, 0], [5, 5])(5), "leave a component alive"),
        (lambda: RandomLives([1.0], 0, 0.5), "block must be"),
        (lambda: RandomLives([1.0], 5, 1.5), "probability must be"),
        (lambda: Switching(CENTERS, 5, -1.0), "size must be"),
        (lambda: Switching(CENTERS, 5, 1.0, rng=-1), "rng must be"),
        (lambda: Alternating([1.0], 0.0, 5), "factor must be"),
        (lambda: Breathing([1.0], 2.0, np.nan), "period must be"),
    ],
)
def test_bad_arguments_are_named(make: object, word: str) -> None:
    assert callable(make)
    with pytest.raises(InputError, match=word):
        make()
