"""Kernels: the integral of |D| for D a signed sum of normal distribution functions and steps.

For ``D(x) = sum_k w_k Phi((x - m_k) / s_k)`` (a step where s_k = 0) with total weight zero, the
antiderivative ``E(x) = sum_k w_k s_k (z Phi(z) + phi(z))`` is known, so the integral of |D| is the
sum of |E(b) - E(a)| over the stretches on which D keeps its sign. Only the signs of D have to be
searched for; between them nothing is approximated.
"""

import math
from typing import NamedTuple

import numpy as np

from driftlaw._jit import kernel
from driftlaw._validate import Array
from driftlaw.transport._node_kernels import first_at_least, scan_nodes
from driftlaw.transport._normal_kernels import REACH, normal_cdf

_TINY = 1e-12  # |D| below this is rounding, not a sign
_SHALLOW = 0.03  # with nodes this dense D cannot dip by more between two of them
_PHI_0 = 1.0 / math.sqrt(2.0 * math.pi)


class Normals(NamedTuple):
    """The normal components of one line: signed weights, means and standard deviations (K,)."""

    weights: Array
    means: Array
    scales: Array


class Bracket(NamedTuple):
    """Two neighbouring nodes and the values of D there."""

    low: float
    high: float
    at_low: float
    at_high: float


class Terms(NamedTuple):
    """E and its first three derivatives at a point; the first is D."""

    value: float
    first: float
    second: float
    third: float


class Path(NamedTuple):
    """How far E has moved up and down in all, and where it is."""

    length: float
    last: float


@kernel
def rows_w1(weights: Array, means: Array, scales: Array, atoms: Array, jumps: Array) -> Array:
    """Integrals (L,) of |D| for L lines.

    Normals have weights (K,), means and scales (L, K); sorted atoms (L, A) have weights jumps
    (L, A). On every line the weights sum to zero.
    """
    out = np.empty(means.shape[0])
    for row in range(means.shape[0]):
        normals = Normals(weights, means[row], scales[row])
        out[row] = signed_w1(normals, atoms[row], jumps[row])
    return out


@kernel
def signed_w1(normals: Normals, atoms: Array, jumps: Array) -> float:
    """Return the integral of |D| for one line."""
    nodes, steps = merged(scan_nodes(normals.means, normals.scales), atoms, jumps)
    end = 0.0
    for k in range(normals.weights.shape[0]):
        end -= normals.weights[k] * normals.means[k]
    for k in range(atoms.shape[0]):
        end -= jumps[k] * atoms[k]
    return walk(normals, nodes, smooth_part(normals, nodes), steps, end)


@kernel
def smooth_part(normals: Normals, nodes: Array) -> Array:
    """Values (n,) of the normals' part of D at the sorted nodes.

    Each normal is evaluated within its reach only; its full weight is added from there on.
    """
    n = nodes.shape[0]
    out = np.zeros(n)
    full = np.zeros(n + 1)
    for k in range(normals.weights.shape[0]):
        mean, weight = normals.means[k], normals.weights[k]
        reach = REACH * normals.scales[k]
        inverse = 1.0 / normals.scales[k]
        high = first_at_least(nodes, mean + reach)
        for i in range(first_at_least(nodes, mean - reach), high):
            out[i] += weight * normal_cdf((nodes[i] - mean) * inverse)
        full[high] += weight
    total = 0.0
    for i in range(n):
        total += full[i]
        out[i] += total
    return out


@kernel
def merged(grid: Array, atoms: Array, jumps: Array) -> tuple[Array, Array]:
    """Merge two sorted arrays; return the nodes and the jump of D at each (0 on the grid)."""
    n, m = grid.shape[0], atoms.shape[0]
    nodes = np.empty(n + m)
    steps = np.zeros(n + m)
    i, j = 0, 0
    for row in range(n + m):
        if j == m or (i < n and grid[i] <= atoms[j]):
            nodes[row] = grid[i]
            i += 1
        else:
            nodes[row] = atoms[j]
            steps[row] = jumps[j]
            j += 1
    return nodes, steps


