"""The sampler of long windows against quadrature: a summary leads it, the exact loss decides."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from driftlaw._validate import Array
from driftlaw.geometry import BallPrior, ball_prior
from driftlaw.inference import SamplerState, Sizes, mcse_mean
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


def _long_state(shape: Sizes = SHAPE, points: Array = POINTS) -> SamplerState:
    state = new_state(shape, points[:0], 1)
    state._change_window(is_long=True)
    state.reserve(len(points))
    tree = state.window.tree
    state.window = state.window._replace(tree=tree._replace(front=tree.front[:2]))  # a coarse one
    state.window.points[:, : len(points)], state.window.n[0] = points.T, len(points)
    lengthen_inplace(state.window)
    assert state.window.n[0] < len(points) / 4
    return state


def _sample(state: SamplerState, prior: BallPrior, rate: float) -> None:
    chain = chain_at(state, 0)
    rescore_inplace(state.window, chain)
    chain.numbers[LOG_LOCATION] = -prior.log_volume
    state.sample(target(prior, P, ETA, rate))


def _pvalues(state: SamplerState) -> Array:
    exact = naive.integrate(naive.interval_nodes(RADIUS, 140), SIX, RATE, ETA, P)
    _sample(state, PRIOR, RATE / TIMES)
    traces = [(state.records.trace_loss / TIMES, exact.mean_loss())]
    traces += [
        ((state.records.trace_k == k).astype(float), truth)
        for k, truth in enumerate(exact.probabilities, 1)
    ]
    return np.array([2.0 * norm.sf(abs(x.mean() - truth) / mcse_mean(x)) for x, truth in traces])


def test_the_target_is_sampled_from_trees() -> None:
    assert no_alarm(_pvalues(_long_state()))


def _led_alone(state: SamplerState, shape: Sizes = SHAPE) -> SamplerState:
    """Return the state with its summary for a window: nothing decides."""
    summary, n = state.window, int(state.window.n[0])
    window = new_window(replace(shape, max_history=shape.long_at), n)
    window.points[...], window.weights[...] = summary.points[:, :n], summary.weights[:n]
    window.n[:2] = n, shape.long_at
    state.window = window
    return state


def test_the_summary_alone_would_be_wrong() -> None:
    assert not no_alarm(_pvalues(_led_alone(_long_state())))


@pytest.mark.parametrize("dim", [2, 4])  # cells are means, or pairs that keep their scatter
def test_trees_and_rows_sample_the_same(dim: int) -> None:
    rng = np.random.default_rng(dim)
    points = rng.normal(size=(300, dim)) + 3.0 * (rng.random((300, 1)) < 0.5)
    shape, prior = sizes(dim, P, n_kept=400_000, n_burn=2000, long_at=300), ball_prior(dim, 5.0)
    rows = new_state(replace(shape, long_at=0), points[:0], 2)
    rows.reserve(len(points))
    rows.window.points[:, : len(points)], rows.window.n[0] = points.T, len(points)
    trees, alone = _long_state(shape, points), _led_alone(_long_state(shape, points), shape)
    found = []
    for state in (rows, trees, alone):
        _sample(state, prior, 0.01)
        found.append((state.records.trace_loss, 1.0 * (state.records.trace_k == 2)))
    for truth, sampled, led in zip(*found, strict=True):
        error = np.hypot(mcse_mean(truth), mcse_mean(sampled))
        assert error < 0.05 * truth.std()
        assert abs(sampled.mean() - truth.mean()) < 4.0 * error
        assert abs(led.mean() - truth.mean()) > 10.0 * error
