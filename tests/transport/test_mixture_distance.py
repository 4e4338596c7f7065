"""Noise-free distances between mixtures: quadrature, closed forms, hard cases."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ndtr

from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.transport import NormalMixture, cdf_w1, directions, mixture_w1s, w1
from driftlaw.transport._normal_kernels import REACH, normal_cdf

LINE = np.ones((1, 1))


def draw_mixture(
    rng: np.random.Generator, k: int, spread: float, unevenness: float
) -> NormalMixture:
    scales = np.exp(unevenness * rng.normal(size=k) - 0.5)
    return NormalMixture(rng.dirichlet(np.ones(k)), spread * rng.normal(size=(k, 1)), scales)


def line_cdf(mixture: NormalMixture, x: Array) -> Array:
    """Distribution function at x (n,), atoms included."""
    gaps = np.asarray(x)[:, None] - mixture.means[:, 0]
    scales = np.where(mixture.scales > 0, mixture.scales, 1.0)
    parts = np.where(mixture.scales > 0, ndtr(gaps / scales), gaps >= 0)
    return np.asarray(parts @ mixture.weights)


def naive_w1(x: NormalMixture, y: NormalMixture) -> float:
    """Split the line where F - G changes sign on a very fine grid, integrate each stretch."""

    def difference(t: float) -> float:
        return float((line_cdf(x, np.array([t])) - line_cdf(y, np.array([t])))[0])

    means = np.concatenate((x.means[:, 0], y.means[:, 0]))
    scales = np.concatenate((x.scales, y.scales))
    grid = np.unique(
        np.concatenate(
            [m + s * np.linspace(-9, 9, 1501) for m, s in zip(means, scales, strict=True)]
        )
    )
    values = line_cdf(x, grid) - line_cdf(y, grid)
    crossed = np.flatnonzero((values[1:] * values[:-1] < 0) & (abs(values[1:]) > 1e-14))
    roots = [brentq(difference, grid[i], grid[i + 1], xtol=1e-13) for i in crossed]
    ends = [grid[0], *roots, grid[-1]]
    total = 0.0
    for low, high in pairwise(ends):
        inner = grid[(grid > low) & (grid < high)]
        cuts = np.concatenate(([low], inner[:: max(1, len(inner) // 40)], [high]))
        total += abs(sum(gauss_legendre(x, y, a, b) for a, b in pairwise(cuts)))
    return total


def gauss_legendre(x: NormalMixture, y: NormalMixture, a: float, b: float) -> float:
    nodes, weights = np.polynomial.legendre.leggauss(20)
    t = 0.5 * (a + b) + 0.5 * (b - a) * nodes
    return float(0.5 * (b - a) * (line_cdf(x, t) - line_cdf(y, t)) @ weights)


@pytest.mark.parametrize("seed", range(40))
def test_random_mixtures_agree_with_quadrature(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, m = rng.integers(1, 6, size=2)
    spread, unevenness = rng.uniform(0.01, 3), rng.uniform(0, 1.5)
    x, y = draw_mixture(rng, k, spread, unevenness), draw_mixture(rng, m, spread, unevenness)
    assert mixture_w1s(x, y, LINE)[0] == pytest.approx(naive_w1(x, y), rel=1e-9)


def test_scipy_quadrature_agrees() -> None:
    """An oracle that shares nothing with ours: adaptive quadrature of |F - G|."""
    rng = np.random.default_rng(7)
    x, y = draw_mixture(rng, 3, 1.0, 0.3), draw_mixture(rng, 2, 1.0, 0.3)

    def gap(t: float) -> float:
        return float(abs(line_cdf(x, np.array([t])) - line_cdf(y, np.array([t])))[0])

    pieces = [quad(gap, a, a + 0.25, epsabs=1e-11)[0] for a in np.arange(-12, 12, 0.25)]
    assert mixture_w1s(x, y, LINE)[0] == pytest.approx(sum(pieces), rel=1e-7)


def test_crossings_hidden_between_nodes_are_found() -> None:
    """F - G dips below zero for 0.2 standard deviations between same-signed nodes."""
    x = NormalMixture(np.ones(1), np.array([[-0.11513996]]), np.array([1.02287409]))
    y = NormalMixture(
        np.array([0.65427059, 0.34572941]),
        np.array([[-0.00634426], [-0.89632034]]),
        np.array([0.67750245, 2.01263261]),
    )
    assert mixture_w1s(x, y, LINE)[0] == pytest.approx(naive_w1(x, y), rel=1e-10)


@pytest.mark.parametrize("tiny", [1e-2, 1e-4, 1e-6, 1e-9])
def test_very_unequal_spreads(tiny: float) -> None:
    """Closed form: one narrow against one wide normal at one mean, E|X| differs by sqrt(2/pi)."""
    x = NormalMixture(np.ones(1), np.zeros((1, 1)), np.array([tiny]))
    y = NormalMixture(np.ones(1), np.zeros((1, 1)), np.array([1.0]))
    exact = (1 - tiny) * math.sqrt(2 / math.pi)
    assert mixture_w1s(x, y, LINE)[0] == pytest.approx(exact, rel=1e-10)


def test_narrow_components_far_apart() -> None:
    """The distance of the means as atoms is off by at most 2 E|N(0, 1e-5)| = 1.6e-5."""
    rng = np.random.default_rng(3)
    a, b = 1e3 * rng.normal(size=(8, 1)), 1e3 * rng.normal(size=(5, 1))
    x = NormalMixture(np.full(8, 1 / 8), a, np.full(8, 1e-5))
    y = NormalMixture(np.full(5, 1 / 5), b, np.full(5, 1e-5))
    assert mixture_w1s(x, y, LINE)[0] == pytest.approx(w1(a, b), abs=1.6e-5)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.floats(-50, 50), st.floats(0.1, 10))
def test_translation_and_scaling(seed: int, shift: float, factor: float) -> None:
    rng = np.random.default_rng(seed)
    x, y = draw_mixture(rng, 3, 1.0, 0.5), draw_mixture(rng, 2, 1.0, 0.5)
    base = mixture_w1s(x, y, LINE)[0]
    assert mixture_w1s(x, x._replace(means=x.means + shift), LINE)[0] == pytest.approx(abs(shift))
    moved = [a._replace(means=factor * a.means + shift, scales=factor * a.scales) for a in (x, y)]
    assert mixture_w1s(moved[0], moved[1], LINE)[0] == pytest.approx(factor * base, rel=1e-9)
    gap = float((x.weights @ x.means - y.weights @ y.means)[0])
    assert abs(gap) <= base + 1e-12


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6))
def test_axioms_over_directions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    units = directions(2, 8)
    x, y, z = (
        NormalMixture(rng.dirichlet(np.ones(k)), rng.normal(size=(k, 2)), rng.uniform(0.1, 1, k))
        for k in (2, 3, 4)
    )
    there, back = mixture_w1s(x, y, units), mixture_w1s(y, x, units)
    np.testing.assert_allclose(there, back, rtol=1e-9)
    assert (mixture_w1s(x, z, units) <= there + mixture_w1s(y, z, units) + 1e-9).all()
    np.testing.assert_array_equal(mixture_w1s(x, x, units), 0)
    order = rng.permutation(4)
    shuffled = NormalMixture(*(a[order] for a in z))
    np.testing.assert_allclose(mixture_w1s(z, shuffled, units), 0, atol=1e-14)


def test_full_covariances_project_as_they_should() -> None:
    rng = np.random.default_rng(4)
    factor = np.tril(rng.normal(size=(2, 3, 3)))
    x = NormalMixture(np.array([0.3, 0.7]), rng.normal(size=(2, 3)), factor)
    y = NormalMixture(np.ones(1), rng.normal(size=(1, 3)), np.ones(1))
    unit = directions(3, 5)[2:3]
    deviations = np.sqrt([unit[0] @ f @ f.T @ unit[0] for f in factor])
    lines = (
        NormalMixture(x.weights, x.means @ unit.T, deviations),
        y._replace(means=y.means @ unit.T),
    )
    found = mixture_w1s(x, y, unit)[0]
    assert found == pytest.approx(mixture_w1s(*lines, LINE)[0], rel=1e-12)


def test_atoms_against_a_normal_by_hand() -> None:
    """One atom at 0 against N(0, 1): E|X| = sqrt(2/pi); atoms against atoms: the line."""
    atom = NormalMixture(np.ones(1), np.zeros((1, 1)), np.zeros(1))
    normal = NormalMixture(np.ones(1), np.zeros((1, 1)), np.ones(1))
    assert mixture_w1s(atom, normal, LINE)[0] == pytest.approx(math.sqrt(2 / math.pi), rel=1e-12)
    rng = np.random.default_rng(5)
    a, b, p = rng.normal(size=6), rng.normal(size=9), rng.dirichlet(np.ones(6))
    found = mixture_w1s(
        NormalMixture(p, a[:, None], np.zeros(6)),
        NormalMixture(np.full(9, 1 / 9), b[:, None], np.zeros(9)),
        LINE,
    )
    assert found[0] == pytest.approx(w1(a, b, p), rel=1e-12)


@pytest.mark.parametrize("n", [1, 7, 300])
def test_atoms_against_a_mixture_between_jumps(n: int) -> None:
    """Between two atoms F is flat, so |F - G| is integrated by brute force on each stretch."""
    rng = np.random.default_rng(n)
    atoms = np.sort(rng.normal(size=n))
    smooth = draw_mixture(rng, 3, 1.0, 0.3)
    x = NormalMixture(np.full(n, 1 / n), atoms[:, None], np.zeros(n))
    ends = np.concatenate(([-15.0], atoms, [15.0]))
    total = 0.0
    for i in range(n + 1):
        t = np.linspace(ends[i], ends[i + 1], 20001 if n < 10 else 401)
        values = abs(i / n - line_cdf(smooth, t))
        total += float(((values[1:] + values[:-1]) / 2 * np.diff(t)).sum())
    assert mixture_w1s(x, smooth, LINE)[0] == pytest.approx(total, rel=1e-4 if n == 300 else 1e-6)


def test_any_two_cdfs() -> None:
    """Uniform on [0, 1] against uniform on [0, 2]: the integral of |F - G| is 1/2."""

    def difference(x: Array) -> tuple[Array, Array]:
        values = x.clip(0, 1) - (x / 2).clip(0, 1)
        return values, values

    def integral(x: Array) -> Array:
        first = np.where(x < 1, x.clip(0) ** 2 / 2, x - 0.5)
        second = np.where(x < 2, x.clip(0) ** 2 / 4, x - 1)
        return np.asarray(first - second)

    assert cdf_w1(difference, integral, np.linspace(-1, 3, 9), 0.5) == pytest.approx(0.5)


def test_the_table_of_the_normal_is_right_to_rounding() -> None:
    z = np.concatenate((np.linspace(-REACH, REACH, 4001), [-REACH, REACH, 0.0]))
    found = np.array([normal_cdf(float(t)) for t in z])
    assert abs(found - ndtr(z)).max() < 1e-13


def test_dimensions_must_agree() -> None:
    x = NormalMixture(np.ones(1), np.zeros((1, 2)), np.ones(1))
    with pytest.raises(InputError, match="one dimension d"):
        mixture_w1s(x, x, LINE)
