"""Chains against quadrature: P(k), the mean loss and the predictive mean, on line and plane."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import norm

from driftlaw._validate import Array
from driftlaw.geometry import LocationPrior, ball_prior, gaussian_prior
from driftlaw.inference import SamplerState, ess, mcse_mean, rhat
from tests import naive
from tests.referee import SIX, SIX_PLANE, new_state, no_alarm, place, sizes, target

N_KEPT = 400_000


class Case(NamedTuple):
    """A quasi-posterior and the rule that integrates it."""

    prior: LocationPrior
    nodes: naive.Nodes
    points: Array
    rate: float
    eta: float
    max_centers: int

    def exact(self) -> naive.Exact:
        return naive.integrate(self.nodes, self.points, self.rate, self.eta, self.max_centers)

    def run(self, sampler: str, seed: int, n_chains: int = 1) -> SamplerState:
        dim, p = self.points.shape[1], self.max_centers
        shape = sizes(
            dim,
            p,
            n_kept=N_KEPT // n_chains,
            n_burn=2000,
            n_configurations=20_000 // n_chains,
            n_chains=n_chains,
            sampler=sampler,
        )
        state, now = new_state(shape, self.points, seed), target(self.prior, p, self.eta, self.rate)
        start = naive.Draws(np.ones(n_chains, dtype=np.int64), np.zeros((n_chains, p, dim)))
        place(state, now, start)
        state.sample(now)
        return state


def _line(rate: float, *, radius: float = 4.0, eta: float = 0.5, max_centers: int = 3) -> Case:
    nodes = naive.interval_nodes(radius, 140)
    return Case(ball_prior(1, radius), nodes, SIX, rate, eta, max_centers)


def _predictive_means(state: SamplerState) -> Array:
    """Mean of the centres of each kept configuration (n_chains, m, d): that of p(x|c)."""
    records = state.records
    live = np.arange(records.centers.shape[2]) < records.k[..., None]
    total = np.where(live[..., None], records.centers, 0.0).sum(axis=2)
    return np.asarray(total / records.k[..., None])


def _pvalue(trace: Array, truth: float) -> float:
    """P-value of the trace's mean being ``truth``, by its Monte-Carlo standard error."""
    return float(2.0 * norm.sf(abs(trace.mean() - truth) / mcse_mean(trace)))


def _pvalues(state: SamplerState, exact: naive.Exact) -> list[float]:
    records = state.records
    means = _predictive_means(state)
    found = [_pvalue(records.trace_loss, exact.mean_loss())]
    places = exact.probabilities @ exact.marginals @ exact.nodes.points
    found += [_pvalue(means[..., a], float(truth)) for a, truth in enumerate(places)]
    visited = [k for k, truth in enumerate(exact.probabilities, 1) if truth > 0.002]
    for k in visited:
        here = (records.trace_k == k).astype(float)
        found.append(_pvalue(here, float(exact.probabilities[k - 1])))
    return found


def _counts_error(state: SamplerState, exact: naive.Exact) -> float:
    """Largest error of P(k)."""
    ks = range(1, len(exact.probabilities) + 1)
    shares = np.array([(state.records.trace_k == k).mean() for k in ks])
    return float(np.abs(shares - exact.probabilities).max())


LOCAL = {
    "low rate": _line(0.05),
    "middle rate": _line(0.3),
    "high rate": _line(1.0),
    "small ball": _line(0.3, radius=2.2, eta=2.0),
    "normal prior": Case(gaussian_prior(1, 1.5), naive.normal_nodes(1.5, 140), SIX, 0.2, 0.5, 3),
    "plane": Case(ball_prior(2, 2.0), naive.disc_nodes(2.0, 20), SIX_PLANE, 0.5, 0.3, 2),
    "plane, high rate": Case(ball_prior(2, 2.0), naive.disc_nodes(2.0, 20), SIX_PLANE, 1.0, 2.0, 2),
}


@pytest.mark.parametrize("name", LOCAL)
def test_local_samples_its_target(name: str) -> None:
    exact, state = LOCAL[name].exact(), LOCAL[name].run("local", seed=1)
    assert _counts_error(state, exact) < 0.01
    assert no_alarm(_pvalues(state, exact))


@pytest.mark.parametrize("rate", [0.1, 0.3])
def test_the_symmetrised_paper_sampler_is_right_where_it_mixes(rate: float) -> None:
    case = _line(rate, radius=2.5, eta=2.0, max_centers=2)
    exact, state = case.exact(), case.run("paper-symmetric", seed=1)
    assert _counts_error(state, exact) < 0.02
    assert no_alarm(_pvalues(state, exact))


def _ascending(state: SamplerState) -> float:
    """Share of configurations of two centres whose first centre is the smaller one."""
    centers = state.records.centers[state.records.k == 2]
    return float((centers[:, 0, 0] < centers[:, 1, 0]).mean())


def test_the_paper_sampler_misses_modes() -> None:
    case = _line(0.3)
    exact, paper = case.exact(), case.run("paper", seed=1)
    assert _counts_error(paper, exact) > 0.3
    assert not no_alarm(_pvalues(paper, exact))
    # the target has every labelling alike; the chain knows one of them
    assert abs(_ascending(paper) - 0.5) > 0.45
    assert abs(_ascending(case.run("paper-symmetric", seed=1)) - 0.5) < 0.05


def test_chains_from_one_start_are_independent_and_agree() -> None:
    state = LOCAL["middle rate"].run("local", seed=5, n_chains=4)
    records, exact = state.records, LOCAL["middle rate"].exact()
    assert rhat(records.trace_k) < 1.01
    assert rhat(records.trace_loss) < 1.01
    assert no_alarm(_pvalues(state, exact))
    correlations = np.atleast_2d(np.corrcoef(records.trace_loss))[np.triu_indices(4, 1)]
    # of independent chains, each worth its effective sample size
    spread = 1.0 / np.sqrt(min(ess(trace[None]) for trace in records.trace_loss))
    assert no_alarm(2.0 * norm.sf(np.abs(correlations) / spread))
