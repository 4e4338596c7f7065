"""The oracles themselves: quadrature has converged, and agrees with rejection sampling."""

import numpy as np
import pytest

from driftlaw._validate import Array
from tests import naive
from tests.referee import FALSE_ALARM, SIX, SIX_PLANE, counts_pvalue, mean_pvalue, no_alarm


def _distance(a: naive.Exact, b: naive.Exact) -> float:
    means = [abs(a.mean_of(f) - b.mean_of(f)) for f in (_first, _square)]
    gaps = [*means, abs(a.mean_loss() - b.mean_loss())]
    return max(*gaps, float(np.abs(a.probabilities - b.probabilities).max()))


def _first(x: Array) -> Array:
    return np.asarray(x[:, 0])


def _square(x: Array) -> Array:
    return np.asarray((x**2).sum(axis=1))


@pytest.mark.parametrize("rate", [0.05, 0.3, 1.0])
def test_the_line_has_converged(rate: float) -> None:
    coarse, fine = (
        naive.integrate(naive.interval_nodes(4.0, m), SIX, rate, 0.5, 3) for m in (70, 140)
    )
    assert _distance(coarse, fine) < 2e-3


def test_the_unbounded_line_has_converged() -> None:
    coarse, fine = (
        naive.integrate(naive.normal_nodes(1.5, m), SIX, 0.2, 0.5, 3) for m in (70, 140)
    )
    assert _distance(coarse, fine) < 2e-3


def test_the_plane_has_converged() -> None:
    coarse, fine = (
        naive.integrate(naive.disc_nodes(2.0, m), SIX_PLANE, 0.5, 0.3, 2) for m in (12, 20)
    )
    assert _distance(coarse, fine) < 4e-3


def test_rejection_agrees_with_the_line() -> None:
    exact = naive.integrate(naive.interval_nodes(4.0, 140), SIX, 0.1, 0.5, 3)
    draws = naive.exact_draws(
        np.random.default_rng(0),
        20_000,
        lambda rng, n: rng.uniform(-4.0, 4.0, size=(n, 1)),
        SIX,
        0.1,
        naive.count_prior(3, 0.5),
    )
    assert counts_pvalue(np.bincount(draws.k)[1:], exact.probabilities) > FALSE_ALARM
    configurations = [c[:k] for k, c in zip(draws.k, draws.centers, strict=True)]
    loss = np.array([naive.loss(SIX, c) for c in configurations])
    mean = np.array([c.mean() for c in configurations])
    pvalues = [mean_pvalue(loss, exact.mean_loss()), mean_pvalue(mean, exact.mean_of(_first))]
    assert no_alarm(pvalues)


def test_rejection_agrees_with_the_plane() -> None:
    exact = naive.integrate(naive.disc_nodes(2.0, 20), SIX_PLANE, 0.5, 0.3, 2)
    draws = naive.exact_draws(
        np.random.default_rng(1),
        10_000,
        lambda rng, n: naive.uniform_ball(rng, n, 2, 2.0),
        SIX_PLANE,
        0.5,
        naive.count_prior(2, 0.3),
    )
    assert counts_pvalue(np.bincount(draws.k)[1:], exact.probabilities) > FALSE_ALARM


def test_by_hand() -> None:
    # one point at 0, one centre uniform on [-1, 1]: Z = erf(1) sqrt(pi) / 2 at rate 1
    exact = naive.integrate(naive.interval_nodes(1.0, 500), np.zeros((1, 1)), 1.0, 0.0, 1)
    z = 0.7468241328124271
    assert exact.probabilities.tolist() == [1.0]
    assert exact.mean_loss() == pytest.approx((z - np.exp(-1.0)) / (2 * z), rel=1e-5)
    assert naive.loss(SIX[:3], np.array([[-1.9], [-1.4]])) == pytest.approx(0.04)
    assert naive.occupancy(SIX, np.array([[-1.5], [1.5]])).tolist() == [3.0, 3.0]
