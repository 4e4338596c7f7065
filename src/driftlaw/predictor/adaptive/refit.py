"""Kernels: global moves — geometries fitted to the recent window, then replayed through a lane."""

import math

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw.predictor.adaptive.groups import find_groups
from driftlaw.predictor.adaptive.learning import learn_inplace, most_centers
from driftlaw.predictor.adaptive.linear import log_sum, squared_length_inplace
from driftlaw.predictor.adaptive.model import (
    BEAM,
    BORN,
    CENTER_COST,
    DEAD,
    EMPTY,
    ERROR,
    IDENTITY,
    IS_STILL,
    LOG_WEIGHT,
    N_CENTERS,
    N_LANES,
    N_SLOTS,
    REFIT,
    RING,
    SCALE,
    SINCE,
    SPEED,
    VOLUME,
)
from driftlaw.predictor.adaptive.moves import copy_slot_inplace
from driftlaw.predictor.adaptive.plant import plant_inplace
from driftlaw.predictor.adaptive.score import score_inplace
from driftlaw.predictor.adaptive.state import Store
from driftlaw.predictor.adaptive.world import set_broad_inplace

_HUGE = 1e300
_LEAST_WINDOW = 5  # observations from which a fit is tried
_LATEST_PART = 20  # of the window that are fitted by themselves too, where there are twice as many
MOST_SEEDS = 4  # centers of a fit
_CLEARLY_WORSE = 3.0  # nats by which one more center must fail before no further one is tried


@lean_kernel
def _replay_inplace(x: Store, s: int, points: Array, lane: int, t: int) -> float:
    """Run geometry s over the points, of which the last has time t; returns its log score."""
    n, total = points.shape[0], 0.0
    for a in range(n):
        time = t - n + 1 + a
        set_broad_inplace(x, points[a])
        log_score = score_inplace(x, s, points[a], False)
        learn_inplace(x, s, lane, points[a], time)
        x.slot[s, RING + time % REFIT] = log_score - x.work[VOLUME]
        total += log_score
    return total


@lean_kernel
def _is_same(x: Store, s: int, other: int) -> bool:
    """Say whether two geometries are the same up to a kernel width."""
    d, k = x.mean.shape[2], int(x.slot[s, N_CENTERS])
    if x.slot[s, N_CENTERS] != x.slot[other, N_CENTERS]:
        return False
    for j in range(k):
        low = _HUGE
        for i in range(k):
            for a in range(d):
                x.lines[ERROR, a] = x.mean[s, j, a] - x.mean[other, i, a]
            gap = squared_length_inplace(x, x.factor[other, i]) / x.center[other, i, SCALE]
            low = min(low, gap)
        if low > d:
            return False
    return True


@lean_kernel
def _lightest(x: Store, lane: int) -> int:
    """Place in the beam of the lane that holds the lightest geometry, or none."""
    lightest = lane * BEAM
    for q in range(lane * BEAM, (lane + 1) * BEAM):
        if x.slot[q, LOG_WEIGHT] < x.slot[lightest, LOG_WEIGHT]:
            lightest = q
    return lightest


@lean_kernel
def _offer_inplace(x: Store, s: int, lane: int) -> None:
    """Geometry s asks for a place in the beam; its weight is on the lane's scale already."""
    for q in range(lane * BEAM, (lane + 1) * BEAM):
        if x.slot[q, LOG_WEIGHT] > DEAD and _is_same(x, s, q):
            if x.slot[s, LOG_WEIGHT] > x.slot[q, LOG_WEIGHT] + 2.0:
                copy_slot_inplace(x, q, s)
            return
    worst = _lightest(x, lane)
    if x.slot[s, LOG_WEIGHT] > x.slot[worst, LOG_WEIGHT]:
        copy_slot_inplace(x, worst, s)


@lean_kernel
def leader(x: Store, lane: int) -> int:
    """Heaviest geometry of a lane."""
    best = lane * BEAM
    for s in range(lane * BEAM, (lane + 1) * BEAM):
        if x.slot[s, LOG_WEIGHT] > x.slot[best, LOG_WEIGHT]:
            best = s
    return best


@lean_kernel
def best_geometry(x: Store, lanes: Array) -> int:
    """Place of the heaviest geometry of all lanes."""
    best, top = 0, -1e308
    for lane in range(N_LANES):
        s = leader(x, lane)
        weight = lanes[lane] + x.slot[s, LOG_WEIGHT]
        if weight > top:
            best, top = s, weight
    return best


@lean_kernel
def normalise_inplace(x: Store, lane: int) -> None:
    """Log weights of a lane's geometries sum to one again."""
    first = lane * BEAM
    top = log_sum(x.slot[first:, LOG_WEIGHT], BEAM)
    for s in range(first, first + BEAM):
        x.slot[s, LOG_WEIGHT] = max(x.slot[s, LOG_WEIGHT] - top, EMPTY)


