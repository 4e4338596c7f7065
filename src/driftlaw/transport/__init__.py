"""Distances between laws and samples, on arrays alone."""

from driftlaw.transport.exact import w1_exact, w2_exact, w2_gaussian, w2_squared_coupling
from driftlaw.transport.line import sorted_rows_w1, w1
from driftlaw.transport.mixture import NormalMixture, cdf_w1, line_nodes, mixture_w1s
from driftlaw.transport.sliced import (
    SlicedDistance,
    directions,
    random_directions,
    sliced_w1,
    summarize,
)

__all__ = [
    "NormalMixture",
    "SlicedDistance",
    "cdf_w1",
    "directions",
    "line_nodes",
    "mixture_w1s",
    "random_directions",
    "sliced_w1",
    "sorted_rows_w1",
    "summarize",
    "w1",
    "w1_exact",
    "w2_exact",
    "w2_gaussian",
    "w2_squared_coupling",
]
