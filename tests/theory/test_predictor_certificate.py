"""The sampled predictor against the bounds whose constants were measured from its own stream.

One centre and a Gaussian kernel of the true width: quadratic growth (μ = 1), regularity (L_K = 1)
and realizability hold; the tails leave the measured ball with probability 10⁻³. The sampler's
error is not part of the theorems; here it is far smaller than what they leave open.
"""

from typing import Any

import pytest

from driftlaw.corruption import CorruptedStream, SparseOutliers
from driftlaw.predictor import QuasiBayes
from driftlaw.schedules import Power
from driftlaw.streams import Linear, MixtureStream
from driftlaw.theory import (
    ClusterPrior,
    Problem,
    Space,
    StreamConstants,
    bound,
    measure_stream,
    sharper_bound,
    translated_kernel_lipschitz,
)

T, RADIUS, WIDTH, SCHEDULE = 120, 1.5, 0.2, Power(0.3, 0.5)


def _stream(seed: int) -> CorruptedStream:
    path = Linear([[-0.6]], [[1.0]], 0.01)
    clean = MixtureStream(centers=path, scales=WIDTH, n_steps=T, rng=seed)
    return CorruptedStream(clean, SparseOutliers(0.05, 0.5), rng=seed + 100)


def _regret(stream: CorruptedStream, window: int | None, seed: int) -> float:
    predictor = QuasiBayes(
        dim=1,
        radius=RADIUS,
        max_centers=1,
        schedule=SCHEDULE,
        restart_every=window,
        kernel="gaussian",
        scale=WIDTH,
        n_iterations=100,
        rng=seed,
    )
    total = 0.0
    for step in stream:
        total += predictor.predict().w1(stream.law_at(step.t))
        predictor.learn_one(step.observed)
    return total


def _problem(found: StreamConstants, window: int | None) -> Problem:
    values: dict[str, Any] = {"dim": 1, "n_centers": 1, "max_centers": 1}
    prior = ClusterPrior(**values, support_radius=2 * RADIUS, oracle_norm=found.oracle_norm)
    return Problem(
        horizon=found.horizon,
        restart_every=window,
        schedule=SCHEDULE,
        space=Space.balls(
            data_radius=found.data_radius,
            center_radius=2 * RADIUS,
            predictive_radius=2 * RADIUS + 5 * WIDTH,
        ),
        prior=prior,
        amplitude=found.amplitude,
        corrupted=found.corrupted,
        action=found.action,
        growth=found.growth,
        predictive_lipschitz=translated_kernel_lipschitz([1.0]),
    )


@pytest.mark.parametrize("window", [None, 30])
def test_measured_regret_stays_below_both_bounds(window: int | None) -> None:
    for seed in (0, 1):
        stream = _stream(seed)
        found = measure_stream(stream, 1, n_times=2, rng=0)
        assert found.growth == pytest.approx(1.0)
        assert found.action == pytest.approx((T - 1) * 0.01**2)
        problem = _problem(found, window)
        ours, paper = sharper_bound(problem), bound(problem)
        regret = _regret(stream, window, seed)
        assert 0 < regret <= ours.total <= paper.capped <= paper.total
