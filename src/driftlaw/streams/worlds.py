"""Other worlds by name: the stationary mixture of two blobs with one thing made to move.

Each takes the words of ``stationary`` (``dim``, ``n_components``, ``separation``, ``variance``,
``n_steps``) beside its own.
"""

from dataclasses import replace
from typing import TypedDict, Unpack

import numpy as np

from driftlaw._rng import RngLike, as_seed, child_seed
from driftlaw.streams.centers import Rotation
from driftlaw.streams.mixture import MixtureStream
from driftlaw.streams.paper import smooth_drift, stationary
from driftlaw.streams.scales import Alternating, Breathing
from driftlaw.streams.wander import MeanReverting, RandomWalk
from driftlaw.streams.weights import Oscillation, RandomLives

_DRIFT = 1


class World(TypedDict, total=False):
    """The words of ``stationary``."""

    dim: int
    n_components: int
    separation: float
    variance: float
    n_steps: int | None


def weight_drift(
    *,
    amplitude: float = 0.8,
    period: float = 400.0,
    rng: RngLike = None,
    **world: Unpack[World],
) -> MixtureStream:
    """Centres stand still, the weights oscillate by ``amplitude`` over ``period`` steps.

    Examples
    --------
    >>> weight_drift(period=400.0, rng=0).weights_at(100)
    array([0.9, 0.1])
    """
    stream = stationary(rng=rng, **world)
    return replace(stream, weights=Oscillation(stream.weights_at(0), amplitude, period))


def birth_death(
    *,
    block: int = 100,
    probability: float = 0.5,
    rng: RngLike = None,
    **world: Unpack[World],
) -> MixtureStream:
    """Components are born and die: in each block each of four lives with ``probability``.

    Examples
    --------
    >>> stream = birth_death(n_steps=None, rng=3)
    >>> living = [int((stream.weights_at(t) > 0).sum()) for t in range(0, 2000, 100)]
    >>> min(living) >= 1, len(set(living)) > 1
    (True, True)
    """
    seed = as_seed(rng)
    stream = stationary(rng=seed, **{"n_components": 4, **world})  # type: ignore[arg-type] # checked there
    lives = RandomLives(stream.weights_at(0), block, probability, child_seed(seed, _DRIFT))
    return replace(stream, weights=lives)


def rotation(*, angle: float = 0.02, rng: RngLike = None, **world: Unpack[World]) -> MixtureStream:
    """Centres turn about the origin by ``angle`` radians per step; ``dim`` must be 2 or more.

    Examples
    --------
    >>> rotation(angle=np.pi / 100, rng=0).centers_at(100)[0].round(9)
    array([2.5, 0. ])
    """
    stream = stationary(rng=rng, **world)
    return replace(stream, centers=Rotation(stream.centers, angle))


def variance_change(
    *,
    ratio: float = 10.0,
    block: int = 100,
    smooth: bool = False,
    rng: RngLike = None,
    **world: Unpack[World],
) -> MixtureStream:
    """Covariances alternate between 1 and ``ratio`` times the first, by jumps or smoothly.

    Examples
    --------
    >>> (variance_change(ratio=4.0, variance=1.0, rng=0).scales_at(100) ** 2).round(9)
    array([4., 4.])
    """
    stream = stationary(rng=rng, **world)
    factor = float(np.sqrt(ratio))
    if smooth:
        return replace(stream, scales=Breathing(stream.scales, factor, 2.0 * block))
    return replace(stream, scales=Alternating(stream.scales, factor, block))


def heavy_tails(
    *, df: float = 3.0, step: float = 0.03, rng: RngLike = None, **world: Unpack[World]
) -> MixtureStream:
    """Return the smooth stream with Student-t components of squared scale ``variance``.

    Examples
    --------
    >>> bool(heavy_tails(df=3.0, rng=0).law_at(0).cov()[0, 0] > 3.0)
    True
    """
    return replace(smooth_drift(step=step, rng=rng, **world), df=df)


def mean_reverting(
    *, spread: float = 1.0, memory: float = 50.0, rng: RngLike = None, **world: Unpack[World]
) -> MixtureStream:
    """Centres wander about their places, each coordinate with standard deviation ``spread``.

    Examples
    --------
    >>> stream = mean_reverting(n_steps=None, rng=0)
    >>> bool(np.abs(stream.centers_at(10**6) - stream.centers_at(0)).max() < 10)
    True
    """
    seed = as_seed(rng)
    stream = stationary(rng=seed, **world)
    path = MeanReverting(stream.centers, spread, memory, child_seed(seed, _DRIFT))
    return replace(stream, centers=path)


def random_walk(
    *, step: float = 0.03, rng: RngLike = None, **world: Unpack[World]
) -> MixtureStream:
    """Each coordinate of each centre walks by independent normals of deviation ``step``.

    Examples
    --------
    >>> random_walk(rng=0).centers_at(0)[0]
    array([-2.5,  0. ])
    """
    seed = as_seed(rng)
    stream = stationary(rng=seed, **world)
    return replace(stream, centers=RandomWalk(stream.centers, step, child_seed(seed, _DRIFT)))
