"""An update of the paper's sampler: k-means that follow the observations, or are refitted."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.report import Ratio
from benchmarks.workloads import SIZES, separated
from driftlaw.geometry import ball_prior, log_count_prior
from driftlaw.inference import Plan, SamplerState, Target

Compare = Callable[..., Ratio]

_N_UPDATES = 30


@pytest.mark.parametrize("n", [100, 1000])
def test_following_means(n: int, compare: Compare) -> None:
    """Learn some observations one by one, each time from the same state on."""
    points, rate = separated(n + _N_UPDATES), 0.1 * np.sqrt(np.log(n) / n)
    target = Target(0.0, log_count_prior(SIZES.max_centers, 0.1), ball_prior(2, 10.0))
    state = SamplerState(replace(SIZES, sampler="paper"), np.random.default_rng(3))
    state.sample(target)
    state.advance(points[:n], Plan(np.full(n, rate), np.zeros(n, dtype=np.int64)), target)
    saved = {name: array.copy() for name, array in state.arrays().items()}
    step = Plan(np.full(1, rate), np.zeros(1, dtype=np.int64))

    def learn(*, is_refitted: bool) -> None:
        state.restore(saved)
        for z in points[n:, None]:
            if is_refitted:
                state.sampler.means.budgets[...] = -1.0  # used up: a fit is due
            state.advance(z, step, target)

    compare(
        f"{_N_UPDATES} updates of the paper's sampler, window {n}, means follow",
        lambda: learn(is_refitted=False),
        lambda: learn(is_refitted=True),
        reference_name="means refitted at each",
        at_most=1.0,
    )
