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

_REACH = 8.0  # Phi(-8) is below half the spacing of floats at 1
_TINY = 1e-14  # |D| below this is rounding, not a sign
_PER_SCALE = 2  # nodes per standard deviation
_SQRT_HALF = math.sqrt(0.5)
_PHI_0 = 1.0 / math.sqrt(2.0 * math.pi)


class Normals(NamedTuple):
    """The normal components of one line: signed weights, means and standard deviations (K,)."""

    weights: Array
    means: Array
    scales: Array


@kernel
def rows_w1(weights: Array, means: Array, scales: Array) -> Array:
    """Integrals (L,) of |D| for the rows of means (L, K) and scales (L, K); weights (K,)."""
    out = np.empty(means.shape[0])
    for row in range(means.shape[0]):
        out[row] = signed_w1(weights, means[row], scales[row])
    return out


@kernel
def signed_w1(weights: Array, means: Array, scales: Array) -> float:
    """Return the integral of |D| for one line: weights, means, scales (K,), weights sum to zero."""
    is_atom = scales == 0.0
    normals = Normals(weights[~is_atom], means[~is_atom], scales[~is_atom])
    atoms = means[is_atom]
    nodes = scan_nodes(normals.means, normals.scales, atoms)
    smooth = smooth_part(normals, nodes)
    jumps = step_part(weights[is_atom], atoms, nodes)
    return walk(normals, nodes, smooth, jumps, -np.dot(weights, means))


@kernel
def scan_nodes(means: Array, scales: Array, atoms: Array) -> Array:
    """Sorted nodes at most half a standard deviation apart around every normal, and the atoms."""
    if means.shape[0] == 0:
        return np.sort(atoms)
    low = np.min(means - _REACH * scales)
    high = np.max(means + _REACH * scales)
    n_even = _PER_SCALE * (high - low) / np.min(scales) + 2.0
    if n_even <= max(1024.0, 64.0 * means.shape[0]):
        nodes = np.linspace(low, high, int(n_even))
        if atoms.shape[0] == 0:
            return nodes
    else:
        nodes = local_nodes(means, scales)
    return np.sort(np.concatenate((nodes, atoms)))


@kernel
def local_nodes(means: Array, scales: Array) -> Array:
    """Give every normal its own nodes, for spreads too unequal for even spacing (not sorted)."""
    n_each = 2 * _PER_SCALE * int(_REACH) + 1
    nodes = np.empty(means.shape[0] * n_each)
    for k in range(means.shape[0]):
        for j in range(n_each):
            nodes[k * n_each + j] = means[k] + scales[k] * (j / _PER_SCALE - _REACH)
    return nodes


@kernel
def smooth_part(normals: Normals, nodes: Array) -> Array:
    """Values (n,) of the normals' part of D at the sorted nodes.

    Each normal is evaluated within its reach only; its full weight is added from there on.
    """
    n = nodes.shape[0]
    out = np.zeros(n)
    full = np.zeros(n + 1)
    for k in range(normals.weights.shape[0]):
        mean = normals.means[k]
        reach = _REACH * normals.scales[k]
        factor = -_SQRT_HALF / normals.scales[k]
        half = 0.5 * normals.weights[k]
        i = np.searchsorted(nodes, mean - reach)
        while i < n and nodes[i] < mean + reach:
            out[i] += half * math.erfc((nodes[i] - mean) * factor)
            i += 1
        full[i] += normals.weights[k]
    total = 0.0
    for i in range(n):
        total += full[i]
        out[i] += total
    return out


@kernel
def step_part(weights: Array, atoms: Array, nodes: Array) -> Array:
    """Jumps (n,) of D at the sorted nodes, which hold every atom."""
    jumps = np.zeros(nodes.shape[0])
    for k in range(atoms.shape[0]):
        jumps[np.searchsorted(nodes, atoms[k])] += weights[k]
    return jumps


@kernel
def walk(normals: Normals, nodes: Array, smooth: Array, jumps: Array, end: float) -> float:
    """Add |E(b) - E(a)| over the stretches between sign changes, from -inf to +inf (E = end)."""
    total = 0.0
    last = 0.0  # E at the last sign change
    sign = 0.0
    level = 0.0  # weight of the atoms passed, and their first moment
    moment = 0.0
    right = 0.0
    for i in range(nodes.shape[0]):
        left = smooth[i] + level
        if abs(left) > _TINY:
            if sign * left < 0.0:
                here = turning_value(normals, level, nodes[i - 1 : i + 1], right, left) - moment
                total += abs(here - last)
                last = here
            sign = math.copysign(1.0, left)
        level += jumps[i]
        moment += jumps[i] * nodes[i]
        right = smooth[i] + level
        if abs(right) > _TINY:
            if sign * right < 0.0:
                here = local_terms(normals, nodes[i])[0] + level * nodes[i] - moment
                total += abs(here - last)
                last = here
            sign = math.copysign(1.0, right)
    return total + abs(end - last)


@kernel
def turning_value(
    normals: Normals, level: float, ends: Array, at_low: float, at_high: float
) -> float:
    """Return E + moment where D changes sign between two nodes: E is flat there, so two steps do.

    The secant gives a first root, a Newton step a second; the last step is done on E itself,
    ``E(root) = E(x) + D t + D' t^2 / 2`` with ``t = root - x``, with an error of third order.
    """
    low, high = float(ends[0]), float(ends[1])
    if abs(at_low) <= _TINY:
        return local_terms(normals, low)[0] + level * low
    x = low - at_low * (high - low) / (at_high - at_low)
    for _ in range(2):
        value, slope_0, slope_1 = local_terms(normals, x)
        slope_0 += level
        root = x - slope_0 / slope_1 if slope_1 != 0.0 else x
        step = min(max(root, low), high) - x
        value += level * x + slope_0 * step + 0.5 * slope_1 * step * step
        x += step
    return value


@kernel
def local_terms(normals: Normals, x: float) -> tuple[float, float, float]:
    """Return the normals' part of E, of D = E' and of D' at x."""
    value, slope_0, slope_1 = 0.0, 0.0, 0.0
    for k in range(normals.weights.shape[0]):
        w, s = normals.weights[k], normals.scales[k]
        t = x - normals.means[k]
        if t >= _REACH * s:
            value += w * t
            slope_0 += w
        elif t > -_REACH * s:
            z = t / s
            below = w * 0.5 * math.erfc(-_SQRT_HALF * z)
            density = w * _PHI_0 * math.exp(-0.5 * z * z)
            value += t * below + s * density
            slope_0 += below
            slope_1 += density / s
    return value, slope_0, slope_1
