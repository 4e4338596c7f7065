"""Finite mixtures of normal and Student-t components: every question has a closed form."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from driftlaw._validate import Array, check_points, check_weights
from driftlaw.errors import InputError
from driftlaw.law._checks import as_floats, saved_weights
from driftlaw.law._components import (
    log_density,
    square,
    standard_cdf,
    standard_integral,
    variance_factor,
)
from driftlaw.law._lines import line_cdf, line_of
from driftlaw.law._pairs import LineForm, NormalForm
from driftlaw.law._quantiles import mixture_quantile
from driftlaw.law.base import PredictiveLaw

# Nodes in the tails of a Student-t component, in its own scale, from 7 out to 6e5.
_FAR = np.sinh(np.arange(5.25, 29) / 2)


class MixtureLaw(PredictiveLaw):
    r"""Finite mixture :math:`\sum_k w_k\, t_{\nu_k}(m_k, L_k L_k^\top)`; df = inf is the normal.

    Parameters
    ----------
    weights : (K,) array, >= 0; scaled to sum one
    means : (K, d) array; (K,) is taken as d = 1
    scales : (K,) standard deviations of isotropic components (for Student-t: scale parameters),
        or (K, d, d) lower Cholesky factors of the covariance (scale) matrices
    df : degrees of freedom > 1, one number or (K,); inf for normal components

    Notes
    -----
    The joint cdf is a product of normal cdfs where the components are normal with diagonal
    matrices; otherwise SciPy's integration is called, with an error of about 1e-5.

    Examples
    --------
    >>> law = MixtureLaw([0.5, 0.5], [[-2.5, 0.0], [2.5, 0.0]], [0.45, 0.45])
    >>> law.mean()
    array([0., 0.])
    >>> round(law.marginal(0).cdf(0.0), 6)
    0.5
    >>> law.w1(law)
    0.0
    """

    __slots__ = ("df", "means", "scales", "weights")
    kind: ClassVar[str] = "mixture"
    weights: Array
    means: Array
    scales: Array
    df: Array

    def __init__(
        self, weights: ArrayLike, means: ArrayLike, scales: ArrayLike, df: ArrayLike = np.inf
    ) -> None:
        centers = check_points("means", means)
        n, dim = centers.shape
        self._set(
            dim=dim,
            weights=check_weights("weights", weights, n),
            means=centers,
            scales=_check_scales(scales, n, dim),
            df=_check_df(df, n),
        )

    @classmethod
    def unchecked(cls, weights: Array, means: Array, scales: Array, df: Array) -> "MixtureLaw":
        """Build from float arrays known to be right, without a copy; they become read-only.

        ``weights`` (K,) must sum to one, ``means`` be (K, d), ``scales`` (K,) or (K, d, d) with
        d > 1, ``df`` (K,). For code that builds a law at every step from its own arrays.
        """
        law = cls.__new__(cls)
        law._set(dim=means.shape[1], weights=weights, means=means, scales=scales, df=df)
        return law

    @property
    def is_normal(self) -> bool:
        """Whether every component is normal."""
        return bool(np.isinf(self.df).all())

    def mean(self) -> Array:
        """Mean, shape (dim,)."""
        return self.weights @ self.means

    def cov(self) -> Array:
        """Covariance matrix, shape (dim, dim); every df must be above 2."""
        if not (self.df > 2).all():
            raise InputError(f"cov needs df > 2, got {self.df.min()}")
        gaps = self.means - self.mean()
        shares = self.weights * variance_factor(self.df)
        cov: Array = (gaps.T * self.weights) @ gaps
        if self.scales.ndim == 1:
            cov += np.eye(self.dim) * (shares @ self.scales**2)
        else:
            cov += np.einsum("k,kij,klj->il", shares, self.scales, self.scales)
        return cov

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; infinite df are None."""
        df = [None if np.isinf(nu) else float(nu) for nu in self.df]
        fields = {name: getattr(self, name).tolist() for name in ("weights", "means", "scales")}
        return {"kind": self.kind, **fields, "df": df}

    @classmethod
    def _from_record(cls, record: Mapping[str, Any]) -> "MixtureLaw":
        df = np.array([np.inf if nu is None else nu for nu in record["df"]], dtype=np.float64)
        law = cls(record["weights"], record["means"], record["scales"], df)
        law._set(weights=saved_weights(record["weights"]))
        return law

    def _made_of(self) -> str:
        return f"{len(self.weights)} components"

    def _draw(self, rng: np.random.Generator, n: int) -> Array:
        k = rng.choice(len(self.weights), size=n, p=self.weights)
        noise = rng.standard_normal((n, self.dim))
        is_student = np.isfinite(self.df[k])
        if is_student.any():
            nu = self.df[k[is_student]]
            noise[is_student] *= np.sqrt(nu / rng.chisquare(nu))[:, None]
        points: Array = self.means[k]
        if self.scales.ndim == 1:
            points += self.scales[k, None] * noise
        else:
            points += np.einsum("nij,nj->ni", self.scales[k], noise)
        return points

    def _logpdf(self, points: Array) -> Array:
        gaps = points[:, None, :] - self.means
        if self.scales.ndim == 1:
            squares = square(gaps / self.scales[:, None]).sum(axis=2)
            log_volume = self.dim * np.log(self.scales)
        else:
            whitened = np.linalg.solve(self.scales, gaps[..., None])
            squares = square(whitened[..., 0].astype(float)).sum(axis=2)
            log_volume = np.log(np.diagonal(self.scales, axis1=1, axis2=2)).sum(axis=1)
        with np.errstate(divide="ignore"):
            terms = np.log(self.weights) - log_volume + log_density(squares, self.df, self.dim)
        top = terms.max(axis=1)
        return np.asarray(top + np.log(np.exp(terms - top[:, None]).sum(axis=1)))

    def _cdf(self, points: Array) -> Array:
        if self.dim == 1:
            return standard_cdf((points - self.means[:, 0]) / self.scales, self.df) @ self.weights
        deviations = self._diagonals()
        if deviations is not None and self.is_normal:
            z = (points[:, None, :] - self.means) / deviations
            return np.asarray(special.ndtr(z).prod(axis=2) @ self.weights)
        values = np.zeros(len(points))
        for weight, mean, matrix, nu in self._parts():
            values += weight * _joint_cdf(points, mean, matrix, nu)
        return values

    def _quantile(self, levels: Array) -> Array:
        lines = (self._project(unit) for unit in np.eye(self.dim))
        return np.column_stack(
            [mixture_quantile(levels, a.weights, a.means[:, 0], a.scales, a.df) for a in lines]
        )

    def _project(self, unit: Array) -> "MixtureLaw":
        scales = self.scales
        if scales.ndim == 3:
            scales = np.sqrt(((unit @ scales) ** 2).sum(axis=1))
        return MixtureLaw.unchecked(self.weights, (self.means @ unit)[:, None], scales, self.df)

    def _normal_form(self) -> NormalForm | None:
        return NormalForm(self.weights, self.means, self.scales) if self.is_normal else None

    def _line_form(self) -> LineForm:
        means, scales = self.means[:, 0], self.scales

        line = None if self.is_normal else line_of(self.weights, means, scales, self.df)

        def cdf(x: Array) -> tuple[Array, Array]:
            # Where two laws cross need not be known better than to 1e-8: there the integral is
            # stationary.
            values = self._cdf(x[:, None]) if line is None else line_cdf(line, x)
            return values, values

        def integral(x: Array) -> Array:
            z = (x[:, None] - means) / scales
            return standard_integral(z, self.df) @ (self.weights * scales)

        is_student = np.isfinite(self.df)
        far = scales[is_student, None] * np.concatenate((-_FAR, _FAR))
        nodes = (means[is_student, None] + far).ravel()
        return LineForm(cdf, integral, means, scales, nodes, float(self.mean()[0]))

    def _diagonals(self) -> Array | None:
        """Return standard deviations (K, d), or (K, 1), if all matrices are diagonal."""
        if self.scales.ndim == 1:
            return self.scales[:, None]
        diagonals = np.diagonal(self.scales, axis1=1, axis2=2)
        is_diagonal = np.count_nonzero(self.scales) == np.count_nonzero(diagonals)
        return diagonals if is_diagonal else None

    def _parts(self) -> list[tuple[float, Array, Array, float]]:
        factors = self.scales
        if factors.ndim == 1:
            factors = factors[:, None, None] * np.eye(self.dim)
        matrices = factors @ factors.transpose(0, 2, 1)
        return list(zip(self.weights, self.means, matrices, self.df, strict=True))


