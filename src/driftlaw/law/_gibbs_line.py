"""Closed forms of the Gibbs kernel on the line: its cells are intervals around their centers."""

from typing import NamedTuple

import numpy as np
from scipy import special

from driftlaw._validate import Array

_LEGENDRE = np.polynomial.legendre.leggauss(8)


class Pieces(NamedTuple):
    """Intervals (P,) of all configurations: ends, center, probability, and the common rate.

    On a piece the density is proportional to exp(-rate (x - center)^2); ``shares`` sum to one.
    """

    low: Array
    high: Array
    centers: Array
    shares: Array
    rate: float


class Line(NamedTuple):
    """The pieces of the law and the normalisers (M,) of its configurations."""

    pieces: Pieces
    normalizers: Array


def line_of(centers: list[Array], weights: list[Array], rate: float, ends: Array) -> Line:
    """Cut [ends] into the cells of every configuration: lists of (k,) centers and weights."""
    rows, normalizers = [], []
    for c, v in zip(centers, weights, strict=True):
        order = np.argsort(c)
        c_m, v_m = c[order], v[order]
        cuts = np.concatenate((ends[:1], 0.5 * (c_m[:-1] + c_m[1:]), ends[1:])).clip(*ends)
        # A center may stand outside the ball by rounding; its cell must still hold it.
        c_m = c_m.clip(cuts[:-1], cuts[1:])
        masses = v_m * mass(cuts[:-1], cuts[1:], c_m, rate)
        normalizers.append(masses.sum())
        rows.append(np.stack((cuts[:-1], cuts[1:], c_m, masses / masses.sum() / len(centers))))
    low, high, c_all, shares = np.concatenate(rows, axis=1)
    keep = high > low
    pieces = Pieces(low[keep], high[keep], c_all[keep], shares[keep], rate)
    return Line(pieces, np.array(normalizers))


def mass(low: Array, high: Array, centers: Array, rate: float) -> Array:
    r"""Integral of :math:`e^{-\lambda (t - c)^2}` over [low, high], for low <= c."""
    if rate == 0:
        return np.asarray(high - low)
    root = np.sqrt(rate)
    u, v = root * (low - centers), root * (high - centers)
    # Left of the center erf would cancel against -1; erfc keeps the relative accuracy there.
    tail = special.erfc(-v) - special.erfc(-u)
    return np.asarray(
        np.where(v < -0.5, tail, special.erf(v) - special.erf(u)) * 0.5 * np.sqrt(np.pi) / root
    )


def first_moment(low: Array, high: Array, centers: Array, rate: float) -> Array:
    r"""Integral of :math:`(t - c) e^{-\lambda (t - c)^2}` over [low, high]."""
    lever = (high - low) * (high + low - 2 * centers)
    nearest = np.minimum((low - centers) ** 2, (high - centers) ** 2)
    return np.asarray(0.5 * lever * np.exp(-rate * nearest) * special.exprel(-rate * abs(lever)))


def second_moment(low: Array, high: Array, centers: Array, rate: float) -> Array:
    r"""Integral of :math:`(t - c)^2 e^{-\lambda (t - c)^2}` over [low, high].

    By parts, except where the exponent hardly moves and that would cancel: there eight
    Gauss-Legendre nodes are exact to rounding.
    """
    nodes, weights = _LEGENDRE
    half = 0.5 * (high - low)
    t = (0.5 * (high + low) - centers)[:, None] + half[:, None] * nodes
    flat = half * ((t**2 * np.exp(-rate * t**2)) @ weights)
    a, b = low - centers, high - centers
    is_flat = rate * np.maximum(a**2, b**2) < 1e-2
    edges = b * np.exp(-rate * b**2) - a * np.exp(-rate * a**2)
    steep = (mass(low, high, centers, rate) - edges) / (2 * rate if rate > 0 else 1.0)
    return np.asarray(np.where(is_flat, flat, steep))


def pieces_cdf(pieces: Pieces, x: Array) -> Array:
    """Distribution function (n,) at x (n,)."""
    low, high, centers, shares, rate = pieces
    inside = x[:, None].clip(low, high)
    parts = mass(low, inside, centers, rate) / mass(low, high, centers, rate)
    return np.minimum(parts @ shares, 1.0)


def pieces_pdf(pieces: Pieces, x: Array) -> Array:
    """Density (n,) at x (n,); where two pieces meet, the left one's."""
    low, high, centers, shares, rate = pieces
    is_inside = (x[:, None] > low) & (x[:, None] <= high)
    shape = np.exp(-rate * (x[:, None] - centers) ** 2)
    return np.asarray((is_inside * shape) @ (shares / mass(low, high, centers, rate)))


def pieces_integral(pieces: Pieces, x: Array) -> Array:
    """Antiderivative (n,) of the distribution function at x (n,)."""
    low, high, centers, shares, rate = pieces
    inside = x[:, None].clip(low, high)
    weighted = (x[:, None] - centers) * mass(low, inside, centers, rate)
    weighted -= first_moment(low, inside, centers, rate)
    return np.asarray(weighted @ (shares / mass(low, high, centers, rate)))


def pieces_moments(pieces: Pieces) -> tuple[float, float]:
    """Mean and variance."""
    low, high, centers, shares, rate = pieces
    scale = shares / mass(low, high, centers, rate)
    first = first_moment(low, high, centers, rate)
    mean = shares @ centers + scale @ first
    gaps = centers - mean
    second = second_moment(low, high, centers, rate)
    variance = scale @ second + 2 * (scale * gaps) @ first + shares @ gaps**2
    return float(mean), float(variance)
