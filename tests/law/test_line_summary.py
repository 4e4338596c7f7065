"""Summaries of mixtures on the line against the law itself and against quadrature."""

import numpy as np
import pytest
from scipy import integrate

from driftlaw.errors import InputError
from driftlaw.evaluate import crps
from driftlaw.law import LineSummary, MixtureLaw, SampleLaw

LEVELS = np.array([1e-4, 0.01, 0.05, 0.3, 0.5, 0.7, 0.95, 0.999])


def _laws() -> dict[str, MixtureLaw]:
    rng = np.random.default_rng(5)
    k = 60
    df = np.where(np.arange(k) < 30, np.inf, rng.choice([1.7, 3.0, 8.0], k))
    weights, means = rng.dirichlet(np.ones(k)), rng.normal(size=k)
    scales = np.where(np.arange(k) < 30, 0.1, rng.gamma(2.0, 0.5, k))
    far = means + 1000.0 * (rng.random(k) < 0.3)
    return {
        "normal": MixtureLaw([1.0], [2.0], [3.0]),
        "heavy": MixtureLaw([1.0], [-1.0], [0.5], 1.5),
        "many": MixtureLaw(weights, means, scales, df),
        "two far groups": MixtureLaw(weights, far, scales, df),
        "near atoms": MixtureLaw(weights, means, np.where(df < np.inf, scales, 1e-3), df),
        "tiny": MixtureLaw(weights, 1e-9 * means, 1e-9 * scales, df),
        "away from the origin": MixtureLaw(weights, 1e6 + means, scales, df),
        "with an empty component": MixtureLaw([0.0, 1.0], [50.0, 0.0], [1.0, 1.0]),
    }


@pytest.mark.parametrize("name", list(_laws()))
class TestAgainstTheLaw:
    def test_probabilities(self, name: str) -> None:
        law = _laws()[name]
        x = law.quantile(np.linspace(0.001, 0.999, 41))[:, 0]
        np.testing.assert_allclose(LineSummary(law).cdf(x), law.cdf(x), atol=1e-8)

    def test_quantiles_have_their_level(self, name: str) -> None:
        law = _laws()[name]
        np.testing.assert_allclose(law.cdf(LineSummary(law).quantile(LEVELS)), LEVELS, atol=1e-8)

    def test_crps(self, name: str) -> None:
        law = _laws()[name]
        for x in law.quantile([0.001, 0.4, 0.9])[:, 0]:
            assert LineSummary(law).crps(x) == pytest.approx(crps(law, x), rel=1e-3)


@pytest.mark.parametrize("place", [0.0, 5.0, -1e6, 3e9])
def test_an_atom_is_one(place: float) -> None:
    summary = LineSummary(MixtureLaw([0.4, 0.6], [place, place], [1e-150, 1e-160], [3.0, np.inf]))
    np.testing.assert_allclose(summary.quantile(LEVELS), place, rtol=1e-12, atol=1e-12)
    assert summary.crps(place + 2.0) == pytest.approx(2.0, rel=1e-6)


def test_crps_is_the_integral() -> None:
    law, x = MixtureLaw([0.3, 0.7], [-1.0, 2.0], [1.0, 0.4], [3.0, np.inf]), 0.5
    below = integrate.quad(lambda u: law.cdf(u) ** 2, -np.inf, x)[0]
    above = integrate.quad(lambda u: (1 - law.cdf(u)) ** 2, x, np.inf)[0]
    assert LineSummary(law).crps(x) == pytest.approx(below + above, rel=1e-4)


