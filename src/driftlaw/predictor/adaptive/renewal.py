"""Fits of the latest observations for a set of lanes: the first ones, global moves, calm lanes."""

import numpy as np

from driftlaw._validate import Array
from driftlaw.predictor.adaptive.model import (
    BEAM,
    BORN,
    CALMEST,
    EMPTY,
    FIRST_SCORED,
    IDENTITY,
    IS_CALM,
    LOG_WEIGHT,
    MOST,
    N_LANES,
    NO_LANE,
    REFIT,
    RENEWS,
    SINCE,
)
from driftlaw.predictor.adaptive.refit import (
    fit_inplace,
    leader,
    refit_lane_inplace,
    take_stock_inplace,
)
from driftlaw.predictor.adaptive.state import Store

_EARLY = 16  # until here every lane is refitted, afterwards one at each step
_STOCK_AT = (20, 30, 40, 50, REFIT)  # observations, all of which fits can see, to weigh these by
_CALM = [lane for lane in range(N_LANES) if IS_CALM[lane]]
_FITTED_AT = (8, 16, 32, REFIT)  # observations at which a calm geometry is fitted to all of them
_BEATEN = -7.0  # log weight of a calm lane from which the data speak against its geometry


def begin_lanes_inplace(store: Store, lanes: Array, prior: Array, points: Array, t: int) -> None:
    """Forget all geometries; each lane begins with one center fitted to the points."""
    store.slot[:, LOG_WEIGHT] = EMPTY
    lanes[:] = np.log(prior)
    _plant_all_inplace(store, prior, points, t)


def renew_inplace(store: Store, lanes: Array, prior: Array, points: Array, t: int) -> None:
    """Offer global moves to the lane whose turn it is; at first, one center for every lane."""
    if t < FIRST_SCORED:
        _plant_all_inplace(store, prior, points, t)
        return
    for lane in range(N_LANES) if t < _EARLY else (-t % N_LANES,):
        if prior[lane] > NO_LANE and not IS_CALM[lane]:
            refit_lane_inplace(store, lane, points, t)
    _renew_calm_inplace(store, lanes, prior, points, t)
    if t + 1 in _STOCK_AT and prior[CALMEST] > NO_LANE:
        _take_stock_inplace(store, lanes, prior, points, t)


def _take_stock_inplace(store: Store, lanes: Array, prior: Array, points: Array, t: int) -> None:
    """Raise lanes of several centers to what these deserve, beside the calmest one of a single."""
    behind = lanes[CALMEST] - lanes + np.log(prior / prior[CALMEST])
    for lane in np.flatnonzero(MOST > 1).tolist():
        lanes[lane] += take_stock_inplace(store, lane, points, t, behind[lane])
    lanes -= np.logaddexp.reduce(lanes)


def _renew_calm_inplace(store: Store, lanes: Array, prior: Array, points: Array, t: int) -> None:
    """Fit young calm geometries to all that they saw; a beaten one begins where the leader did."""
    slot, best = store.slot, int(lanes.argmax()) * BEAM
    best += int(slot[best : best + BEAM, LOG_WEIGHT].argmax())
    for lane in _CALM:
        if prior[lane] <= NO_LANE:
            continue
        s = leader(store, lane)
        if lanes[lane] < _BEATEN and not RENEWS[lane]:
            slot[s, SINCE] = max(slot[s, SINCE], slot[best, SINCE])
        n = t + 1 - int(slot[s, SINCE])
        if n in _FITTED_AT:
            log_weight = slot[s, LOG_WEIGHT]
            _plant_inplace(store, s, lane, points[-n:], t)
            slot[s, LOG_WEIGHT] = log_weight


def _plant_all_inplace(store: Store, prior: Array, points: Array, t: int) -> None:
    for lane in np.flatnonzero(prior > NO_LANE).tolist():
        _plant_inplace(store, lane * BEAM, lane, points, t)


def _plant_inplace(store: Store, s: int, lane: int, points: Array, t: int) -> None:
    """Fit one center to the points, with the first of which geometry s is born."""
    fit_inplace(store, s, points, np.zeros(len(points), np.int64), lane, t)
    store.slot[s, BORN] = store.center[s, 0, IDENTITY] = store.slot[s, SINCE]
