"""Laws in space: skewed, bounded, heavy, bent, few-valued, correlated and many-dimensional ones.

Some stand still; of others level, spread, correlation or the number of groups drifts, walks, jumps
or swings. A stream is given by maps, one for each step, from even numbers in a cube to points, of
which 500 independent draws are made; the images of 1024 low-discrepancy numbers stand for the law
of a step.
"""

from collections.abc import Callable
from functools import cache, partial

import numpy as np
from scipy import stats
from scipy.special import ndtri
from scipy.stats import qmc

from benchmarks.worlds import Maker, World
from driftlaw._validate import Array
from driftlaw.law import SampleLaw

_LENGTH = 500
_LOG_N = 10
_TIMES = np.arange(_LENGTH)
_SWELL = 1.0 + 2.0 * np.sin(np.pi * _TIMES / 250) ** 2  # from one to three and back, twice
_SWING = np.sin(2.0 * np.pi * _TIMES / 250)
_BLOCKS = np.repeat([0, 1, 2], [200, 120, 180])
Map = Callable[[Array, int], Array]  # numbers (n, k) and a step to points (n, d)


@cache
def _even(k: int) -> Array:
    """1024 numbers that fill the cube of k dimensions evenly, none on its faces."""
    return qmc.Sobol(k, seed=20, optimization=None).random_base2(_LOG_N) * (1 - 2e-9) + 1e-9


def _drawn(law: Map, k: int, key: int, seed: int) -> World:
    numbers = np.random.default_rng((seed, key)).random((_LENGTH, k))
    points = np.concatenate([law(numbers[t : t + 1], t) for t in range(_LENGTH)])
    return World(points, points, lambda t: SampleLaw(law(_even(k), t)))


def _steps(d: int, size: float, key: int, seed: int) -> Array:
    """Walk (n, d) of normal steps."""
    return np.cumsum(size * np.random.default_rng((seed, key)).normal(size=(_LENGTH, d)), axis=0)


def _walk(d: int, size: float, key: int, seed: int) -> World:
    """Return round normal values around a point that walks."""
    path = _steps(d, size, key, seed)
    return _drawn(lambda u, t: path[t] + ndtri(u), d, key + 1, seed)


def _level_walk(seed: int) -> World:
    """Lognormal values (0.4) in the plane around medians whose logarithms walk by 0.04 a step."""
    path = _steps(2, 0.04, 70, seed)
    return _drawn(lambda u, t: np.exp(path[t] + 0.4 * ndtri(u)), 2, 71, seed)


def _spread_walk(seed: int) -> World:
    """Return correlated Student values in three dimensions whose common log scale walks."""
    path = _steps(1, 0.05, 72, seed)[:, 0]
    return _drawn(lambda u, t: np.exp(path[t]) * _student(u, 5.0) @ _factor(3).T, 4, 73, seed)


def _turning(seed: int) -> World:
    """Vector autoregression in the plane, a damped turn of a twentieth of a circle a step."""
    angle, rng = 2.0 * np.pi / 20.0, np.random.default_rng((seed, 74))
    turn = 0.95 * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    points = np.zeros((_LENGTH + 1, 2))
    for t, noise in enumerate(rng.normal(size=(_LENGTH, 2))):
        points[t + 1] = turn @ points[t] + noise
    before = points[:-1] @ turn.T
    return World(points[1:], points[1:], lambda t: SampleLaw(before[t] + ndtri(_even(2))))


@cache
def _factor(d: int) -> Array:
    """Factor of a covariance with one strong common part."""
    loads = 0.4 + 0.6 * np.arange(d) / d
    return np.asarray(
        np.linalg.cholesky(np.outer(loads, loads) + np.diag(0.2 + 0.05 * np.arange(d))), float
    )


def _student(u: Array, df: float) -> Array:
    """Student values (n, k - 1) of numbers (n, k), the last for the common scale."""
    return ndtri(u[:, :-1]) * np.sqrt(df / stats.chi2.ppf(u[:, -1:], df))


def _choose(u: Array, shares: Array) -> Array:
    """Return groups (n,) by their shares."""
    return np.minimum(np.searchsorted(np.cumsum(shares), u), len(shares) - 1)


def _groups(u: Array, centers: Array, shares: Array, spread: float) -> Array:
    """Round normal groups; the last number chooses among them."""
    return np.asarray(centers[_choose(u[:, -1], shares)] + spread * ndtri(u[:, :-1]))


