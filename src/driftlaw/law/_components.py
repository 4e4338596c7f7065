"""Location-scale components: standard normal and Student-t with unit scale, vectorised."""

import numpy as np
from scipy import special

from driftlaw._validate import Array

_FAR = 1e100  # in scales, beyond which a density is nothing; its square can still be written
_LOG_2PI = float(np.log(2 * np.pi))


def standard_cdf(z: Array, df: Array) -> Array:
    """Distribution function at z (..., K); df (K,), inf is the normal."""
    is_student = np.isfinite(df)
    if not is_student.any():
        return special.ndtr(z)
    out = np.empty(z.shape)
    out[..., is_student] = special.stdtr(df[is_student], z[..., is_student])
    out[..., ~is_student] = special.ndtr(z[..., ~is_student])
    return out


def square(z: Array) -> Array:
    """Squared distance in scales, however far: a constant stream leads to scales of 1e-150."""
    return np.asarray(np.minimum(abs(z), _FAR) ** 2)


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
    factor, squares = np.ones(np.shape(z)), square(z)
    is_student = np.isfinite(df)
    if is_student.any():
        nu = _finite(df)
        factor = np.where(is_student, (nu + squares) / (nu - 1), 1.0)
    return z * standard_cdf(z, df) + factor * np.exp(log_density(squares, df, 1))


def variance_factor(df: Array) -> Array:
    """Variance of a component per squared scale: nu / (nu - 2), 1 for the normal."""
    nu = _finite(df)
    return np.where(np.isinf(df), 1.0, nu / (nu - 2))


def _finite(df: Array) -> Array:
    return np.where(np.isinf(df), 3.0, df)
