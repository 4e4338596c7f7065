r"""Proper scores of a law at a point, without sampling where the law allows it.

Two facts carry the closed forms. The mean length of a normal vector,

.. math:: E\|N(m, s^2 I_d)\| = \sqrt2\, s\, \frac{\Gamma(\frac{d+1}2)}{\Gamma(\frac d2)}
   {}_1F_1(-\tfrac12; \tfrac d2; -\tfrac{\|m\|^2}{2s^2}),

gives both terms of the energy score of an isotropic mixture in any dimension (in dimension one it
is the CRPS). And a length is a mean over directions, :math:`\|v\| = c_d\, E_\theta|\langle\theta,
v\rangle|`, so for other covariances the score is :math:`c_d` times a mean of CRPS.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from driftlaw._rng import RngLike, as_generator
from driftlaw._validate import Array, check_count, check_point
from driftlaw.errors import InputError
from driftlaw.evaluate.loop import Estimate
from driftlaw.law import MixtureLaw, PredictiveLaw, SampleLaw
from driftlaw.transport import directions

_N_DIRECTIONS = 128
_NODES, _SHARES = np.polynomial.legendre.leggauss(10)
_LEVELS = special.expit(np.linspace(-20.0, 20.0, 41))


def crps(law: PredictiveLaw, x: ArrayLike) -> float:
    r"""Continuous ranked probability score of a law on the line.

    .. math:: \int (F(u) - 1\{x \le u\})^2\, du = E|X - x| - \tfrac12 E|X - X'|

    Closed form for mixtures of normals and for empirical laws, adaptive quadrature of the cdf for
    the others.

    Examples
    --------
    >>> round(crps(MixtureLaw([1.0], [0.0], [1.0]), 0.0), 6)
    0.233695
    """
    point = check_point("x", x, 1)
    if law.dim != 1:
        raise InputError(f"law must have dim 1, got {law.dim}; use energy_score")
    if isinstance(law, SampleLaw):
        return _sample_crps(law, float(point[0]))
    if isinstance(law, MixtureLaw) and law.is_normal:
        return _isotropic_energy(law, point)
    return _integrated_crps(law, float(point[0]))


def energy_score(
    law: PredictiveLaw, x: ArrayLike, *, n_samples: int = 500, rng: RngLike = None
) -> Estimate:
    r"""Energy score :math:`E\|X - x\| - \tfrac12 E\|X - X'\|` of a law at x (d,); X, X' ~ law.

    On the line it is the CRPS. Above: exact for empirical laws and for mixtures of isotropic
    normals; the mean over 128 fixed directions for mixtures of other normals; for other laws the
    unbiased estimate from ``n_samples`` draws, with its standard error.

    Examples
    --------
    >>> energy_score(SampleLaw([[0.0, 0.0], [0.0, 2.0]]), [0.0, 1.0])
    Estimate(value=0.5, standard_error=0.0)
    """
    point = check_point("x", x, law.dim)
    if law.dim == 1:
        return Estimate(crps(law, point), 0.0)
    if isinstance(law, SampleLaw):
        spread = law.weights @ _lengths(law.points[:, None] - law.points) @ law.weights
        return Estimate(float(law.weights @ _lengths(law.points - point) - spread / 2), 0.0)
    if isinstance(law, MixtureLaw) and law.is_normal:
        isotropic = law.scales.ndim == 1
        return Estimate(_isotropic_energy(law, point) if isotropic else _sliced(law, point), 0.0)
    draws = law.sample(check_count("n_samples", n_samples, least=2), as_generator(rng))
    return _sampled_energy(draws, point)


def _isotropic_energy(law: MixtureLaw, point: Array) -> float:
    to_point = _mean_length(_lengths(law.means - point), law.scales, law.dim)
    sums = np.hypot(law.scales[:, None], law.scales)
    between = _mean_length(_lengths(law.means[:, None] - law.means), sums, law.dim)
    return float(law.weights @ to_point - law.weights @ between @ law.weights / 2)


def _mean_length(distance: Array, scale: Array, dim: int) -> Array:
    """Mean length of a vector N(m, scale^2 I) whose mean has length ``distance``."""
    shape = special.hyp1f1(-0.5, dim / 2, -((distance / scale) ** 2) / 2)
    return np.asarray(np.sqrt(2.0) * scale * special.poch(dim / 2, 0.5) * shape)


def _sliced(law: MixtureLaw, point: Array) -> float:
    units = directions(law.dim, _N_DIRECTIONS)
    scores = [crps(law.project(unit), unit @ point) for unit in units]
    return float(np.sqrt(np.pi) * special.poch(law.dim / 2, 0.5) * np.mean(scores))


def _sample_crps(law: SampleLaw, point: float) -> float:
    order = np.argsort(law.points[:, 0])
    atoms, weights = law.points[order, 0], law.weights[order]
    middles = np.cumsum(weights) - weights / 2
    return float(weights @ (np.abs(atoms - point) - atoms * (2.0 * middles - 1.0)))


def _sampled_energy(draws: Array, point: Array) -> Estimate:
    """Estimate without bias; the error is that of the U-statistic's linear part."""
    n = len(draws)
    to_point = _lengths(draws - point)
    to_others = _lengths(draws[:, None] - draws).sum(axis=1) / (n - 1)
    error = np.std(to_point - to_others, ddof=1) / np.sqrt(n)
    return Estimate(float(np.mean(to_point - to_others / 2)), float(error))


def _integrated_crps(law: PredictiveLaw, point: float) -> float:
    def integrand(u: Array) -> Array:
        return np.asarray((law.cdf(u) - (u >= point)) ** 2)

    edges = np.unique(np.append(law.quantile(_LEVELS)[:, 0], point))
    return _integral(integrand, edges)


def _integral(function: Callable[[Array], Array], edges: Array) -> float:
    """Integrate over the panels between ``edges``, halving those where two rules disagree."""
    low, high, total = edges[:-1], edges[1:], 0.0
    tolerance = 1e-12 * float(edges[-1] - edges[0])
    for _ in range(40):
        middle = (low + high) / 2
        coarse = _gauss(function, low, high)
        fine = _gauss(function, low, middle) + _gauss(function, middle, high)
        is_rough = np.abs(fine - coarse) > tolerance
        total += float(fine[~is_rough].sum())
        low, high = (
            np.concatenate((low[is_rough], middle[is_rough])),
            np.concatenate((middle[is_rough], high[is_rough])),
        )
        if not len(low):
            break
    return total + float(_gauss(function, low, high).sum())


def _gauss(function: Callable[[Array], Array], low: Array, high: Array) -> Array:
    if not len(low):
        return np.zeros(0)
    half = (high - low) / 2
    points = (low + half)[:, None] + half[:, None] * _NODES
    values: Any = function(points.ravel()).reshape(points.shape)
    return np.asarray(half * (values @ _SHARES))


def _lengths(vectors: Array) -> Array:
    return np.asarray(np.linalg.norm(vectors, axis=-1))
