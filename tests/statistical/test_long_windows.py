"""The sampler of long windows against quadrature: a summary leads it, the exact loss decides."""

from dataclasses import replace

import numpy as np
from scipy.stats import norm

from driftlaw._validate import Array
from driftlaw.geometry import ball_prior
from driftlaw.inference import SamplerState, mcse_mean
from driftlaw.inference.chain import LOG_LOCATION
from driftlaw.inference.long import lengthen_inplace
from driftlaw.inference.score import rescore_inplace
from driftlaw.inference.sizes import new_window
from tests import naive
from tests.referee import SIX, chain_at, new_state, no_alarm, sizes, target

RADIUS, RATE, ETA, P, TIMES = 4.0, 0.3, 0.5, 3, 50
PRIOR = ball_prior(1, RADIUS)
# fifty of each point at a fiftieth of the rate: the target of six points
POINTS = np.random.default_rng(0).permutation(np.repeat(SIX, TIMES, axis=0))
SHAPE = sizes(1, P, n_kept=300_000, n_burn=2000, long_at=len(POINTS))


def _long_state() -> SamplerState:
    state = new_state(SHAPE, POINTS[:0], 1)
    state._change_window(is_long=True)
    state.reserve(len(POINTS))
    tree = state.window.tree
    state.window = state.window._replace(tree=tree._replace(front=tree.front[:2]))  # a coarse one
    state.window.points[:, : len(POINTS)], state.window.n[0] = POINTS.T, len(POINTS)
    lengthen_inplace(state.window)
    assert state.window.n[0] < len(POINTS) / 4
    return state


def _pvalues(state: SamplerState) -> Array:
    exact = naive.integrate(naive.interval_nodes(RADIUS, 140), SIX, RATE, ETA, P)
    chain = chain_at(state, 0)
    rescore_inplace(state.window, chain)
    chain.numbers[LOG_LOCATION] = -PRIOR.log_volume
    state.sample(target(PRIOR, P, ETA, RATE / TIMES))
    traces = [(state.records.trace_loss / TIMES, exact.mean_loss())]
    traces += [
        ((state.records.trace_k == k).astype(float), truth)
        for k, truth in enumerate(exact.probabilities, 1)
    ]
    return np.array([2.0 * norm.sf(abs(x.mean() - truth) / mcse_mean(x)) for x, truth in traces])


def test_the_target_is_sampled_from_trees() -> None:
    assert no_alarm(_pvalues(_long_state()))


def test_the_summary_alone_would_be_wrong() -> None:
    state = _long_state()
    summary, n = state.window, int(state.window.n[0])
    window = new_window(replace(SHAPE, max_history=len(POINTS)), n)
    window.points[...], window.weights[...] = summary.points[:, :n], summary.weights[:n]
    window.n[:2] = n, len(POINTS)
    state.window = window
    assert not no_alarm(_pvalues(state))
