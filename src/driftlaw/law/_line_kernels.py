"""Kernels: distribution functions of mixtures on the line, from tables of their components."""

from typing import NamedTuple

import numpy as np

from driftlaw._jit import kernel
from driftlaw._validate import Array, IntArray

_MOST_ROUNDS = 200
_HEAVY = 1.99  # degrees of freedom below which a table's last cell matters


class Line(NamedTuple):
    """Components of a mixture on the line, and the tables of their upper tails.

    Row ``kind[k]`` of ``tails`` holds S(z) at y = z / (1 + z) on an even grid of [0, 1], and
    ``slopes`` its derivative in y per step of the grid; ``rests`` and ``rest_slopes`` the same of
    the integral of S beyond z, over 1 + z.
    """

    weights: Array  # (K,)
    means: Array  # (K,)
    scales: Array  # (K,)
    kind: IntArray  # (K,)
    tails: Array  # (n_kinds, n_nodes)
    slopes: Array  # (n_kinds, n_nodes)
    rests: Array  # (n_kinds, n_nodes)
    rest_slopes: Array  # (n_kinds, n_nodes)
    reach: Array  # (n_kinds,) beyond which the tail is nothing


@kernel
def _is_power(i: int, values: Array, slopes: Array) -> bool:
    """Whether beyond the node i there is a heavy tail, which no cubic follows."""
    heavy: bool = slopes[i] > -_HEAVY * values[i]
    return i == values.shape[0] - 2 and heavy


@kernel
def _between(i: int, t: float, values: Array, slopes: Array) -> float:
    """At the share t between the nodes i and i + 1: the cubic with their values and slopes.

    Beyond the last node but one it is a power of 1 - y where the tail is heavy.
    """
    s = 1.0 - t
    if _is_power(i, values, slopes):
        power: float = values[i] * s ** (-slopes[i] / values[i])
        return power
    ends: float = values[i] * s * s * (1.0 + 2.0 * t) + values[i + 1] * t * t * (3.0 - 2.0 * t)
    bend: float = t * s * (slopes[i] * s - slopes[i + 1] * t)
    return ends + bend


@kernel
def upper_tail(z: float, tails: Array, slopes: Array) -> float:
    """S(z) for z >= 0 from the two nodes around z."""
    n = tails.shape[0] - 1
    place = z / (1.0 + z) * n
    i = min(int(place), n - 1)
    return _between(i, place - i, tails, slopes)


@kernel
def upper_slope(z: float, tails: Array, slopes: Array) -> float:
    """-S'(z) for z >= 0: the derivative of `upper_tail`."""
    n = tails.shape[0] - 1
    place = z / (1.0 + z) * n
    i = min(int(place), n - 1)
    t = place - i
    s = 1.0 - t
    if _is_power(i, tails, slopes):
        steep: float = -slopes[i] / tails[i] * _between(i, t, tails, slopes) / (1.0 + z)
        return steep
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
    for i in range(x.shape[0]):
        out[i] = min(out[i], 1.0)


@kernel
def line_areas_inplace(x: Array, line: Line, out: Array) -> None:
    """Write F(x), the integral of F below x and that of 1 - F above into ``out`` (3, n)."""
    out[:] = 0.0
    n = line.tails.shape[1] - 1
    for k in range(line.weights.shape[0]):
        kind = line.kind[k]
        tails, slopes, reach = line.tails[kind], line.slopes[kind], line.reach[kind]
        rests, rest_slopes = line.rests[kind], line.rest_slopes[kind]
        weight, mean, scale = line.weights[k], line.means[k], line.scales[k]
        for i in range(x.shape[0]):
            gap = x[i] - mean
            far = abs(gap)
            tail, rest = 0.0, 0.0
            if far <= reach * scale:
                place = far / (scale + far) * n
                j = min(int(place), n - 1)
                tail = weight * _between(j, place - j, tails, slopes)
                rest = weight * (scale + far) * _between(j, place - j, rests, rest_slopes)
            out[0, i] += weight - tail if gap >= 0 else tail
            out[1, i] += rest + weight * max(gap, 0.0)
            out[2, i] += rest + weight * max(-gap, 0.0)
    for i in range(x.shape[0]):
        out[0, i] = min(out[0, i], 1.0)


@kernel
def _changing_inplace(low: float, high: float, line: Line, chosen: IntArray) -> tuple[int, float]:
    """Put the components that rise between low and high first; returns their number.

    And the weight of those that rose before. In a law of narrow components most do neither here.
    """
    n, below = 0, 0.0
    for k in range(line.weights.shape[0]):
        reach = line.reach[line.kind[k]] * line.scales[k]
        if line.means[k] + reach < low:
            below += line.weights[k]
        elif line.means[k] - reach <= high:
            chosen[n] = k
            n += 1
    return n, below


@kernel
def _cdf_and_pdf(x: float, line: Line, chosen: IntArray, below: float) -> tuple[float, float]:
    total, density = below, 0.0
    for k in chosen:
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
def _line_root(level: float, line: Line, ends: Array, x: float, chosen: IntArray) -> float:
    """Solve F(x) = level from x in a bracket: by Newton's method where it leads on, else halving.

    As far as numbers go: who stopped before would find levels on an atom out of order.
    """
    low: float = ends[0]
    high: float = ends[1]
    n, before = _changing_inplace(low, high, line, chosen)
    chosen = chosen[:n]
    for _ in range(_MOST_ROUNDS):
        value, slope = _cdf_and_pdf(x, line, chosen, before)
        gap = value - level
        if abs(gap) < 1e-12:
            break
        if gap < 0:
            low = x
        else:
            high = x
        new = x - gap / slope if slope > 0 else low
        if slope > 0 and new == x and abs(gap) < 1e-6:
            break
        if not low < new < high:
            new = 0.5 * (low + high)
            if not low < new < high:  # neighbouring numbers: of these the one with the nearer F
                below = level - _cdf_and_pdf(low, line, chosen, before)[0]
                above = _cdf_and_pdf(high, line, chosen, before)[0] - level
                return low if below < above else high
        x = new
    return x


@kernel
def line_quantile_inplace(levels: Array, ends: Array, line: Line, out: Array) -> None:
    """Solve F(x) = level between the rows of ``ends`` (n, 2); ``out`` holds first guesses."""
    chosen = np.empty(line.weights.shape[0], np.int64)
    for j in range(levels.shape[0]):
        out[j] = _line_root(levels[j], line, ends[j], out[j], chosen)
