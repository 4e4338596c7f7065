"""Kernels: the axis of a skewed law on the line, the logarithm in which it is symmetric.

A law with a long tail on one side, such as that of latencies, is described badly by centers with
symmetric kernels, and where it moves its spread mostly moves with its level. Both are mended by
log(±z - origin). The origin is not zero: a law that follows the stream under any change of units
cannot know of zero. It is where the skewness of the logarithms vanishes.
"""

import math
from typing import NamedTuple

import numpy as np

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.model import DEVIATION, ORIGIN, SIGN, UNIT

_BLOCK = 20  # observations within which a level hardly moves
_FAR = 4.0  # deviations by which a residual counts at most
_CLEAR = 2.5  # standard errors of the skewness of normal values, from which on there is some …
_STILL = 1.0  # … and to which there is still
_LEAST_SPREAD = 1e-150  # of values: the square of less is nil
# Distances of the origin below the least value, in those of the median to it.
_DISTANCES = np.exp(np.arange(-3.0, 3.1, 0.5))


class Axis(NamedTuple):
    """Coordinate log((sign · z - origin) / unit)."""

    sign: float
    origin: float
    unit: float


def skewness(values: Array) -> float:
    """Skewness of values (n,) within blocks, robust; 0 for values that are alike.

    A level that moves does not show within blocks, so only the shape of the law does. Gaps are cut
    before means are taken: one huge value would make all others of its block seem low.
    """
    n = len(values) // _BLOCK * _BLOCK
    blocks = values[len(values) - n :].reshape(-1, _BLOCK)
    gaps = blocks - np.median(blocks, axis=1, keepdims=True)
    deviation = DEVIATION * np.median(np.abs(gaps)) if n else 0.0
    if deviation <= 0.0:
        return 0.0
    near = np.clip(gaps, -_FAR * deviation, _FAR * deviation) / deviation
    near -= near.mean(axis=1, keepdims=True)
    return float((near**3).mean() / (near**2).mean() ** 1.5)


def find_axis(values: Array, *, has_axis: bool = False) -> Axis | None:
    """Axis on which values (n,), oldest first, have no skewness; None where they have none as is.

    Where no origin takes all of it away it is the nearest one. ``has_axis`` is whether there was
    one until now.
    """
    found = skewness(values)
    if abs(found) * math.sqrt(len(values) / 6.0) < (_STILL if has_axis else _CLEAR):
        return None
    sign = math.copysign(1.0, found)
    least = float((sign * values).min())
    spread = float(np.median(sign * values)) - least
    if spread < _LEAST_SPREAD:
        return None
    heights = (sign * values - least) / spread
    left = np.array([skewness(np.log(heights + distance)) for distance in _DISTANCES])
    if left[-1] <= 0.0:  # even the furthest origin takes away too much
        return None
    distance = _DISTANCES[0]
    if (left < 0.0).any():
        i = int(np.flatnonzero(left < 0.0)[-1])
        part = left[i] / (left[i] - left[i + 1])
        distance = _DISTANCES[i] * (_DISTANCES[i + 1] / _DISTANCES[i]) ** part
    return Axis(sign, least - float(distance) * spread, (1.0 + float(distance)) * spread)


@lean_kernel
def height(axis: Array, z: float) -> float:
    """Distance of z from the origin along the axis, in its units; not positive beyond it."""
    value: float = (axis[SIGN] * z - axis[ORIGIN]) / axis[UNIT]
    return value


def from_logarithms(axis: Array, logs: Array) -> Array:
    """Values of which the logarithms are given."""
    return np.asarray(axis[SIGN] * (axis[ORIGIN] + axis[UNIT] * np.exp(logs)))
