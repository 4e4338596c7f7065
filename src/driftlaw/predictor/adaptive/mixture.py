"""Kernels: from weighted geometries to one finite mixture."""

import math

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.grain import gather_parts_inplace
from driftlaw.predictor.adaptive.model import (
    BEAM,
    BELIEF,
    DF,
    LAST,
    LOG_WEIGHT,
    MASS,
    MOVED,
    MOVES,
    N_CENTERS,
    N_LANES,
    N_SCALES,
    N_TAILS,
    PI,
    SINCE,
    STRAYS,
)
from driftlaw.predictor.adaptive.moves import UNSEEN
from driftlaw.predictor.adaptive.refit import best_geometry
from driftlaw.predictor.adaptive.score import weigh_inplace, widened
from driftlaw.predictor.adaptive.state import Parts, Store

_LEAST_PART = 1e-3
_LEAST_GEOMETRY = 5e-3
_UNCONFIRMED = 0.04  # share of its weight that a change for which one point speaks has in the law …
_DOUBTS = 2.0  # … as if seen at so many earlier ones


@lean_kernel
def _tail_weight(x: Store, s: int, v: int) -> float:
    total = 0.0
    for r in range(N_SCALES):
        total += x.slot[s, BELIEF + r * N_TAILS + v]
    return total


@lean_kernel
def _unknown(x: Store, s: int) -> float:
    """Widen a lone kernel by what is not known of its shape: n / (n - 2) less a d-th for its scale.

    Along an axis the variance is as if from n squares; the scale's part of it is in the scale.
    """
    if x.slot[s, N_CENTERS] > 1.0:
        return 1.0
    d = x.mean.shape[2]
    growth: float = 1.0 + 2.0 * (1.0 - 1.0 / d) / (x.center[s, 0, MASS] + 1.0)
    return growth


@lean_kernel
def _put_part_inplace(x: Store, s: int, j: int, v: int, out: Parts, at: int) -> None:
    """Row ``at`` becomes center j with tail v; scale memories are averaged."""
    d, scale = x.mean.shape[2], 0.0
    for r in range(N_SCALES):
        q = r * N_TAILS + v
        scale += x.slot[s, BELIEF + q] * widened(x, s, j, q)
    root = math.sqrt(scale * _unknown(x, s) / _tail_weight(x, s, v))
    for i in range(d):
        out.means[at, i] = x.mean[s, j, i]
        for a in range(d):
            out.scales[at, i, a] = root * x.factor[s, j, i, a]
    out.df[at] = DF[v]


@lean_kernel
def _is_unseen(x: Store, s: int, j: int) -> bool:
    """Say whether no observation since its birth was probably of center j."""
    return bool(x.center[s, j, MASS] < UNSEEN)


@lean_kernel
def _is_moved(x: Store, s: int, j: int) -> bool:
    """Say whether no observation since center j was moved by itself was probably its own."""
    return bool(x.center[s, j, LAST] == x.center[s, j, MOVED])


@lean_kernel
def _is_shifted(x: Store, s: int) -> bool:
    """Say whether a shift or a fresh start waits for a second point, of any center.

    A fit rests on more. Births do not count, of which each waits for itself.
    """
    if x.slot[s, MOVES] == 0.0 or x.slot[s, SINCE] == 0.0:
        return False
    for j in range(int(x.slot[s, N_CENTERS])):
        if not _is_unseen(x, s, j) and x.center[s, j, LAST] > x.slot[s, SINCE]:
            return False
    return True


@lean_kernel
def _n_waiting(x: Store, s: int) -> float:
    """Count the moves of geometry s, other than births, for which one point speaks."""
    total = 1.0 if _is_shifted(x, s) else 0.0
    for j in range(int(x.slot[s, N_CENTERS])):
        total += 1.0 if _is_moved(x, s, j) else 0.0
    return total


@lean_kernel
def _trust(x: Store, s: int) -> float:
    """Share of its weight that a move of geometry s has in the law while it waits."""
    earlier = x.slot[s, MOVES] - _n_waiting(x, s)
    for j in range(int(x.slot[s, N_CENTERS])):
        earlier -= 1.0 if _is_unseen(x, s, j) else 0.0
    earlier = max(earlier, 0.0)
    trust: float = (_DOUBTS * _UNCONFIRMED + earlier) / (_DOUBTS + earlier + x.slot[s, STRAYS])
    return trust


@lean_kernel
def _certainty(x: Store, s: int, j: int) -> float:
    """Share of its weight that center j has in the law: little if it was not seen since its birth.

    What it lacks falls to the other centers.
    """
    return _trust(x, s) if _is_unseen(x, s, j) else 1.0


@lean_kernel
def _put_slot_inplace(x: Store, s: int, mass: float, least: float, out: Parts, at: int) -> int:
    """Append geometry s; parts that would be lighter than ``least`` if certain are dropped."""
    k, total = int(x.slot[s, N_CENTERS]), 0.0
    weigh_inplace(x, s)
    for j in range(k):
        total += x.work[PI + j] * _certainty(x, s, j)
    for j in range(k):
        certainty = _certainty(x, s, j)
        for v in range(N_TAILS):
            weight = mass * x.work[PI + j] * certainty / total * _tail_weight(x, s, v)
            if weight >= least * certainty and at < out.weights.shape[0]:
                out.weights[at] = weight
                _put_part_inplace(x, s, j, v, out, at)
                at += 1
    return at


@lean_kernel
def _confirmed(x: Store, s: int) -> float:
    """Share of its weight that geometry s has in the law; the rest goes to those that stayed."""
    return _trust(x, s) if _n_waiting(x, s) > 0.0 else 1.0


@lean_kernel
def _gain_of_others(x: Store, lanes: Array) -> float:
    """Factor by which geometries that stayed have more weight in the law."""
    stayed, lost = 1e-300, 0.0
    for s in range(N_LANES * BEAM):
        share, part = math.exp(lanes[s // BEAM] + x.slot[s, LOG_WEIGHT]), _confirmed(x, s)
        lost += share * (1.0 - part)
        if part == 1.0:
            stayed += share
    return 1.0 + lost / stayed


@lean_kernel
def geometry_parts_inplace(x: Store, lanes: Array, out: Parts) -> int:
    """Law of all geometries of all lanes; returns the number of its components."""
    at, total, gain = 0, 0.0, _gain_of_others(x, lanes)
    for s in range(N_LANES * BEAM):
        share = math.exp(lanes[s // BEAM] + x.slot[s, LOG_WEIGHT])
        if share > _LEAST_GEOMETRY:
            part = _confirmed(x, s)
            factor = part if part < 1.0 else gain
            at = _put_slot_inplace(x, s, share * factor, _LEAST_PART * factor, out, at)
    if at == 0:  # weights spread so thinly that nothing was heavy enough
        at = _put_slot_inplace(x, best_geometry(x, lanes), 1.0, _LEAST_PART, out, 0)
    for i in range(at):
        total += out.weights[i]
    for i in range(at):
        out.weights[i] /= total
    gather_parts_inplace(x, out, at)
    return at
