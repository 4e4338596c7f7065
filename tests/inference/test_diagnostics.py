"""Diagnostics against ArviZ."""

import math
import warnings
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.inference import ess, mcse_mean, rhat


@pytest.fixture(scope="module")
def arviz() -> Any:
    """Import it only where it is used: it takes seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it says of its successor
        return import_module("arviz")


def _autoregressive(rho: float, n_chains: int, n: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    trace = np.empty((n_chains, n))
    trace[:, 0] = rng.standard_normal(n_chains)
    for i in range(1, n):
        step = rng.standard_normal(n_chains)
        trace[:, i] = rho * trace[:, i - 1] + math.sqrt(1 - rho**2) * step
    return trace


def _traces() -> dict[str, Array]:
    rng = np.random.default_rng(0)
    stuck = rng.normal(size=(4, 300)) + 3.0 * np.arange(4)[:, None]
    return {
        "independent": rng.normal(size=(4, 1000)),
        "one chain": rng.normal(size=(1, 1000)),
        "odd length": rng.normal(size=(3, 501)),
        "slow": _autoregressive(0.9, 4, 1000, 1),
        "very slow": _autoregressive(0.99, 2, 2000, 2),
        "alternating": _autoregressive(-0.6, 4, 1000, 3),
        "stuck": stuck,
        "counts": rng.integers(1, 4, size=(2, 800)).astype(float),
        "heavy tails": rng.standard_cauchy(size=(4, 500)),
        "short": rng.normal(size=(2, 20)),
        "shortest": rng.normal(size=(2, 4)),
        "nine": rng.normal(size=(1, 9)),
        "a trend": np.arange(50.0)[None] + rng.normal(size=(3, 50)),
    }


@pytest.mark.parametrize("name", _traces())
def test_agrees_with_arviz(name: str, arviz: Any) -> None:
    trace = _traces()[name]
    assert ess(trace) == pytest.approx(float(arviz.ess(trace, method="bulk")), rel=1e-9)
    if len(trace) > 1:  # of one chain it says nothing
        assert rhat(trace) == pytest.approx(float(arviz.rhat(trace, method="rank")), rel=1e-9)
    assert mcse_mean(trace) == pytest.approx(
        float(np.squeeze(arviz.mcse(trace, method="mean"))), rel=1e-9
    )


def test_ess_of_an_autoregression_is_known() -> None:
    # correlation 1/2: every draw is worth (1 - 1/2) / (1 + 1/2) = 1/3 of an independent one
    trace = _autoregressive(0.5, 4, 5000, 7)
    assert ess(trace) == pytest.approx(20_000 / 3, rel=0.1)
    assert mcse_mean(trace) == pytest.approx(math.sqrt(3 / 20_000), rel=0.1)


def test_constant_traces() -> None:
    trace = np.ones((2, 10))
    assert ess(trace) == 20.0
    assert mcse_mean(trace) == 0.0
    assert math.isnan(rhat(trace))


def test_chains_that_never_move_apart_from_each_other() -> None:
    trace = np.repeat([[0.0], [1.0]], 50, axis=1)
    assert rhat(trace) == math.inf
    assert ess(trace) < 5.0


def test_a_flat_trace_is_one_chain() -> None:
    trace = np.random.default_rng(1).normal(size=200)
    assert ess(trace) == ess(trace[None])


@pytest.mark.parametrize("bad", [np.zeros((2, 3)), np.zeros((2, 0)), [[0.0, math.nan, 1.0, 2.0]]])
def test_bad_traces(bad: Array) -> None:
    for function in (ess, rhat, mcse_mean):
        with pytest.raises(InputError, match="trace must be"):
            function(bad)
