"""Proper scores against other closed forms, SciPy, numerical integration and large samples."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats
from scipy.spatial.distance import cdist

from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.evaluate import crps, energy_score
from driftlaw.law import GibbsLaw, MixtureLaw, PredictiveLaw, SampleLaw

FALSE_ALARM = 1e-3
LIMIT = stats.norm.isf(FALSE_ALARM / 2)


def by_quadrature(law: PredictiveLaw, x: float) -> float:
    """CRPS by SciPy's adaptive rule between far quantiles, with the median as a break."""
    low, middle, high = law.quantile([1e-10, 0.5, 1 - 1e-10])[:, 0]
    edges = sorted({min(low, x), middle, x, max(high, x)})
    return float(
        sum(
            integrate.quad(lambda u: (law.cdf(u) - (u >= x)) ** 2, a, b, limit=500)[0]
            for a, b in pairwise(edges)
        )
    )


@settings(deadline=None)
@given(
    means=st.lists(st.floats(-20, 20), min_size=1, max_size=5),
    x=st.floats(-50, 50),
    seed=st.integers(0, 999),
)
def test_crps_of_normal_mixtures_is_the_sum_of_folded_normals(
    means: list[float], x: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(len(means)))
    scales = rng.uniform(0.01, 5.0, len(means))
    law = MixtureLaw(weights, np.array(means)[:, None], scales)
    centers = np.array(means)
    spread = _folded(centers[:, None] - centers, np.hypot(scales[:, None], scales))
    expected = weights @ _folded(centers - x, scales) - weights @ spread @ weights / 2
    assert crps(law, x) == pytest.approx(expected, rel=1e-9, abs=1e-10)


def _folded(mean: Array, scale: Array) -> Array:
    """Mean of the absolute value of a normal variable."""
    z = mean / scale
    return scale * (2 * stats.norm.pdf(z) + z * (2 * stats.norm.cdf(z) - 1))


@settings(deadline=None)
@given(
    points=st.lists(st.floats(-9, 9), min_size=1, max_size=15),
    x=st.floats(-20, 20),
    seed=st.integers(0, 99),
)
def test_crps_of_samples_is_half_the_squared_energy_distance(
    points: list[float], x: float, seed: int
) -> None:
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(points)))
    law = SampleLaw(np.array(points)[:, None], weights)
    expected = stats.energy_distance(points, [x], weights) ** 2 / 2
    assert crps(law, x) == pytest.approx(expected, abs=1e-10)
    assert energy_score(law, x).value == crps(law, x)


@pytest.mark.parametrize("df", [1.2, 2.5, 30.0])
@pytest.mark.parametrize("x", [-3.0, 0.4, 8.0])
def test_crps_of_a_student_is_its_closed_form(df: float, x: float) -> None:
    law = MixtureLaw([1.0], [[1.0]], [2.0], df)
    z = (x - 1.0) / 2.0
    to_point = z * (2 * stats.t.cdf(z, df) - 1) + 2 * stats.t.pdf(z, df) * (df + z**2) / (df - 1)
    spread = special.beta(0.5, df - 0.5) / special.beta(0.5, df / 2) ** 2
    expected = 2.0 * (to_point - 2 * np.sqrt(df) / (df - 1) * spread)
    assert crps(law, x) == pytest.approx(expected, rel=1e-6)


LINES: dict[str, Callable[[], PredictiveLaw]] = {
    "normals": lambda: MixtureLaw([0.3, 0.7], [[-2.0], [3.0]], [0.1, 1.0]),
    "students": lambda: MixtureLaw([0.3, 0.7], [[-2.0], [3.0]], [0.1, 1.0], [3.0, 5.0]),
    "far students": lambda: MixtureLaw([0.5, 0.5], [[-50.0], [50.0]], [0.05, 0.05], 4.0),
    "gibbs": lambda: GibbsLaw([2, 2], [[[-2.0], [1.0]], [[-1.5], [1.5]]], 2.0, [0.0], 6.0),
}


@pytest.mark.parametrize("name", sorted(LINES))
@pytest.mark.parametrize("x", [-2.0, 0.5, 4.0])
def test_crps_is_its_integral(name: str, x: float) -> None:
    law = LINES[name]()
    assert crps(law, x) == pytest.approx(by_quadrature(law, x), rel=1e-5)