def _correlated(u: Array, correlation: float) -> Array:
    z = ndtri(u)
    other = correlation * z[:, 0] + np.sqrt(1.0 - correlation**2) * z[:, 1]
    return np.column_stack((z[:, 0], other))


def _bent(u: Array, _t: int) -> Array:
    z = ndtri(u)
    return np.column_stack((z[:, 0], z[:, 0] ** 2 + 0.3 * z[:, 1]))


def _state_and_load(u: Array, _t: int) -> Array:
    """Return a switch that is on for three of ten, and a load that depends on it."""
    is_on = u[:, 0] < 0.3
    return np.column_stack((is_on, np.where(is_on, 5.0, 1.0) * stats.gamma.ppf(u[:, 1], 3.0)))


def _mostly_zero(u: Array, _t: int) -> Array:
    """Two counters that are zero at eight of ten, each by itself."""
    values = 10.0 * stats.lognorm.ppf(np.clip((u - 0.8) / 0.2, 1e-9, 1.0 - 1e-9), 0.5)
    return np.where(u < 0.8, 0.0, values)


_CIRCLE = np.column_stack([f(2.0 * np.pi * np.arange(8) / 8) for f in (np.cos, np.sin)])
_CORNERS = 2.0 * np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0]])
_EIGHTH, _THIRD = np.full(8, 1 / 8), np.full(3, 1 / 3)
_LEVELS = np.array([[0.0, 0.0], [1.5, 0.0], [0.0, -1.5]])
_DRAWN: dict[str, tuple[int, Map]] = {
    "lognormal_d2": (2, lambda u, _t: np.exp(0.8 * _correlated(u, 0.5))),
    "lognormal_d3_drift": (3, lambda u, t: np.exp(0.5 * ndtri(u)) * [_SWELL[t], 1.0, _SWELL[t]]),
    "gamma_d2_jumps": (2, lambda u, t: [1.0, 3.0, 2.0][_BLOCKS[t]] * stats.gamma.ppf(u, 2.0)),
    "uniform_d3": (3, lambda u, _t: u),
    "bent": (2, _bent),
    "counts_d2": (
        2,
        lambda u, t: np.column_stack(
            (stats.poisson.ppf(u[:, 0], 12.0 + 8.0 * _SWING[t]), stats.poisson.ppf(u[:, 1], 5.0))
        ),
    ),
    "state_and_load": (2, _state_and_load),
    "mostly_zero_d2": (2, _mostly_zero),
    "small_jumps_d2": (2, lambda u, t: _LEVELS[_BLOCKS[t]] + ndtri(u)),
    "correlation_swing": (2, lambda u, t: _correlated(u, 0.9 * _SWING[t])),
    "spread_jumps_d3": (3, lambda u, t: [1.0, 3.0, 1.0][_BLOCKS[t]] * ndtri(u) @ _factor(3).T),
    "student_d3_trend": (4, lambda u, t: 0.02 * t + _student(u, 3.0)),
    "gauss_d10": (10, lambda u, _t: ndtri(u) @ _factor(10).T),
    "gauss_d20": (20, lambda u, _t: ndtri(u) @ _factor(20).T),
    "gauss_d10_trend": (10, lambda u, t: 0.01 * t + ndtri(u) @ _factor(10).T),
    "eight_groups": (3, lambda u, _t: _groups(u, 4.0 * _CIRCLE, _EIGHTH, 0.4)),
    "eight_groups_drift": (3, lambda u, t: _groups(u, 4.0 * _CIRCLE + 0.02 * t, _EIGHTH, 0.4)),
    "one_of_three_leaves": (
        4,
        lambda u, t: _groups(
            u, _CORNERS, np.array([0.5, 0.4, 0.1] if t < 250 else [0.55, 0.45]), 0.5
        ),
    ),
    "three_orbit": (
        4,
        lambda u, t: _groups(u, _CORNERS + 2.0 * np.array([_SWING[t], 0.0, 0.0]), _THIRD, 0.5),
    ),
}


def laws_in_space() -> dict[str, Maker]:
    """Return the streams by name."""
    return {
        **{
            name: partial(_drawn, law, k, 80 + i)
            for i, (name, (k, law)) in enumerate(_DRAWN.items())
        },
        "slow_walk_d3": partial(_walk, 3, 0.05, 60),
        "fast_walk_d2": partial(_walk, 2, 0.5, 62),
        "level_walk_d2": _level_walk,
        "spread_walk_d3": _spread_walk,
        "turning": _turning,
    }
