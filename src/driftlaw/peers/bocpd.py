"""Bayesian online change point detection with a conjugate normal model."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from driftlaw._validate import Array, check_count, check_point, check_positive
from driftlaw.errors import InputError
from driftlaw.law import MixtureLaw
from driftlaw.peers.window import factors, normal_law


class BOCPD:
    r"""Mixture over the time since the last change (Adams and MacKay, 2007).

    .. math:: \hat p = \sum_r P(r \mid z_{1:t})\, t_{\nu_r - d + 1}(m_r, \cdot),

    with a normal-inverse-Wishart model of mean and covariance inside a run. Its prior takes mean
    and covariance from the first ``warmup`` observations, which a normal law predicts.

    Parameters
    ----------
    dim : int
    hazard : float
        Probability of a change per observation.
    max_run : int
        Longest run that is kept apart; the mass of longer ones is let go.
    warmup : int

    Examples
    --------
    >>> import numpy as np
    >>> bocpd = BOCPD(1)
    >>> for z in np.random.default_rng(0).normal([0.0] * 60 + [9.0] * 20):
    ...     bocpd.learn_one(z)
    >>> bool(abs(bocpd.predict().mean()[0] - 9.0) < 1.0)
    True
    """

    def __init__(
        self, dim: int, hazard: float = 0.01, max_run: int = 300, warmup: int = 20
    ) -> None:
        self.dim = check_count("dim", dim)
        self.hazard = check_positive("hazard", hazard)
        if hazard >= 1:
            raise InputError(f"hazard must be < 1, got {hazard!r}")
        self.max_run = check_count("max_run", max_run, least=2)
        self.warmup = check_count("warmup", warmup, least=2)
        self._first = np.empty((0, dim))
        self._mass, self._n = np.ones(1), np.zeros(1)
        self._mean, self._scatter = np.zeros((1, dim)), np.zeros((1, dim, dim))

    def predict(self) -> MixtureLaw:
        """Return the law of the next observation."""
        if len(self._first) < self.warmup:
            return self._early()
        mean, _, df, scale = self._posterior()
        return MixtureLaw(self._mass, mean, factors(scale), df)

    def learn_one(self, z: ArrayLike) -> None:
        """Take in one observation of shape ``(dim,)``."""
        point = check_point("z", z, self.dim)
        if len(self._first) < self.warmup:
            self._first = np.vstack((self._first, point))
            return
        grown = self._mass * np.exp(self._log_evidence(point))
        mass = np.concatenate(([self.hazard * grown.sum()], (1 - self.hazard) * grown))
        if not mass.sum() > 0:  # a point that no run explains: begin anew
            mass = np.eye(len(mass))[0]
        step = point - self._mean
        share = (self._n / (self._n + 1))[:, None, None]
        scatter = self._scatter + share * step[:, :, None] * step[:, None, :]
        mean = self._mean + step / (self._n + 1)[:, None]
        keep = slice(0, self.max_run)
        self._mass = mass[keep] / mass[keep].sum()
        self._n = np.concatenate(([0.0], self._n + 1))[keep]
        self._mean = np.concatenate((np.zeros((1, self.dim)), mean))[keep]
        self._scatter = np.concatenate((np.zeros((1, self.dim, self.dim)), scatter))[keep]

    def _early(self) -> MixtureLaw:
        if len(self._first) < 2:
            return normal_law(np.vstack((self._first, np.zeros(self.dim)))[0], np.eye(self.dim))
        return normal_law(self._first.mean(axis=0), np.atleast_2d(np.cov(self._first.T)))

    def _posterior(self) -> tuple[Array, Array, Array, Array]:
        """Means, weights kappa, degrees of freedom and scale matrices of the runs' Student laws."""
        center, d = self._first.mean(axis=0), self.dim
        prior = np.atleast_2d(np.cov(self._first.T))
        prior = prior + 1e-9 * max(np.trace(prior), 1e-300) * np.eye(d)
        kappa, nu = 1.0 + self._n, d + 2.0 + self._n
        gap = self._mean - center
        mean = center + (self._n / kappa)[:, None] * gap
        share = (self._n / kappa)[:, None, None]
        psi = prior + self._scatter + share * gap[:, :, None] * gap[:, None, :]
        df = nu - d + 1.0
        return mean, kappa, df, psi * ((kappa + 1.0) / (kappa * df))[:, None, None]

    def _log_evidence(self, point: Array) -> Array:
        """Log density of the point under every run, less the largest."""
        mean, _, df, scale = self._posterior()
        root = np.linalg.cholesky(scale)
        whitened = np.linalg.solve(root, (point - mean)[..., None])[..., 0]
        squares, d = (whitened**2).sum(axis=1), self.dim
        value = special.gammaln((df + d) / 2) - special.gammaln(df / 2) - d / 2 * np.log(df)
        value -= np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
        value -= (df + d) / 2 * np.log1p(squares / df)
        return np.asarray(value - value.max())

    def state(self) -> dict[str, Array]:
        """Everything that the next law depends on."""
        return {
            "first": self._first,
            "mass": self._mass,
            "n": self._n,
            "mean": self._mean,
            "scatter": self._scatter,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state."""
        self._first, self._mass, self._n = state["first"], state["mass"], state["n"]
        self._mean, self._scatter = state["mean"], state["scatter"]
