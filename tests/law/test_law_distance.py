"""Distances between laws: against large samples, the paper's estimator, and its floor."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from driftlaw import transport
from driftlaw.errors import InputError
from driftlaw.law import GibbsLaw, MixtureLaw, SampleLaw, sampled_w1, sliced_w1, w1

SMOOTH = MixtureLaw([0.5, 0.5], [[-2.5, 0.0], [2.5, 0.0]], np.sqrt([0.2, 0.2]))
OTHER = MixtureLaw([0.2, 0.3, 0.5], [[-2.0, 0.5], [2.5, 0.3], [2.0, -0.5]], [0.3, 0.5, 0.8])


def test_noise_free_sliced_distance_agrees_with_a_million_draws() -> None:
    """Same directions; each projected estimate is within 3.3 of its errors on average."""
    n, n_batches = 1_000_000, 10
    units = transport.directions(2, 8)
    exact = np.array([SMOOTH.project(u).w1(OTHER.project(u)) for u in units])
    rng = np.random.default_rng(0)
    batches = []
    for _ in range(n_batches):
        x, y = SMOOTH.sample(n // n_batches, rng), OTHER.sample(n // n_batches, rng)
        batches.append([w1(x @ u, y @ u) for u in units])
    means = np.mean(batches, axis=1)
    error = means.std(ddof=1) / math.sqrt(n_batches)
    # Student-t with nine degrees of freedom, two-sided level 1e-3; a sample of n overestimates
    # by less than the distance of two samples of one law, of order 1 / n here.
    assert abs(means.mean() - exact.mean()) < 4.8 * error
    assert error < 0.003 * exact.mean()


def test_equal_laws_are_at_zero_where_the_papers_estimator_has_a_floor() -> None:
    twin = MixtureLaw(SMOOTH.weights, SMOOTH.means.copy(), SMOOTH.scales)
    shuffled = MixtureLaw(SMOOTH.weights, SMOOTH.means[::-1], SMOOTH.scales)
    assert sliced_w1(SMOOTH, twin).value == 0
    assert sliced_w1(SMOOTH, shuffled).value < 1e-14
    floor = [sampled_w1(SMOOTH, SMOOTH, rng=seed).value for seed in range(40)]
    # 0.106 over 2000 runs at separation 5; it grows with the separation of the centers.
    assert 0.08 < np.mean(floor) < 0.135


def test_sliced_distance_stays_below_the_distance_of_a_coupling() -> None:
    """SW1 <= W1 <= the mean displacement of any coupling: here centers and spreads moved alike."""
    moved = MixtureLaw(SMOOTH.weights, SMOOTH.means + np.array([0.3, 0.4]), SMOOTH.scales)
    found = sliced_w1(SMOOTH, moved, n_directions=64).value
    assert found <= 0.5
    assert found == pytest.approx(0.5 * 2 / math.pi, rel=1e-3)


def test_64_directions_are_enough_in_the_plane() -> None:
    coarse = sliced_w1(SMOOTH, OTHER, n_directions=64).value
    fine = sliced_w1(SMOOTH, OTHER, n_directions=2048).value
    assert coarse == pytest.approx(fine, rel=2e-4)
    assert SMOOTH.w1(OTHER) == coarse


def test_random_directions_bring_an_error_that_covers() -> None:
    exact = sliced_w1(SMOOTH, OTHER, n_directions=512)
    found = sliced_w1(SMOOTH, OTHER, n_directions=200, rng=1)
    assert exact.standard_error == 0
    assert abs(found.value - exact.value) < 3.3 * found.standard_error


def test_students_against_quadrature() -> None:
    a = MixtureLaw([0.4, 0.6], [-1.0, 1.0], [0.5, 1.0], [3.0, np.inf])
    b = MixtureLaw([1.0], [0.2], [1.5], 2.5)

    def gap(x: float) -> float:
        return float(abs(a.cdf(x) - b.cdf(x)))

    ends = np.concatenate(([-np.inf], np.arange(-30, 31, 0.5), [np.inf]))
    total = sum(quad(gap, low, high, limit=200)[0] for low, high in pairwise(ends))
    assert w1(a, b) == pytest.approx(total, rel=1e-6)
    assert w1(a, a) == 0


def test_heavier_tails_by_closed_form() -> None:
    """Symmetric laws at one center that cross only there: W1 is the gap of E|X|."""
    a, b = MixtureLaw([1.0], [0.0], [1.0], 3.0), MixtureLaw([1.0], [0.0], [1.0])
    exact = 2 * math.sqrt(3) / math.pi - math.sqrt(2 / math.pi)
    assert w1(a, b) == pytest.approx(exact, rel=1e-9)


def test_students_in_the_plane_translate() -> None:
    a = MixtureLaw([0.3, 0.7], [[0.0, 0.0], [3.0, 1.0]], [1.0, 0.5], 3.0)
    b = MixtureLaw(a.weights, a.means + np.array([0.0, 2.0]), a.scales, a.df)
    assert sliced_w1(a, b, n_directions=16).value == pytest.approx(4 / math.pi, rel=0.01)
    sample = SampleLaw(a.sample(50, rng=0))
    assert sample.w1(a) == pytest.approx(a.w1(sample), rel=1e-9)


def test_every_pair_of_kinds_is_close_to_its_own_samples() -> None:
    gibbs = GibbsLaw([2], [[[-1.0], [1.0]]], 1.0, [0.0], 3.0)
    laws = [gibbs, MixtureLaw([1.0], [0.0], [1.0]), MixtureLaw([1.0], [0.0], [1.0], 3.0)]
    laws.append(laws[1].marginal(0))
    for a in laws:
        for b in [*laws, SampleLaw([0.0, 0.5, 2.0])]:
            x, y = a.sample(100_000, rng=1), b.sample(100_000, rng=2)
            # E of the sampled distance is off by less than 2 * sqrt(variance / n) per side.
            assert w1(x, y) == pytest.approx(w1(a, b), abs=0.03)


def test_doors_take_samples_and_laws_alike() -> None:
    x = np.random.default_rng(0).normal(size=30)
    law = MixtureLaw([1.0], [0.0], [1.0])
    assert w1(x, law) == pytest.approx(w1(law, x), rel=1e-9)
    assert w1(x, law) == SampleLaw(x).w1(law)
    weights = np.arange(1.0, 31)
    assert w1(x, law, weights) == SampleLaw(x, weights).w1(law)
    assert w1(x, x + 1) == pytest.approx(1)
    plane = np.random.default_rng(1).normal(size=(30, 2))
    assert sliced_w1(plane, SMOOTH, n_directions=64).value == SampleLaw(plane).w1(SMOOTH)
    assert sliced_w1(plane, plane, rng=0).value == 0


def test_wrong_combinations_are_named() -> None:
    line = MixtureLaw([1.0], [0.0], [1.0])
    with pytest.raises(InputError, match="w1 needs laws with dim 1, got 2"):
        w1(SMOOTH, SMOOTH)
    with pytest.raises(InputError, match="other must be a law with dim 1"):
        w1(line, SMOOTH)
    with pytest.raises(InputError, match="y_weights must be None where y is a law"):
        w1([0.0], line, None, [1.0])
    with pytest.raises(InputError, match="n_directions must be"):
        sliced_w1(SMOOTH, SMOOTH, n_directions=0)
    with pytest.raises(InputError, match="other must be a law with dim 2"):
        sampled_w1(SMOOTH, line)
