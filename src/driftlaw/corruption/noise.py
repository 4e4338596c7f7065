r"""Corruption that does not look at the points: box noise, sparse outliers, bursts."""

from dataclasses import dataclass

import numpy as np

from driftlaw._rng import RngLike, as_seed, child_seed
from driftlaw._validate import Array, check_count, check_fraction, check_nonnegative
from driftlaw.corruption.base import CorruptedStream, Propose
from driftlaw.corruption.past import Past
from driftlaw.streams import smooth_drift
from driftlaw.transport import random_directions


@dataclass(frozen=True, slots=True)
class _Blind:
    """No budget, no need of the past."""

    @property
    def budget(self) -> int | None:
        """None: no limit."""
        return None

    @property
    def memory(self) -> int:
        """0: the past is not looked at."""
        return 0


@dataclass(frozen=True, slots=True)
class UniformNoise(_Blind):
    r"""Box noise: :math:`C_t \sim \mathrm{Unif}([-\epsilon, \epsilon]^d)` with a probability.

    :math:`\delta = \epsilon\sqrt d`. Paper: section «Experimental Setup» (probability 1) and
    [fig:supp-sensitivity].

    Examples
    --------
    >>> UniformNoise(1.0).amplitude_in(4)
    2.0
    """

    eps: float = 1.0
    probability: float = 1.0

    def __post_init__(self) -> None:
        check_nonnegative("eps", self.eps)
        check_fraction("probability", self.probability)

    def amplitude_in(self, dim: int) -> float:
        """Length of the box's half diagonal."""
        return float(self.eps * np.sqrt(dim))

    def start(self, dim: int, rng: np.random.Generator) -> Propose:
        """Begin a run; every step takes the same number of draws."""

        def propose(past: Past, clean: Array) -> Array:
            is_hit = rng.random() < self.probability
            return np.asarray(rng.uniform(-self.eps, self.eps, dim) * is_hit)

        return propose


@dataclass(frozen=True, slots=True)
class SparseOutliers(_Blind):
    r"""Gross errors: :math:`C_t = \delta u_t` with a probability, :math:`u_t` uniform directions.

    Examples
    --------
    >>> SparseOutliers(0.05, 10.0).amplitude_in(2)
    10.0
    """

    probability: float = 0.05
    amplitude: float = 10.0

    def __post_init__(self) -> None:
        check_fraction("probability", self.probability)
        check_nonnegative("amplitude", self.amplitude)

    def amplitude_in(self, dim: int) -> float:
        """Length of every outlier."""
        return self.amplitude

    def start(self, dim: int, rng: np.random.Generator) -> Propose:
        """Begin a run; every step takes the same number of draws."""

        def propose(past: Past, clean: Array) -> Array:
            is_hit = rng.random() < self.probability
            return np.asarray(self.amplitude * is_hit * random_directions(rng, dim, 1)[0])

        return propose


@dataclass(frozen=True, slots=True)
class Bursts(_Blind):
    r"""A sensor that sticks: for ``length`` steps the same offset :math:`\delta u`.

    Outside a burst a new one begins with ``probability``, in a direction drawn for it.

    Examples
    --------
    >>> from driftlaw.streams import stationary
    >>> stream = CorruptedStream(stationary(n_steps=200, rng=0), Bursts(0.02, 10, 3.0), rng=0)
    >>> stream.ledger().total() % 10
    0
    """

    probability: float = 0.01
    length: int = 20
    amplitude: float = 5.0

    def __post_init__(self) -> None:
        check_fraction("probability", self.probability)
        check_count("length", self.length)
        check_nonnegative("amplitude", self.amplitude)

    def amplitude_in(self, dim: int) -> float:
        """Length of every offset."""
        return self.amplitude

    def start(self, dim: int, rng: np.random.Generator) -> Propose:
        """Begin a run outside a burst."""
        left, offset = 0, np.zeros(dim)

        def propose(past: Past, clean: Array) -> Array:
            nonlocal left, offset
            if left == 0 and rng.random() < self.probability:
                left, offset = self.length, self.amplitude * random_directions(rng, dim, 1)[0]
            if left == 0:
                return np.zeros(dim)
            left -= 1
            return offset

        return propose


def paper_smooth(
    *,
    eps: float = 1.0,
    probability: float = 1.0,
    step: float = 0.03,
    n_steps: int | None = 500,
    rng: RngLike = None,
) -> CorruptedStream:
    r"""Return the paper's main stream: smooth drift seen through box noise at every step.

    The four words are those its sensitivity sweeps vary. Paper: section «Experimental Setup»,
    [fig:main-sqrt-average-log], [fig:supp-sensitivity].

    Examples
    --------
    >>> stream = paper_smooth(rng=0)
    >>> round(stream.amplitude, 4), stream.ledger(100).total()
    (1.4142, 100)
    """
    seed = as_seed(rng)
    stream = smooth_drift(step=step, n_steps=n_steps, rng=child_seed(seed, 0))
    return CorruptedStream(stream, UniformNoise(eps, probability), child_seed(seed, 1))
