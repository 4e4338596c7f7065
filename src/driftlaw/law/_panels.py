r"""Panels of the line on which a mixture's cdf is known well enough to integrate its square.

Between two edges the cdf rises from F(a) to F(b), and its mean there, :math:`\mu`, is known from
its antiderivative. Whatever it does in between, its variance over the panel is at most

.. math:: (\mu - F(a))\,(F(b) - \mu),

0 for a jump at an edge. So nothing can hide between edges: panels are split until these bounds
are small beside the least CRPS that the law can have, :math:`\int \min(F, 1 - F)^2`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from driftlaw._validate import Array

_N_FIRST = 64  # edges to begin with
_MOST = 1000  # edges
_ROUNDS = 40
_TINY = 1e-300
_SHARE = 2e-3  # of the least CRPS, as which the bounds may add up


class Edges(NamedTuple):
    """Edges (n,) of panels, F there, the integrals of F below and of 1 - F above."""

    x: Array
    values: Array
    below: Array
    above: Array


Measure = Callable[[Array], Edges]


class Panels(NamedTuple):
    """Widths (n,) of panels, the mean of F on each, its variance as if smooth and its bound."""

    widths: Array
    means: Array
    variances: Array
    bounds: Array


def first_edges(weights: Array, means: Array, scales: Array) -> Array:
    """Points that share the mass of the components (K,) evenly, roughly."""
    n_each = max(2, -(-_N_FIRST // len(weights)))
    spread = special.ndtri((np.arange(n_each) + 0.5) / n_each)
    points = (means + spread[:, None] * scales).ravel()
    order = np.argsort(points)
    mass = np.cumsum(np.tile(weights, n_each)[order])
    place = np.searchsorted(mass, np.linspace(0.0, mass[-1], _N_FIRST))
    edges: Array = np.unique(points[order[np.minimum(place, len(points) - 1)]])
    return edges


def refined(x: Array, measure: Measure) -> Edges:
    """Split panels between the edges x, and add some beyond them, until all bounds are small."""
    edges = measure(x)
    for _ in range(_ROUNDS):
        new = _splits(edges)
        if not len(new) or len(edges.x) + len(new) > _MOST:
            break
        edges = joined(edges, measure(new))
    return edges


def joined(a: Edges, b: Edges) -> Edges:
    """Return the edges of both, in order."""
    order = np.argsort(np.concatenate((a.x, b.x)), kind="stable")
    x, values, below, above = (np.concatenate(pair)[order] for pair in zip(a, b, strict=True))
    return Edges(x, np.maximum.accumulate(values), below, above)


def panels_of(edges: Edges) -> Panels:
    """Measure the panels between the edges.

    Where F has the mean of a parabola that rises, its variance is that of the parabola, elsewhere
    that of a power of the distance from an end.
    """
    low, high = edges.values[:-1], edges.values[1:]
    widths, rise = edges.x[1:] - edges.x[:-1], high - low
    # where a panel has no width, or F no rise, whatever stands for the mean is multiplied by 0
    means = (edges.below[1:] - edges.below[:-1]) / np.maximum(widths, _TINY)
    means = np.minimum(np.maximum(means, low), high)
    share = (means - low) / np.maximum(rise, _TINY)
    small = np.minimum(share, 1.0 - share)
    power = small * (1.0 - small) ** 2 / (2.0 - small)
    parabola = 1.0 / 12.0 + (small - 0.5) ** 2 / 5.0
    factor = np.where(small < 1.0 / 3.0, power, parabola)
    return Panels(widths, means, rise**2 * factor, rise**2 * share * (1.0 - share))


def tails_of(edges: Edges) -> Array:
    """Bounds of the integrals of F^2 below the first edge and of (1 - F)^2 above the last."""
    return np.array([edges.values[0] * edges.below[0], (1.0 - edges.values[-1]) * edges.above[-1]])


def _splits(edges: Edges) -> Array:
    """Return where panels are to be split: where a jump would be that leaves the mean as it is."""
    x, panels = edges.x, panels_of(edges)
    bounds, tails = panels.widths * panels.bounds, tails_of(edges)
    least = panels.widths @ np.minimum(panels.means, 1.0 - panels.means) ** 2
    allowed = _SHARE * least
    if bounds.sum() + tails.sum() <= allowed:
        return np.empty(0)
    enough = 0.5 * allowed / (len(bounds) + 2)  # so that next time few are left
    i = np.flatnonzero(bounds > enough)
    low, high = edges.values[i], edges.values[i + 1]
    new = x[i] + panels.widths[i] * (high - panels.means[i]) / (high - low)
    new = new[(new > x[i]) & (new < x[i + 1])]
    outside = _beyond(edges, tails > enough)
    return np.concatenate((new, outside))


def _beyond(edges: Edges, is_asked: Array) -> Array:
    """Edges beyond the first and the last, where asked: at twice the mean excess of the tail."""
    x, values = edges.x, edges.values
    found = []
    if is_asked[0] and x[0] - 2.0 * edges.below[0] / values[0] < x[0]:
        found.append(x[0] - 2.0 * edges.below[0] / values[0])
    if is_asked[1] and x[-1] + 2.0 * edges.above[-1] / (1.0 - values[-1]) > x[-1]:
        found.append(x[-1] + 2.0 * edges.above[-1] / (1.0 - values[-1]))
    return np.array(found)
