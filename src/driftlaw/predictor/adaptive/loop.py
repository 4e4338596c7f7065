"""One observation through the whole of `Adaptive`, and the loop over a batch.

Each part is compiled for itself and called from here: inside a compiled loop every part would be
compiled once more, which took longer than all the rest.
"""

import numpy as np

from driftlaw._validate import Array
from driftlaw.predictor.adaptive.beam import step_lanes_inplace
from driftlaw.predictor.adaptive.engine import settle_inplace
from driftlaw.predictor.adaptive.grain import spread, spread_recent
from driftlaw.predictor.adaptive.gross import LOOKED_BACK, begin_again_inplace
from driftlaw.predictor.adaptive.model import (
    BEAM,
    BORN,
    EMPTY,
    FIRST_JUDGED,
    FIRST_SCORED,
    IDENTITY,
    IS_CALM,
    LANE_PRIOR,
    LOG_WEIGHT,
    N_LANES,
    REFIT,
    SINCE,
)
from driftlaw.predictor.adaptive.pool import judge_inplace
from driftlaw.predictor.adaptive.refit import fit_inplace, refit_lane_inplace
from driftlaw.predictor.adaptive.report import History, conclude_inplace
from driftlaw.predictor.adaptive.state import State, Store

_EARLY = 16  # until here every lane is refitted, afterwards one at each step
_CALM = [lane for lane in range(N_LANES) if IS_CALM[lane]]
_FITTED_AT = (8, 16, 32, REFIT)  # observations at which a calm geometry is fitted to all of them
_BEATEN = -7.0  # log weight of a calm lane from which the data speak against its geometry


def advance_inplace(state: State, batch: Array, alarm_rate: float, history: History) -> None:
    """Learn the rows of the batch one after the other and note what each did."""
    for a, z in enumerate(batch):
        t = int(state.t[0])
        if t >= FIRST_JUDGED:
            judge_inplace(state, z)
        log_score = 0.0
        if t >= FIRST_SCORED:
            point = spread(state.store, z, t)
            log_score = step_lanes_inplace(state.store, state.lanes, point, t)
        settle_inplace(state, z, log_score)
        if t + 1 in LOOKED_BACK:
            _look_back_inplace(state, t)
        _renew_inplace(state, t)
        conclude_inplace(state, alarm_rate, history, a)


def _look_back_inplace(state: State, t: int) -> None:
    """Begin again after gross readings among the first observations, if there were any."""
    n = begin_again_inplace(state.store, state.past[: t + 1])
    if FIRST_SCORED <= n <= t:
        state.store.slot[:, LOG_WEIGHT] = EMPTY
        state.lanes[:] = np.log(LANE_PRIOR)
        points = spread_recent(state.store, state.past, t + 1, n)
        for lane in range(N_LANES):
            _plant_inplace(state.store, lane, points, t)


def _renew_inplace(state: State, t: int) -> None:
    """Offer global moves to the lane whose turn it is; at first, one center for every lane."""
    points = spread_recent(state.store, state.past, t + 1, min(t + 1, REFIT))
    if t < FIRST_SCORED:
        for lane in range(N_LANES):
            _plant_inplace(state.store, lane, points, t)
        return
    for lane in range(N_LANES) if t < _EARLY else (-t % N_LANES,):
        if not IS_CALM[lane]:
            refit_lane_inplace(state.store, lane, points, t)
    _renew_calm_inplace(state, points, t)


def _renew_calm_inplace(state: State, points: Array, t: int) -> None:
    """Fit young calm geometries to all that they saw; a beaten one begins where the leader did."""
    slot, best = state.store.slot, int(state.lanes.argmax()) * BEAM
    best += int(slot[best : best + BEAM, LOG_WEIGHT].argmax())
    for lane in _CALM:
        row = slot[lane * BEAM]
        if state.lanes[lane] < _BEATEN:
            row[SINCE] = max(row[SINCE], slot[best, SINCE])
        n = t + 1 - int(row[SINCE])
        if n in _FITTED_AT:
            _plant_inplace(state.store, lane, points[-n:], t)


def _plant_inplace(store: Store, lane: int, points: Array, t: int) -> None:
    """Fit one center to the points, with the first of which it is born."""
    first = lane * BEAM
    fit_inplace(store, first, points, np.zeros(1, np.int64), lane, t)
    store.slot[first, BORN] = store.center[first, 0, IDENTITY] = store.slot[first, SINCE]
