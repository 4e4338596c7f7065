"""Kernels: moves at a surprising point — birth, shift of all, move of one, fresh start; death."""

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.learning import move_time_inplace, refresh_inplace
from driftlaw.predictor.adaptive.model import (
    BORN,
    COUNT,
    COV,
    GONE,
    IDENTITY,
    LAST,
    MASS,
    MOST_GONE,
    MOVED,
    MOVES,
    N_BELIEFS,
    N_CENTERS,
    N_WEIGHTS,
    SCALE,
    SINCE,
    SPEED,
    SPEED_VAR,
    STRAYS,
    VAR,
)
from driftlaw.predictor.adaptive.state import Store

UNSEEN = 0.5  # mass below which a center has not been seen since its birth
STAY, BIRTH, SHIFT, MOVE, FRESH = 0, 1, 2, 3, 4


@lean_kernel
def copy_center_inplace(x: Store, s: int, i: int, source: int, j: int) -> None:
    """Center i of geometry s becomes a copy of center j of geometry ``source``."""
    for a in range(x.center.shape[2]):
        x.center[s, i, a] = x.center[source, j, a]
    for a in range(x.mean.shape[2]):
        x.mean[s, i, a] = x.mean[source, j, a]
        x.velocity[s, i, a] = x.velocity[source, j, a]
        for b in range(x.mean.shape[2]):
            x.shape[s, i, a, b] = x.shape[source, j, a, b]
            x.factor[s, i, a, b] = x.factor[source, j, a, b]


@lean_kernel
def copy_slot_inplace(x: Store, s: int, source: int) -> None:
    """Geometry s becomes a copy of another."""
    for a in range(x.slot.shape[1]):
        x.slot[s, a] = x.slot[source, a]
    for j in range(int(x.slot[source, N_CENTERS])):
        copy_center_inplace(x, s, j, source, j)


@lean_kernel
def place_inplace(x: Store, s: int, j: int, z: Array, lane: int, t: int) -> None:
    """Center j starts at z, at rest but for the velocity's prior; kernel and counts stay.

    That it has left is out of the question.
    """
    for i in range(z.shape[0]):
        x.mean[s, j, i] = z[i]
        x.velocity[s, j, i] = 0.0
    x.center[s, j, VAR] = 1.0
    x.center[s, j, COV] = 0.0
    x.center[s, j, SPEED_VAR] = SPEED[lane]
    x.center[s, j, IDENTITY] = t
    x.center[s, j, LAST] = t
    x.center[s, j, MOVED] = -1.0
    x.center[s, j, GONE] = 0.0


@lean_kernel
def _birth_inplace(x: Store, s: int, z: Array, lane: int, t: int) -> None:
    """Add a center whose kernel is what the others have."""
    j, d = int(x.slot[s, N_CENTERS]), z.shape[0]
    x.slot[s, N_CENTERS] += 1
    place_inplace(x, s, j, z, lane, t)
    x.center[s, j, MASS] = 0.0
    for i in range(d):
        for a in range(d):
            x.shape[s, j, i, a] = 0.0
    for q in range(N_WEIGHTS):
        x.center[s, j, COUNT + q] = 1.0
    for q in range(N_BELIEFS):
        mean = 0.0
        for i in range(j):
            mean += x.center[s, i, SCALE + q] / j
        x.center[s, j, SCALE + q] = mean


@lean_kernel
def _shift_inplace(x: Store, s: int, j: int, z: Array, t: int) -> None:
    """All centers move together so that center j is at z; shape, weights, kernels stay."""
    k = int(x.slot[s, N_CENTERS])
    for i in range(z.shape[0]):
        gap = z[i] - x.mean[s, j, i]
        for a in range(k):
            x.mean[s, a, i] += gap
    for a in range(k):
        x.center[s, a, VAR] += 1.0
    x.center[s, j, LAST] = t
    x.center[s, j, GONE] = 0.0
    x.slot[s, SINCE] = t


@lean_kernel
def _fresh_inplace(x: Store, s: int, z: Array, lane: int, t: int) -> None:
    """One center at z; the best known kernel is kept, all else forgotten."""
    j = 0
    for i in range(int(x.slot[s, N_CENTERS])):
        if x.center[s, i, MASS] > x.center[s, j, MASS]:
            j = i
    if j > 0:
        copy_center_inplace(x, s, 0, s, j)
    x.slot[s, N_CENTERS] = 1
    place_inplace(x, s, 0, z, lane, t)
    x.slot[s, SINCE] = t
    x.center[s, 0, MASS] = min(x.center[s, 0, MASS], 5.0)
    for q in range(N_WEIGHTS):
        x.center[s, 0, COUNT + q] = 1.0


@lean_kernel
def apply_move_inplace(x: Store, s: int, row: Array, lane: int, z: Array, t: int) -> None:
    """Make the move of ``row`` = (log weight, parent, kind, center)."""
    kind, j = int(row[2]), int(row[3])
    if kind == BIRTH:
        _birth_inplace(x, s, z, lane, t)
    elif kind == SHIFT:
        _shift_inplace(x, s, j, z, t)
    elif kind == MOVE:
        place_inplace(x, s, j, z, lane, t)
        x.center[s, j, MOVED] = t
    else:
        _fresh_inplace(x, s, z, lane, t)
    x.slot[s, BORN] = t
    x.slot[s, MOVES] += 1.0
    refresh_inplace(x, s)
    move_time_inplace(x, s, lane)


@lean_kernel
def _is_forgotten(x: Store, s: int, j: int, t: int) -> bool:
    """Say whether a center has left, is unseen for long, or was born of one or two strays."""
    total, c = 0.0, x.center[s, j]
    if c[GONE] > MOST_GONE:
        return True
    for i in range(int(x.slot[s, N_CENTERS])):
        total += x.center[s, i, COUNT + 2]
    if c[COUNT + 2] < 0.01 * total and t - c[LAST] > 200:
        return True
    return bool(t - c[IDENTITY] > 25 and c[MASS] < 2.5)


@lean_kernel
def bury_inplace(x: Store, s: int, t: int) -> None:
    """Remove the centers that nobody visits; one always stays. One never seen again was a stray."""
    j = 0
    while j < int(x.slot[s, N_CENTERS]) and x.slot[s, N_CENTERS] > 1:
        if _is_forgotten(x, s, j, t):
            if x.center[s, j, MASS] < UNSEEN:
                x.slot[s, STRAYS] += 1.0
                x.slot[s, MOVES] = max(x.slot[s, MOVES] - 1.0, 0.0)
            for i in range(j, int(x.slot[s, N_CENTERS]) - 1):
                copy_center_inplace(x, s, i, s, i + 1)
            x.slot[s, N_CENTERS] -= 1
            if x.slot[s, N_CENTERS] == 1.0:
                x.center[s, 0, GONE] = 0.0
        else:
            j += 1
