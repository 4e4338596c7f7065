"""Single laws on the line, 600 independent draws of each: counts, atoms, skewed and heavy ones.

Where a law is not made of atoms, 1000 quantiles (of each of its parts) stand for it. A draw takes
a part by its weight, then a value of the part.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from benchmarks.worlds import LEVELS, Maker, World
from driftlaw._validate import Array
from driftlaw.law import SampleLaw

_LENGTH = 600
_GRID = 20  # steps of the rounded law in one unit


class Part(NamedTuple):
    """One part of a law: a distribution of SciPy or an atom, its weight and its factor."""

    law: Any
    weight: float = 1.0
    factor: float = 1.0


def _atoms(part: Part) -> tuple[Array, Array]:
    """Values and weights that stand for the part."""
    if isinstance(part.law, float):
        return np.array([part.law]), np.array([part.weight])
    if hasattr(part.law, "pmf"):
        values = np.arange(part.law.ppf(0.0), part.law.isf(1e-10) + 1.0)
        values = values[values >= 0.0]
        return values * part.factor, part.weight * part.law.pmf(values)
    return part.law.ppf(LEVELS) * part.factor, np.full(len(LEVELS), part.weight / len(LEVELS))


def _draws(part: Part, rng: np.random.Generator) -> Array:
    if isinstance(part.law, float):
        return np.full(_LENGTH, part.law)
    return np.asarray(part.law.rvs(_LENGTH, random_state=rng) * part.factor, dtype=np.float64)


def _mixed(parts: tuple[Part, ...], seed: int) -> World:
    rng = np.random.default_rng((seed, 20))
    which = rng.choice(len(parts), size=_LENGTH, p=[part.weight for part in parts])
    values = np.stack([_draws(part, rng) for part in parts])[which, np.arange(_LENGTH)]
    atoms, weights = (np.concatenate(x) for x in zip(*map(_atoms, parts), strict=True))
    law = SampleLaw(atoms, weights)
    return World(values[:, None], values[:, None], lambda _t: law)


def _rounded(seed: int) -> World:
    """Lognormal values on a lattice of twentieths of their median."""
    law = stats.lognorm(0.5)
    values = np.round(law.rvs(_LENGTH, random_state=np.random.default_rng((seed, 21))) * _GRID)
    grid = np.arange(0.0, law.isf(1e-9) * _GRID + 1.0)
    masses = law.cdf((grid + 0.5) / _GRID) - law.cdf((grid - 0.5) / _GRID)
    points, target = values[:, None] / _GRID, SampleLaw(grid / _GRID, masses)
    return World(points, points, lambda _t: target)


def _clipped(seed: int) -> World:
    """Return a standard normal law clipped to [-1, 1]."""
    rng = np.random.default_rng((seed, 22))
    points = np.clip(rng.normal(size=(_LENGTH, 1)), -1.0, 1.0)
    law = SampleLaw(np.clip(stats.norm.ppf(LEVELS), -1.0, 1.0))
    return World(points, points, lambda _t: law)


def single_laws() -> dict[str, Maker]:
    """Return the laws by name."""
    latency, narrow = stats.lognorm(1.0, scale=np.exp(3.0)), stats.lognorm(0.3)
    parts: dict[str, tuple[Part, ...]] = {
        "poisson1": (Part(stats.poisson(1.0)),),
        "poisson50": (Part(stats.poisson(50.0)),),
        "zeros9": (Part(0.0, 0.9), Part(latency, 0.1)),
        "zeros5": (Part(0.0, 0.5), Part(latency, 0.5)),
        "bernoulli": (Part(0.0, 0.7), Part(1.0, 0.3)),
        "binomial": (Part(stats.binom(10, 0.3)),),
        "geometric": (Part(stats.geom(0.4)),),
        "negative_binomial": (Part(stats.nbinom(2, 0.1)),),
        "gamma2": (Part(stats.gamma(2.0)),),
        "exponential": (Part(stats.expon()),),
        "weibull": (Part(stats.weibull_min(0.7)),),
        "uniform": (Part(stats.uniform()),),
        "lomax3": (Part(stats.lomax(3.0)),),
        "student3": (Part(stats.t(3.0)),),
        "beta_half": (Part(stats.beta(0.5, 0.5)),),
        "lognormal_gross": (Part(stats.lognorm(0.5), 0.99), Part(stats.lognorm(0.5), 0.01, 50.0)),
        "two_groups": (Part(narrow, 0.8), Part(narrow, 0.2, 8.0)),
        "half_normal": (Part(stats.halfnorm()),),
    }
    made: dict[str, Maker] = {name: partial(_mixed, given) for name, given in parts.items()}
    return made | {"lognormal_rounded": _rounded, "clipped_normal": _clipped}
