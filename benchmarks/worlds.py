"""Simulated streams whose law is known at every step, by name: what ablation and contest judge on.

A stream is made from a seed and is the same whenever it is made again. The package's own streams
are taken where they exist; the others are laws on the line, whose quantiles stand for them.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import stats

from driftlaw._validate import Array
from driftlaw.corruption import (
    Adversary,
    CorruptedStream,
    PhantomCluster,
    SparseOutliers,
    UniformNoise,
)
from driftlaw.corruption.past import Past
from driftlaw.law import MixtureLaw, PredictiveLaw, SampleLaw
from driftlaw.streams import (
    MixtureStream,
    RandomWalk,
    Stream,
    abrupt_shift,
    birth_death,
    heavy_tails,
    random_walk,
    rotation,
    smooth_drift,
    spread_centers,
    stationary,
    variance_change,
    weight_drift,
)

_LENGTH = 600
_N_QUANTILES = 1000
LEVELS = (np.arange(_N_QUANTILES) + 0.5) / _N_QUANTILES


class World(NamedTuple):
    """Observations (n, d), the clean points (n, d), and the law of each of these."""

    points: Array
    clean: Array
    law_at: Callable[[int], PredictiveLaw]
    is_returns: bool = False


Maker = Callable[[int], World]


def _gauss(seed: int) -> MixtureStream:
    """One normal law in five dimensions with a random covariance."""
    a = np.random.default_rng((seed, 1)).standard_normal((5, 5))
    factor = np.linalg.cholesky(a @ a.T + 0.2 * np.eye(5))
    return MixtureStream(centers=np.zeros((1, 5)), scales=factor[None], n_steps=500, rng=seed)


def _skew(seed: int) -> MixtureStream:
    """Return a lognormal law, made of 40 narrow normal ones."""
    levels = (np.arange(40) + 0.5) / 40
    middles = np.exp(0.8 * MixtureLaw([1.0], [[0.0]], [1.0]).quantile(levels))
    return MixtureStream(centers=middles.reshape(-1, 1), scales=0.1, n_steps=500, rng=seed)


def _noisy(dim: int, seed: int) -> Stream:
    return CorruptedStream(smooth_drift(dim=dim, rng=seed), UniformNoise(1.0), rng=seed)


def _dirty(seed: int) -> Stream:
    return CorruptedStream(smooth_drift(rng=seed), SparseOutliers(0.05, 10.0), rng=seed)


def _bursts(seed: int) -> Stream:
    """Six bursts of six observations, each thrown 12 away in a direction of its own."""
    rng = np.random.default_rng((seed, 3))
    starts = np.sort(rng.choice(np.arange(30, 490, 10), 6, replace=False))
    angles = rng.uniform(0.0, 2.0 * np.pi, 6)

    def policy(past: Past, clean: Array) -> Array:
        now = np.flatnonzero((starts <= past.t) & (past.t < starts + 6))
        if not len(now):
            return np.zeros_like(clean)
        return 12.0 * np.array([np.cos(angles[now[0]]), np.sin(angles[now[0]])])

    return CorruptedStream(smooth_drift(rng=seed), Adversary(policy, 12.0, memory=0), rng=seed)


def _adversary(seed: int) -> Stream:
    """At most 50 points moved by 6, all to one place where no cluster is."""
    attack = Adversary(PhantomCluster(every=5), amplitude=6.0, budget=50)
    return CorruptedStream(smooth_drift(rng=seed), attack, rng=seed)


def _regime(seed: int) -> MixtureStream:
    """Two configurations of two centres, exchanged at each step with chance 0.015."""
    switches = np.random.default_rng((seed, 4)).random(500) < 0.015
    which = np.cumsum(switches) % 2
    sets = np.array([[[-2.5, 0.0], [2.5, 0.0]], [[1.0, -4.0], [1.0, 4.0]]])
    return MixtureStream(
        centers=lambda t: sets[which[t]], scales=np.sqrt(0.2), n_steps=500, rng=seed
    )


def _uneven(seed: int) -> MixtureStream:
    return MixtureStream(
        centers=spread_centers(3, 2, 5.0),
        weights=[0.2, 0.7, 0.1],
        scales=np.sqrt([0.1, 1.0, 0.4]),
        n_steps=500,
        rng=seed,
    )


def _ring(seed: int) -> MixtureStream:
    """Return a circle of radius 3 in the plane, 0.2 wide: 40 round normal laws on it."""
    angles = 2.0 * np.pi * np.arange(40) / 40
    centers = 3.0 * np.column_stack((np.cos(angles), np.sin(angles)))
    return MixtureStream(centers=centers, scales=0.2, n_steps=500, rng=seed)


def _season(seed: int) -> MixtureStream:
    return MixtureStream(
        centers=lambda t: np.array([[5.0 * np.sin(2.0 * np.pi * t / 100)]]), n_steps=500, rng=seed
    )


def _scale_walk(seed: int) -> MixtureStream:
    """Return one normal law whose log scale walks by 0.04 a step."""
    walk = RandomWalk(np.zeros(1), 0.04, np.random.SeedSequence((seed, 5)))
    return MixtureStream(
        centers=np.zeros((1, 1)), scales=lambda t: np.exp(walk(t)), n_steps=500, rng=seed
    )


def garch(seed: int, n: int = 800, df: float = 6.0) -> World:
    """GARCH(1, 1) with Student noise."""
    rng = np.random.default_rng((seed, 2))
    variance, z, unit = np.ones(n), np.zeros(n), np.sqrt((df - 2) / df)
    for t in range(n):
        if t > 0:
            variance[t] = 0.02 + 0.1 * z[t - 1] ** 2 + 0.88 * variance[t - 1]
        z[t] = unit * np.sqrt(variance[t]) * rng.standard_t(df)
    scales, points = unit * np.sqrt(variance), z[:, None]
    return World(
        points, points, lambda t: MixtureLaw([1.0], [[0.0]], scales[t : t + 1], df), is_returns=True
    )


def _autoregression(seed: int) -> World:
    """First-order autoregression with coefficient 0.98 and unit noise."""
    noise, z = np.random.default_rng((seed, 6)).normal(size=500), np.zeros((501, 1))
    for t in range(500):
        z[t + 1] = 0.98 * z[t] + noise[t]
    return World(z[1:], z[1:], lambda t: MixtureLaw([1.0], 0.98 * z[t][None], [1.0]))


def _lognormal(levels: Array, seed: int) -> World:
    """Lognormal observations (deviation 0.5 of the logarithm) around medians (n,) that move."""
    points = levels * np.random.default_rng((seed, 7)).lognormal(0.0, 0.5, len(levels))
    quantiles = stats.lognorm.ppf(LEVELS, 0.5)
    return World(points[:, None], points[:, None], lambda t: SampleLaw(levels[t] * quantiles))


def _counts(seed: int) -> World:
    """Poisson counts whose mean swings between 4 and 20 in 250 steps."""
    means = 12.0 + 8.0 * np.sin(2.0 * np.pi * np.arange(500) / 250)
    points = np.random.default_rng((seed, 8)).poisson(means).astype(float)[:, None]
    values = np.arange(70.0)
    return World(points, points, lambda t: SampleLaw(values, stats.poisson.pmf(values, means[t])))


def _spikes(seed: int) -> World:
    """Nine of ten values N(1, 0.05²), the others lognormal with median e."""
    rng = np.random.default_rng((seed, 9))
    is_spike = rng.random(_LENGTH) < 0.1
    points = np.where(is_spike, rng.lognormal(1.0, 1.0, _LENGTH), rng.normal(1.0, 0.05, _LENGTH))
    atoms = np.concatenate(
        (stats.norm.ppf(LEVELS, 1.0, 0.05), stats.lognorm.ppf(LEVELS, 1, 0, np.e))
    )
    law = SampleLaw(atoms, np.repeat([0.9, 0.1], _N_QUANTILES))
    return World(points[:, None], points[:, None], lambda _t: law)


def as_world(make: Callable[[int], Stream], seed: int) -> World:
    """Return all points of a finite stream with its laws."""
    stream = make(seed)
    steps = list(stream)
    observed, clean = ([getattr(s, name) for s in steps] for name in ("observed", "clean"))
    return World(np.array(observed), np.array(clean), stream.law_at)


def ablated() -> dict[str, Maker]:
    """Return the streams on which parts are left out, in the order of that table."""
    made: dict[str, Callable[[int], Stream]] = {
        "smooth": partial(_noisy, 2),
        "smooth_d5": partial(_noisy, 5),
        "heavy": lambda seed: heavy_tails(rng=seed),
        "outliers": _dirty,
        "abrupt500": lambda seed: abrupt_shift(n_steps=500, rng=seed),
        "stationary": lambda seed: stationary(rng=seed),
        "weights": lambda seed: weight_drift(period=250, rng=seed),
        "births": lambda seed: birth_death(n_steps=600, rng=seed),
        "variance": lambda seed: variance_change(ratio=9.0, block=125, rng=seed),
        "skew": _skew,
        "gauss_d5": _gauss,
    }
    there_and_back = 3.0 ** (np.sin(np.pi * np.arange(_LENGTH) / 300) ** 2)
    lines: dict[str, Maker] = {"garch": garch, "latencies": partial(_lognormal, there_and_back)}
    return {name: partial(as_world, make) for name, make in made.items()} | lines


def simulated() -> dict[str, Maker]:
    """Return all simulated streams that move, and some that stand still."""
    made: dict[str, Callable[[int], Stream]] = {
        "smooth_d1": partial(_noisy, 1),
        "smooth_d10": partial(_noisy, 10),
        "abrupt1000": lambda seed: abrupt_shift(n_steps=1000, rng=seed),
        "rotation": lambda seed: rotation(rng=seed),
        "regime": _regime,
        "k1": lambda seed: smooth_drift(n_components=1, rng=seed),
        "k4": lambda seed: smooth_drift(n_components=4, rng=seed),
        "bursts": _bursts,
        "adversary": _adversary,
        "walk": lambda seed: random_walk(step=0.1, rng=seed),
        "season": _season,
        "scale_walk": _scale_walk,
        "uneven": _uneven,
        "ring": _ring,
    }
    lines: dict[str, Maker] = {
        "ar1": _autoregression,
        "latency_jumps": partial(_lognormal, np.repeat([1.0, 4.0, 2.0], _LENGTH // 3)),
        "counts": _counts,
        "spikes": _spikes,
    }
    return ablated() | {name: partial(as_world, make) for name, make in made.items()} | lines
