"""The empirical law of weighted points: window predictors and evaluation proxies."""

from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_points, check_weights
from driftlaw.errors import InputError
from driftlaw.law._checks import saved_weights
from driftlaw.law._pairs import LineForm, NormalForm
from driftlaw.law.base import PredictiveLaw


class SampleLaw(PredictiveLaw):
    r"""Empirical law :math:`\sum_i w_i \delta_{x_i}`.

    Parameters
    ----------
    points : (n, d) array; (n,) is taken as d = 1
    weights : (n,) array >= 0, scaled to sum one; None for 1/n each

    Notes
    -----
    It has no density: ``pdf`` and ``logpdf`` raise. ``cov`` is the covariance of the law itself
    (divided by n, not n - 1). Quantiles are the smallest point whose cdf reaches the level.

    Examples
    --------
    >>> law = SampleLaw([[0.0], [1.0], [5.0]])
    >>> law.mean(), law.quantile(0.5)
    (array([2.]), array([1.]))
    >>> round(law.w1(SampleLaw([[1.0], [2.0], [6.0]])), 12)
    1.0
    """

    __slots__ = ("points", "weights")
    kind: ClassVar[str] = "sample"
    points: Array
    weights: Array

    def __init__(self, points: ArrayLike, weights: ArrayLike | None = None) -> None:
        atoms = check_points("points", points)
        n, dim = atoms.shape
        self._set(dim=dim, points=atoms, weights=check_weights("weights", weights, n))

    @classmethod
    def unchecked(cls, points: Array, weights: Array) -> "SampleLaw":
        """Build from float arrays (n, d), (n,) known to be right; they become read-only."""
        law = cls.__new__(cls)
        law._set(dim=points.shape[1], points=points, weights=weights)
        return law

    def mean(self) -> Array:
        """Mean, shape (dim,)."""
        return self.weights @ self.points

    def cov(self) -> Array:
        """Covariance matrix of the empirical law, shape (dim, dim)."""
        gaps = self.points - self.mean()
        return (gaps.T * self.weights) @ gaps

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "kind": self.kind,
            "points": self.points.tolist(),
            "weights": self.weights.tolist(),
        }

    @classmethod
    def _from_record(cls, record: Mapping[str, Any]) -> "SampleLaw":
        law = cls(record["points"], record["weights"])
        law._set(weights=saved_weights(record["weights"]))
        return law

    def _made_of(self) -> str:
        return f"{len(self.points)} points"

    def _draw(self, rng: np.random.Generator, n: int) -> Array:
        return self.points[rng.choice(len(self.points), size=n, p=self.weights)]

    def _logpdf(self, points: Array) -> NoReturn:
        raise InputError("an empirical law has no density; smooth it into a MixtureLaw first")

    def _cdf(self, points: Array) -> Array:
        is_below = (self.points[None] <= points[:, None]).all(axis=2)
        return np.minimum(is_below @ self.weights, 1.0)

    def _quantile(self, levels: Array) -> Array:
        columns = []
        for coordinate in self.points.T:
            order = np.argsort(coordinate)
            reached = np.cumsum(self.weights[order])
            # A cdf reached up to rounding counts as reached: quantile(cdf(x)) is x.
            index = np.searchsorted(reached, levels - 1e-12)
            columns.append(coordinate[order][np.minimum(index, len(order) - 1)])
        return np.column_stack(columns)

    def _project(self, unit: Array) -> "SampleLaw":
        return SampleLaw.unchecked((self.points @ unit)[:, None], self.weights)

    def _normal_form(self) -> NormalForm:
        return NormalForm(self.weights, self.points, np.zeros(len(self.points)))

    def _line_form(self) -> LineForm:
        order = np.argsort(self.points[:, 0])
        atoms, weights = self.points[order, 0], self.weights[order]
        reached = np.concatenate(([0.0], np.cumsum(weights)))
        moments = np.concatenate(([0.0], np.cumsum(weights * atoms)))

        def cdf(x: Array) -> tuple[Array, Array]:
            left, right = (np.searchsorted(atoms, x, side) for side in ("left", "right"))
            return reached[left], reached[right]

        def integral(x: Array) -> Array:
            i = np.searchsorted(atoms, x, "right")
            return x * reached[i] - moments[i]

        nothing = np.empty(0)
        return LineForm(cdf, integral, nothing, nothing, atoms, float(self.mean()[0]))
