"""Kernels: a level that moves, and points that are carried along with it.

The level is that of a random walk seen through noise, smoothed from both sides, which begins anew
where it jumped. A point that is moved by as much as the level has moved since it came is what it
would be now, if only the level moves. A level that stands still moves no point.
"""

import math
from typing import NamedTuple

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array, IntArray

_FAR = 3.0  # deviations of the noise by which a point moves the level, at most
_ENOUGH = 6.0  # … that a run of errors sums to, each less one, where the level has jumped
_STEP = 0.9539  # median step between normal values, in their deviations
_YOUNG = 40  # points from which on those before the latest jump are left out
_LEAST_SHARE = 0.1  # of the noise that is left, at least, when the level is taken off


class Path(NamedTuple):
    """Levels of n points, each as those up to it tell, and what looks for jumps."""

    levels: Array  # (n, d)
    known: Array  # (n,) their variances, in that of the noise
    starts: Array  # (n,) one where the level began anew
    runs: Array  # (2, d) sums of errors above, and below
    since: IntArray  # (2, d) where these began


class Carried(NamedTuple):
    """Points that were carried along with their level."""

    points: Array  # (n, d) oldest first; those since the latest jump, if they are not few
    starts: Array  # one where the level began anew, for all points that were given


@kernel
def noise_of(points: Array) -> Array:
    """Deviation (d,) of points (n, d) from their level, by the steps between them."""
    n, d = points.shape
    deviations = np.empty(d)
    for i in range(d):
        deviations[i] = np.median(np.abs(points[1:, i] - points[: n - 1, i])) / _STEP
    return deviations


@lean_kernel
def _walk(gain: float) -> float:
    """Variance of a step of the walk, in that of the noise, at which the gain settles."""
    return gain**2 / (1.0 - gain)


@lean_kernel
def walked(known: float, gain: float) -> float:
    """Variance of a level after one more step and point, in that of the noise: its gain there."""
    variance = known + _walk(gain)
    return variance / (variance + 1.0)


@lean_kernel
def _begin_inplace(path: Path, points: Array, a: int) -> None:
    """Let the level begin anew at point a."""
    path.starts[a] = path.known[a] = 1.0
    for i in range(points.shape[1]):
        path.levels[a, i] = points[a, i]
        for side in range(2):
            path.runs[side, i] = 0.0
            path.since[side, i] = a + 1


@lean_kernel
def _jump(path: Path, a: int, i: int, error: float, enough: float) -> int:
    """Count an error of coordinate i, in deviations; returns where a jump began, or -1."""
    found = -1
    for side in range(2):
        run = path.runs[side, i] + (error if side == 0 else -error) - 1.0
        path.runs[side, i] = max(run, 0.0)
        if run <= 0.0:
            path.since[side, i] = a + 1
        elif run > enough:
            found = path.since[side, i]
    return found


@lean_kernel
def _step_inplace(path: Path, points: Array, a: int, gain: float, noise: Array) -> int:
    """Let the level learn point a; returns where a jump began, or -1."""
    found, d = -1, points.shape[1]
    path.known[a] = walked(path.known[a - 1], gain)
    for i in range(d):
        gap, most = points[a, i] - path.levels[a - 1, i], _FAR * noise[i]
        gap = min(max(gap, -most), most)
        path.levels[a, i] = path.levels[a - 1, i] + path.known[a] * gap
        error = gap / noise[i] if noise[i] > 0.0 else 0.0
        found = max(found, _jump(path, a, i, error, _ENOUGH + 2.0 * math.log(d)))
    return found


@kernel
def follow(points: Array, gain: float, noise: Array) -> Path:
    """Levels of points (n, d), oldest first, at a gain; where one jumped it is followed again.

    The deviations of the noise (d,) say what a jump is.
    """
    n, d = points.shape
    runs, since = np.zeros((2, d)), np.zeros((2, d), np.int64)
    path = Path(np.empty((n, d)), np.empty(n), np.zeros(n), runs, since)
    path.starts[0], a = 1.0, 0
    while a < n:
        found = -1
        if path.starts[a] > 0.0:
            _begin_inplace(path, points, a)
        else:
            found = _step_inplace(path, points, a, gain, noise)
        is_new = found > 0 and path.starts[max(found, 0)] == 0.0
        a = found if is_new else a + 1
        if is_new:
            path.starts[found] = 1.0
    return path


@kernel
def _latest_start(path: Path) -> int:
    """Point from which on all are carried: that of the latest jump that is not too young."""
    first = 0
    for a in range(path.starts.shape[0] - _YOUNG):
        if path.starts[a] > 0.0:
            first = a
    return first


@kernel
def carry(points: Array, gain: float, noise: Array) -> Carried:
    """Move each of the points (n, d), oldest first, by as much as the level has moved since.

    What is left when a smoothed level is taken off is less than the noise, and widened to it.
    """
    (n, d), walk, path = points.shape, _walk(gain), follow(points, gain, noise)
    smooth, later = path.levels[n - 1].copy(), path.known[n - 1]
    moved = np.empty((n, d))
    for a in range(n - 1, -1, -1):
        known, back = path.known[a], 0.0
        if a < n - 1 and path.starts[a + 1] == 0.0:
            back = known / (known + walk)
        later = known + back**2 * (later - known - walk)
        wider = 1.0 / math.sqrt(max(1.0 - later, _LEAST_SHARE))
        for i in range(d):
            smooth[i] = path.levels[a, i] + back * (smooth[i] - path.levels[a, i])
            moved[a, i] = path.levels[n - 1, i] + wider * (points[a, i] - smooth[i])
    return Carried(moved[_latest_start(path) :], path.starts)