@kernel
def fit_inplace(
    x: Store, s: int, points: Array, labels: IntArray, lane: int, t: int, follows: bool
) -> float:
    """Geometry s is planted into the points and run over them; returns its log score."""
    plant_inplace(x, s, points, labels, lane, t, follows)
    x.slot[s, SINCE] = t - points.shape[0] + 1
    return _replay_inplace(x, s, points, lane, t)


@kernel
def _priced_fit_inplace(
    x: Store, s: int, points: Array, labels: IntArray, lane: int, t: int, follows: bool
) -> float:
    """Geometry s is a fit; returns its log score less, like BIC, a price for having seen it all.

    Each center pays for its place, for a weight, and for its velocity if that was fitted too.
    """
    log_score, d = fit_inplace(x, s, points, labels, lane, t, follows), points.shape[1]
    n_numbers = d + 1 + (d if follows and SPEED[lane] > 0.0 else 0)
    each = 0.5 * n_numbers * math.log(points.shape[0]) + CENTER_COST
    price: float = each * x.slot[s, N_CENTERS]
    return log_score - price


@kernel
def best_fit_inplace(x: Store, s: int, points: Array, labels: IntArray, lane: int, t: int) -> float:
    """Geometry s is the better of the fits that start at rest and as the groups moved.

    Returns its log score less its price. The place before s is scratch.
    """
    best = _priced_fit_inplace(x, s, points, labels, lane, t, False)
    if not IS_STILL[lane]:
        new = _priced_fit_inplace(x, s - 1, points, labels, lane, t, True)
        if new > best:
            copy_slot_inplace(x, s, s - 1)
        best = max(best, new)
    return best


@kernel
def foretold(x: Store, s: int, t: int, n: int) -> float:
    """Log score of geometry s for the latest n observations, in the stream's present units."""
    total: float = n * x.work[VOLUME]
    for a in range(n):
        total += x.slot[s, RING + (t - a) % REFIT]
    return total


@kernel
def _offer_fits_inplace(x: Store, lane: int, points: Array, t: int) -> None:
    """Offer fits of the points with k = 1, 2, … while they get no worse."""
    s, best, top = N_SLOTS - 1, leader(x, lane), -_HUGE
    n, weight = points.shape[0], x.slot[best, LOG_WEIGHT]
    old = foretold(x, best, t, n)
    labels = find_groups(x, points, min(most_centers(x, lane), MOST_SEEDS, n // 2))
    for k in range(1, labels.shape[0] + 1):
        new = _priced_fit_inplace(x, s, points, labels[k - 1], lane, t, False)
        x.slot[s, LOG_WEIGHT] = weight + new - old
        if new < top - _CLEARLY_WORSE:
            break
        top = max(top, new)
        _offer_inplace(x, s, lane)
    normalise_inplace(x, lane)


@kernel
def refit_lane_inplace(x: Store, lane: int, points: Array, t: int) -> None:
    """Offer fits of the window, and of its latest part alone.

    The window ends where the leading geometry last restarted: what came before is not true now. A
    change that surprised nobody shows in the latest part long before all of the window is new.
    """
    n = min(points.shape[0], t + 1 - int(x.slot[leader(x, lane), SINCE]))
    if n >= _LEAST_WINDOW:
        _offer_fits_inplace(x, lane, points[points.shape[0] - n :], t)
    if n >= 2 * _LATEST_PART:
        _offer_fits_inplace(x, lane, points[points.shape[0] - _LATEST_PART :], t)


@lean_kernel
def _lead_inplace(x: Store, s: int, lane: int, gain: float) -> None:
    """Put geometry s in the place of the lightest, so that the beam weighs ``gain`` nats more.

    It tells how all came about, not of a change: it was born with the first of what it saw.
    """
    x.slot[s, LOG_WEIGHT] = gain + math.log(-math.expm1(-gain))
    x.slot[s, BORN] = x.slot[s, SINCE]
    for j in range(int(x.slot[s, N_CENTERS])):
        x.center[s, j, IDENTITY] = x.slot[s, SINCE] + j / 8
    copy_slot_inplace(x, _lightest(x, lane), s)
    normalise_inplace(x, lane)


@kernel
def raise_lane_inplace(
    x: Store, lane: int, points: Array, labels: IntArray, t: int, known: float, behind: float
) -> float:
    """Let other centers lead the lane where they fit better; returns what it gains, in nats.

    ``known`` is the evidence of what leads, to be compared with that of each row of labels,
    ``behind`` by how many nats the lane is behind the leading one, more than their priors say.
    """
    s, gain, which = N_SLOTS - 1, 0.0, -1
    for k in range(labels.shape[0]):
        new = best_fit_inplace(x, s, points, labels[k], lane, t) - known
        if new > 0.0 and new + behind > gain:
            gain, which = new + behind, k
    if which >= 0:
        best_fit_inplace(x, s, points, labels[which], lane, t)
        _lead_inplace(x, s, lane, gain)
    return gain
