"""Drifts of weights (K,): oscillation, births and deaths at known or random steps."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._rng import RngLike, as_seed, child_seed
from driftlaw._validate import Array, check_count, check_fraction, check_positive
from driftlaw.errors import InputError
from driftlaw.streams.paths import Drift


@dataclass(frozen=True, slots=True, eq=False)
class Oscillation(Drift):
    r"""Weights that breathe in turn: :math:`w_j (1 + a \sin 2\pi(t/P + j/K))`, normalised.

    With equal base weights the sum needs no normalising: the sines cancel.

    Examples
    --------
    >>> Oscillation([0.5, 0.5], amplitude=0.8, period=100)(25)
    array([0.9, 0.1])
    """

    amplitude: float
    period: float

    def __post_init__(self) -> None:
        Drift.__post_init__(self)
        check_fraction("amplitude", self.amplitude)
        check_positive("period", self.period)

    def __call__(self, t: int) -> Array:
        """Return the value at ``t``."""
        weights = self.base_at(t)
        phases = t / self.period + np.arange(len(weights)) / len(weights)
        moved = weights * (1.0 + self.amplitude * np.sin(2.0 * np.pi * phases))
        return np.asarray(moved / moved.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Lives(Drift):
    r"""Births and deaths at known steps: j lives for ``births[j] <= t < deaths[j]``.

    The living share the mass in proportion to the base; use ``np.inf`` for «never dies». At
    least one component must live at every t that is asked for.

    Examples
    --------
    >>> path = Lives([0.5, 0.5], births=[0, 10], deaths=[np.inf, 20])
    >>> path(5), path(10)
    (array([1., 0.]), array([0.5, 0.5]))
    """

    births: ArrayLike
    deaths: ArrayLike

    def __post_init__(self) -> None:
        Drift.__post_init__(self)
        shape = self.base_at(0).shape
        for name in ("births", "deaths"):
            times = np.array(getattr(self, name), dtype=np.float64)
            if times.shape != shape or np.isnan(times).any():
                raise InputError(f"{name} must be {shape} numbers, got {getattr(self, name)!r}")
            object.__setattr__(self, name, times)

    def __call__(self, t: int) -> Array:
        """Return the value at ``t``."""
        living = (np.asarray(self.births) <= t) & (t < np.asarray(self.deaths))
        if not living.any():
            raise InputError(f"births and deaths must leave a component alive, none at t={t}")
        weights = self.base_at(t) * living
        return np.asarray(weights / weights.sum())


@dataclass(frozen=True, slots=True, eq=False)
class RandomLives(Drift):
    r"""Births and deaths without end: in each block of steps a random set of components lives.

    Each component lives with ``probability``, independently from block to block; where none
    would, one is chosen uniformly. The set of block b is drawn from ``rng`` under the key b, so
    nothing is stored.

    Examples
    --------
    >>> path = RandomLives([0.25] * 4, block=50, probability=0.5, rng=1)
    >>> bool((path(0) == path(49)).all()), float(path(1000).sum())
    (True, 1.0)
    """

    block: int
    probability: float
    rng: RngLike = None

    def __post_init__(self) -> None:
        Drift.__post_init__(self)
        check_count("block", self.block)
        check_fraction("probability", self.probability)
        object.__setattr__(self, "rng", as_seed(self.rng))

    def __call__(self, t: int) -> Array:
        """Return the value at ``t``."""
        rng = np.random.default_rng(child_seed(as_seed(self.rng), t // self.block))
        weights = self.base_at(t)
        living = rng.random(len(weights)) < self.probability
        living[rng.integers(len(weights))] |= not living.any()
        return np.asarray(weights * living / (weights * living).sum())
