"""Where data say nothing every chain must return the prior, on k and on the centres."""

import numpy as np
import pytest
from scipy import stats

from driftlaw._validate import Array
from driftlaw.geometry import BallPrior, LocationPrior, ball_prior, gaussian_prior
from driftlaw.inference import SamplerState
from tests import naive
from tests.referee import (
    center_means,
    counts_pvalue,
    mean_pvalue,
    new_state,
    no_alarm,
    place,
    sizes,
    target,
)

NOTHING = 1e-12  # a learning rate that makes chains run and the loss count for nothing
PRIORS = [f(d, 1.5) for f in (ball_prior, gaussian_prior) for d in (1, 2, 3)]
ETA = 0.4


def _name(prior: LocationPrior) -> str:
    return f"{type(prior).__name__}-{len(prior.center)}"


def _share(prior: LocationPrior, centers: Array) -> Array:
    """Share of the prior nearer to its middle than each centre: uniform under the prior."""
    dim, square = centers.shape[1], (centers**2).sum(axis=1)
    if isinstance(prior, BallPrior):
        return np.asarray((np.sqrt(square) / prior.radius) ** dim)
    return np.asarray(stats.chi2(dim).cdf(square / prior.scale**2))


def _points(dim: int, n: int) -> Array:
    return np.random.default_rng(dim).uniform(-0.5, 0.5, size=(n, dim))


def _pvalues(state: SamplerState, prior: LocationPrior) -> list[float]:
    """Compare independent chains with the prior: counts, distance and direction of centres."""
    q = naive.count_prior(state.sizes.max_centers, ETA)
    shares = [(state.records.trace_k == k).mean(axis=1) for k in range(1, len(q) + 1)]
    found = [mean_pvalue(share, truth) for share, truth in zip(shares, q, strict=True)]
    found.append(mean_pvalue(center_means(state, lambda c: _share(prior, c)), 0.5))
    far = center_means(state, lambda c: (_share(prior, c) > 0.8).astype(float))
    found.append(mean_pvalue(far, 0.2))
    found.append(mean_pvalue(center_means(state, lambda c: c[:, -1]), 0.0))
    return found


@pytest.mark.parametrize("prior", PRIORS, ids=_name)
def test_rate_zero_draws_from_the_prior(prior: LocationPrior) -> None:
    dim = len(prior.center)
    state = new_state(sizes(dim, 3, n_kept=5000, n_configurations=5000), _points(dim, 6), dim)
    state.sample(target(prior, 3, ETA, 0.0))
    k, centers = state.records.k[0], state.records.centers[0]
    pvalues = [counts_pvalue(np.bincount(k, minlength=4)[1:], naive.count_prior(3, ETA))]
    for j in range(3):
        shares = _share(prior, centers[k > j, j])
        pvalues.append(float(stats.kstest(shares, "uniform").pvalue))
    first, second = (_share(prior, centers[k > 1, j]) for j in range(2))
    pvalues.append(float(stats.pearsonr(first, second).pvalue))
    assert no_alarm(pvalues)


@pytest.mark.parametrize("prior", PRIORS, ids=_name)
def test_local_chains_recover_the_prior(prior: LocationPrior) -> None:
    dim = len(prior.center)
    shape = sizes(dim, 3, n_chains=60, n_burn=500, n_kept=2000, n_configurations=1000)
    state = new_state(shape, _points(dim, 6), 10 + dim)
    now = target(prior, 3, ETA, NOTHING)
    place(state, now, naive.Draws(np.ones(60, dtype=np.int64), np.zeros((60, 3, dim))))
    state.sample(now)
    assert no_alarm(_pvalues(state, prior))


@pytest.mark.parametrize("sampler", ["paper", "paper-symmetric"])
@pytest.mark.parametrize("dim", [1, 2, 3])
def test_paper_chains_recover_the_prior(sampler: str, dim: int) -> None:
    # two points and at most two centres: a proposal as wide as the ball, so that chains mix
    prior = ball_prior(dim, 1.0)
    shape = sizes(
        dim, 2, n_chains=60, n_burn=500, n_kept=4000, n_configurations=1000, sampler=sampler
    )
    state = new_state(shape, _points(dim, 2), 20 + dim)
    now = target(prior, 2, ETA, NOTHING)
    place(state, now, naive.Draws(np.ones(60, dtype=np.int64), np.zeros((60, 2, dim))))
    state.sample(now)
    assert no_alarm(_pvalues(state, prior))


def test_the_check_sees_a_small_error() -> None:
    prior = ball_prior(1, 1.5)
    state = new_state(
        sizes(1, 3, n_chains=60, n_kept=2000, n_configurations=1000), _points(1, 6), 0
    )
    state.sample(target(prior, 3, ETA + 0.05, 0.0))
    assert not no_alarm(_pvalues(state, prior))
    state.sample(target(ball_prior(1, 1.6), 3, ETA, 0.0))
    assert not no_alarm(_pvalues(state, prior))
