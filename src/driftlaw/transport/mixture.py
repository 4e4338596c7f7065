"""Distances without sampling noise between laws that are known: normals, atoms, any two cdfs."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.transport._mixture_kernels import rows_w1
from driftlaw.transport._node_kernels import scan_nodes

Difference = Callable[[Array], tuple[Array, Array]]

_ROUNDING = 1e-14
_SHALLOW = 0.03


class NormalMixture(NamedTuple):
    """Finite mixture of normals and atoms in R^d, as arrays.

    ``weights`` (K,) sum to one, ``means`` (K, d), ``scales`` either (K,) standard deviations
    (0 is an atom) or (K, d, d) factors L of the covariances L L^T.
    """

    weights: Array
    means: Array
    scales: Array


def mixture_w1s(x: NormalMixture, y: NormalMixture, units: Array) -> Array:
    r"""Wasserstein-1 distances (L,) between the projections of two mixtures on L unit vectors.

    .. math:: W_1(\theta_\#\mu, \theta_\#\nu) = \int |F_\theta - G_\theta|

    ``units`` is (L, d). The sign changes of F - G are searched on nodes two thirds of a standard
    deviation apart, dips between nodes included; from one to the next the integral is closed
    form. The relative error is below 1e-9 (3e-11 was the worst of 3000 random pairs of mixtures);
    equal mixtures are at 0.

    Examples
    --------
    >>> a = NormalMixture(np.ones(1), np.zeros((1, 2)), np.ones(1))
    >>> b = NormalMixture(np.ones(1), np.array([[3.0, 0.0]]), np.ones(1))
    >>> mixture_w1s(a, b, np.eye(2)).round(12)
    array([3., 0.])
    """
    if not x.means.shape[1] == y.means.shape[1] == units.shape[1]:
        shapes = (x.means.shape, y.means.shape, units.shape)
        raise InputError(f"means and units must have one dimension d, got {shapes}")
    if all(np.array_equal(a, b) for a, b in zip(x, y, strict=True)):
        return np.zeros(len(units))
    weights = np.concatenate((x.weights, -y.weights))
    middle = x.weights @ x.means
    means = units @ np.concatenate((x.means - middle, y.means - middle)).T
    scales = np.ascontiguousarray(
        np.hstack((_projected_scales(x.scales, units), _projected_scales(y.scales, units)))
    )
    is_atom = scales[0] == 0
    if not is_atom.any():
        nothing = np.empty((len(units), 0))
        return rows_w1(weights, means, scales, nothing, nothing)
    order = np.argsort(means[:, is_atom], axis=1)
    atoms = np.take_along_axis(means[:, is_atom], order, axis=1)
    means = np.ascontiguousarray(means[:, ~is_atom])
    scales = np.ascontiguousarray(scales[:, ~is_atom])
    return rows_w1(weights[~is_atom], means, scales, atoms, weights[is_atom][order])


def line_nodes(means: Array, scales: Array) -> Array:
    """Sorted nodes, at most 2/3 of a scale apart within 8 scales of every mean; both are (K,)."""
    return scan_nodes(means, scales)


def cdf_w1(
    difference: Difference,
    integral: Callable[[Array], Array],
    nodes: Array,
    end: float,
) -> float:
    r"""Integral of |D| for a difference D of two distribution functions given as callables.

    ``difference(x)`` returns D from the left and from the right at x (n,), ``integral(x)`` the
    antiderivative :math:`E(x) = \int_{-\infty}^x D`, ``end`` its value at infinity. D may jump at
    ``nodes`` (n,), which must be dense enough that D changes sign at most once between two; where
    |D| is small and least they are made 64 times denser.
    """
    nodes = np.unique(nodes)
    left, right = difference(nodes)
    for _ in range(2):
        more = _around_dips(nodes, left, right)
        if len(more) == 0:
            break
        nodes = np.union1d(nodes, more)
        left, right = difference(nodes)
    turns = np.concatenate((_roots(difference, nodes, left, right), nodes[_is_turn(left, right)]))
    path = np.concatenate(([0.0], integral(np.sort(turns)), [end]))
    return float(abs(np.diff(path)).sum())


def _around_dips(nodes: Array, left: Array, right: Array) -> Array:
    """More nodes where |D| is least between neighbours of equal sign: two roots may hide there."""
    size = abs(right)
    is_low = (size < _SHALLOW) & (size > _ROUNDING) & (left == right)
    is_least = (size[1:-1] <= size[:-2]) & (size[1:-1] <= size[2:]) & is_low[1:-1]
    dips = np.flatnonzero(is_least) + 1
    return np.linspace(nodes[dips - 1], nodes[dips + 1], 17).ravel()


def _is_turn(left: Array, right: Array) -> NDArray[np.bool_]:
    """Nodes where D jumps over zero, and where it leaves or enters a stretch of zeros."""
    is_zero = np.maximum(abs(left), abs(right)) <= _ROUNDING
    is_edge = np.zeros(len(left), dtype=np.bool_)
    is_edge[1:] = is_zero[1:] != is_zero[:-1]
    is_edge[:-1] |= is_edge[1:]
    return np.asarray((left * right < 0) | is_edge)


def _roots(difference: Difference, nodes: Array, left: Array, right: Array) -> Array:
    """Roots of D between neighbouring nodes, all brackets together (Illinois method).

    The integral is flat at a root: nine steps leave an error far below its rounding.
    """
    is_crossed = right[:-1] * left[1:] < 0
    a, b = nodes[:-1][is_crossed], nodes[1:][is_crossed]
    at_a, at_b = right[:-1][is_crossed], left[1:][is_crossed]
    for _ in range(9 if len(a) else 0):
        x = a - at_a * (b - a) / np.where(at_a == at_b, np.inf, at_b - at_a)
        at_x = difference(x)[0]
        is_other = at_x * at_b < 0
        a, at_a = np.where(is_other, b, a), np.where(is_other, at_b, 0.5 * at_a)
        b, at_b = x, at_x
    return b


def _projected_scales(scales: Array, units: Array) -> Array:
    if scales.ndim == 1:
        return np.broadcast_to(scales, (len(units), len(scales)))
    return np.asarray(np.linalg.norm(np.tensordot(units, scales, axes=(1, 1)), axis=2))
