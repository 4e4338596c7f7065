"""Exact optimal transport: discrete couplings by linear programme, normals in closed form."""

import math

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_point, check_points, check_weights, require
from driftlaw.errors import InputError

_MOST_PIVOTS = 10_000_000


def w2_squared_coupling(
    centers_a: ArrayLike, weights_a: ArrayLike, centers_b: ArrayLike, weights_b: ArrayLike
) -> float:
    r"""Least mean squared displacement over couplings of two weighted point sets.

    .. math:: \min_{\Pi \in U(w, w')} \sum_{ij} \Pi_{ij} \|c_i - c'_j\|^2

    For mixtures of equal components around these centers it bounds :math:`W_2^2` from above, with
    equality for one component each. ``centers`` are (K, d) and (L, d), ``weights`` (K,) and (L,),
    scaled to sum one. Paper: [eq:ot-coupling-min]. Needs the extra ``transport``.

    Examples
    --------
    >>> w2_squared_coupling([[0.0], [4.0]], [0.5, 0.5], [[5.0], [1.0]], [0.5, 0.5])
    1.0
    """
    points_a, points_b = _pair(centers_a, centers_b, ("centers_a", "centers_b"))
    a = check_weights("weights_a", weights_a, len(points_a))
    b = check_weights("weights_b", weights_b, len(points_b))
    return _least_cost(a, b, _distances(points_a, points_b) ** 2)


def w1_exact(
    x: ArrayLike,
    y: ArrayLike,
    x_weights: ArrayLike | None = None,
    y_weights: ArrayLike | None = None,
) -> float:
    r"""Wasserstein-1 distance of two samples in any dimension, by linear programme.

    .. math:: W_1(\mu, \nu) = \min_\Pi \sum_{ij} \Pi_{ij} \|x_i - y_j\|

    ``x`` (n, d), ``y`` (m, d); the work grows like n^3, so this is for small samples. Needs the
    extra ``transport``.

    Examples
    --------
    >>> w1_exact([[0.0, 0.0]], [[3.0, 4.0]])
    5.0
    """
    a, b = _pair(x, y, ("x", "y"))
    p = check_weights("x_weights", x_weights, len(a))
    q = check_weights("y_weights", y_weights, len(b))
    return _least_cost(p, q, _distances(a, b))


def w2_exact(
    x: ArrayLike,
    y: ArrayLike,
    x_weights: ArrayLike | None = None,
    y_weights: ArrayLike | None = None,
) -> float:
    r"""Wasserstein-2 distance of two samples in any dimension, by linear programme.

    .. math:: W_2(\mu, \nu) = \Big(\min_\Pi \sum_{ij} \Pi_{ij} \|x_i - y_j\|^2\Big)^{1/2}

    ``x`` (n, d), ``y`` (m, d). Needs the extra ``transport``.

    Examples
    --------
    >>> w2_exact([[0.0, 0.0], [1.0, 0.0]], [[0.0, 2.0], [1.0, 2.0]])
    2.0
    """
    a, b = _pair(x, y, ("x", "y"))
    p = check_weights("x_weights", x_weights, len(a))
    q = check_weights("y_weights", y_weights, len(b))
    return math.sqrt(_least_cost(p, q, _distances(a, b) ** 2))


def w2_gaussian(mean_a: ArrayLike, cov_a: ArrayLike, mean_b: ArrayLike, cov_b: ArrayLike) -> float:
    r"""Wasserstein-2 distance of two normal laws.

    .. math:: W_2^2 = \|m - m'\|^2 + \operatorname{tr}(A + B - 2 (A^{1/2} B A^{1/2})^{1/2})

    ``mean`` (d,), ``cov`` (d, d). The trace is computed as
    :math:`\min_U \|A^{1/2} - B^{1/2} U\|_F^2` over orthogonal U, which does not cancel.

    Examples
    --------
    >>> w2_gaussian([0.0], [[1.0]], [3.0], [[25.0]])
    5.0
    """
    root_a, root_b = _root("cov_a", cov_a), _root("cov_b", cov_b)
    if root_a.shape != root_b.shape:
        raise InputError(f"cov_b must be {root_a.shape}, got {root_b.shape}")
    dim = len(root_a)
    gap = check_point("mean_a", mean_a, dim) - check_point("mean_b", mean_b, dim)
    left, _, right = np.linalg.svd(root_b @ root_a)
    turn = root_a - root_b @ (left @ right)
    return math.hypot(float(np.linalg.norm(gap)), float(np.linalg.norm(turn)))


def _pair(x: ArrayLike, y: ArrayLike, names: tuple[str, str]) -> tuple[Array, Array]:
    a = check_points(names[0], x)
    return a, check_points(names[1], y, a.shape[1])


def _distances(x: Array, y: Array) -> Array:
    return np.asarray(np.linalg.norm(x[:, None, :] - y[None, :, :], axis=2))


def _least_cost(a: Array, b: Array, cost: Array) -> float:
    ot = require("ot", "transport")
    return float(ot.emd2(a, b, cost, numItermax=_MOST_PIVOTS))


def _root(name: str, value: ArrayLike) -> Array:
    """Symmetric square root of a covariance matrix."""
    matrix = check_points(name, value)
    if matrix.shape[0] != matrix.shape[1] or not np.allclose(matrix, matrix.T, rtol=1e-9):
        raise InputError(f"{name} must be a symmetric (d, d) matrix, got {value!r}")
    values, vectors = np.linalg.eigh(matrix)
    if values[0] < -1e-9 * values[-1]:
        raise InputError(f"{name} must have eigenvalues >= 0, got {values[0]}")
    return np.asarray((vectors * np.sqrt(values.clip(0.0))) @ vectors.T)