@kernel
def walk(normals: Normals, nodes: Array, smooth: Array, jumps: Array, end: float) -> float:
    """Add |E(b) - E(a)| over the stretches between sign changes, from -inf to +inf (E = end)."""
    path = Path(0.0, 0.0)
    sign = 0.0
    level = 0.0  # weight of the atoms passed, and their first moment
    moment = 0.0
    right = 0.0
    n = nodes.shape[0]
    for i in range(n):
        left = smooth[i] + level
        following = smooth[min(i + 1, n - 1)] + level
        if sign * left < -_TINY:
            bracket = Bracket(nodes[i - 1], nodes[i], right, left)
            path = extended(path, turning_value(normals, level, bracket) - moment)
        elif jumps[i] == 0.0 and is_dip(right, left, following):
            lower, upper = dip_values(normals, level, nodes[i - 1 : i + 2], right, following)
            path = extended(extended(path, lower - moment), upper - moment)
        sign = latest_sign(sign, left)
        level += jumps[i]
        moment += jumps[i] * nodes[i]
        right = smooth[i] + level
        if sign * right < -_TINY:
            here = local_terms(normals, nodes[i]).value + level * nodes[i] - moment
            path = extended(path, here)
        sign = latest_sign(sign, right)
    return extended(path, end).length


@kernel
def extended(path: Path, here: float) -> Path:
    """Go on to the value ``here`` of E."""
    return Path(path.length + abs(here - path.last), here)


@kernel
def latest_sign(sign: float, value: float) -> float:
    """Return the sign of ``value``, or the sign before it if ``value`` is only rounding."""
    return math.copysign(1.0, value) if abs(value) > _TINY else sign


@kernel
def turning_value(normals: Normals, level: float, bracket: Bracket) -> float:
    """Return E + moment at the root of D inside the bracket.

    Halley's method from the secant's root, halving where it would leave the bracket. The last step
    t is taken on E itself, by its Taylor polynomial: the error is of fourth order in t.
    """
    low, high, at_low, at_high = bracket
    if abs(at_low) <= _TINY:
        return local_terms(normals, low).value + level * low
    small = 0.005 * (high - low)
    x = low - at_low * (high - low) / (at_high - at_low)
    turn = 0.0
    for _ in range(20):
        e = local_terms(normals, x)
        gap = e.first + level
        if gap * at_low > 0.0:
            low = x
        else:
            high = x
        bend = e.second * e.second - 0.5 * gap * e.third
        root = x - gap * e.second / bend if bend != 0.0 else low
        t = (root if low < root < high else 0.5 * (low + high)) - x
        turn = e.value + level * x + t * (gap + t * (e.second / 2.0 + t * e.third / 6.0))
        x += t
        if abs(t) < small:
            break
    return turn


@kernel
def is_dip(before: float, here: float, after: float) -> bool:
    """Whether |D| is small and least at the middle one of three nodes of equal sign."""
    is_least = abs(here) < abs(before) and abs(here) <= abs(after)
    return _TINY < abs(here) < _SHALLOW and is_least and before * here > 0.0 and after * here > 0.0


@kernel
def dip_values(
    normals: Normals, level: float, nodes: Array, before: float, after: float
) -> tuple[float, float]:
    """Return E + moment at the two roots that three nodes of equal sign may hide, else at the dip.

    The dip is where D' is zero: found by the secant, left as soon as D has the other sign.
    """
    low, high = nodes[0], nodes[2]
    at_low = local_terms(normals, low).second
    at_high = local_terms(normals, high).second
    x, value, depth = nodes[1], 0.0, before
    for _ in range(6):
        if at_low * at_high < 0.0:
            x = low - at_low * (high - low) / (at_high - at_low)
        e = local_terms(normals, x)
        value, depth = e.value + level * x, e.first + level
        if depth * before < 0.0:
            lower = turning_value(normals, level, Bracket(nodes[0], x, before, depth))
            return lower, turning_value(normals, level, Bracket(x, nodes[2], depth, after))
        if e.second * at_low > 0.0:
            low, at_low = x, e.second
        else:
            high, at_high = x, e.second
    return value, value


@kernel
def local_terms(normals: Normals, x: float) -> Terms:
    """Return the normals' part of E and of its derivatives at x."""
    value, first, second, third = 0.0, 0.0, 0.0, 0.0
    for k in range(normals.weights.shape[0]):
        w, s = normals.weights[k], normals.scales[k]
        t = x - normals.means[k]
        if t >= REACH * s:
            value += w * t
            first += w
        elif t > -REACH * s:
            z = t / s
            below = w * normal_cdf(z)
            density = w * _PHI_0 * math.exp(-0.5 * z * z)
            value += t * below + s * density
            first += below
            second += density / s
            third -= density * z / (s * s)
    return Terms(value, first, second, third)
