"""Kernels: global moves — geometries fitted to the recent window, then replayed through a lane."""

import math

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw.predictor.adaptive.groups import average_inplace, find_groups, group_size
from driftlaw.predictor.adaptive.learning import (
    learn_inplace,
    most_centers,
    prior_row,
    refresh_inplace,
)
from driftlaw.predictor.adaptive.linear import log_sum, squared_length_inplace
from driftlaw.predictor.adaptive.model import (
    BEAM,
    BELIEF,
    BELIEF_PRIOR,
    BORN,
    CENTER_COST,
    DEAD,
    EMPTY,
    ERROR,
    IDENTITY,
    LOG_WEIGHT,
    MASS,
    MEMORY,
    N_BELIEFS,
    N_CENTERS,
    N_LANES,
    N_SLOTS,
    N_WEIGHTS,
    REFIT,
    RING,
    SCALE,
    SINCE,
    SPEED,
    WEIGHT_PRIOR,
)
from driftlaw.predictor.adaptive.moves import copy_slot_inplace, place_inplace
from driftlaw.predictor.adaptive.score import score_inplace
from driftlaw.predictor.adaptive.state import Store
from driftlaw.predictor.adaptive.world import set_broad_inplace

_HUGE = 1e300
_LEAST_WINDOW = 5  # observations from which a fit is tried
_LATEST = 20  # of the window that are fitted by themselves too, where there are twice as many
MOST_SEEDS = 4  # centers of a fit
_CLEARLY_WORSE = 3.0  # nats by which one more center must fail before no further one is tried


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
def _set_shapes_inplace(x: Store, s: int, points: Array, labels: IntArray) -> None:
    """All kernels start from the pooled scatter around the clusters' centers, or lines."""
    d, k = points.shape[1], int(x.slot[s, N_CENTERS])
    n = points.shape[0] - group_size(labels, -1)
    for i in range(d):
        for b in range(d):
            total = 0.0
            for a in range(points.shape[0]):
                c = labels[a]
                if c < 0:
                    continue
                gap = points[a, i] - x.mean[s, c, i] - a * x.velocity[s, c, i]
                total += gap * (points[a, b] - x.mean[s, c, b] - a * x.velocity[s, c, b])
            for j in range(k):
                x.shape[s, j, i, b] = total / max(n - k, 1)


@lean_kernel
def _set_going_inplace(
    x: Store, s: int, j: int, points: Array, labels: IntArray, lane: int
) -> None:
    """Center j, at the mean of its points, goes back to where their line begins, with its slope.

    The slope is drawn to nil by the velocity's prior in the lane.
    """
    size, middle = max(group_size(labels, j), 1), 0.0
    for a in range(points.shape[0]):
        if labels[a] == j:
            middle += a / size
    squares = 1.0 / SPEED[lane]
    for a in range(points.shape[0]):
        if labels[a] == j:
            squares += (a - middle) ** 2
    for i in range(points.shape[1]):
        for a in range(points.shape[0]):
            if labels[a] == j:
                gap = points[a, i] - x.mean[s, j, i]
                x.velocity[s, j, i] += (a - middle) * gap / squares
        x.mean[s, j, i] -= middle * x.velocity[s, j, i]


@kernel
def plant_inplace(
    x: Store, s: int, points: Array, labels: IntArray, lane: int, t: int, goes: bool
) -> None:
    """Geometry s has the centers of the groups that the labels tell; -1 is for none.

    They start at rest, or where ``goes`` along the lines that the groups follow.
    """
    n, k = points.shape[0], labels.max() + 1
    centers = np.zeros((k, points.shape[1]))
    average_inplace(points, labels, centers)
    _reset_inplace(x, s, k, lane, t)
    for j in range(k):
        place_inplace(x, s, j, centers[j], lane, t)
        x.center[s, j, IDENTITY] = t + j / 8  # centers of one birth remain distinguishable
        x.center[s, j, MASS] = min(6.0, max(n - k, 0.5)) / k
        if goes:
            _set_going_inplace(x, s, j, points, labels, lane)
    _set_shapes_inplace(x, s, points, labels)
    refresh_inplace(x, s)


@lean_kernel
def _replay_inplace(x: Store, s: int, points: Array, lane: int, t: int) -> float:
    """Run geometry s over the points, of which the last has time t; returns its log score."""
    n, total = points.shape[0], 0.0
    for a in range(n):
        time = t - n + 1 + a
        set_broad_inplace(x, points[a])
        log_score = score_inplace(x, s, points[a], False)
        learn_inplace(x, s, lane, points[a], time)
        x.slot[s, RING + time % REFIT] = log_score
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
    x: Store, s: int, points: Array, labels: IntArray, lane: int, t: int, goes: bool
) -> float:
    """Geometry s is planted into the points and run over them; returns its log score."""
    plant_inplace(x, s, points, labels, lane, t, goes)
    x.slot[s, SINCE] = t - points.shape[0] + 1
    return _replay_inplace(x, s, points, lane, t)


@lean_kernel
def _price(x: Store, s: int, n: int, goes: bool) -> float:
    """Nats that the centers of geometry s pay, like BIC, for having seen the n points it scores."""
    n_numbers = (2 if goes else 1) * x.mean.shape[2] + 1
    price: float = x.slot[s, N_CENTERS] * (0.5 * n_numbers * math.log(n) + CENTER_COST)
    return price


@kernel
def best_fit_inplace(x: Store, s: int, points: Array, labels: IntArray, lane: int, t: int) -> float:
    """Geometry s is the better fit of centers at rest and, in a lane with velocities, along lines.

    Returns its log score less its price. The place before s is scratch.
    """
    n = points.shape[0]
    best = fit_inplace(x, s, points, labels, lane, t, False) - _price(x, s, n, False)
    if SPEED[lane] > 0.0:
        new = fit_inplace(x, s - 1, points, labels, lane, t, True) - _price(x, s - 1, n, True)
        if new > best:
            best = new
            copy_slot_inplace(x, s, s - 1)
    return best


@kernel
def _offer_fits_inplace(x: Store, lane: int, points: Array, t: int) -> None:
    """Offer fits of the points with k = 1, 2, … while they get no worse."""
    s, best, old, top = N_SLOTS - 1, leader(x, lane), 0.0, -_HUGE
    n, weight = points.shape[0], x.slot[best, LOG_WEIGHT]
    for a in range(n):
        old += x.slot[best, RING + (t - a) % REFIT]
    labels = find_groups(x, points, min(most_centers(x, lane), MOST_SEEDS, n // 2))
    for k in range(1, labels.shape[0] + 1):
        new = best_fit_inplace(x, s, points, labels[k - 1], lane, t)
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
    if n >= 2 * _LATEST:
        _offer_fits_inplace(x, lane, points[points.shape[0] - _LATEST :], t)


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
    x: Store, lane: int, points: Array, labels: IntArray, t: int, known: Array, behind: float
) -> float:
    """Let other centers lead the lane where they fit better; returns what it gains, in nats.

    ``known`` is the evidence of what leads, to be compared with each row of labels, ``behind`` by
    how many nats the lane is behind the leading one, more than their priors say.
    """
    s, gain, which = N_SLOTS - 1, 0.0, -1
    for k in range(labels.shape[0]):
        new = best_fit_inplace(x, s, points, labels[k], lane, t) - known[k]
        if new > 0.0 and new + behind > gain:
            gain, which = new + behind, k
    if which >= 0:
        best_fit_inplace(x, s, points, labels[which], lane, t)
        _lead_inplace(x, s, lane, gain)
    return gain
