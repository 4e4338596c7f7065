"""Kernels: one observation through the whole of `Adaptive`, and the loop over a batch."""

import math

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.alarm import watch_inplace
from driftlaw.predictor.adaptive.beam import normalise_inplace, step_lane_inplace
from driftlaw.predictor.adaptive.linear import log_sum
from driftlaw.predictor.adaptive.mixture import tracker_parts_inplace
from driftlaw.predictor.adaptive.model import (
    BEAM,
    GRID,
    LANE_SHARE,
    N_EXPERTS,
    N_LANES,
    N_TRACKERS,
    PAST,
    REFIT,
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
from driftlaw.predictor.adaptive.refit import (
    plant_inplace,
    refit_lane_inplace,
    replay_inplace,
    seed_medoids,
)
from driftlaw.predictor.adaptive.report import History, report_inplace
from driftlaw.predictor.adaptive.state import State
from driftlaw.predictor.adaptive.world import learn_world_inplace, set_broad_inplace

_FIRST_JUDGED = 5  # observations before the pool is weighed and the windows may speak
_FIRST_REFIT = 5
_MOST_SEEDS = 4  # centers of a global move
_EARLY = 16  # until here every lane is refitted, afterwards one at each step


@kernel
def recent(state: State, n: int) -> Array:
    """Return the last n observations, oldest first."""
    t, d = state.t[0], state.past.shape[1]
    points = np.empty((n, d))
    for a in range(n):
        for i in range(d):
            points[a, i] = state.past[(t - n + a) % PAST, i]
    return points


@kernel
def _start_inplace(state: State) -> None:
    """After each of the first two observations: one center per lane, whatever was before."""
    t = state.t[0]
    points = recent(state, t)
    for lane in range(N_LANES):
        plant_inplace(state.store, lane * BEAM, points, np.zeros(1, np.int64), lane, t - 1)
        replay_inplace(state.store, lane * BEAM, points, lane, t - 1)


@kernel
def _step_lanes_inplace(state: State, z: Array) -> float:
    """All lanes learn z, Bayes with fixed share on their weights; returns the log score of all."""
    lanes = state.lanes
    set_broad_inplace(state.store, z)
    for lane in range(N_LANES):
        lanes[lane] += step_lane_inplace(state.store, lane, z, state.t[0])
    top = log_sum(lanes, N_LANES)
    for lane in range(N_LANES):
        kept = (1 - LANE_SHARE) * math.exp(lanes[lane] - top)
        lanes[lane] = math.log(kept + LANE_SHARE / N_LANES)
    return top


@kernel
def _refit_inplace(state: State) -> None:
    """Offer global moves to the lane whose turn it is."""
    t = state.t[0] - 1
    points = recent(state, min(t + 1, REFIT))
    chosen = seed_medoids(state.store, points, min(_MOST_SEEDS, (t + 1) // 2))
    for lane in range(N_LANES):
        if t < _EARLY or (t + lane) % N_LANES == 0:
            refit_lane_inplace(state.store, lane, points, chosen, t)
            normalise_inplace(state.store, lane)


@kernel
def _judge_inplace(state: State, z: Array) -> None:
    """Score all experts on z before any of them learns it, and weigh the pool anew."""
    n, directions, parts = state.directions.shape[0], state.directions, state.parts
    points = recent(state, min(state.t[0], PAST))
    near = points[max(0, points.shape[0] - REFIT) :]
    intervals, losses, cdf = np.empty((n, 2)), np.zeros(N_EXPERTS), np.empty(GRID)
    for p in range(n):
        set_interval_inplace(near, directions[p], intervals[p])
    for group in range(N_TRACKERS):
        rows = tracker_parts_inplace(state.store, state.lanes, group, parts)
        for p in range(n):
            mixture_cdf_inplace(parts, rows, directions[p], intervals[p], cdf)
            losses[group] += interval_crps(cdf, intervals[p], projected(directions[p], z)) / n
    window_losses_inplace(points, directions, intervals, z, losses[N_TRACKERS:])
    reweigh_inplace(state.pool, losses, state.typical)


@kernel
def _learn_inplace(state: State, z: Array, alarm_rate: float) -> None:
    t = state.t[0]
    if t >= _FIRST_JUDGED:
        _judge_inplace(state, z)
    if t >= 2:
        watch_inplace(state.watch, -_step_lanes_inplace(state, z), t + 1, alarm_rate)
    for i in range(z.shape[0]):
        state.past[t % PAST, i] = z[i]
    learn_world_inplace(state.store, z)
    state.t[0] = t + 1
    if t < 2:
        _start_inplace(state)
    elif t + 1 >= _FIRST_REFIT:
        _refit_inplace(state)


@kernel
def advance_inplace(state: State, batch: Array, alarm_rate: float, history: History) -> None:
    """Learn the rows of the batch one after the other and note what each did."""
    for a in range(batch.shape[0]):
        _learn_inplace(state, batch[a], alarm_rate)
        report_inplace(state, history, a)


@lean_kernel
def window_weights_inplace(state: State, weights: Array) -> None:
    """Weight of each of the last observations, oldest first, in the pool's windows together."""
    n = weights.shape[0]
    for a in range(n):
        weights[a] = 0.0
    for e in range(WINDOWS.shape[0]):
        length = min(WINDOWS[e], n)
        for a in range(length):
            weights[n - 1 - a] += math.exp(state.pool[N_TRACKERS + e]) / length
