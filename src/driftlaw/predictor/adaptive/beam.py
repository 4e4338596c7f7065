"""Kernels: one lane, that is one kind of motion — a beam of its likeliest geometries."""

import math

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.learning import learn_inplace
from driftlaw.predictor.adaptive.linear import log_sum
from driftlaw.predictor.adaptive.model import (
    BEAM,
    BROAD,
    COUNT,
    DEAD,
    EMPTY,
    FIT,
    HAZARDS,
    LOG_WEIGHT,
    MAX_CENTERS,
    MOST,
    N_CENTERS,
    N_SLOTS,
    PI,
    REFIT,
    RING,
    SHARE,
    STAY_CHANCE,
    STRAY,
)
from driftlaw.predictor.adaptive.moves import (
    BIRTH,
    FRESH,
    MOVE,
    RECALL,
    SHIFT,
    STAY,
    apply_move_inplace,
    bury_inplace,
    copy_slot_inplace,
    recall_inplace,
)
from driftlaw.predictor.adaptive.score import score_inplace
from driftlaw.predictor.adaptive.state import Store

_LATE = 4  # the memory of occupancies that says who was seen of late
_SURPRISE = 0.2  # chance of being unexplained from which a point may mean a change


@lean_kernel
def _put_inplace(rows: Array, n: int, log_weight: float, s: int, kind: int, j: int) -> int:
    rows[n, 0], rows[n, 1], rows[n, 2], rows[n, 3] = log_weight, s, kind, j
    return n + 1


@lean_kernel
def _propose_moves_inplace(x: Store, s: int, lane: int, rows: Array, n: int) -> int:
    """Append the changes that would explain a surprising point, drawn from the broad law."""
    base, k = x.slot[s, LOG_WEIGHT] + math.log(x.work[BROAD]), int(x.slot[s, N_CENTERS])
    if k < MOST[lane]:
        n = _put_inplace(rows, n, base + math.log(HAZARDS[0]), s, BIRTH, 0)
    for j in range(k):
        n = _put_inplace(rows, n, base + math.log(HAZARDS[1] * x.work[PI + j]), s, SHIFT, j)
        if k > 1:
            n = _put_inplace(rows, n, base + math.log(HAZARDS[2] * x.work[PI + j]), s, MOVE, j)
    if k > 1:
        n = _put_inplace(rows, n, base + math.log(HAZARDS[3]), s, FRESH, 0)
    return n


@lean_kernel
def _returning(x: Store, s: int) -> int:
    """Center that owns the point although it has hardly been seen of late; -1 if none."""
    total, k = 0.0, int(x.slot[s, N_CENTERS])
    for j in range(k):
        total += x.center[s, j, COUNT + _LATE]
    for j in range(k):
        if x.work[SHARE + j] > 0.5 and x.center[s, j, COUNT + _LATE] < 0.05 * total:
            return j
    return -1


@lean_kernel
def _propose_inplace(x: Store, lane: int, z: Array, rows: Array) -> int:
    """Children of all geometries of the lane as rows (log weight, parent, kind, center)."""
    n = 0
    for s in range(lane * BEAM, (lane + 1) * BEAM):
        if x.slot[s, LOG_WEIGHT] < DEAD:
            continue
        stay = x.slot[s, LOG_WEIGHT] + math.log(STAY_CHANCE) + score_inplace(x, s, z)
        n = _put_inplace(rows, n, stay, s, STAY, 0)
        j = _returning(x, s)
        if j >= 0:
            fit = HAZARDS[4] * x.work[FIT + j] / x.slot[s, N_CENTERS]
            n = _put_inplace(rows, n, x.slot[s, LOG_WEIGHT] + math.log(fit), s, RECALL, j)
        if x.work[STRAY] >= _SURPRISE:
            n = _propose_moves_inplace(x, s, lane, rows, n)
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
def _grow_inplace(x: Store, s: int, row: Array, lane: int, z: Array, t: int) -> None:
    """Geometry s, a copy of the parent, makes the row's move and learns z."""
    log_score = math.log(x.work[BROAD])
    if int(row[2]) == RECALL:
        recall_inplace(x, s, t)
    if int(row[2]) in (STAY, RECALL):
        log_score = score_inplace(x, s, z)
        learn_inplace(x, s, lane, z, t)
    else:
        apply_move_inplace(x, s, row, lane, z, t)
    bury_inplace(x, s, t)
    x.slot[s, RING + t % REFIT] = log_score
    x.slot[s, LOG_WEIGHT] = row[0]


@kernel
def step_lane_inplace(x: Store, lane: int, z: Array, t: int) -> float:
    """Advance the lane by one observation; returns its log predictive score."""
    first, scratch = lane * BEAM, N_SLOTS - BEAM
    rows = np.empty((BEAM * (4 + 2 * MAX_CENTERS), 4))
    n = _propose_inplace(x, lane, z, rows)
    total = log_sum(rows[:, 0], n)
    kept = min(BEAM, n)
    for i in range(kept):
        best = _heaviest(rows, n)
        copy_slot_inplace(x, scratch + i, int(rows[best, 1]))
        _grow_inplace(x, scratch + i, rows[best], lane, z, t)
        rows[best, 1] = -1
    for i in range(BEAM):
        if i < kept:
            copy_slot_inplace(x, first + i, scratch + i)
        else:
            x.slot[first + i, LOG_WEIGHT] = EMPTY
    normalise_inplace(x, lane)
    return total


@lean_kernel
def normalise_inplace(x: Store, lane: int) -> None:
    """Log weights of a lane's geometries sum to one again."""
    first = lane * BEAM
    top = log_sum(x.slot[first:, LOG_WEIGHT], BEAM)
    for s in range(first, first + BEAM):
        x.slot[s, LOG_WEIGHT] = max(x.slot[s, LOG_WEIGHT] - top, EMPTY)
