"""Sliced Wasserstein-1 distance, and the directions it is averaged over."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from driftlaw._rng import RngLike, as_generator
from driftlaw._validate import Array, check_count, check_points
from driftlaw.transport.line import sorted_rows_w1


class SlicedDistance(NamedTuple):
    """A mean over directions with its Monte-Carlo standard error (0 where nothing is random)."""

    value: float
    standard_error: float


def sliced_w1(
    x: ArrayLike, y: ArrayLike, *, n_directions: int = 128, rng: RngLike = None
) -> SlicedDistance:
    r"""Sliced Wasserstein-1 distance between two samples, over random directions.

    .. math:: SW_1(\mu,\nu) = \int_{S^{d-1}} W_1(\theta_\#\mu, \theta_\#\nu)\, d\sigma(\theta)

    Parameters
    ----------
    x, y : (n, d), (m, d) arrays
    n_directions : number of directions, drawn uniformly on the sphere
    rng : seed or Generator

    Returns
    -------
    SlicedDistance
        ``value`` and its ``standard_error`` over directions (nan for a single one). On the line
        there is one direction: the value is exact and the error 0.

    Notes
    -----
    The error does not know that x and y are samples: between two samples of one law the value is
    not 0. Paper: section «Experimental Setup»; no label of its own.

    Examples
    --------
    >>> sliced_w1([[0.0], [1.0]], [[2.0], [3.0]])
    SlicedDistance(value=2.0, standard_error=0.0)
    """
    a = check_points("x", x)
    b = check_points("y", y, a.shape[1])
    n_directions = check_count("n_directions", n_directions)
    if a.shape[1] == 1:
        units = directions(1, 1)
    else:
        units = random_directions(as_generator(rng), a.shape[1], n_directions)
    x_rows, y_rows = units @ a.T, units @ b.T
    x_rows.sort(axis=1)
    y_rows.sort(axis=1)
    return summarize(sorted_rows_w1(x_rows, y_rows), is_random=a.shape[1] > 1)


def summarize(distances: Array, *, is_random: bool) -> SlicedDistance:
    """Mean of the distances (L,) along L directions, with its standard error if they are random."""
    value = float(distances.mean())
    if not is_random:
        return SlicedDistance(value, 0.0)
    if len(distances) == 1:
        return SlicedDistance(value, math.nan)
    return SlicedDistance(value, float(distances.std(ddof=1)) / math.sqrt(len(distances)))


def random_directions(rng: np.random.Generator, dim: int, n: int) -> Array:
    """Draw n unit vectors (n, dim), uniform on the sphere."""
    vectors = rng.standard_normal((n, dim))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1)[:, None])


@lru_cache(maxsize=64)
def directions(dim: int, n: int) -> Array:
    r"""Return n fixed unit vectors (n, dim) that cover the sphere evenly (read-only).

    On the line the one direction that exists; in the plane :math:`\pi (j + 1/2) / n` for
    j = 0 … n-1 (a projection and its mirror image are at equal distance, so half the circle is
    enough); above, orthonormal frames made from a low-discrepancy sequence.

    Examples
    --------
    >>> directions(2, 2).round(3)
    array([[ 0.707,  0.707],
           [-0.707,  0.707]])
    """
    dim, n = check_count("dim", dim), check_count("n", n)
    if dim == 1:
        units = np.ones((1, 1))
    elif dim == 2:
        angles = np.pi * (np.arange(n) + 0.5) / n
        units = np.column_stack((np.cos(angles), np.sin(angles)))
    else:
        units = _frames(dim, n)
    units.flags.writeable = False
    return units


def _frames(dim: int, n: int) -> Array:
    """Stack orthonormal frames: columns of QR factors of quasi-random normal matrices.

    The sequence is the additive recurrence whose step is the powers of 1/g, with g the root of
    g^(m+1) = g + 1 for m = dim^2 coordinates.
    """
    size = dim * dim
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (size + 1))
    step = root ** -np.arange(1.0, size + 1)
    n_frames = -(-n // dim)
    points = (0.5 + np.arange(1, n_frames + 1)[:, None] * step) % 1.0
    frames = np.linalg.qr(ndtri(points).reshape(n_frames, dim, dim))[0]
    return np.ascontiguousarray(frames.transpose(0, 2, 1).reshape(-1, dim)[:n])
