"""Laws on the line that move: skewed, bounded, heavy and few-valued ones.

Their level, spread or shape drifts, walks, jumps or swings. A stream is given by its quantile
functions, one for each step, of which 600 independent draws are made; 1000 quantiles stand for the
law of a step, or its atoms where it is made of them.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.worlds import LEVELS, Maker, World
from driftlaw._validate import Array
from driftlaw.law import SampleLaw

_LENGTH = 600
_TIMES = np.arange(_LENGTH)
_SWELL = 1.0 + 2.0 * np.sin(np.pi * _TIMES / 300) ** 2  # from one to three and back, twice
_SWING = np.sin(2.0 * np.pi * _TIMES / 300)
Quantiles = Callable[[Array, int], Array]


def _drawn(quantiles: Quantiles, key: int, seed: int) -> World:
    levels = np.random.default_rng((seed, key)).random(_LENGTH)
    points = np.array([quantiles(levels[t : t + 1], t) for t in range(_LENGTH)])
    return World(points, points, lambda t: SampleLaw(quantiles(LEVELS, t)))


def _walking(noise: Quantiles, step: float, key: int, seed: int) -> World:
    """Walk of normal steps, with noise around it."""
    rng = np.random.default_rng((seed, key))
    walk = np.cumsum(step * rng.standard_normal(_LENGTH))
    return _drawn(lambda q, t: walk[t] + noise(q, t), key + 1, seed)


def _log_walk(seed: int) -> World:
    """Lognormal values (0.4) around a median whose logarithm walks by 0.05 a step."""
    walk = np.cumsum(0.05 * np.random.default_rng((seed, 46)).standard_normal(_LENGTH))
    return _drawn(lambda q, t: np.exp(walk[t]) * stats.lognorm.ppf(q, 0.4), 47, seed)


def _hits_and_misses(shares: Array, levels: Array, key: int, seed: int) -> World:
    """Lognormal values in two groups, of which the second is ten times as large."""
    rng = np.random.default_rng((seed, key))
    is_miss = rng.random(_LENGTH) < shares
    fast, slow = (
        levels * rng.lognormal(0.0, 0.3, _LENGTH),
        levels * rng.lognormal(0.0, 0.4, _LENGTH),
    )
    points = np.where(is_miss, 10.0 * slow, fast)[:, None]
    quantiles = np.concatenate(
        (stats.lognorm.ppf(LEVELS, 0.3), 10.0 * stats.lognorm.ppf(LEVELS, 0.4))
    )
    return World(
        points,
        points,
        lambda t: SampleLaw(
            levels[t] * quantiles,
            np.repeat([1.0 - shares[t], shares[t]], len(LEVELS)) / len(LEVELS),
        ),
    )


def _counted(law_at: Callable[[int], Any], most: int, key: int, seed: int) -> World:
    rng, values = np.random.default_rng((seed, key)), np.arange(float(most))
    points = np.array([[float(law_at(t).rvs(random_state=rng))] for t in range(_LENGTH)])
    return World(points, points, lambda t: SampleLaw(values, law_at(t).pmf(values)))


def _telegraph(seed: int) -> World:
    """Return normal values around 0 or 5, which change places with a chance of 0.03 a step."""
    rng = np.random.default_rng((seed, 52))
    centers = 5.0 * (np.cumsum(rng.random(_LENGTH) < 0.03) % 2)
    before = np.concatenate(([0.0], centers[:-1]))
    points = (centers + rng.standard_normal(_LENGTH))[:, None]
    noise, weights = stats.norm.ppf(LEVELS), np.repeat([0.97, 0.03], len(LEVELS)) / len(LEVELS)
    return World(
        points,
        points,
        lambda t: SampleLaw(np.concatenate((before[t] + noise, 5.0 - before[t] + noise)), weights),
    )


_JUMPS: dict[str, Array] = {
    "weibull": np.repeat([1.0, 3.0, 2.0], [250, 150, 200]),
    "gumbel": np.repeat([0.0, 3.0, -2.0], [200, 150, 250]),
}
_DRAWN: dict[str, Quantiles] = {
    "exponential_drift": lambda q, t: _SWELL[t] * stats.expon.ppf(q),
    "left_tail_drift": lambda q, t: -_SWELL[t] * stats.lognorm.isf(q, 0.5),
    "pareto_drift": lambda q, t: _SWELL[t] * stats.lomax.ppf(q, 3.0),
    "gamma_trend": lambda q, t: 0.02 * t + stats.gamma.ppf(q, 2.0),
    "chi2_drift": lambda q, t: stats.chi2.ppf(q, 2.0 + t / 75),
    "weibull_jumps": lambda q, t: _JUMPS["weibull"][t] * stats.weibull_min.ppf(q, 1.5),
    "gumbel_jumps": lambda q, t: _JUMPS["gumbel"][t] + stats.gumbel_r.ppf(q),
    "beta_drift": lambda q, t: stats.beta.ppf(q, 5.0 + 3.0 * _SWING[t], 4.0),
    "uniform_swing": lambda q, t: 2.0 * np.sin(2.0 * np.pi * t / 200) + 2.0 * q - 1.0,
    "laplace_trend": lambda q, t: 0.03 * t + stats.laplace.ppf(q),
    "spread_swing": lambda q, t: np.exp(0.8 * np.sin(2.0 * np.pi * t / 150)) * stats.norm.ppf(q),
}


def moving_laws() -> dict[str, Maker]:
    """Return the streams by name."""
    still, rare = np.ones(_LENGTH), np.full(_LENGTH, 0.2)
    return {
        **{name: partial(_drawn, law, 30 + i) for i, (name, law) in enumerate(_DRAWN.items())},
        "gamma_walk": partial(_walking, lambda q, _t: stats.gamma.ppf(q, 2.0), 0.15, 42),
        "student_walk": partial(_walking, lambda q, _t: stats.t.ppf(q, 2.5), 0.15, 44),
        "log_walk": _log_walk,
        "hits_misses": partial(_hits_and_misses, rare, still, 48),
        "hits_misses_drift": partial(_hits_and_misses, rare, _SWELL, 49),
        "hits_misses_swing": partial(_hits_and_misses, 0.4 - 0.35 * _SWING, still, 50),
        "few_counts": partial(_counted, lambda t: stats.poisson(1.5 + 1.2 * _SWING[t]), 30, 51),
        "wide_counts": partial(
            _counted, lambda t: stats.nbinom(3, 3.0 / (3.0 + 20.0 * _SWELL[t])), 800, 53
        ),
        "telegraph": _telegraph,
    }
