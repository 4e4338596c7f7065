"""Kernels: the grain of a stream whose values lie on a lattice — counts, rounded readings.

On a lattice a kernel can be as narrow as it likes, and a law that is all peaks at the values seen
beats every smooth one, whatever moves. So the geometries see a lattice's values spread evenly over
their cells, by noise that depends on the time alone, and their law has that spread taken off again.
"""

import math

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw.predictor.adaptive.model import GRAIN, PAST
from driftlaw.predictor.adaptive.state import Parts, State, Store

_EARLY = 40  # observations until which the grain is looked for at each, afterwards now and then
_EVERY = 20
_SAME = 1e-12  # of their size, by which two values may differ that are one
_WHOLE = 2e-3  # of a step, by which each step of a multiple may be missed: readings are rounded
_MOST_OFF = 0.1  # … and by which all of them together, at most
_MOST = 0.9  # share of the values that must lie on it: strays may lie anywhere
_MOST_SAME = 0.75  # share of the values that may be one; beyond, others may be strays
_MOST_NEW = 0.9  # share of the values that may be new ones
_ENOUGH = 160  # values from which on this needs no further ones
_MANY = 8  # distinct values, from which on those that came once say something
_FINE = 0.02  # of the distance between quartiles: a finer lattice is none
_EVEN = 1.0 / 12.0  # variance of an even spread over a cell
_LEAST = 1e-6  # share of a variance that is left when the spread is taken off
_UNIT = 2.0**-53


@lean_kernel
def _noise(t: int, i: int) -> float:
    """Even on (-1/2, 1/2), for time t and coordinate i: SplitMix64 of both."""
    word = np.uint64(t) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(i) * np.uint64(
        0xD1B54A32D192ED03
    )
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    word = word ^ (word >> np.uint64(31))
    return (float(word >> np.uint64(11)) + 0.5) * _UNIT - 0.5


@kernel
def spread(x: Store, z: Array, t: int) -> Array:
    """Return the observation of time t spread over its cell."""
    point = np.empty(z.shape[0])
    for i in range(z.shape[0]):
        point[i] = z[i] + x.lines[GRAIN, i] * _noise(t, i)
    return point


@kernel
def spread_recent(x: Store, ring: Array, t: int, n: int) -> Array:
    """Return the last n of t rows of a ring, oldest first, each spread over its cell."""
    d = ring.shape[1]
    rows = np.empty((n, d))
    for a in range(n):
        for i in range(d):
            s = t - n + a
            rows[a, i] = ring[s % PAST, i] + x.lines[GRAIN, i] * _noise(s, i)
    return rows


@lean_kernel
def _is_same(a: float, b: float) -> bool:
    return abs(a - b) <= _SAME * max(abs(a), abs(b))


@lean_kernel
def _put_inplace(ordered: Array, counts: IntArray, n: int, value: float) -> int:
    """Put a value among the first n in order, or count it there; returns how many are there now."""
    a = n
    while a > 0 and ordered[a - 1] > value:
        a -= 1
    if a < n and _is_same(ordered[a], value):
        counts[a] += 1
        return n
    if a > 0 and _is_same(value, ordered[a - 1]):
        counts[a - 1] += 1
        return n
    for b in range(n, a, -1):
        ordered[b] = ordered[b - 1]
        counts[b] = counts[b - 1]
    ordered[a], counts[a] = value, 1
    return n + 1


@kernel
def _small_gap(ordered: Array, counts: IntArray, least: int) -> float:
    """Tenth smallest of a hundred gaps between values that came ``least`` times; 0 without any."""
    gaps, n, last = np.empty(ordered.shape[0]), 0, -1
    for a in range(ordered.shape[0]):
        if counts[a] >= least:
            if last >= 0:
                gaps[n] = ordered[a] - ordered[last]
                n += 1
            last = a
    return float(np.sort(gaps[:n])[n // 10]) if n > 0 else 0.0


@lean_kernel
def _share_on_lattice(ordered: Array, counts: IntArray, common: int, step: float) -> float:
    """Share of the values that lie whole steps away from the commonest."""
    n, n_whole = 0, 0
    for a in range(ordered.shape[0]):
        ratio = (ordered[a] - ordered[common]) / step
        n += counts[a]
        if abs(ratio - math.floor(ratio + 0.5)) <= min(_WHOLE * max(abs(ratio), 1.0), _MOST_OFF):
            n_whole += counts[a]
    return n_whole / n


@lean_kernel
def _middle_half(ordered: Array, counts: IntArray, n: int) -> float:
    """Distance of the quartiles of n values."""
    low, high, seen = ordered[0], ordered[0], 0
    for a in range(ordered.shape[0]):
        if 4 * seen <= n:
            low = ordered[a]
        if 4 * seen <= 3 * n:
            high = ordered[a]
        seen += counts[a]
    return float(high - low)


@kernel
def lattice_step(values: Array) -> float:
    """Step of the lattice on which values (n,) lie; 0 if on none, if most are one or it is fine.

    The step is that between values that came again or, while few did, between all of them.
    """
    n, m = values.shape[0], 0
    ordered, counts = np.empty(n), np.zeros(n, np.int64)
    for a in range(n):
        m = _put_inplace(ordered, counts, m, values[a])
        if m > _MOST_NEW * (a + 1) and a >= _ENOUGH:
            return 0.0
    if m > _MOST_NEW * n:
        return 0.0
    ordered, counts = ordered[:m], counts[:m]
    common, least = int(counts.argmax()), _FINE * _middle_half(ordered, counts, n)
    if counts[common] > _MOST_SAME * n:
        return 0.0
    for times in (2, 1) if m >= _MANY else (2, 2):
        step = _small_gap(ordered, counts, times)
        if step > least and _share_on_lattice(ordered, counts, common, step) >= _MOST:
            return step
    return 0.0


@kernel
def learn_grain_inplace(state: State) -> None:
    """Look for a lattice along each axis, in what is kept of the past."""
    t = state.t[0]
    if t < _EARLY or t % _EVERY == 0:
        n = min(t, PAST)
        for i in range(state.past.shape[1]):
            state.store.lines[GRAIN, i] = lattice_step(state.past[:n, i])


@lean_kernel
def gather_parts_inplace(x: Store, parts: Parts, n: int) -> None:
    """Take the even spread off the first n components, along each axis."""
    d = parts.means.shape[1]
    for i in range(d):
        if x.lines[GRAIN, i] > 0.0:
            for c in range(n):
                variance = 0.0
                for a in range(i + 1):
                    variance += parts.scales[c, i, a] ** 2
                left = max(1.0 - _EVEN * x.lines[GRAIN, i] ** 2 / variance, _LEAST)
                for a in range(i + 1):
                    parts.scales[c, i, a] *= math.sqrt(left)
