"""SciPy's methods against SciPy's own laws; groups of ArviZ."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from driftlaw import QuasiBayes
from driftlaw.adapters import FrozenLaw, to_inference_data
from driftlaw.errors import InputError
from driftlaw.law import MixtureLaw, SampleLaw

PAIRS: dict[str, tuple[MixtureLaw, Any]] = {
    "normal": (MixtureLaw([1.0], [2.0], [3.0]), stats.norm(2.0, 3.0)),
    "student": (MixtureLaw([1.0], [-1.0], [0.5], 5.0), stats.t(5.0, -1.0, 0.5)),
}


@pytest.mark.parametrize("name", list(PAIRS))
class TestAgainstScipy:
    @pytest.mark.parametrize("method", ["pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"])
    @pytest.mark.parametrize("x", [0.3, [[-1.0, 0.0, 4.0], [1.0, 2.0, 3.0]], []])
    def test_at_points(self, name: str, method: str, x: Any) -> None:
        law, other = PAIRS[name]
        found, expected = getattr(FrozenLaw(law), method)(x), getattr(other, method)(x)
        assert np.shape(found) == np.shape(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)

    @pytest.mark.parametrize("method", ["ppf", "isf"])
    def test_at_levels(self, name: str, method: str) -> None:
        law, other = PAIRS[name]
        levels = np.array([[-0.1, 0.0, 0.2], [0.5, 1.0, 1.1]])
        found = getattr(FrozenLaw(law), method)(levels)
        np.testing.assert_allclose(found, getattr(other, method)(levels), rtol=1e-7)

    def test_numbers(self, name: str) -> None:
        law, other = PAIRS[name]
        frozen = FrozenLaw(law)
        for method in ("mean", "var", "std", "median", "entropy"):
            assert getattr(frozen, method)() == pytest.approx(getattr(other, method)(), rel=1e-5)
        assert frozen.interval(0.8) == pytest.approx(other.interval(0.8))
        assert frozen.support() == other.support()
        assert frozen.stats() == pytest.approx(other.stats())
        assert frozen.expect(np.cos) == pytest.approx(other.expect(np.cos), abs=5e-4)

    def test_draws(self, name: str) -> None:
        """Kolmogorov-Smirnov at level 1e-3, fixed seed."""
        law, other = PAIRS[name]
        draws = FrozenLaw(law).rvs((50, 20), random_state=1)
        assert draws.shape == (50, 20)
        assert stats.kstest(draws.ravel(), other.cdf).pvalue > 1e-3
        assert isinstance(FrozenLaw(law).rvs(), float)


def test_refusals_and_infinite_variance() -> None:
    with pytest.raises(InputError, match=r"take law\.marginal"):
        FrozenLaw(SampleLaw([[0.0, 1.0]]))
    with pytest.raises(InputError, match="moments"):
        FrozenLaw(SampleLaw([[0.0]])).stats("s")
    assert FrozenLaw(MixtureLaw([1.0], [0.0], [1.0], 1.5)).var() == np.inf


def test_inference_data_holds_traces_and_predictive_draws() -> None:
    predictor = QuasiBayes(dim=2, radius=3.0, n_chains=2, rng=0)
    for z in np.random.default_rng(0).normal(size=(5, 2)):
        predictor.learn_one(z)
    data = to_inference_data(predictor, n_draws=50)
    own = predictor.to_arviz()
    np.testing.assert_array_equal(data.posterior["k"].values, own.posterior["k"].values)
    assert data.posterior_predictive["observation"].shape == (1, 50, 2)
