"""Kernels: one lane, that is one kind of motion — a beam of its likeliest geometries."""

import math

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.learning import learn_inplace, most_centers
from driftlaw.predictor.adaptive.linear import bayes_inplace, log_sum
from driftlaw.predictor.adaptive.model import (
    BEAM,
    BROAD,
    DEAD,
    EMPTY,
    HAZARDS,
    IS_CALM,
    LANE_SHARE,
    LOG_WEIGHT,
    MAX_CENTERS,
    MOVES,
    N_CENTERS,
    N_LANES,
    N_SLOTS,
    NO_LANE,
    PI,
    REFIT,
    RENEWAL_CHANCE,
    RENEWAL_EVERY,
    RENEWAL_KEEPS,
    RENEWS,
    RING,
    STAY_CHANCE,
    STRAY,
    STRAYS,
    VOLUME,
    WORK_SIZE,
)
from driftlaw.predictor.adaptive.moves import (
    BIRTH,
    FRESH,
    MOVE,
    SHIFT,
    STAY,
    apply_move_inplace,
    bury_inplace,
    copy_slot_inplace,
)
from driftlaw.predictor.adaptive.refit import leader, normalise_inplace
from driftlaw.predictor.adaptive.score import score_inplace
from driftlaw.predictor.adaptive.state import Store
from driftlaw.predictor.adaptive.world import set_broad_inplace

_CREDIT = 2.0  # changes as if seen before any stray point
_SURPRISE = 0.2  # chance of being unexplained from which a point may mean a change


@lean_kernel
def _put_inplace(rows: Array, n: int, log_weight: float, s: int, kind: int, j: int) -> int:
    rows[n, 0], rows[n, 1], rows[n, 2], rows[n, 3] = log_weight, s, kind, j
    return n + 1


@lean_kernel
def _credit(x: Store, s: int) -> float:
    """How far a surprise may still mean a change: less where those before were mere strays."""
    changes = _CREDIT + x.slot[s, MOVES]
    credit: float = changes / (changes + x.slot[s, STRAYS])
    return credit


@lean_kernel
def _propose_moves_inplace(x: Store, s: int, lane: int, rows: Array, n: int) -> int:
    """Append the changes that would explain a surprising point, drawn from the broad law."""
    base, k = x.slot[s, LOG_WEIGHT] + math.log(x.work[BROAD]), int(x.slot[s, N_CENTERS])
    base += math.log(_credit(x, s))
    if k < most_centers(x, lane):
        n = _put_inplace(rows, n, base + math.log(HAZARDS[0]), s, BIRTH, 0)
    for j in range(k):
        n = _put_inplace(rows, n, base + math.log(HAZARDS[1] * x.work[PI + j]), s, SHIFT, j)
        if k > 1:
            n = _put_inplace(rows, n, base + math.log(HAZARDS[2] * x.work[PI + j]), s, MOVE, j)
    if k > 1:
        n = _put_inplace(rows, n, base + math.log(HAZARDS[3]), s, FRESH, 0)
    return n


@lean_kernel
def _propose_inplace(x: Store, lane: int, z: Array, t: int, rows: Array, kept: Array) -> int:
    """Children of all geometries of the lane as rows (log weight, parent, kind, center).

    What each geometry makes of z is kept, for the children that will learn it. A lane that renews
    itself has two more now and then, at z, with a new kernel and with the old one, so that those
    before have time to prove right.
    """
    n, renews = 0, RENEWS[lane] and t % RENEWAL_EVERY == 0
    log_stay = math.log(1.0 - RENEWAL_CHANCE) if renews else math.log(STAY_CHANCE[lane])
    for s in range(lane * BEAM, (lane + 1) * BEAM):
        if x.slot[s, LOG_WEIGHT] < DEAD:
            continue
        score = score_inplace(x, s, z, True)
        for i in range(WORK_SIZE):
            kept[s - lane * BEAM, i] = x.work[i]
        kept[s - lane * BEAM, WORK_SIZE] = score
        n = _put_inplace(rows, n, x.slot[s, LOG_WEIGHT] + log_stay + score, s, STAY, 0)
        if x.work[STRAY] >= _SURPRISE and not IS_CALM[lane]:
            n = _propose_moves_inplace(x, s, lane, rows, n)
    if renews:
        log_weight, first = math.log(RENEWAL_CHANCE * x.work[BROAD]), leader(x, lane)
        n = _put_inplace(rows, n, log_weight + math.log(1.0 - RENEWAL_KEEPS), first, FRESH, 0)
        n = _put_inplace(rows, n, log_weight + math.log(RENEWAL_KEEPS), first, SHIFT, 0)
    return n


@lean_kernel
def _heaviest(rows: Array, n: int) -> int:
    """Index of the heaviest row not yet taken; taken rows have parent -1."""
    best = -1
    for i in range(n):
        if rows[i, 1] >= 0 and (best < 0 or rows[i, 0] > rows[best, 0]):
            best = i
    return best


@lean_kernel
def _grow_inplace(x: Store, s: int, row: Array, lane: int, z: Array, t: int, kept: Array) -> None:
    """Geometry s, a copy of the parent, makes the row's move and learns z."""
    parent, log_score = int(row[1]) - lane * BEAM, math.log(x.work[BROAD])
    if int(row[2]) == STAY:
        log_score = kept[parent, WORK_SIZE]
        for i in range(WORK_SIZE):
            x.work[i] = kept[parent, i]
        learn_inplace(x, s, lane, z, t)
    else:
        apply_move_inplace(x, s, row, lane, z, t)
    bury_inplace(x, s, t)
    x.slot[s, RING + t % REFIT] = log_score - x.work[VOLUME]
    x.slot[s, LOG_WEIGHT] = row[0]


@lean_kernel
def _step_lane_inplace(x: Store, lane: int, z: Array, t: int, rows: Array, kept: Array) -> float:
    """Advance the lane by one observation; returns its log predictive score."""
    first, scratch = lane * BEAM, N_SLOTS - BEAM
    n = _propose_inplace(x, lane, z, t, rows, kept)
    total = log_sum(rows[:, 0], n)
    n_kept = min(BEAM, n)
    for i in range(n_kept):
        best = _heaviest(rows, n)
        copy_slot_inplace(x, scratch + i, int(rows[best, 1]))
        _grow_inplace(x, scratch + i, rows[best], lane, z, t, kept)
        rows[best, 1] = -1
    for i in range(BEAM):
        if i < n_kept:
            copy_slot_inplace(x, first + i, scratch + i)
        else:
            x.slot[first + i, LOG_WEIGHT] = EMPTY
    normalise_inplace(x, lane)
    return total


@kernel
def step_lanes_inplace(x: Store, lanes: Array, prior: Array, z: Array, t: int) -> float:
    """All lanes learn z, Bayes with fixed share on their weights; returns the log score of all."""
    rows = np.empty((BEAM * (3 + 2 * MAX_CENTERS), 4))
    kept, scores = np.empty((BEAM, WORK_SIZE + 1)), np.empty(N_LANES)
    set_broad_inplace(x, z)
    for lane in range(N_LANES):
        scores[lane] = 0.0
        if prior[lane] > NO_LANE:
            scores[lane] = _step_lane_inplace(x, lane, z, t, rows, kept)
    return bayes_inplace(lanes, scores, prior, 1.0, LANE_SHARE)
