"""Location-scale components: standard normal and Student-t with unit scale, vectorised."""

import numpy as np
from scipy import special

from driftlaw._validate import Array

_LOG_2PI = float(np.log(2 * np.pi))


def standard_cdf(z: Array, df: Array) -> Array:
    """Distribution function at z (..., K); df (K,), inf is the normal."""
    if np.isinf(df).all():
        return special.ndtr(z)
    return np.where(np.isinf(df), special.ndtr(z), special.stdtr(_finite(df), z))


def standard_quantile(q: Array, df: Array) -> Array:
    """Quantile at q (..., K); df (K,), inf is the normal."""
    if np.isinf(df).all():
        return special.ndtri(q)
    return np.where(np.isinf(df), special.ndtri(q), special.stdtrit(_finite(df), q))


def log_density(squares: Array, df: Array, dim: int) -> Array:
    """Log-density in R^dim at squared radius ``squares`` (..., K), unit scale matrix; df (K,)."""
    normal = -0.5 * (squares + dim * _LOG_2PI)
    if np.isinf(df).all():
        return normal
    nu = _finite(df)
    constant = special.gammaln((nu + dim) / 2) - special.gammaln(nu / 2)
    constant -= dim / 2 * np.log(nu * np.pi)
    student = constant - (nu + dim) / 2 * np.log1p(squares / nu)
    return np.where(np.isinf(df), normal, student)


def standard_integral(z: Array, df: Array) -> Array:
    r"""Antiderivative of the distribution function, :math:`\int_{-\infty}^z F`, at z (..., K).

    :math:`z F(z) + f(z)` for the normal, :math:`z F(z) + f(z) (\nu + z^2) / (\nu - 1)` for
    Student-t.
    """
    factor = np.ones(np.shape(z))
    is_student = np.isfinite(df)
    if is_student.any():
        nu = _finite(df)
        factor = np.where(is_student, (nu + z**2) / (nu - 1), 1.0)
    return z * standard_cdf(z, df) + factor * np.exp(log_density(z**2, df, 1))


def variance_factor(df: Array) -> Array:
    """Variance of a component per squared scale: nu / (nu - 2), 1 for the normal."""
    nu = _finite(df)
    return np.where(np.isinf(df), 1.0, nu / (nu - 2))


def mixture_quantile(q: Array, weights: Array, means: Array, scales: Array, df: Array) -> Array:
    """Quantiles (n,) of a mixture on the line: Newton steps kept inside a shrinking bracket.

    Components' quantiles bracket the mixture's. Levels above one half are solved on the mirrored
    mixture, so that upper tails keep their relative accuracy.
    """
    has_mass = weights > 0
    weights, means, scales, df = (a[has_mass] for a in (weights, means, scales, df))
    sign = np.where(q > 0.5, -1.0, 1.0)
    level = np.where(q > 0.5, 1 - q, q)
    centers = sign[:, None] * means
    edges = centers + scales * standard_quantile(level[:, None], df)
    low, high = edges.min(axis=1), edges.max(axis=1)
    inside = np.isfinite(low)
    x = np.where(inside, 0.5 * (low + high), low)
    for _ in range(100):
        z = (x[inside, None] - centers[inside]) / scales
        gap = standard_cdf(z, df) @ weights - level[inside]
        slope = np.exp(log_density(z**2, df, 1)) @ (weights / scales)
        low[inside] = np.where(gap < 0, x[inside], low[inside])
        high[inside] = np.where(gap < 0, high[inside], x[inside])
        new = _newton(x[inside], gap, slope, (low[inside], high[inside]))
        moved = abs(new - x[inside])
        x[inside] = new
        if not (moved > 1e-15 * (1 + abs(new))).any():
            break
    return np.asarray(sign * x)


def _newton(x: Array, gap: Array, slope: Array, bracket: tuple[Array, Array]) -> Array:
    """One Newton step, or the bracket's middle where the step would leave the bracket."""
    low, high = bracket
    step = np.divide(gap, slope, out=np.full_like(gap, np.inf), where=slope > 0)
    new = x - step
    is_good = (new >= low) & (new <= high)
    return np.where(gap == 0, x, np.where(is_good, new, 0.5 * (low + high)))


def _finite(df: Array) -> Array:
    return np.where(np.isinf(df), 3.0, df)
