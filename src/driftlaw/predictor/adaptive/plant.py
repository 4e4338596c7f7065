"""Kernels: a geometry with the centers of groups of points, at rest or moving as they did."""

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw.predictor.adaptive.groups import average_inplace, group_size
from driftlaw.predictor.adaptive.learning import prior_row, refresh_inplace
from driftlaw.predictor.adaptive.model import (
    BELIEF,
    BELIEF_PRIOR,
    BORN,
    ERROR,
    IDENTITY,
    MASS,
    MEMORY,
    N_BELIEFS,
    N_CENTERS,
    N_WEIGHTS,
    SCALE,
    SPEED,
    WALK,
    WEIGHT_PRIOR,
)
from driftlaw.predictor.adaptive.moves import place_inplace
from driftlaw.predictor.adaptive.state import Store


@lean_kernel
def _reset_inplace(x: Store, s: int, k: int, lane: int, t: int) -> None:
    """Geometry s of k centers about which nothing is known but what the priors say."""
    for a in range(x.slot.shape[1]):
        x.slot[s, a] = 0.0
    x.slot[s, N_CENTERS] = k
    x.slot[s, BORN] = t
    for q in range(N_WEIGHTS):
        x.slot[s, MEMORY + q] = WEIGHT_PRIOR[q]
    for q in range(N_BELIEFS):
        x.slot[s, BELIEF + q] = BELIEF_PRIOR[prior_row(x, lane), q]
    for j in range(k):
        for a in range(x.center.shape[2]):
            x.center[s, j, a] = 0.0
        for q in range(N_BELIEFS):
            x.center[s, j, SCALE + q] = 1.0


@lean_kernel
def _add_square_inplace(x: Store, s: int, gap: Array, share: float) -> None:
    """Kernel of the first center of geometry s grows by a share of the square of a gap."""
    for i in range(gap.shape[0]):
        for b in range(gap.shape[0]):
            x.shape[s, 0, i, b] += share * gap[i] * gap[b]


@lean_kernel
def _sum_squares_inplace(
    x: Store, s: int, points: Array, labels: IntArray, has_slopes: bool
) -> int:
    """Add up the gaps between points and their centers, or lines; returns how many are free."""
    gap = x.lines[ERROR]
    for a in range(points.shape[0]):
        j = labels[a]
        if j >= 0:
            for i in range(points.shape[1]):
                gap[i] = points[a, i] - x.mean[s, j, i] - a * x.velocity[s, j, i]
            _add_square_inplace(x, s, gap, 1.0)
    fitted = int(x.slot[s, N_CENTERS]) * (2 if has_slopes else 1)
    free: int = points.shape[0] - group_size(labels, -1) - fitted
    return free


@lean_kernel
def _sum_steps_inplace(x: Store, s: int, points: Array, labels: IntArray, walk: float) -> int:
    """Add up the steps between successive points of each cluster; returns how many there are.

    A step over n observations has the variance of two points and of n steps of the walk.
    """
    gap, n_steps = x.lines[ERROR], 0
    for j in range(int(x.slot[s, N_CENTERS])):
        last = -1
        for a in range(points.shape[0]):
            if labels[a] == j:
                if last >= 0:
                    for i in range(points.shape[1]):
                        gap[i] = points[a, i] - points[last, i]
                    _add_square_inplace(x, s, gap, 1.0 / (2.0 + walk * (a - last)))
                    n_steps += 1
                last = a
    return n_steps


@lean_kernel
def _follow_line_inplace(
    x: Store, s: int, j: int, points: Array, labels: IntArray, speed: float
) -> None:
    """Center j, at the mean of its points, goes back to where their line begins, with its slope.

    The slope is drawn to nil by the variance ``speed`` that velocities have.
    """
    size, middle = max(group_size(labels, j), 1), 0.0
    for a in range(points.shape[0]):
        if labels[a] == j:
            middle += a / size
    squares = 1.0 / speed
    for a in range(points.shape[0]):
        if labels[a] == j:
            squares += (a - middle) ** 2
    for i in range(points.shape[1]):
        slope = 0.0
        for a in range(points.shape[0]):
            if labels[a] == j:
                slope += (a - middle) * (points[a, i] - x.mean[s, j, i]) / squares
        x.velocity[s, j, i] = slope
        x.mean[s, j, i] -= middle * slope


@lean_kernel
def _follow_walk_inplace(x: Store, s: int, j: int, points: Array, labels: IntArray) -> None:
    """Center j starts at the first of its points."""
    for a in range(points.shape[0]):
        if labels[a] == j:
            for i in range(points.shape[1]):
                x.mean[s, j, i] = points[a, i]
            return


@kernel
def plant_inplace(
    x: Store, s: int, points: Array, labels: IntArray, lane: int, t: int, follows: bool
) -> None:
    """Geometry s has the centers of the groups that the labels tell; -1 is for none.

    They start at the means of the groups with one kernel, the pooled scatter. A geometry that
    ``follows`` the groups starts where their lines do, with velocities, in a lane that has some; in
    others at their first points, with the kernel that the steps between points tell.
    """
    n, k, d = points.shape[0], labels.max() + 1, points.shape[1]
    centers = np.zeros((k, d))
    average_inplace(points, labels, centers)
    _reset_inplace(x, s, k, lane, t)
    for j in range(k):
        place_inplace(x, s, j, centers[j], lane, t)
        x.center[s, j, IDENTITY] = t + j / 8  # centers of one birth remain distinguishable
        x.center[s, j, MASS] = min(6.0, max(n - k, 0.5)) / k
        if follows and SPEED[lane] > 0.0:
            _follow_line_inplace(x, s, j, points, labels, SPEED[lane])
        elif follows:
            _follow_walk_inplace(x, s, j, points, labels)
    x.shape[s, :k] = 0.0
    if follows and SPEED[lane] == 0.0:
        n_squares = _sum_steps_inplace(x, s, points, labels, WALK[lane])
    else:
        n_squares = _sum_squares_inplace(x, s, points, labels, follows)
    for j in range(k - 1, -1, -1):
        x.shape[s, j] = x.shape[s, 0] / max(n_squares, 1)
    refresh_inplace(x, s)
