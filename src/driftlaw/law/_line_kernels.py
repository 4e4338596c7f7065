"""Kernels: distribution functions of mixtures on the line, from tables of their components."""

from typing import NamedTuple

from driftlaw._jit import kernel
from driftlaw._validate import Array, IntArray


class Line(NamedTuple):
    """Components of a mixture on the line, and the tables of their upper tails.

    Row ``kind[k]`` of ``tails`` holds S(z) at y = z / (1 + z) on an even grid of [0, 1], and
    ``slopes`` its derivative in y per step of the grid.
    """

    weights: Array  # (K,)
    means: Array  # (K,)
    scales: Array  # (K,)
    kind: IntArray  # (K,)
    tails: Array  # (n_kinds, n_nodes)
    slopes: Array  # (n_kinds, n_nodes)


@kernel
def upper_tail(z: float, tails: Array, slopes: Array) -> float:
    """S(z) for z >= 0 by the cubic that meets values and slopes at the two nodes around z."""
    n = tails.shape[0] - 1
    place = z / (1.0 + z) * n
    i = min(int(place), n - 1)
    t = place - i
    s = 1.0 - t
    ends: float = tails[i] * s * s * (1.0 + 2.0 * t) + tails[i + 1] * t * t * (3.0 - 2.0 * t)
    bend: float = t * s * (slopes[i] * s - slopes[i + 1] * t)
    return ends + bend


@kernel
def line_cdf_inplace(x: Array, line: Line, out: Array) -> None:
    """Write F(x) into ``out`` (n,)."""
    out[:] = 0.0
    for k in range(line.weights.shape[0]):
        tails, slopes = line.tails[line.kind[k]], line.slopes[line.kind[k]]
        weight, mean, scale = line.weights[k], line.means[k], line.scales[k]
        for i in range(x.shape[0]):
            z = (x[i] - mean) / scale
            if z < 0:
                out[i] += weight * upper_tail(-z, tails, slopes)
            else:
                out[i] += weight * (1.0 - upper_tail(z, tails, slopes))
