"""The rolling window: what everybody would try first."""

from collections import deque

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_count, check_point
from driftlaw.law import PredictiveLaw, SampleLaw


class RollingWindow:
    """The empirical law of the last ``size`` observations.

    Parameters
    ----------
    dim
        Dimension of the observations.
    size
        How many of them are kept.

    Examples
    --------
    >>> window = RollingWindow(1, size=2)
    >>> for z in ([1.0], [2.0], [4.0]):
    ...     window.learn_one(z)
    >>> window.predict().mean()
    array([3.])
    """

    def __init__(self, dim: int, size: int) -> None:
        self.dim = check_count("dim", dim)
        self.size = check_count("size", size)
        self._points: deque[Array] = deque(maxlen=self.size)

    def predict(self) -> PredictiveLaw:
        """Return the window's empirical law; a point at the origin before any observation."""
        return SampleLaw(np.array(self._points) if self._points else np.zeros((1, self.dim)))

    def learn_one(self, z: ArrayLike) -> None:
        """Take in one observation of shape ``(dim,)``."""
        self._points.append(check_point("z", z, self.dim))
