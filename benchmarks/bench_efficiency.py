"""Effective samples per second: local moves against the paper's proposal, at the same settings."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.report import Ratio
from benchmarks.workloads import SIZES, filled_sampler, separated
from driftlaw._validate import Array
from driftlaw.inference import SamplerState, Target, ess

Compare = Callable[..., Ratio]

_N = 500
_LONG = replace(SIZES, n_kept=20_000)


def _ess(trace: Array) -> float:
    """Effective sample size; a chain that stands still has seen one value."""
    value = ess(trace)
    return value if np.isfinite(value) and np.ptp(trace) > 0.0 else 1.0


def _run(sampler: str) -> tuple[SamplerState, Target]:
    return filled_sampler(separated(_N), replace(_LONG, sampler=sampler))


@pytest.mark.parametrize("of", ["k", "loss"])
def test_effective_samples(of: str, compare: Compare) -> None:
    (local, target), (paper, _) = _run("local"), _run("paper")
    sizes = [_ess(getattr(state.records, f"trace_{of}")) for state in (local, paper)]
    compare(
        f"time per effective sample of {of}, window {_N}",
        lambda: local.sample(target),
        lambda: paper.sample(target),
        reference_name="the paper's sampler",
        at_most=1 / 20,
        work=(sizes[0], sizes[1]),
        n_rounds=5,
    )
