"""The prior on (k, centres): normalisation, draws, relabelling."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlaw.errors import InputError
from driftlaw.geometry import (
    ConfigurationPrior,
    ball_prior,
    gaussian_prior,
    log_count_prior,
    padded,
)
from tests import naive
from tests.referee import FALSE_ALARM, counts_pvalue


@given(st.integers(1, 8), st.floats(0.0, 5.0))
def test_count_prior(max_centers: int, eta: float) -> None:
    log_q = log_count_prior(max_centers, eta)
    np.testing.assert_allclose(np.exp(log_q), naive.count_prior(max_centers, eta), rtol=1e-9)
    assert np.exp(log_q).sum() == pytest.approx(1.0)
    np.testing.assert_allclose(np.diff(log_q), -eta, atol=1e-9)


@pytest.mark.parametrize(("max_centers", "eta"), [(0, 0.1), (2.5, 0.1), (2, -0.1), (2, math.nan)])
def test_bad_counts_are_refused_at_birth(max_centers: int, eta: float) -> None:
    with pytest.raises(InputError, match="must be"):
        ConfigurationPrior(ball_prior(1, 1.0), max_centers, eta)


def test_log_density_by_hand() -> None:
    prior = ConfigurationPrior(ball_prior(1, 2.0), max_centers=2, eta=math.log(3.0))
    # q = (3/4, 1/4), each centre uniform on an interval of length 4
    assert prior.log_density([[0.5]]) == pytest.approx(math.log(0.75 / 4))
    assert prior.log_density([[0.5], [-1.0]]) == pytest.approx(math.log(0.25 / 16))
    assert prior.log_density([[0.5], [-2.1]]) == -math.inf
    assert prior.log_density([[0.5], [0.1], [0.2]]) == -math.inf
    assert prior.dim == 1


def test_log_density_does_not_see_the_order() -> None:
    prior = ConfigurationPrior(gaussian_prior(2, 1.5), max_centers=5, eta=0.3)
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(5, 2))
    for _ in range(10):
        assert prior.log_density(rng.permutation(centers)) == pytest.approx(
            prior.log_density(centers), rel=1e-12
        )


@pytest.mark.parametrize("eta", [0.0, 0.7])
def test_drawn_counts_follow_q(eta: float) -> None:
    prior = ConfigurationPrior(ball_prior(1, 1.0), max_centers=4, eta=eta)
    k = prior.draw(20_000, rng=1).k
    assert counts_pvalue(np.bincount(k, minlength=5)[1:], naive.count_prior(4, eta)) > FALSE_ALARM


def test_draws_are_padded_reproducible_and_inside() -> None:
    prior = ConfigurationPrior(ball_prior(2, 3.0), max_centers=3, eta=0.5)
    draws = prior.draw(500, rng=4)
    again = prior.draw(500, rng=4)
    np.testing.assert_array_equal(draws.centers, again.centers)
    assert len(draws) == 500
    assert set(draws.k) == {1, 2, 3}
    for k, row, each in zip(draws.k, draws.centers, draws.each(), strict=True):
        assert each.shape == (k, 2)
        assert np.isnan(row[k:]).all()
        assert (np.linalg.norm(each, axis=1) <= 3.0).all()
        assert math.isfinite(prior.log_density(each))


def test_bad_calls() -> None:
    prior = ConfigurationPrior(ball_prior(2, 3.0), max_centers=3)
    with pytest.raises(InputError, match=r"centers must be \(n, 2\)"):
        prior.log_density([[1.0, 2.0, 3.0]])
    with pytest.raises(InputError, match="centers must be finite"):
        prior.log_density([[1.0, math.nan]])
    with pytest.raises(InputError, match="n must be a whole number >= 1"):
        prior.draw(0)


def test_padding_copies() -> None:
    k, centers = np.array([1, 2]), np.ones((2, 2, 1))
    found = padded(k, centers)
    k[:], centers[:] = 0, 7.0
    assert found.k.tolist() == [1, 2]
    np.testing.assert_array_equal(found.centers[..., 0], [[1.0, np.nan], [1.0, 1.0]])
