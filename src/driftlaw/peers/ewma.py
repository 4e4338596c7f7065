"""A normal law whose mean and covariance forget exponentially."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_count, check_point, check_positive
from driftlaw.law import MixtureLaw
from driftlaw.peers.window import normal_law


class EWMA:
    r"""Normal law with exponentially weighted mean and covariance.

    .. math:: m_t = \frac{\sum_s \gamma^{t-s} z_s}{\sum_s \gamma^{t-s}}, \qquad
              \gamma = 2^{-1/\text{half life}}

    Parameters
    ----------
    dim : int
    half_life : float
        After so many observations an observation counts half.

    Examples
    --------
    >>> ewma = EWMA(1, half_life=10.0)
    >>> for z in (1.0, 1.0, 1.0):
    ...     ewma.learn_one(z)
    >>> ewma.predict().mean().round(9)
    array([1.])
    """

    def __init__(self, dim: int, half_life: float = 30.0) -> None:
        self.dim = check_count("dim", dim)
        self.half_life = check_positive("half_life", half_life)
        self._mass = np.zeros(1)
        self._mean, self._cov = np.zeros(dim), np.zeros((dim, dim))

    def predict(self) -> MixtureLaw:
        """Return the law of the next observation; a standard normal before the second one."""
        if self._mass[0] <= 1.0:
            return normal_law(self._mean, np.eye(self.dim))
        return normal_law(self._mean, self._cov)

    def learn_one(self, z: ArrayLike) -> None:
        """Take in one observation of shape ``(dim,)``."""
        step = check_point("z", z, self.dim) - self._mean
        self._mass = 2.0 ** (-1.0 / self.half_life) * self._mass + 1.0
        share = 1.0 / self._mass[0]
        self._mean = self._mean + share * step
        self._cov = (1.0 - share) * (self._cov + share * np.outer(step, step))

    def state(self) -> dict[str, Array]:
        """Everything that the next law depends on."""
        return {"mass": self._mass, "mean": self._mean, "cov": self._cov}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state."""
        self._mass, self._mean = np.array(state["mass"]), np.array(state["mean"])
        self._cov = np.array(state["cov"])
