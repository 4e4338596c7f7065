"""Kernels: what surrounds the lanes at one observation — pool, watch, past."""

import math

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.alarm import count_repeats_inplace, watch_inplace
from driftlaw.predictor.adaptive.mixture import tracker_parts_inplace
from driftlaw.predictor.adaptive.model import (
    FLOOR,
    GRID,
    N_EXPERTS,
    N_TRACKERS,
    PAST,
    REFIT,
    RESIDUALS,
    WINDOWS,
)
from driftlaw.predictor.adaptive.pool import (
    interval_crps,
    mixture_cdf_inplace,
    projected,
    reweigh_inplace,
    set_interval_inplace,
    window_losses_inplace,
)
from driftlaw.predictor.adaptive.residual import (
    one_center_frame,
    put_residual_inplace,
    residual_loss,
)
from driftlaw.predictor.adaptive.state import State
from driftlaw.predictor.adaptive.world import learn_world_inplace

FIRST_JUDGED = 5  # observations before the pool is weighed
FIRST_EMPIRICAL = 20  # … and before residuals and windows may speak and are judged
ONE_CENTER = 2  # the tracking expert in whose frame residuals are
FIRST_SCORED = 2  # until here lanes are only planted


@kernel
def recent(ring: Array, t: int, n: int) -> Array:
    """Return the last n of t rows of a ring, oldest first."""
    d = ring.shape[1]
    rows = np.empty((n, d))
    for a in range(n):
        for i in range(d):
            rows[a, i] = ring[(t - n + a) % PAST, i]
    return rows


@kernel
def judge_inplace(state: State, z: Array) -> None:
    """Score all experts on z before any of them learns it, and weigh the pool anew."""
    n, directions, parts, t = state.directions.shape[0], state.directions, state.parts, state.t[0]
    points = recent(state.past, t, min(t, PAST))
    near = points[max(0, points.shape[0] - REFIT) :]
    intervals, losses, cdf = np.empty((n, 2)), np.zeros(N_EXPERTS), np.empty(GRID)
    for p in range(n):
        set_interval_inplace(near, directions[p], intervals[p])
    for group in range(N_TRACKERS):
        rows = tracker_parts_inplace(state.store, state.lanes, group, parts)
        for p in range(n):
            mixture_cdf_inplace(parts, rows, directions[p], intervals[p], cdf)
            losses[group] += interval_crps(cdf, intervals[p], projected(directions[p], z)) / n
        if group == ONE_CENTER:
            frame = one_center_frame(parts, rows, state.store.work[FLOOR])
            if t >= FIRST_EMPIRICAL:
                residuals = recent(state.residuals, t, min(t - FIRST_JUDGED, PAST))
                losses[RESIDUALS] = residual_loss(residuals, frame, directions, intervals, z)
            put_residual_inplace(state.residuals[t % PAST], z, frame[0], frame[1])
    if t >= FIRST_EMPIRICAL:
        window_losses_inplace(points, directions, intervals, z, losses[RESIDUALS + 1 :])
    else:
        excuse_inplace(losses, state.pool)
    reweigh_inplace(state.pairs, losses, state.pool, state.typical)


@lean_kernel
def excuse_inplace(losses: Array, pool: Array) -> None:
    """Experts that do not speak yet are given the loss of those that do, which moves no weight."""
    total, loss = 0.0, 0.0
    for e in range(N_TRACKERS):
        total += math.exp(pool[e])
        loss += math.exp(pool[e]) * losses[e]
    for e in range(N_TRACKERS, N_EXPERTS):
        losses[e] = loss / total


@kernel
def settle_inplace(state: State, z: Array, log_score: float) -> None:
    """Tell the watch how z was expected, and the past and the stream's own units of z."""
    t = state.t[0]
    if t >= FIRST_SCORED:
        watch_inplace(state.watch, -log_score)
    count_repeats_inplace(state.watch, state.past, t, z)
    for i in range(z.shape[0]):
        state.past[t % PAST, i] = z[i]
    learn_world_inplace(state.store, z)
    state.t[0] = t + 1


@lean_kernel
def window_weights_inplace(state: State, weights: Array) -> None:
    """Weight of each of the last observations, oldest first, in the pool's windows together."""
    n = weights.shape[0]
    for a in range(n):
        weights[a] = 0.0
    for e in range(WINDOWS.shape[0]):
        length = min(WINDOWS[e], n)
        for a in range(length):
            weights[n - 1 - a] += math.exp(state.pool[RESIDUALS + 1 + e]) / length
