"""Fits of the latest observations for a set of lanes: the first ones, global moves, calm lanes."""

import numpy as np

from driftlaw._validate import Array, IntArray
from driftlaw.predictor.adaptive.groups import find_groups
from driftlaw.predictor.adaptive.model import (
    BEAM,
    BORN,
    EMPTY,
    FIRST_SCORED,
    IDENTITY,
    IS_CALM,
    LIMIT,
    LOG_WEIGHT,
    MASS,
    MOST,
    N_CENTERS,
    N_LANES,
    N_SLOTS,
    NO_LANE,
    REFIT,
    RENEWS,
    SINCE,
    WALK,
)
from driftlaw.predictor.adaptive.refit import (
    MOST_SEEDS,
    best_fit_inplace,
    fit_inplace,
    foretold,
    leader,
    raise_lane_inplace,
    refit_lane_inplace,
)
from driftlaw.predictor.adaptive.state import Store

_EARLY = 16  # until here every lane is refitted, afterwards one at each step
_STOCK_AT = (20, 30, 40, 50, REFIT)  # observations, all of which fits can see, to weigh these by
_STOCK_POINTS = 3  # … per dimension, at least: fewer fall into groups along some axis by chance
_FAST = 0.1  # variance per step of a walk that a jump does not surprise
_CALM = [lane for lane in range(N_LANES) if IS_CALM[lane]]
_FITTED_AT = (8, 16, 32, REFIT)  # observations at which a calm geometry is fitted to all of them
_FIRST_MASS = 6.5  # … unless its kernel is older: more than these, it rests on what came before
_SURE = 5  # of them that are no strays, before others may be left out …
_MUCH_WORSE = 10.0  # nats by which a fit to them must fail for what was there before to stay
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
    if t + 1 in _STOCK_AT and store.work[LIMIT] > 1.0:
        _take_stock_inplace(store, lanes, prior, points, t)


def _take_stock_inplace(store: Store, lanes: Array, prior: Array, points: Array, t: int) -> None:
    """Weigh numbers of centers by fits of all points so far, against what leads by predicting.

    Lanes of several centers lost by early fits to a few points, and may deserve more by now. Not
    where what leads has begun anew, or walks so fast that it may have followed a jump: groups of
    all points know nothing of that.
    """
    top = int(lanes.argmax())
    n_known, since = store.slot[leader(store, top), [N_CENTERS, SINCE]].astype(int).tolist()
    if since > 0 or n_known > MOST_SEEDS or WALK[top] >= _FAST:
        return
    if len(points) < _STOCK_POINTS * points.shape[1]:
        return
    labels = find_groups(store, points, MOST_SEEDS)
    # One center is the same fit in each row but for the strays that groups leave out.
    rows = np.minimum(labels, 0) if n_known == 1 else labels[n_known - 1 : n_known]
    known = max(best_fit_inplace(store, N_SLOTS - 1, points, row, top, t) for row in rows)
    behind = lanes[top] - lanes + np.log(prior / prior[top])
    for lane in np.flatnonzero(MOST > 1).tolist():
        lanes[lane] += raise_lane_inplace(store, lane, points, labels[1:], t, known, behind[lane])
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
        is_older = RENEWS[lane] and store.center[s, 0, MASS] > n + _FIRST_MASS
        if n in _FITTED_AT and not is_older:
            _refit_calm_inplace(store, s, lane, points[-n:], t)


def _refit_calm_inplace(store: Store, s: int, lane: int, points: Array, t: int) -> None:
    """Fit one center to the points, or to those that groups do not leave out as strays.

    None of these may be among the latest, which may be the first of a wider law; and it costs log n
    to say of n which one is left out. The fit has seen them all. If even so it
    explains them much worse than geometry s foretold them, it is of gross readings.
    """
    n, log_weight, chosen = len(points), store.slot[s, LOG_WEIGHT], None
    best = foretold(store, s, t, n) - _MUCH_WORSE
    rows = np.unique(np.minimum(find_groups(store, points, MOST_SEEDS), 0), axis=0)
    for row in rows[(rows[:, -_SURE:] == 0).all(axis=1)]:
        new = fit_inplace(store, N_SLOTS - 1, points, row, lane, t, False)
        new -= np.log(n) * np.count_nonzero(row)
        if new > best:
            best, chosen = new, row
    if chosen is not None:
        _plant_inplace(store, s, lane, points, chosen, t)
        store.slot[s, LOG_WEIGHT] = log_weight


def _plant_all_inplace(store: Store, prior: Array, points: Array, t: int) -> None:
    for lane in np.flatnonzero(prior > NO_LANE).tolist():
        _plant_inplace(store, lane * BEAM, lane, points, np.zeros(len(points), np.int64), t)


def _plant_inplace(
    store: Store, s: int, lane: int, points: Array, labels: IntArray, t: int
) -> None:
    """Fit one center to the points with label 0; with the first of all geometry s is born."""
    fit_inplace(store, s, points, labels, lane, t, False)
    store.slot[s, BORN] = store.center[s, 0, IDENTITY] = store.slot[s, SINCE]
