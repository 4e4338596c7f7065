from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from driftlaw import risk as rk
from driftlaw import streams
from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.law import GibbsLaw, MixtureLaw, SampleLaw


def random_law(rng: np.random.Generator, n: int, dim: int, df: float = np.inf) -> MixtureLaw:
    noise = rng.normal(size=(n, dim, dim + 2))
    factors = np.linalg.cholesky(noise @ noise.transpose(0, 2, 1) / (dim + 2))
    return MixtureLaw(rng.dirichlet(np.ones(n)), rng.normal(0, 3, (n, dim)), factors, df)


def losses(points: Array, centers: Array) -> Array:
    best = np.full(len(points), np.inf)
    for center in centers:
        best = np.minimum(best, ((points - center) ** 2).sum(axis=1))
    return best


def line_risk(law: MixtureLaw, centers: Array) -> float:
    """Adaptive quadrature of loss times density on the pieces between the kinks."""
    middles = np.sort(centers.ravel())
    kinks = [float(a + b) / 2 for a, b in pairwise(middles)]
    kinks += [float(m) for m in law.means.ravel()]
    ends = [-np.inf, *sorted(kinks), np.inf]
    pieces = pairwise(ends)
    return sum(
        integrate.quad(
            lambda x: float(((centers.ravel() - x) ** 2).min() * law.pdf(x)), a, b, epsabs=1e-12
        )[0]
        for a, b in pieces
        if a < b
    )


@pytest.mark.parametrize("df", [np.inf, 4.0, 2.5])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_on_the_line_it_equals_adaptive_quadrature(k: int, df: float) -> None:
    rng = np.random.default_rng(k)
    law = random_law(rng, 3, 1, df)
    centers = rng.normal(0, 3, (k, 1))
    value, error = rk.population_risk(law, centers)
    assert error == 0.0
    assert value == pytest.approx(line_risk(law, centers), rel=1e-6)


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_one_center_gives_variance_plus_squared_bias(dim: int) -> None:
    law = random_law(np.random.default_rng(0), 2, dim)
    point = np.ones(dim)
    want = np.trace(law.cov()) + ((law.mean() - point) ** 2).sum()
    for centers in (point[None], np.array([point, point])):
        value, error = rk.population_risk(law, centers)
        assert value == pytest.approx(want)
        assert error == 0.0


@pytest.mark.parametrize(
    ("dim", "k", "df"),
    [
        (2, 2, np.inf),
        (5, 2, 5.0),
        (2, 3, np.inf),
        (2, 6, np.inf),
        (2, 4, 5.0),
        (3, 4, np.inf),
        (5, 6, np.inf),
        (3, 5, 5.0),
    ],
)
def test_it_agrees_with_a_large_sample_within_their_errors(dim: int, k: int, df: float) -> None:
    rng = np.random.default_rng(dim * 100 + k)
    law = random_law(rng, 3, dim, df)
    centers = rng.normal(0, 3, (k, dim))
    value, error = rk.population_risk(law, centers)
    sample = losses(law.sample(200_000, rng), centers)
    standard_error = sample.std() / np.sqrt(len(sample))
    level = stats.norm.isf(0.5e-3 / 8)  # two-sided, false alarm 1e-3 over the eight cases
    assert abs(value - sample.mean()) <= level * standard_error + error
    assert error <= (2e-6 if dim < 5 else 2e-3) * value


def test_a_product_law_on_a_grid_of_centers_is_a_sum_of_lines() -> None:
    corners = np.array([[a, b] for a in (0.0, 1.0, 3.0) for b in (0.0, 2.0)])
    value, error = rk.population_risk(MixtureLaw([1.0], [[0.3, 0.9]], [0.5]), corners)
    first = rk.population_risk(MixtureLaw([1.0], [[0.3]], [0.5]), [[0.0], [1.0], [3.0]]).value
    second = rk.population_risk(MixtureLaw([1.0], [[0.9]], [0.5]), [[0.0], [2.0]]).value
    assert abs(value - first - second) <= max(error, 1e-12)


@pytest.mark.parametrize("mean", [(0.3, 0.9, 1.2), (0.5, 0.1, 2.0), (0.8, 1.5, 1.5)])
def test_a_product_law_in_space_stays_within_its_stated_error(
    mean: tuple[float, float, float],
) -> None:
    corners = np.array([[a, b, c] for a in (0.0, 1.0) for b in (0.0, 2.0) for c in (0.0, 3.0)])
    value, error = rk.population_risk(MixtureLaw([1.0], [mean], [0.5]), corners)
    pairs = zip(mean, (1.0, 2.0, 3.0), strict=True)
    want = sum(
        rk.population_risk(MixtureLaw([1.0], [[m]], [0.5]), [[0.0], [end]]).value
        for m, end in pairs
    )
    assert error < 2e-6 * want
    assert abs(value - want) <= error


def test_a_tighter_tolerance_gives_a_smaller_error() -> None:
    rng = np.random.default_rng(4)
    law, centers = random_law(rng, 2, 2), rng.normal(0, 3, (4, 2))
    loose = rk.population_risk(law, centers, tolerance=1e-4)
    tight = rk.population_risk(law, centers, tolerance=1e-9)
    assert tight.error < loose.error
    assert abs(loose.value - tight.value) <= loose.error + tight.error


