"""Kernels: location priors, the law of one centre; each is a record that brings its two kernels.

A location prior is a NamedTuple class of numbers and arrays with two static kernels,
``_log_location(prior, center)`` and ``_draw_location_inplace(prior, random, out)``. Samplers are
compiled for whichever class they are given.
"""

import math
from typing import Any, NamedTuple

from driftlaw._jit import kernel_of_record, lean_kernel
from driftlaw._validate import Array
from driftlaw._xoshiro import State, fill_normal_inplace, uniform


class BallPrior(NamedTuple):
    """Centres uniform on a ball: the paper's prior, with ``radius`` its 2R."""

    center: Array
    radius: float
    log_volume: float

    @staticmethod
    @lean_kernel
    def _log_location(prior: "BallPrior", center: Array) -> float:
        square = 0.0
        for a in range(center.shape[0]):
            square += (center[a] - prior.center[a]) ** 2
        return -prior.log_volume if square <= prior.radius * prior.radius else -math.inf

    @staticmethod
    @lean_kernel
    def _draw_location_inplace(prior: "BallPrior", random: State, out: Array) -> None:
        d = out.shape[0]
        fill_normal_inplace(random, out)
        square = 0.0
        for a in range(d):
            square += out[a] * out[a]
        factor = prior.radius * uniform(random) ** (1.0 / d) / math.sqrt(square)
        for a in range(d):
            out[a] = prior.center[a] + factor * out[a]


class GaussianPrior(NamedTuple):
    """Centres normal around a point, with one standard deviation in every direction."""

    center: Array
    scale: float

    @staticmethod
    @lean_kernel
    def _log_location(prior: "GaussianPrior", center: Array) -> float:
        d = center.shape[0]
        square = 0.0
        for a in range(d):
            square += (center[a] - prior.center[a]) ** 2
        spread = d * math.log(2.0 * math.pi * prior.scale**2)
        return float(-0.5 * (square / prior.scale**2 + spread))

    @staticmethod
    @lean_kernel
    def _draw_location_inplace(prior: "GaussianPrior", random: State, out: Array) -> None:
        fill_normal_inplace(random, out)
        for a in range(out.shape[0]):
            out[a] = prior.center[a] + prior.scale * out[a]


LocationPrior = Any  # a NamedTuple class with the two kernels; Numba, not mypy, checks it


@kernel_of_record
def log_location(prior: LocationPrior, center: Array) -> float:
    """Log-density of one centre (d,); ``-inf`` outside the support."""
    return float(prior._log_location(prior, center))


@kernel_of_record
def draw_location_inplace(prior: LocationPrior, random: State, out: Array) -> None:
    """Draw one centre into ``out`` (d,)."""
    prior._draw_location_inplace(prior, random, out)
