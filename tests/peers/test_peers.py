"""Peers: one battery for all, and each against another implementation of the same law."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from driftlaw.errors import InputError
from driftlaw.peers import BOCPD, EWMA, GARCH, KDE, RollingWindow, WindowMixture

MAKERS: dict[str, Callable[[int], Any]] = {
    "window": lambda d: RollingWindow(d, 20),
    "kde": lambda d: KDE(d, 20),
    "ewma": lambda d: EWMA(d, 10.0),
    "mixture": lambda d: WindowMixture(d, size=40, n_components=2, refit_every=15),
    "bocpd": lambda d: BOCPD(d, max_run=30),
    "garch": lambda _d: GARCH(1, size=150, refit_every=60),
}


def _points(n: int, dim: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.random.default_rng(3).normal(5.0, 2.0, size=(n, dim))


CASES = [(name, dim) for name in MAKERS for dim in (1, 3) if (name, dim) != ("garch", 3)]


@pytest.mark.parametrize(("name", "dim"), CASES)
class TestEveryPeer:
    def test_law_is_usable_from_the_start_and_prediction_is_pure(self, name: str, dim: int) -> None:
        peer = MAKERS[name](dim)
        for z in _points(30, dim):
            law = peer.predict()
            assert law.dim == dim
            assert np.isfinite(law.quantile([0.1, 0.9])).all()
            assert peer.predict().to_dict() == law.to_dict()
            peer.learn_one(z)

    def test_resumes_bit_for_bit(self, name: str, dim: int) -> None:
        n = 170 if name == "garch" else 60
        points, whole, first = _points(n, dim), MAKERS[name](dim), MAKERS[name](dim)
        for z in points:
            whole.learn_one(z)
        for z in points[: n - 25]:
            first.learn_one(z)
        second = MAKERS[name](dim)
        second.restore({key: value.copy() for key, value in first.state().items()})
        for z in points[n - 25 :]:
            second.learn_one(z)
        assert second.predict().to_dict() == whole.predict().to_dict()

    def test_bad_observation_changes_nothing(self, name: str, dim: int) -> None:
        peer = MAKERS[name](dim)
        for z in _points(25, dim):
            peer.learn_one(z)
        before = peer.predict().to_dict()
        for bad in (np.full(dim, np.nan), np.zeros(dim + 1)):
            with pytest.raises(InputError, match="z must"):
                peer.learn_one(bad)
        assert peer.predict().to_dict() == before

    def test_constant_stream_is_survived(self, name: str, dim: int) -> None:
        peer = MAKERS[name](dim)
        for _ in range(110 if name == "garch" else 40):
            peer.learn_one(np.full(dim, 7.0))
        assert abs(peer.predict().quantile(0.5) - 7.0).max() < 1.0


def test_kde_is_scipys() -> None:
    points = _points(30, 2)
    peer = KDE(2, size=30)
    for z in points:
        peer.learn_one(z)
    at = points[:5] + 0.3
    np.testing.assert_allclose(peer.predict().pdf(at), stats.gaussian_kde(points.T)(at.T))


def test_ewma_is_the_weighted_sum() -> None:
    points, peer = _points(25, 2), EWMA(2, half_life=7.0)
    for z in points:
        peer.learn_one(z)
    weights = 0.5 ** (np.arange(25)[::-1] / 7.0)
    mean = np.average(points, axis=0, weights=weights)
    cov = np.cov(points.T, aweights=weights, ddof=0)
    np.testing.assert_allclose(peer.predict().mean(), mean)
    np.testing.assert_allclose(peer.predict().cov(), cov, rtol=1e-9)


def test_bocpd_run_lengths_follow_the_recursion() -> None:
    """The naive recursion with every run's Student law written out from its own points."""
    points, hazard, warmup = _points(32, 1)[:, 0], 0.05, 20
    points[26:] += 30.0
    center, prior = points[:warmup].mean(), points[:warmup].var(ddof=1) * (1 + 1e-9)
    mass: list[float] = [1.0]
    for t in range(warmup, 32):
        evidence = []
        for run in range(len(mass)):
            own = points[t - run : t]
            n = len(own)
            kappa, alpha = 1.0 + n, (3.0 + n) / 2
            mean = (center + own.sum()) / kappa
            gap = own.mean() - center if n else 0.0
            spread = ((own - own.mean()) ** 2).sum() if n else 0.0
            beta = 0.5 * (prior + spread + n / kappa * gap**2)
            scale = np.sqrt(beta * (kappa + 1) / (alpha * kappa))
            evidence.append(stats.t(2 * alpha, mean, scale).pdf(points[t]))
        grown = np.array(mass) * evidence
        mass = [hazard * grown.sum(), *((1 - hazard) * grown)]
        mass = list(np.array(mass) / sum(mass))
    peer = BOCPD(1, hazard=hazard, warmup=warmup)
    for z in points:
        peer.learn_one(z)
    np.testing.assert_allclose(peer.predict().weights, mass, rtol=1e-6)


def test_garch_covers_what_it_promises_on_garch() -> None:
    """800 judged draws of a GARCH stream; 4 standard errors (false alarm 1e-4)."""
    rng, variance, points = np.random.default_rng(0), 1.0, []
    for _ in range(900):
        points.append(np.sqrt(variance) * rng.standard_t(6) * np.sqrt(4 / 6))
        variance = 0.05 + 0.08 * points[-1] ** 2 + 0.87 * variance
    peer, inside = GARCH(1, refit_every=300), []
    for z in points:
        inside.append(abs(2 * peer.predict().cdf(z) - 1) <= 0.9)
        peer.learn_one(z)
    assert abs(np.mean(inside[100:]) - 0.9) < 4 * np.sqrt(0.09 / 800)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GARCH(2), "dim must be 1"),
        (lambda: BOCPD(1, hazard=1.0), "hazard must be < 1"),
        (lambda: EWMA(1, half_life=0.0), "half_life must be"),
        (lambda: KDE(1, size=0), "size must be"),
        (lambda: WindowMixture(1, n_components=0), "n_components must be"),
    ],
)
def test_bad_settings_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()
