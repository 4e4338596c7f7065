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


def _shares(state: SamplerState, target: Target, n_runs: int) -> Array:
    """Share of each k in so many runs, one after the other, (n_runs, max_centers)."""
    rows = []
    for _ in range(n_runs):
        state.sample(target)
        counts = np.bincount(state.records.trace_k[0].astype(int), minlength=_LONG.max_centers + 1)
        rows.append(counts[1:] / counts.sum())
    return np.array(rows)


def test_effective_samples_by_error(compare: Compare) -> None:
    """Count independent draws from the target that would err in P(k) as much as a run does.

    Autocorrelation cannot tell a chain that samples something else; its error can. The truth is
    the mean of a run 400 times as long, by local moves from another start.
    """
    (local, target), (paper, _) = _run("local"), _run("paper")
    other, _ = filled_sampler(separated(_N)[::-1].copy(), _LONG)
    truth = _shares(other, target, 400).mean(axis=0)
    sizes = []
    for state in (local, paper):
        error = ((_shares(state, target, 20) - truth) ** 2).sum(axis=1).mean()
        sizes.append((truth * (1.0 - truth)).sum() / error)
    compare(
        f"time per effective sample of P(k), by its error, window {_N}",
        lambda: local.sample(target),
        lambda: paper.sample(target),
        reference_name="the paper's sampler",
        at_most=1 / 20,
        work=(sizes[0], sizes[1]),
        n_rounds=5,
    )
