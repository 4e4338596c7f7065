"""Distance between two laws: what each must tell about itself, and which integral then applies."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.transport import NormalMixture, cdf_w1, directions, line_nodes, mixture_w1s

if TYPE_CHECKING:
    from driftlaw.law.base import PredictiveLaw

NormalForm = NormalMixture

N_FIXED_DIRECTIONS = 64


class LineForm(NamedTuple):
    """A law on the line: F from the left and from the right, its antiderivative, where it bends.

    F bends around ``centers`` (K,) on the lengths ``scales`` (K,), and at ``nodes`` (n,), which
    hold every jump and kink of F and reach into tails longer than the normal's.
    """

    cdf: Callable[[Array], tuple[Array, Array]]
    integral: Callable[[Array], Array]
    centers: Array
    scales: Array
    nodes: Array
    mean: float


def check_same_dim(x: "PredictiveLaw", y: "PredictiveLaw") -> None:
    """Raise unless both are laws in one dimension."""
    dim = getattr(y, "dim", None)
    if dim != x.dim:
        raise InputError(f"other must be a law with dim {x.dim}, got {y!r}")


def fixed_distance(x: "PredictiveLaw", y: "PredictiveLaw") -> float:
    """Wasserstein-1 on the line, sliced over fixed directions above it."""
    return float(projected_w1s(x, y, directions(x.dim, N_FIXED_DIRECTIONS)).mean())


def projected_w1s(x: "PredictiveLaw", y: "PredictiveLaw", units: Array) -> Array:
    """Distances (L,) between the projections on the unit vectors (L, d)."""
    a, b = x._normal_form(), y._normal_form()
    if a is not None and b is not None:
        return mixture_w1s(a, b, units)
    return np.array([_line_w1(x._project(unit), y._project(unit)) for unit in units])


def _line_w1(x: "PredictiveLaw", y: "PredictiveLaw") -> float:
    a, b = x._line_form(), y._line_form()

    def difference(points: Array) -> tuple[Array, Array]:
        (a_left, a_right), (b_left, b_right) = a.cdf(points), b.cdf(points)
        return a_left - b_left, a_right - b_right

    def integral(points: Array) -> Array:
        return a.integral(points) - b.integral(points)

    centers, scales = np.concatenate((a.centers, b.centers)), np.concatenate((a.scales, b.scales))
    nodes = np.concatenate((line_nodes(centers, scales), a.nodes, b.nodes))
    return cdf_w1(difference, integral, nodes, b.mean - a.mean)
