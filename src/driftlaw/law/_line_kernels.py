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
    reach: Array  # (n_kinds,) beyond which the tail is nothing


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
def upper_slope(z: float, tails: Array, slopes: Array) -> float:
    """-S'(z) for z >= 0: the derivative of the cubic of `upper_tail`."""
    n = tails.shape[0] - 1
    place = z / (1.0 + z) * n
    i = min(int(place), n - 1)
    t = place - i
    s = 1.0 - t
    ends: float = 6.0 * t * s * (tails[i + 1] - tails[i])
    bend: float = slopes[i] * s * (s - 2.0 * t) - slopes[i + 1] * t * (2.0 * s - t)
    slope: float = -(ends + bend) * n / (1.0 + z) ** 2
    return slope


@kernel
def line_cdf_inplace(x: Array, line: Line, out: Array) -> None:
    """Write F(x) into ``out`` (n,)."""
    out[:] = 0.0
    for k in range(line.weights.shape[0]):
        kind = line.kind[k]
        tails, slopes, reach = line.tails[kind], line.slopes[kind], line.reach[kind]
        weight, mean, scale = line.weights[k], line.means[k], line.scales[k]
        for i in range(x.shape[0]):
            z = (x[i] - mean) / scale
            if z > reach:
                out[i] += weight
            elif z >= 0:
                out[i] += weight * (1.0 - upper_tail(z, tails, slopes))
            elif z >= -reach:
                out[i] += weight * upper_tail(-z, tails, slopes)


@kernel
def _cdf_and_pdf(x: float, line: Line) -> tuple[float, float]:
    total, density = 0.0, 0.0
    for k in range(line.weights.shape[0]):
        kind = line.kind[k]
        tails, slopes, reach = line.tails[kind], line.slopes[kind], line.reach[kind]
        z = (x - line.means[k]) / line.scales[k]
        if z > reach:
            total += line.weights[k]
        elif z >= -reach:
            tail = upper_tail(abs(z), tails, slopes)
            total += line.weights[k] * (1.0 - tail if z >= 0 else tail)
            density += line.weights[k] / line.scales[k] * upper_slope(abs(z), tails, slopes)
    return total, density


@kernel
def line_quantile_inplace(levels: Array, ends: Array, line: Line, out: Array) -> None:
    """Solve F(x) = level between the rows of ``ends`` (n, 2); ``out`` holds first guesses."""
    for j in range(levels.shape[0]):
        low, high, x = ends[j, 0], ends[j, 1], out[j]
        for _ in range(60):
            value, slope = _cdf_and_pdf(x, line)
            gap = value - levels[j]
            if abs(gap) < 1e-12:
                break
            if gap < 0:
                low = x
            else:
                high = x
            new = x - gap / slope if slope > 0 else low
            if not low < new < high:
                new = 0.5 * (low + high)
            if abs(new - x) <= 1e-13 * abs(x):
                break
            x = new
        out[j] = x
