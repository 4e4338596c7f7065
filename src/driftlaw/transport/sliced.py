"""Sliced Wasserstein-1 distance, and the directions it is averaged over."""

from functools import lru_cache

import numpy as np
from scipy.special import ndtri

from driftlaw._validate import Array, check_count


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
