"""Summaries of mixtures on the line against the law itself and against quadrature."""

import numpy as np
import pytest
from scipy import integrate

from driftlaw.errors import InputError
from driftlaw.evaluate import crps
from driftlaw.law import LineSummary, MixtureLaw

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


def test_bad_questions_are_refused() -> None:
    with pytest.raises(InputError, match="dim 1"):
        LineSummary(MixtureLaw([1.0], [[0.0, 0.0]], [1.0]))
    summary = LineSummary(MixtureLaw([1.0], [0.0], [1.0]))
    for bad in (0.0, 1.0, -0.1, np.nan):
        with pytest.raises(InputError, match="q must be"):
            summary.quantile([0.5, bad])
