"""Wasserstein-1 distance of samples on the line."""

import math

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_points, check_weights
from driftlaw.transport._line_kernels import merged_rows_w1, paired_rows_w1, weighted_w1


def w1(
    x: ArrayLike,
    y: ArrayLike,
    x_weights: ArrayLike | None = None,
    y_weights: ArrayLike | None = None,
) -> float:
    r"""Wasserstein-1 distance of two samples on the line, exact.

    .. math:: W_1(\mu, \nu) = \int |F_\mu - F_\nu|

    Parameters
    ----------
    x, y : (n,) and (m,) arrays; (n, 1) and (m, 1) will do
    x_weights, y_weights : (n,) and (m,) arrays >= 0, scaled to sum one; None for equal weights

    Examples
    --------
    >>> w1([0.0, 1.0, 3.0], [5.0, 6.0, 8.0])
    5.0
    >>> w1([0.0, 1.0], [0.0, 1.0], [3.0, 1.0], [1.0, 3.0])
    0.5
    """
    if x_weights is None and y_weights is None:
        return float(sorted_rows_w1(_sorted("x", x)[None], _sorted("y", y)[None])[0])
    a, b = check_points("x", x, 1)[:, 0], check_points("y", y, 1)[:, 0]
    a_weights = check_weights("x_weights", x_weights, len(a))
    b_weights = check_weights("y_weights", y_weights, len(b))
    i, j = np.argsort(a), np.argsort(b)
    return weighted_w1(a[i], a_weights[i], b[j], b_weights[j])


def sorted_rows_w1(x: Array, y: Array) -> Array:
    """Distances (L,) of the sorted rows of x (L, n) and y (L, m), equal weights."""
    if x.shape == y.shape:
        return paired_rows_w1(x, y)
    return merged_rows_w1(x, y)


def _sorted(name: str, value: ArrayLike) -> Array:
    """Return a sorted copy of a sample, checked: nan and infinities sort to the ends."""
    if isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == 1:
        points = np.sort(value)
        if len(points) > 0 and math.isfinite(points[0]) and math.isfinite(points[-1]):
            return points
    return np.sort(check_points(name, value, 1)[:, 0])