def _narrow_parts() -> dict[str, MixtureLaw]:
    """Laws with parts that are narrow beside the whole range, or far from the others."""
    rng = np.random.default_rng(8)
    k = 100
    weights, latency = rng.dirichlet(np.ones(k)), rng.lognormal(3.0, 0.3, k)
    spikes = latency * np.where(np.arange(k) == 0, 100.0, 1.0)
    df = np.where(np.arange(k) < k // 2, np.inf, rng.choice([2.0, 5.0], k))
    apart = 10.0 ** rng.uniform(-9, 5, 12)
    places = rng.normal(size=12) * 10.0 ** rng.uniform(-3, 5, 12)
    return {
        "a failing sensor": MixtureLaw([0.99, 0.01], [20.0, -9999.0], [2.0, 0.5]),
        "its heavy tails": MixtureLaw([0.99, 0.01], [20.0, -9999.0], [2.0, 0.5], [3.0, 1.5]),
        "a failing sensor on a lattice": MixtureLaw(
            np.append(0.99 * weights, 0.01),
            np.append(np.round(rng.normal(20.0, 3.0, k), 1), -9999.0),
            np.full(k + 1, 1e-3),
        ),
        "spikes": MixtureLaw(weights, spikes, 0.2 * latency, df),
        "spikes of a normal law": MixtureLaw(weights, spikes, 0.02 * latency),
        "one other value": MixtureLaw([0.996, 0.004], [5.0, 7.0], [1e-9, 1e-7], [3.0, np.inf]),
        "two atoms": MixtureLaw([0.7, 0.3], [0.0, 1.0], [1e-9, 1e-9]),
        "all scales": MixtureLaw(np.ones(12), places, apart),
        "all scales and tails": MixtureLaw(np.ones(12), places, apart, [1.2, 2.0, 4.0] * 4),
    }


def _integrated(law: MixtureLaw, x: float) -> float:
    """Both integrals of the CRPS by many Gauss panels around every component."""
    tail = np.sinh(np.linspace(2.5, 17.0, 40))
    z = np.concatenate((-tail[::-1], np.linspace(-6.0, 6.0, 25), tail))
    edges = np.unique(np.append(law.means + law.scales[:, None] * z, x))
    nodes, shares = np.polynomial.legendre.leggauss(3)
    total = 0.0
    for part in np.array_split(np.arange(len(edges) - 1), max(1, len(edges) // 1000)):
        half = np.diff(edges)[part] / 2
        u = (edges[part] + half)[:, None] + half[:, None] * nodes
        # by symmetry the upper tail is the cdf of the mirrored law
        mirrored = MixtureLaw(law.weights, -law.means, law.scales, law.df)
        squares = np.where(u.ravel() < x, law.cdf(u.ravel()), mirrored.cdf(-u.ravel())) ** 2
        total += float(half @ (squares.reshape(u.shape) @ shares))
    return total


@pytest.mark.parametrize("name", list(_narrow_parts()))
class TestNarrowParts:
    def test_crps_against_fine_panels(self, name: str) -> None:
        law = _narrow_parts()[name]
        for x in law.quantile([0.002, 0.5, 0.93])[:, 0]:
            assert LineSummary(law).crps(x) == pytest.approx(_integrated(law, x), rel=1e-3)

    def test_crps_is_least_at_the_median_and_never_negative(self, name: str) -> None:
        law = _narrow_parts()[name]
        summary = LineSummary(law)
        points = np.concatenate((law.quantile(np.linspace(0.01, 0.99, 25))[:, 0], law.means[:, 0]))
        scores = [summary.crps(x) for x in (*points, -1e6, 1e6)]
        assert min(scores) >= 0.998 * summary.crps(law.quantile(0.5)[0]) > 0

    def test_probabilities_and_quantiles(self, name: str) -> None:
        law = _narrow_parts()[name]
        summary, levels = LineSummary(law), np.linspace(0.001, 0.999, 200)
        expected = law.quantile(levels)[:, 0]
        np.testing.assert_allclose(summary.cdf(expected), law.cdf(expected), atol=1e-8)
        found = summary.quantile(levels)
        is_near = abs(found - expected) <= 1e-9 * abs(expected)
        assert (is_near | (abs(law.cdf(found) - levels) < 1e-8)).all()


def test_crps_of_atoms_next_to_each_other() -> None:
    """Where F jumps between neighbouring numbers and nowhere else."""
    atoms = 1000.0 + np.array([0.0, 1.0, 2.0]) * np.spacing(1000.0)
    summary = LineSummary(MixtureLaw([0.2, 0.5, 0.3], atoms, np.full(3, 1e-18)))
    expected = crps(SampleLaw(atoms - 1000.0, [0.2, 0.5, 0.3]), atoms[1] - 1000.0)
    assert summary.crps(atoms[1]) == pytest.approx(expected, rel=0.3)
    assert summary.crps(1001.0) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-18, 3e-16, 1e-13, 1e-11, 1e-9])
@pytest.mark.parametrize("other", [0.0, 2.0])
def test_quantiles_rise_on_what_hardly_moves(scale: float, other: float) -> None:
    levels = np.concatenate((10.0 ** np.arange(-9, -3), np.linspace(0.001, 0.999, 300)))
    for place in np.random.default_rng(4).uniform(5.0, 1000.0, 10):
        scales = place * scale * np.array([1.0, 4.0])
        law = MixtureLaw([0.99, 0.01], [place, place + other], scales, [3.0, np.inf])
        summary = LineSummary(law)
        together = summary.quantile(levels)
        assert (np.diff(together) >= 0).all()
        np.testing.assert_array_equal(together, [summary.quantile(q)[0] for q in levels])
        np.testing.assert_array_equal(together[::-1], summary.quantile(levels[::-1]))


def test_infinities_have_a_place() -> None:
    for df in (1.5, 3.0, np.inf):
        summary = LineSummary(MixtureLaw([0.3, 0.7], [0.0, 5.0], [1.0, 1e-150], df))
        np.testing.assert_array_equal(summary.cdf([-np.inf, np.inf]), [0.0, 1.0])
        assert 0.0 <= summary.cdf(1e300)[0] <= 1.0
    with pytest.raises(InputError, match="x must not be nan"):
        summary.cdf([0.0, np.nan])


def test_probabilities_end_at_one() -> None:
    weights = np.random.default_rng(0).dirichlet(np.ones(900), size=20)
    for row in weights:
        law = MixtureLaw(row, np.linspace(0.0, 1.0, 900), np.full(900, 0.1), 3.0)
        assert LineSummary(law).cdf(1e99)[0] <= 1.0


def test_bad_questions_are_refused() -> None:
    with pytest.raises(InputError, match="dim 1"):
        LineSummary(MixtureLaw([1.0], [[0.0, 0.0]], [1.0]))
    summary = LineSummary(MixtureLaw([1.0], [0.0], [1.0]))
    for bad in (0.0, 1.0, -0.1, np.nan):
        with pytest.raises(InputError, match="q must be"):
            summary.quantile([0.5, bad])
