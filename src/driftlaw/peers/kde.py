"""A kernel density estimate of a rolling window."""

import numpy as np

from driftlaw.law import MixtureLaw
from driftlaw.peers.window import Window, factors, normal_law


class KDE(Window):
    r"""Gaussian kernel density estimate of the last ``size`` observations.

    .. math:: \hat p = \frac1n \sum_i N(z_i,\, n^{-2/(d+4)}\, \hat\Sigma),

    Scott's rule with the window's covariance, as ``scipy.stats.gaussian_kde`` has it.

    Parameters
    ----------
    dim : int
    size : int

    Examples
    --------
    >>> kde = KDE(1, size=50)
    >>> for z in (1.0, 2.0, 3.0):
    ...     kde.learn_one(z)
    >>> kde.predict().mean()
    array([2.])
    """

    def __init__(self, dim: int, size: int = 100) -> None:
        super().__init__(dim, size)

    def predict(self) -> MixtureLaw:
        """Return the law of the next observation; a standard normal before the second one."""
        n = len(self._points)
        if n < 2:
            return normal_law(np.array([*self._points, np.zeros(self.dim)])[0], np.eye(self.dim))
        points = np.array(self._points)
        cov = np.atleast_2d(np.cov(points.T)) * n ** (-2.0 / (self.dim + 4))
        width = factors(cov[None])
        return MixtureLaw(np.full(n, 1.0 / n), points, np.repeat(width, n, axis=0))
