r"""Random drifts of centres: random walk, mean reversion, regime switching.

A wandering path must answer for any t without remembering the whole way. Both Gaussian paths are
Markov, so the value at a far block is found by halving: given the ends of an interval, its middle
is Gaussian with a known mean and variance. Each block border has one normal vector of its own,
drawn from the seed under the block's number; a path needs log2(t / 256) of them, and keeps only
the block it was last asked for.
"""

from dataclasses import dataclass, field

import numpy as np

from driftlaw._rng import RngLike, as_seed, child_seed
from driftlaw._validate import Array, check_count, check_nonnegative, check_positive
from driftlaw.streams.paths import Drift
from driftlaw.transport import random_directions

_BLOCK = 256
_BORDERS, _INSIDES = 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class RandomWalk(Drift):
    r"""Random walk: :math:`b_t + \sum_{s \le t} \xi_s,\ \xi_s \sim N(0, \sigma^2 I)`.

    ``step`` is the standard deviation of each coordinate of one increment; the walk starts at 0.

    Examples
    --------
    >>> walk = RandomWalk([[0.0, 0.0]], step=0.1, rng=7)
    >>> late = walk(10**6)
    >>> bool((late == walk(10**6)).all()), walk(0)
    (True, array([[0., 0.]]))
    """

    step: float
    rng: RngLike = None
    _way: "_GaussMarkov" = field(init=False, repr=False)

    def __post_init__(self) -> None:
        Drift.__post_init__(self)
        check_nonnegative("step", self.step)
        object.__setattr__(self, "rng", as_seed(self.rng))
        object.__setattr__(self, "_way", _GaussMarkov(self.step, np.inf, as_seed(self.rng)))

    def __call__(self, t: int) -> Array:
        """Return the value at ``t``."""
        base = self.base_at(t)
        return base + self._way.at(t, base.shape)


@dataclass(frozen=True, slots=True, eq=False)
class MeanReverting(Drift):
    r"""Ornstein–Uhlenbeck wandering around the base, stationary from the start.

    .. math:: y_{t+1} = e^{-1/m} y_t + s\sqrt{1 - e^{-2/m}}\, \xi_t, \qquad \xi_t \sim N(0, I)

    ``spread`` s is the standard deviation of each coordinate around the base, ``memory`` m the
    number of steps after which a deviation has shrunk by the factor e.

    Examples
    --------
    >>> path = MeanReverting(np.zeros((1000, 1)), spread=2.0, memory=50.0, rng=7)
    >>> bool(1.8 < path(10**5).std() < 2.2)
    True
    """

    spread: float
    memory: float
    rng: RngLike = None
    _way: "_GaussMarkov" = field(init=False, repr=False)

    def __post_init__(self) -> None:
        Drift.__post_init__(self)
        check_nonnegative("spread", self.spread)
        check_positive("memory", self.memory)
        object.__setattr__(self, "rng", as_seed(self.rng))
        way = _GaussMarkov(self.spread, self.memory, as_seed(self.rng))
        object.__setattr__(self, "_way", way)

    def __call__(self, t: int) -> Array:
        """Return the value at ``t``."""
        base = self.base_at(t)
        return base + self._way.at(t, base.shape)