def _joint_cdf(points: Array, mean: Array, matrix: Array, df: float) -> Array:
    """P(X <= point) of one component, by SciPy's quasi-random integration.

    Every point starts it from the same seed: one question has one answer, alone or among others.
    """
    stats = import_module("scipy.stats")  # slow to import and rarely needed
    if np.isinf(df):
        values = [stats.multivariate_normal(mean, matrix, seed=0).cdf(x) for x in points]
    else:
        law = stats.multivariate_t(mean, matrix, df=df)
        values = [law.cdf(x, random_state=0) for x in points]
    return np.array(values, dtype=np.float64)


def _check_scales(value: ArrayLike, n: int, dim: int) -> Array:
    scales = as_floats("scales", value)
    if scales.shape not in ((n,), (n, dim, dim)):
        raise InputError(f"scales must be ({n},) or ({n}, {dim}, {dim}), got {scales.shape}")
    if scales.ndim == 3 and np.triu(scales, 1).any():
        raise InputError("scales must be lower triangular, got an entry above the diagonal")
    diagonals = scales if scales.ndim == 1 else np.diagonal(scales, axis1=1, axis2=2)
    if not (np.isfinite(scales).all() and (diagonals > 0).all()):
        raise InputError(f"scales must be finite, on the diagonal > 0, got {value!r}")
    return scales.reshape(n) if dim == 1 else scales


def _check_df(value: ArrayLike, n: int) -> Array:
    df = as_floats("df", value)
    if df.shape not in ((), (1,), (n,)):
        raise InputError(f"df must be a number or ({n},), got {df.shape}")
    if not (df > 1).all():  # a law without a mean has no Wasserstein-1 distance
        raise InputError(f"df must be > 1, got {value!r}")
    return np.array(np.broadcast_to(df, (n,)))