SPACES: dict[str, Callable[[], PredictiveLaw]] = {
    "isotropic 2-d": lambda: MixtureLaw([0.3, 0.7], [[0.0, 0.0], [3.0, 1.0]], [0.5, 1.0]),
    "isotropic 5-d": lambda: MixtureLaw([0.6, 0.4], [[0.0] * 5, [1.0] * 5], [0.5, 1.0]),
    "narrow, far": lambda: MixtureLaw([0.5, 0.5], [[-50.0, 0.0], [50.0, 0.0]], [0.01, 0.01]),
    "shapes 2-d": lambda: MixtureLaw(
        [0.5, 0.5], [[0.0, 0.0], [2.0, 1.0]], [[[1.0, 0.0], [0.9, 0.3]], [[0.2, 0.0], [0.0, 2.0]]]
    ),
    "shapes 3-d": lambda: MixtureLaw([1.0], [[0.0] * 3], [np.diag([0.3, 1.0, 2.0])]),
    "students": lambda: MixtureLaw([1.0], [[0.0, 0.0]], [1.0], 3.0),
}


@pytest.mark.parametrize("name", sorted(SPACES))
def test_energy_score_agrees_with_a_large_sample(name: str) -> None:
    """Two independent halves of 2 * 10^5 draws estimate both terms without bias."""
    law = SPACES[name]()
    x = np.linspace(0.5, 1.0, law.dim)
    draws = law.sample(200_000, rng=7)
    half, other = draws[:100_000], draws[100_000:]
    terms = np.linalg.norm(half - x, axis=1) - np.linalg.norm(half - other, axis=1) / 2
    error = terms.std() / np.sqrt(len(terms))
    found = energy_score(law, x, n_samples=1500, rng=3)
    # 128 fixed directions stand for all directions where shapes are not round.
    slack = 2e-3 * found.value if "shapes" in name else 0.0
    limit = LIMIT * np.hypot(error, found.standard_error) + slack
    assert abs(found.value - terms.mean()) < limit
    assert (found.standard_error > 0) == (name == "students")


def test_energy_score_of_samples_is_its_two_sums() -> None:
    rng = np.random.default_rng(0)
    points, weights, x = rng.normal(size=(30, 3)), rng.dirichlet(np.ones(30)), rng.normal(size=3)
    to_point, spread = cdist(points, x[None])[:, 0], cdist(points, points)
    expected = weights @ to_point - weights @ spread @ weights / 2
    found = energy_score(SampleLaw(points, weights), x)
    assert found.value == pytest.approx(expected)
    assert found.standard_error == 0.0


def test_the_sampled_energy_score_is_fair_and_knows_its_error() -> None:
    """Standardised errors over repetitions have mean 0 and variance 1."""
    shape = MixtureLaw([1.0], [[0.0, 0.0]], [1.0], 1e9)  # Student by name, normal by nature
    exact = energy_score(MixtureLaw([1.0], [[0.0, 0.0]], [1.0]), [1.0, 0.0]).value
    found = [energy_score(shape, [1.0, 0.0], n_samples=100, rng=s) for s in range(400)]
    z = np.array([(f.value - exact) / f.standard_error for f in found])
    assert abs(z.mean()) < LIMIT / np.sqrt(400)
    assert 0.8 < z.std() < 1.25
    draws = shape.sample(100, rng=0)
    fair = cdist(draws, [[1.0, 0.0]]).mean() - cdist(draws, draws).sum() / (2 * 100 * 99)
    assert found[0].value == pytest.approx(fair)


@pytest.mark.parametrize("dim", [1, 2])
def test_scores_are_proper(dim: int) -> None:
    """The mean score of draws is least for the law they come from."""
    truth = MixtureLaw([0.5, 0.5], np.array([[-2.0] * dim, [2.0] * dim]), [0.5, 0.5])
    wrong = [
        MixtureLaw([0.3, 0.7], truth.means, truth.scales),
        MixtureLaw([0.5, 0.5], truth.means + 0.7, truth.scales),
        MixtureLaw([0.5, 0.5], truth.means, [1.5, 1.5]),
        MixtureLaw([1.0], np.zeros((1, dim)), [2.1]),
    ]
    draws = truth.sample(600, rng=5)
    own = np.array([energy_score(truth, x).value for x in draws])
    for law in wrong:
        gaps = np.array([energy_score(law, x).value for x in draws]) - own
        assert gaps.mean() > LIMIT * gaps.std() / np.sqrt(len(gaps))


def test_bad_input_is_named() -> None:
    plane = MixtureLaw([1.0], [[0.0, 0.0]], [1.0])
    with pytest.raises(InputError, match="law must have dim 1"):
        crps(plane, 0.0)
    with pytest.raises(InputError, match="x must be finite"):
        energy_score(plane, [0.0, np.nan])
    with pytest.raises(InputError, match="n_samples must be"):
        energy_score(SPACES["students"](), [0.0, 0.0], n_samples=1)
