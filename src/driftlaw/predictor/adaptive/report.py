"""Kernels: what the state says about itself after an observation."""

import math
from typing import NamedTuple

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.alarm import YOUNG, ring_inplace
from driftlaw.predictor.adaptive.model import (
    BEAM,
    BORN,
    EVIDENCE,
    GAINS,
    IS_STILL,
    LAST_ALARM,
    LOG_WEIGHT,
    N_CARRIED,
    N_CENTERS,
    N_EXPERTS,
    N_GAINS,
    N_LANES,
    N_WINDOWS,
    ODDS,
    P_VALUE,
    RESTART,
    SIGN,
    STILL,
    TURN,
    WALK,
    WINDOWS,
)
from driftlaw.predictor.adaptive.pool import expert_weights_inplace, lengths_in_law
from driftlaw.predictor.adaptive.refit import best_geometry, leader
from driftlaw.predictor.adaptive.score import stray_rate
from driftlaw.predictor.adaptive.skewed import lanes_in_law
from driftlaw.predictor.adaptive.state import State, Store

_TINY = 1e-300


class History(NamedTuple):
    """One row per observation; `driftlaw.predictor.AdaptiveHistory` says what the columns are."""

    numbers: Array  # (n, N_NUMBERS)
    experts: Array  # (n, N_EXPERTS)
    lanes: Array  # (n, N_LANES)


(
    PVALUE_AT,
    EVIDENCE_AT,
    LAST_ALARM_AT,
    MEMORY_AT,
    LAST_RESTART_AT,
    RESTART_EVIDENCE_AT,
    N_CENTERS_AT,
    STRAY_RATE_AT,
    N_NUMBERS,
) = range(9)


@lean_kernel
def lane_memory(lane: int, age: float) -> float:
    """Observations behind a center: one over the steady Kalman gain, at most the age."""
    q: float = WALK[lane]
    walk = 0.5 * (math.sqrt(q * q + 4 * q) - q)
    drift = min(math.sqrt(2.0 * math.sqrt(TURN[lane])), 1.0)
    return min(1.0 / max(walk, drift, 1e-9), max(age, 1.0))


@lean_kernel
def _memory_of_lanes(x: Store, lanes: Array, t: int) -> float:
    total = 0.0
    for lane in range(N_LANES):
        age = t - x.slot[leader(x, lane), BORN]
        total += math.exp(lanes[lane]) * lane_memory(lane, age)
    return total


@kernel
def _memory(state: State, experts: Array) -> float:
    """Mean memory of the experts, by their weights."""
    t = float(state.t[0])
    total: float = experts[0] * _memory_of_lanes(state.store, state.lanes, state.t[0])
    if state.axis[SIGN] != 0.0:
        kept = lanes_in_law(state)
        skewed = _memory_of_lanes(state.skewed, kept, state.t[0]) / np.exp(kept).sum()
        total += experts[N_EXPERTS - 1] * skewed
    for e in range(N_WINDOWS):
        total += experts[1 + e] * min(float(WINDOWS[e]), t)
    lengths = lengths_in_law(state.pool)[N_WINDOWS:]
    for e in range(N_CARRIED):
        share = lengths[e] / max(lengths.sum(), _TINY)
        total += experts[1 + N_WINDOWS] * share / GAINS[e % N_GAINS]
    return total


@lean_kernel
def _log_odds_of_younger(state: State, born: float) -> float:
    """Log odds of the geometries born at ``born`` or later against all older ones."""
    young, old, x = 0.0, 0.0, state.store
    for lane in range(N_LANES):
        for s in range(lane * BEAM, (lane + 1) * BEAM):
            weight = math.exp(state.lanes[lane] + x.slot[s, LOG_WEIGHT])
            if x.slot[s, BORN] >= born:
                young += weight
            else:
                old += weight
    return math.log(young + _TINY) - math.log(old + _TINY)


@lean_kernel
def _weight_of_the_still(state: State) -> float:
    """Weight of the geometries that have stood still for longer than a restart is young."""
    total, x, t = 0.0, state.store, float(state.t[0])
    for lane in range(N_LANES):
        if IS_STILL[lane]:
            for s in range(lane * BEAM, (lane + 1) * BEAM):
                if t - x.slot[s, BORN] > YOUNG:
                    total += math.exp(state.lanes[lane] + x.slot[s, LOG_WEIGHT])
    return total


@kernel
def conclude_inplace(state: State, alarm_rate: float, history: History, a: int) -> None:
    """After an observation: note the restart, ring if there is reason, write row ``a``."""
    best, row = best_geometry(state.store, state.lanes), history.numbers[a]
    watch = state.watch
    born = state.store.slot[best, BORN]
    watch[RESTART], watch[ODDS] = born + 1.0, _log_odds_of_younger(state, born)
    watch[STILL] = _weight_of_the_still(state)
    ring_inplace(watch, state.t[0], alarm_rate)
    row[PVALUE_AT] = watch[P_VALUE]
    row[EVIDENCE_AT] = watch[EVIDENCE]
    row[LAST_ALARM_AT] = watch[LAST_ALARM]
    expert_weights_inplace(state, history.experts[a])
    row[MEMORY_AT] = _memory(state, history.experts[a])
    row[LAST_RESTART_AT] = watch[RESTART]
    row[RESTART_EVIDENCE_AT] = watch[ODDS]
    row[N_CENTERS_AT] = state.store.slot[best, N_CENTERS]
    row[STRAY_RATE_AT] = stray_rate(state.store, best)
    for lane in range(N_LANES):
        history.lanes[a, lane] = math.exp(state.lanes[lane])
