"""From exact draws, a few steps of any sampler lead to exact draws again."""

import math
from typing import NamedTuple

import numpy as np
import pytest

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw.geometry import LocationPrior, ball_prior, gaussian_prior
from driftlaw.inference import SAMPLERS, SamplerState, Target
from driftlaw.inference.chain import LOSS, Chain
from driftlaw.inference.engine import _chain_of as chain_of
from driftlaw.inference.paper import Proposal, paper_step
from driftlaw.inference.window import Window
from tests import naive
from tests.referee import (
    SIX,
    SIX_PLANE,
    center_means,
    counts_pvalue,
    mean_pvalue,
    new_state,
    no_alarm,
    place,
    sizes,
    target,
)

N_CHAINS = 2000
N_STEPS = 25  # after them only the last configuration is looked at: chains are independent


class Case(NamedTuple):
    """A quasi-posterior, and what quadrature says of it."""

    prior: LocationPrior
    points: Array
    rate: float
    eta: float
    exact: naive.Exact


def _locations(prior: LocationPrior, rng: np.random.Generator, n: int) -> Array:
    dim = len(prior.center)
    if hasattr(prior, "radius"):
        return naive.uniform_ball(rng, n, dim, prior.radius)
    return rng.normal(0.0, prior.scale, size=(n, dim))


@lean_kernel
def _step_all_inplace(window: Window, chains: Chain, target: Target, proposal: Proposal) -> None:
    """Take every chain some steps by the paper's move alone: its runs start on k-means centres."""
    for c in range(chains.k.shape[0]):
        for _ in range(N_STEPS):
            paper_step(window, chain_of(chains, c), target, proposal)


def _step_by_paper(state: SamplerState, now: Target, points: Array, *, is_symmetric: bool) -> None:
    """Run the paper's chains around fixed centres, and record where they end."""
    n, d = points.shape
    p = state.sizes.max_centers
    means = np.zeros((p, p, d))
    for k in range(1, p + 1):
        means[k - 1, :k] = [part.mean(axis=0) for part in np.array_split(points, k)]
    room = np.zeros((p, d)), np.zeros((p, p)), np.zeros(2**p)
    proposal = Proposal(means, 1.0 / math.sqrt(p * n), is_symmetric, *room)
    _step_all_inplace(state.window, state.chains, now, proposal)
    state.records.k[:, 0] = state.chains.k[:, 0]
    state.records.centers[:, 0] = state.chains.centers
    state.records.loss[:, 0] = state.chains.numbers[:, LOSS]


def _pvalues(case: Case, sampler: str) -> list[float]:
    exact, prior, points, rate = case.exact, case.prior, case.points, case.rate
    p, dim = len(exact.probabilities), points.shape[1]
    draws = naive.exact_draws(
        np.random.default_rng(11),
        N_CHAINS,
        lambda rng, n: _locations(prior, rng, n),
        points,
        rate,
        naive.count_prior(p, case.eta),
    )
    shape = sizes(dim, p, n_chains=N_CHAINS, n_kept=N_STEPS, n_configurations=1)
    state, now = new_state(shape, points, 12), target(prior, p, case.eta, rate)
    place(state, now, draws)
    if sampler == "local":
        state.sample(now)
    else:
        _step_by_paper(state, now, points, is_symmetric=sampler == "paper-symmetric")
    moved = (state.records.centers[:, 0, 0] != draws.centers[:, 0]).any(axis=1)
    assert moved.mean() > 0.3, "the chains hardly moved: nothing was tested"
    counts = np.bincount(state.records.k[:, 0], minlength=p + 1)[1:]
    functions = (_first, _square, _near)
    return [
        counts_pvalue(counts, exact.probabilities),
        mean_pvalue(state.records.loss[:, 0], exact.mean_loss()),
        *(mean_pvalue(center_means(state, f), exact.mean_of(f)) for f in functions),
    ]


def _first(x: Array) -> Array:
    return x[:, 0]


def _square(x: Array) -> Array:
    return np.asarray((x**2).sum(axis=1))


def _near(x: Array) -> Array:
    return np.asarray(np.exp(-4.0 * x[:, -1] ** 2))


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("rate", [0.05, 0.2])
def test_on_the_line(sampler: str, rate: float) -> None:
    # a plain paper chain does not mix, but leaves its target alone as it must
    exact = naive.integrate(naive.interval_nodes(2.5, 140), SIX, rate, 0.5, 3)
    assert no_alarm(_pvalues(Case(ball_prior(1, 2.5), SIX, rate, 0.5, exact), sampler))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_on_the_plane(sampler: str) -> None:
    exact = naive.integrate(naive.disc_nodes(1.5, 20), SIX_PLANE, 0.3, 0.3, 2)
    assert no_alarm(_pvalues(Case(ball_prior(2, 1.5), SIX_PLANE, 0.3, 0.3, exact), sampler))


def test_under_a_normal_prior() -> None:
    exact = naive.integrate(naive.normal_nodes(1.5, 140), SIX, 0.1, 0.5, 3)
    assert no_alarm(_pvalues(Case(gaussian_prior(1, 1.5), SIX, 0.1, 0.5, exact), "local"))


def test_the_check_sees_another_target() -> None:
    exact = naive.integrate(naive.interval_nodes(2.5, 140), SIX, 0.2, 0.5, 3)
    wrong = exact._replace(probabilities=naive.count_prior(3, 0.5))
    assert not no_alarm(_pvalues(Case(ball_prior(1, 2.5), SIX, 0.2, 0.5, wrong), "local"))
