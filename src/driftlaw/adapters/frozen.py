"""A law of dim 1 with the methods of a frozen SciPy distribution."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import integrate

from driftlaw._rng import as_generator
from driftlaw._validate import Array, check_count
from driftlaw.errors import InputError
from driftlaw.law import PredictiveLaw


class FrozenLaw:
    """The methods of ``scipy.stats.norm(0, 1)`` and its like, for a predictive law on the line.

    Parameters
    ----------
    law : PredictiveLaw with dim 1
        For one coordinate of a larger law, ``law.marginal(i)``.

    Examples
    --------
    >>> from driftlaw.law import MixtureLaw
    >>> frozen = FrozenLaw(MixtureLaw([1.0], [0.0], [2.0]))
    >>> float(frozen.cdf(0.0)), float(frozen.std()), [round(v, 3) for v in frozen.interval(0.9)]
    (0.5, 2.0, [-3.29, 3.29])
    """

    def __init__(self, law: PredictiveLaw) -> None:
        if law.dim != 1:
            raise InputError(f"law must have dim 1, got {law.dim}; take law.marginal(i)")
        self.law = law

    def pdf(self, x: ArrayLike) -> Any:
        """Density, of the shape of x."""
        return self._at(self.law.pdf, x)

    def logpdf(self, x: ArrayLike) -> Any:
        """Log-density, of the shape of x."""
        return self._at(self.law.logpdf, x)

    def cdf(self, x: ArrayLike) -> Any:
        """P(X <= x), of the shape of x."""
        return self._at(self.law.cdf, x)

    def sf(self, x: ArrayLike) -> Any:
        """P(X > x), of the shape of x."""
        return 1.0 - self.cdf(x)

    def logcdf(self, x: ArrayLike) -> Any:
        """Logarithm of the cdf."""
        with np.errstate(divide="ignore"):
            return np.log(self.cdf(x))

    def logsf(self, x: ArrayLike) -> Any:
        """Logarithm of the survival function."""
        with np.errstate(divide="ignore"):
            return np.log(self.sf(x))

    def ppf(self, q: ArrayLike) -> Any:
        """Quantiles at q, of the shape of q; NaN outside [0, 1]."""
        levels = np.asarray(q, dtype=np.float64)
        inside = (levels >= 0) & (levels <= 1)
        values = self.law.quantile(np.where(inside, levels, 0.5))[..., 0]
        return np.where(inside, values, np.nan)[()]

    def isf(self, q: ArrayLike) -> Any:
        """Inverse of the survival function."""
        return self.ppf(1.0 - np.asarray(q, dtype=np.float64))

    def median(self) -> float:
        """Quantile at one half."""
        return float(self.ppf(0.5))

    def mean(self) -> float:
        """Mean."""
        return float(self.law.mean()[0])

    def var(self) -> float:
        """Variance; infinite where a component has at most two degrees of freedom."""
        try:
            return float(self.law.cov()[0, 0])
        except InputError:
            return float("inf")

    def std(self) -> float:
        """Return the standard deviation."""
        return float(np.sqrt(self.var()))

    def stats(self, moments: str = "mv") -> Any:
        """Mean («m») and variance («v»)."""
        if set(moments) - set("mv"):
            raise InputError(f"moments must be of m and v, got {moments!r}")
        found = tuple({"m": self.mean, "v": self.var}[letter]() for letter in moments)
        return found[0] if len(found) == 1 else found

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the ends of the central interval."""
        low, high = self.law.interval(confidence)[:, 0]
        return float(low), float(high)

    def support(self) -> tuple[float, float]:
        """Return the ends of the support."""
        return float(self.ppf(0.0)), float(self.ppf(1.0))

    def rvs(self, size: int | tuple[int, ...] = 1, random_state: Any = None) -> Any:
        """Draws of the given shape."""
        shape = (size,) if isinstance(size, int | np.integer) else tuple(size)
        n = check_count("size", int(np.prod(shape)))
        draws = self.law.sample(n, as_generator(random_state))[:, 0].reshape(shape)
        return draws if size != 1 else float(draws[0])

    def expect(self, func: Callable[[float], float] | None = None) -> float:
        """Return the expectation of ``func`` (the identity when None), over panels of quantiles."""
        levels = np.linspace(0.0, 1.0, 65)
        rule: Callable[[float], float] = func or (lambda x: x)
        nodes, shares = np.polynomial.legendre.leggauss(8)
        q = ((levels[:-1, None] + levels[1:, None]) / 2 + nodes / 128).ravel()
        values = np.array([rule(float(x)) for x in self.ppf(q)])
        return float(values @ np.tile(shares / 128, 64))

    def entropy(self) -> float:
        """Differential entropy, by quadrature between far quantiles."""
        edges = self.ppf(np.concatenate(([1e-9], np.linspace(0.02, 0.98, 25), [1 - 1e-9])))

        def integrand(x: float) -> float:
            density = float(self.pdf(x))
            return -density * float(np.log(density)) if density > 0 else 0.0

        panels = pairwise(edges)
        return float(sum(integrate.quad(integrand, a, b, limit=100)[0] for a, b in panels))

    def _at(self, function: Callable[[Array], Any], x: ArrayLike) -> Any:
        points = np.asarray(x, dtype=np.float64)
        if not points.size:
            return np.empty(points.shape)
        values = np.asarray(function(points.ravel()[:, None]))
        return values.reshape(points.shape)[()]
