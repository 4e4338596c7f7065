"""Distances between laws and samples, on arrays alone."""

from driftlaw.transport.mixture import NormalMixture, cdf_w1, mixture_w1s
from driftlaw.transport.sliced import directions

__all__ = ["NormalMixture", "cdf_w1", "directions", "mixture_w1s"]