@dataclass(frozen=True, slots=True, eq=False)
class Switching(Drift):
    r"""Abrupt shifts without end: :math:`b_t + \Delta u_b` with a fresh unit vector per block b.

    The centres stay within ``size`` of the base for ever, unlike those of repeated ``Jumps``.

    Examples
    --------
    >>> path = Switching([[0.0, 0.0]], block=100, size=7.0, rng=1)
    >>> round(float(np.linalg.norm(path(12345))), 12)
    7.0
    """

    block: int
    size: float
    rng: RngLike = None

    def __post_init__(self) -> None:
        Drift.__post_init__(self)
        check_count("block", self.block)
        check_nonnegative("size", self.size)
        object.__setattr__(self, "rng", as_seed(self.rng))

    def __call__(self, t: int) -> Array:
        """Return the value at ``t``."""
        base = self.base_at(t)
        rng = np.random.default_rng(child_seed(as_seed(self.rng), t // self.block))
        return base + self.size * random_directions(rng, base.shape[-1], 1)


@dataclass(slots=True, eq=False)
class _GaussMarkov:
    """Stationary or integrated AR(1) noise at any t, a pure function of (seed, t).

    Over h steps the path keeps the share ``_keep(h)`` of its value and gains ``_gain(h)`` of
    variance per coordinate; an infinite memory is the random walk.
    """

    size: float
    memory: float
    seed: np.random.SeedSequence
    _last: tuple[int, Array] = (-1, np.empty(0))  # replaced whole, never changed

    def at(self, t: int, shape: tuple[int, ...]) -> Array:
        block, inside = divmod(t, _BLOCK)
        number, values = self._last
        if number != block or values.shape[1:] != shape:
            values = self._fill(block, shape)
            self._last = (block, values)
        return np.asarray(values[inside])

    def _keep(self, h: float) -> float:
        return float(np.exp(-h / self.memory))

    def _gain(self, h: float) -> float:
        if np.isinf(self.memory):
            return self.size**2 * h
        return float(-(self.size**2) * np.expm1(-2.0 * h / self.memory))

    def _normals(self, kind: int, number: int, shape: tuple[int, ...]) -> Array:
        return np.random.default_rng(child_seed(self.seed, kind, number)).standard_normal(shape)

    def _border(self, block: int, shape: tuple[int, ...]) -> Array:
        """Value at the first step of ``block``: doubling up to it, then halving down to it."""
        start = 0.0 if np.isinf(self.memory) else self.size
        low, high = 0, 1
        at_low = start * self._normals(_BORDERS, 0, shape)
        if block == 0:
            return at_low
        at_high = self._forward(at_low, 1, shape, high)
        while high < block:
            at_low, at_high = at_high, self._forward(at_high, high, shape, 2 * high)
            low, high = high, 2 * high
        while high != block:
            middle = (low + high) // 2
            at_middle = self._between(at_low, at_high, shape, middle, middle - low)
            if middle <= block:
                low, at_low = middle, at_middle
            else:
                high, at_high = middle, at_middle
            if low == block:
                return at_low
        return at_high

    def _forward(self, value: Array, n_blocks: int, shape: tuple[int, ...], key: int) -> Array:
        h = float(n_blocks * _BLOCK)
        noise = self._normals(_BORDERS, key, shape)
        return np.asarray(self._keep(h) * value + np.sqrt(self._gain(h)) * noise)

    def _between(
        self, low: Array, high: Array, shape: tuple[int, ...], key: int, n_blocks: int
    ) -> Array:
        h = float(n_blocks * _BLOCK)
        keep = self._keep(h)
        share = keep / (1.0 + keep**2)
        deviation = np.sqrt(self._gain(h) / (1.0 + keep**2))
        return np.asarray(share * (low + high) + deviation * self._normals(_BORDERS, key, shape))

    def _fill(self, block: int, shape: tuple[int, ...]) -> Array:
        """All values of a block: a free path from its first, pulled onto the next block's first."""
        values = np.empty((_BLOCK + 1, *shape))
        values[0] = self._border(block, shape)
        noise = np.sqrt(self._gain(1.0)) * self._normals(_INSIDES, block, (_BLOCK, *shape))
        keep = self._keep(1.0)
        for s in range(_BLOCK):
            values[s + 1] = keep * values[s] + noise[s]
        if self.size > 0:
            miss = self._border(block + 1, shape) - values[-1]
            steps = range(_BLOCK + 1)
            pull = [self._keep(_BLOCK - s) * self._gain(s) / self._gain(_BLOCK) for s in steps]
            values += np.reshape(pull, (-1, *(1 for _ in shape))) * miss
        return values[:-1]
