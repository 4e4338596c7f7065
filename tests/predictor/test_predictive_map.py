"""From kept configurations to a law: class, weights, widths, labels, age 0."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlaw import Constant, QuasiBayes
from driftlaw._validate import Array
from driftlaw.geometry import ball_prior
from driftlaw.law import GibbsLaw, MixtureLaw, PredictiveLaw
from driftlaw.predictor import QuasiBayesConfig
from driftlaw.predictor.kernels import SMOOTHING, Draws, predictive_law

KERNELS: dict[str, dict[str, Any]] = {
    "gibbs": {"kernel": "gibbs"},
    "gibbs, occupancy": {"kernel": "gibbs", "weights": "occupancy"},
    "adaptive": {"kernel": "adaptive"},
    "adaptive, occupancy": {"kernel": "adaptive", "weights": "occupancy"},
    "gaussian": {"kernel": "gaussian", "scale": 0.4},
    "gaussian, occupancy": {"kernel": "gaussian", "scale": 0.4, "weights": "occupancy"},
}
EACH = pytest.mark.parametrize("settings", list(KERNELS.values()), ids=list(KERNELS))
DIMS = pytest.mark.parametrize("dim", [1, 2, 5])
R = 4.0


def draws_of(points: Array, configurations: list[Array], most: int, rate: float) -> Draws:
    """Score configurations (k, d) by plain NumPy."""
    m, dim = len(configurations), points.shape[1]
    centers, loss, counts = np.zeros((m, most, dim)), np.zeros(m), np.zeros((m, most))
    for i, c in enumerate(configurations):
        centers[i, : len(c)] = c
        squares = ((points[:, None] - c) ** 2).sum(axis=2)
        loss[i] = squares.min(axis=1).sum() if len(points) else 0.0
        for j in squares.argmin(axis=1):
            counts[i, j] += 1
    k = np.array([len(c) for c in configurations])
    return Draws(k, centers, loss, counts, len(points), rate)


def law_of(draws: Draws, **settings: Any) -> PredictiveLaw:
    dim = draws.centers.shape[2]
    config = QuasiBayesConfig(dim=dim, radius=R, max_centers=draws.centers.shape[1], **settings)
    return predictive_law(config, ball_prior(dim, 2 * R), draws)


def test_width_and_weights_by_hand() -> None:
    """Points -1, 1, 4 with centres 0, 3 and an idle 7: residuals 1, 1, 1; two centres own any."""
    points = np.array([[-1.0], [1.0], [4.0]])
    draws = draws_of(points, [np.array([[0.0], [3.0], [7.0]]), np.array([[1.0]])], 3, 0.7)
    law = law_of(draws, kernel="adaptive", weights="occupancy")
    assert isinstance(law, MixtureLaw)
    # configuration 1: 3 / (3 - 2); configuration 2: (4 + 0 + 9) / (3 - 1)
    np.testing.assert_allclose(law.scales, np.sqrt([3.0, 3.0, 3.0, 6.5]), rtol=1e-15)
    np.testing.assert_array_equal(law.means[:, 0], [0.0, 3.0, 7.0, 1.0])
    mass = np.array([2 + SMOOTHING, 1 + SMOOTHING, SMOOTHING]) / (3 + 3 * SMOOTHING)
    np.testing.assert_allclose(law.weights, [*mass / 2, 0.5], rtol=1e-15)
    uniform = law_of(draws, kernel="gaussian", scale=0.4)
    assert isinstance(uniform, MixtureLaw)
    np.testing.assert_allclose(uniform.weights, [1 / 6, 1 / 6, 1 / 6, 1 / 2], rtol=1e-15)
    assert (uniform.scales == 0.4).all()
    gibbs = law_of(draws, weights="occupancy")
    assert isinstance(gibbs, GibbsLaw)
    assert gibbs.cell_weights is not None
    assert gibbs.rate == 0.7
    np.testing.assert_allclose(
        gibbs.cell_weights[0], [2 + SMOOTHING, 1 + SMOOTHING, SMOOTHING], rtol=1e-15
    )


def test_width_in_the_plane_by_hand() -> None:
    """Residual 1 + 4 + 0 over two coordinates of three points less two centres."""
    points = np.array([[0.0, 1.0], [2.0, 0.0], [5.0, 5.0]])
    law = law_of(draws_of(points, [np.array([[0.0, 0.0], [5.0, 5.0]])], 2, 1.0), kernel="adaptive")
    assert isinstance(law, MixtureLaw)
    np.testing.assert_allclose(law.scales, np.sqrt(5 / 2), rtol=1e-15)


def test_width_never_vanishes() -> None:
    points = np.ones((5, 1))
    law = law_of(draws_of(points, [np.ones((1, 1))], 2, 1.0), kernel="adaptive")
    assert isinstance(law, MixtureLaw)
    assert law.scales[0] == pytest.approx(1e-9 * R)
    assert np.isfinite(law.logpdf([[1.0], [2.0]])).all()
    single = law_of(draws_of(points[:1], [np.zeros((1, 1))], 2, 1.0), kernel="adaptive")
    assert isinstance(single, MixtureLaw)
    assert single.scales[0] == 1.0  # one point, one centre: its residual over one


@EACH
@DIMS
def test_the_law_of_a_run_is_that_of_its_window(settings: dict[str, Any], dim: int) -> None:
    points = np.random.default_rng(0).normal(0.0, 1.5, (17, dim))
    p = QuasiBayes(
        dim=dim,
        radius=R,
        schedule=Constant(0.6),
        restart_every=10,
        n_iterations=60,
        n_configurations=6,
        n_chains=2,
        rng=0,
        **settings,
    )
    p.learn_many(points)
    found = p.predict()
    wanted = law_of(draws_of(points[10:], p.configurations().each(), 4, 0.6), **settings)
    assert type(found) is type(wanted)
    assert isinstance(found, GibbsLaw if settings["kernel"] == "gibbs" else MixtureLaw)
    if isinstance(found, MixtureLaw):
        assert isinstance(wanted, MixtureLaw)
        assert found.weights.sum() == pytest.approx(1, abs=1e-14)
        for name in ("weights", "means", "scales"):
            np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-9)
    else:
        x = np.linspace(-1, 1, 5)[:, None] * np.ones(dim)
        np.testing.assert_allclose(found.logpdf(x), wanted.logpdf(x), rtol=1e-9)


@EACH
@DIMS
def test_age_zero(settings: dict[str, Any], dim: int) -> None:
    """Before anything came: the prior's centres, as wide as the radius, or uniform on the ball."""
    p = QuasiBayes(dim=dim, radius=R, n_iterations=40, n_configurations=8, rng=0, **settings)
    law = p.predict()
    if isinstance(law, GibbsLaw):
        assert law.rate == 0.0
        assert law.ball_radius == 2 * R
        if dim == 1:
            x = np.linspace(-8.0, 8.0, 17)
            np.testing.assert_allclose(law.cdf(x), (x + 8) / 16, atol=1e-12)
    else:
        assert isinstance(law, MixtureLaw)
        assert (law.scales == (0.4 if settings["kernel"] == "gaussian" else R)).all()
        k = p.configurations().k
        np.testing.assert_allclose(law.weights, np.repeat(1 / (8 * k), k), rtol=1e-12)


@EACH
@given(seed=st.integers(0, 2**32 - 1))
def test_labels_carry_no_meaning(settings: dict[str, Any], seed: int) -> None:
    """Permuted centres and permuted configurations give one law."""
    rng = np.random.default_rng(seed)
    points = rng.normal(0, 2, (9, 1))
    configurations = [rng.uniform(-7, 7, (k, 1)) for k in (3, 1, 4, 2)]
    shuffled = [rng.permutation(c) for c in configurations]
    order = rng.permutation(4)
    law = law_of(draws_of(points, configurations, 4, 0.5), **settings)
    other = law_of(draws_of(points, [shuffled[i] for i in order], 4, 0.5), **settings)
    x = np.linspace(-7.9, 7.9, 9)
    np.testing.assert_allclose(law.pdf(x), other.pdf(x), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(law.cdf(x), other.cdf(x), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(law.mean(), other.mean(), atol=1e-9)
