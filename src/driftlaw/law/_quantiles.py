"""Quantiles of mixtures on the line: where to look is chosen by the law, never by the levels."""

import numpy as np
from scipy import special

from driftlaw._validate import Array
from driftlaw.law._quantile_kernels import Components, quantiles_inplace

_LEAST_LEVEL = 1e-100  # of a mixture with Student-t: its quantile can still be written
_LEAST_SCALE = 1e-305  # of a component, when the mixture is of size one
_N_NODES = 256  # more are dearer to look at than the steps that they save
_SPREAD = np.array([-2.0, 0.0, 2.0])  # of a component's points, in scales
_AS_NORMAL = 1e30  # degrees of freedom from which on no digit differs from the normal
_MANY = 100.0  # degrees of freedom from which on the series of their density is exact


def mixture_quantile(q: Array, weights: Array, means: Array, scales: Array, df: Array) -> Array:
    """Quantiles (n,) of a mixture on the line at q (n,), infinite at 0 and 1.

    Levels above one half are solved on the mirrored mixture, so that upper tails keep their
    relative accuracy. Every level is solved alone; where rounding puts two out of order, the
    higher level takes the lower one's answer. With Student-t components, levels below 1e-100
    count as 1e-100.
    """
    # neighbours alike, so that the processor foresees which components are out of reach
    order = np.lexsort((means, scales, df))
    order = order[weights[order] > 0]
    weights, means, scales, df = (a[order] for a in (weights, means, scales, df))
    # in a unit in which slopes can be written; a power of two, so that no digit is lost
    unit = int(np.frexp(np.maximum(abs(means), scales).max())[1])
    means, scales = np.ldexp(means, -unit), np.maximum(np.ldexp(scales, -unit), _LEAST_SCALE)
    df = np.where(df < _AS_NORMAL, df, np.inf)
    parts = Components(weights, means, scales, df, _log_peaks(df))
    nodes = _nodes(weights, means, scales)
    x = np.where(q > 0.5, np.inf, -np.inf)
    low, high = (q > 0) & (q <= 0.5), (q > 0.5) & (q < 1)
    x[low] = _solve(q[low], parts, nodes)
    x[high] = -_solve(1 - q[high], parts._replace(means=-means), -nodes[::-1])
    return rising(q, np.ldexp(x, unit))


def rising(levels: Array, x: Array) -> Array:
    """Return quantiles x (n,) at these levels in their order: a higher level is never below."""
    order = np.argsort(levels, kind="stable")
    x[order] = np.maximum.accumulate(x[order])
    return x


def _solve(levels: Array, parts: Components, nodes: Array) -> Array:
    least = _LEAST_LEVEL if np.isfinite(parts.df).any() else np.finfo(np.float64).tiny
    levels, out = np.maximum(levels, least), np.empty(len(levels))
    # in one layout, since each other would be compiled for apart
    nodes = np.ascontiguousarray(nodes)
    quantiles_inplace(levels, parts, nodes, np.full((len(nodes), 2), -1.0), out)
    return out


def _nodes(weights: Array, means: Array, scales: Array) -> Array:
    """Points that share the mass evenly, roughly, and whose ends are outside every component."""
    points = (means + _SPREAD[:, None] * scales).ravel()
    order = np.argsort(points)
    mass = np.cumsum(np.tile(weights, len(_SPREAD))[order])
    place = np.searchsorted(mass, np.linspace(0.0, mass[-1], _N_NODES))
    place[-1] = len(points) - 1
    nodes: Array = np.unique(points[order[place]])
    return nodes


def _log_peaks(df: Array) -> Array:
    r"""Log-densities at 0 of the standard components.

    .. math:: \log \Gamma(a + 1/2) - \log \Gamma(a) - \log(2 \pi a) / 2, \quad a = \nu / 2;

    for many degrees of freedom the first two, whose difference would lose digits, are
    :math:`\log(a) / 2 - 1 / 8a + 1 / 192 a^3 - 1 / 640 a^5` up to :math:`a^{-7}`.
    """
    a = np.minimum(df, _MANY) / 2
    few = special.gammaln(a + 0.5) - special.gammaln(a) - 0.5 * np.log(a)
    b = 1 / np.maximum(df / 2, _MANY / 2)
    many = -b / 8 + b**3 / 192 - b**5 / 640
    return np.asarray(np.where(df < _MANY, few, many) - 0.5 * np.log(2 * np.pi))