def test_components_of_several_families_add_up() -> None:
    centers = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, -1.0]])
    means = np.array([[0.0, 1.0], [2.0, 0.0]])
    mixed = MixtureLaw([0.3, 0.7], means, [1.0, 0.5], [np.inf, 5.0])
    parts = [
        rk.population_risk(MixtureLaw([1.0], means[:1], [1.0]), centers),
        rk.population_risk(MixtureLaw([1.0], means[1:], [0.5], 5.0), centers),
    ]
    want = 0.3 * parts[0].value + 0.7 * parts[1].value
    assert rk.population_risk(mixed, centers).value == pytest.approx(want, rel=3e-6)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 4), dim=st.integers(1, 2))
def test_it_moves_with_the_law_ignores_labels_and_falls_with_more_centers(
    seed: int, k: int, dim: int
) -> None:
    rng = np.random.default_rng(seed)
    law, centers = random_law(rng, 2, dim), rng.normal(0, 3, (k, dim))
    shift = rng.normal(0, 5, dim)
    moved = MixtureLaw(law.weights, law.means + shift, law.scales)
    base = rk.population_risk(law, centers)
    slack = 10 * base.error + 1e-9 * base.value
    assert abs(rk.population_risk(moved, centers + shift).value - base.value) <= slack
    assert abs(rk.population_risk(law, centers[::-1]).value - base.value) <= slack
    more = np.concatenate([centers, rng.normal(0, 3, (1, dim))])
    assert rk.population_risk(law, more).value <= base.value + slack + 1e-5 * base.value


def test_an_empirical_law_gives_the_weighted_mean_loss() -> None:
    rng = np.random.default_rng(3)
    points, centers = rng.normal(size=(20, 3)), rng.normal(size=(4, 3))
    weights = rng.dirichlet(np.ones(20))
    value, error = rk.population_risk(SampleLaw(points, weights), centers)
    assert value == pytest.approx(weights @ losses(points, centers))
    assert error == 0.0


def test_the_lagged_risk_is_the_risk_one_step_before() -> None:
    stream = streams.smooth_drift(rng=0)
    centers = [[0.0, 0.0], [1.0, 1.0]]
    assert rk.lagged_risk(stream, 7, centers) == rk.population_risk(stream.law_at(6), centers)
    with pytest.raises(InputError, match="t must be a whole number >= 1, got 0"):
        rk.lagged_risk(stream, 0, centers)


def test_bad_laws_and_centers_are_refused() -> None:
    law = MixtureLaw([1.0], [[0.0, 0.0]], [1.0])
    with pytest.raises(InputError, match=r"centers must be \(n, 2\), got \(1, 3\)"):
        rk.population_risk(law, [[0.0, 0.0, 0.0]])
    with pytest.raises(InputError, match="centers must be finite"):
        rk.population_risk(law, [[0.0, np.nan]])
    with pytest.raises(InputError, match=r"df > 2 for a finite risk, got 2\.0"):
        rk.population_risk(MixtureLaw([1.0], [[0.0]], [1.0], 2.0), [[0.0]])
    with pytest.raises(InputError, match="tolerance must be finite and > 0"):
        rk.population_risk(law, [[0.0, 0.0]], tolerance=0.0)
    gibbs = GibbsLaw([1], [[[0.0, 0.0]]], 1.0, [0.0, 0.0], 5.0)
    with pytest.raises(InputError, match="must be a MixtureLaw or a SampleLaw, got GibbsLaw"):
        rk.population_risk(gibbs, [[0.0, 0.0]])
    with pytest.raises(InputError, match="law must be a MixtureLaw or a SampleLaw, got list"):
        rk.population_risk([[0.0, 0.0]], law)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="law must be a MixtureLaw or a SampleLaw, got list"):
        rk.excess_risk([1], [1], [[[0.0]]])  # type: ignore[arg-type]


def test_errors_of_quasi_random_rules_are_honest() -> None:
    """Sixteen corners of a box in R^4 are beyond the grids; a product law knows the answer."""
    ends = (1.0, 2.0, 3.0, 1.5)
    corners = np.stack(np.meshgrid(*[(0.0, e) for e in ends]), axis=-1).reshape(-1, 4)
    rng = np.random.default_rng(0)
    scores = []
    for _ in range(6):
        mean, scale = rng.uniform(-0.5, 2.0, 4), float(rng.uniform(0.3, 1.0))
        value, error = rk.population_risk(MixtureLaw([1.0], mean[None], [scale]), corners)
        lines = [MixtureLaw([1.0], [[m]], [scale]) for m in mean]
        want = sum(
            rk.population_risk(line, [[0.0], [end]]).value
            for line, end in zip(lines, ends, strict=True)
        )
        scores.append(abs(value - want) / error)
        assert error <= 5e-3 * want
    # the stated error is three standard errors: all within two of it, most within one
    assert max(scores) <= 2.0
    assert np.median(scores) <= 1.0
