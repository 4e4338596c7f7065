"""The sampler of long windows against quadrature: a summary leads it, the exact loss decides."""

import numpy as np
from scipy.stats import norm

from driftlaw.geometry import ball_prior
from driftlaw.inference import mcse_mean
from driftlaw.inference.chain import LOG_LOCATION
from driftlaw.inference.long import lengthen_inplace
from driftlaw.inference.score import rescore_inplace
from tests import naive
from tests.referee import SIX, chain_at, new_state, no_alarm, sizes, target

RADIUS, RATE, ETA, P, TIMES = 4.0, 0.3, 0.5, 3, 50


def test_the_target_is_sampled_from_trees() -> None:
    # fifty of each point at a fiftieth of the rate: the target of six points
    exact = naive.integrate(naive.interval_nodes(RADIUS, 140), SIX, RATE, ETA, P)
    prior = ball_prior(1, RADIUS)
    points = np.random.default_rng(0).permutation(np.repeat(SIX, TIMES, axis=0))
    shape = sizes(1, P, n_kept=300_000, n_burn=2000, long_at=len(points))
    state = new_state(shape, points[:0], 1)
    state._change_window(is_long=True)
    state._reserve(len(points))
    state.window.points[:, : len(points)], state.window.n[0] = points.T, len(points)
    lengthen_inplace(state.window)
    assert state.window.n[0] < len(points) / 4  # the summary alone would be wrong
    chain = chain_at(state, 0)
    rescore_inplace(state.window, chain)
    chain.numbers[LOG_LOCATION] = -prior.log_volume
    state.sample(target(prior, P, ETA, RATE / TIMES))
    traces = [(state.records.trace_loss / TIMES, exact.mean_loss())]
    traces += [
        ((state.records.trace_k == k).astype(float), truth)
        for k, truth in enumerate(exact.probabilities, 1)
    ]
    pvalues = [2.0 * norm.sf(abs(x.mean() - truth) / mcse_mean(x)) for x, truth in traces]
    assert no_alarm(pvalues)
