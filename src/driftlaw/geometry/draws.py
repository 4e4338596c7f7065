"""Kernels: draws and log-densities of the prior on configurations."""

import math

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw._xoshiro import State, uniform
from driftlaw.geometry.location import LocationPrior, draw_location_inplace, log_location


@lean_kernel
def draw_configuration_inplace(
    log_counts: Array, prior: LocationPrior, random: State, out: Array
) -> int:
    """Draw one configuration from the prior into ``out`` (max_centers, dim); return its k."""
    k = 1
    rest = uniform(random) - math.exp(log_counts[0])
    while rest > 0.0 and k < log_counts.shape[0]:
        rest -= math.exp(log_counts[k])
        k += 1
    for j in range(k):
        draw_location_inplace(prior, random, out[j])
    return k


@lean_kernel
def draw_many_inplace(
    log_counts: Array, prior: LocationPrior, random: State, k: IntArray, centers: Array
) -> None:
    """Draw as many configurations as ``k`` has places, into ``k`` and ``centers``."""
    for m in range(k.shape[0]):
        k[m] = draw_configuration_inplace(log_counts, prior, random, centers[m])


@lean_kernel
def log_location_of(prior: LocationPrior, center: Array) -> float:
    """Log-density of one centre: `log_location`, for callers in Python."""
    return log_location(prior, center)
