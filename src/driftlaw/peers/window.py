"""The rolling window: what everybody would try first."""

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_count, check_point, check_points
from driftlaw.law import MixtureLaw, PredictiveLaw, SampleLaw


class Window:
    """The last ``size`` observations, kept, saved and read back: what several peers share."""

    def __init__(self, dim: int, size: int) -> None:
        self.dim = check_count("dim", dim)
        self.size = check_count("size", size)
        self._points: deque[Array] = deque(maxlen=self.size)

    def learn_one(self, z: ArrayLike) -> None:
        """Take in one observation of shape ``(dim,)``."""
        self._points.append(check_point("z", z, self.dim))

    def state(self) -> dict[str, Array]:
        """Everything that the next law depends on."""
        return {"points": np.array(self._points).reshape(-1, self.dim)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state."""
        points = np.asarray(state["points"], dtype=np.float64)
        rows = check_points("points", points, self.dim) if len(points) else points
        self._points = deque(rows, maxlen=self.size)


class RollingWindow(Window):
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

    def predict(self) -> PredictiveLaw:
        """Return the window's empirical law; a point at the origin before any observation."""
        return SampleLaw(np.array(self._points) if self._points else np.zeros((1, self.dim)))


def normal_law(mean: Array, cov: Array) -> MixtureLaw:
    """One normal law; directions without spread get a millionth of the largest, or one."""
    return MixtureLaw([1.0], mean[None], factors(cov[None]))


def factors(covs: Array) -> Array:
    """Cholesky factors of covariances (K, d, d), on the line (K,) standard deviations."""
    dim = covs.shape[-1]
    largest = np.trace(covs, axis1=1, axis2=2).max() / dim
    floor = 1e-12 * largest if largest > 0 else 1.0
    if dim == 1:
        return np.asarray(np.sqrt(np.maximum(covs[:, 0, 0], floor)))
    return np.asarray(np.linalg.cholesky(covs + floor * np.eye(dim)))
