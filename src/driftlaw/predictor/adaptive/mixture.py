"""Kernels: from weighted geometries to one finite mixture."""

import math

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.grain import gather_parts_inplace
from driftlaw.predictor.adaptive.model import (
    AGE,
    BEAM,
    BELIEF,
    BORN,
    DF,
    LOG_WEIGHT,
    MASS,
    MOVES,
    N_CENTERS,
    N_LANES,
    N_SCALES,
    N_TAILS,
    PI,
)
from driftlaw.predictor.adaptive.refit import best_geometry
from driftlaw.predictor.adaptive.score import weigh_inplace, widened
from driftlaw.predictor.adaptive.state import Parts, Store

_LEAST_PART = 1e-3
_LEAST_GEOMETRY = 5e-3
_UNCONFIRMED = 0.08  # share of its weight that a change for which one point speaks has in the law


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
def _put_slot_inplace(x: Store, s: int, mass: float, out: Parts, at: int) -> int:
    """Append geometry s; parts too light to matter are dropped."""
    weigh_inplace(x, s)
    for j in range(int(x.slot[s, N_CENTERS])):
        for v in range(N_TAILS):
            weight = mass * x.work[PI + j] * _tail_weight(x, s, v)
            if weight >= _LEAST_PART and at < out.weights.shape[0]:
                out.weights[at] = weight
                _put_part_inplace(x, s, j, v, out, at)
                at += 1
    return at


@lean_kernel
def _is_unconfirmed(x: Store, s: int) -> bool:
    """Say whether geometry s moved at the latest observation; a fit has not, and rests on more."""
    return bool(x.slot[s, BORN] == x.work[AGE] - 1.0 and x.slot[s, MOVES] > 0.0)


@lean_kernel
def geometry_parts_inplace(x: Store, lanes: Array, out: Parts) -> int:
    """Law of all geometries of all lanes; returns the number of its components."""
    at, total = 0, 0.0
    for lane in range(N_LANES):
        for s in range(lane * BEAM, (lane + 1) * BEAM):
            share = math.exp(lanes[lane] + x.slot[s, LOG_WEIGHT])
            share *= _UNCONFIRMED if _is_unconfirmed(x, s) else 1.0
            if share > _LEAST_GEOMETRY:
                at = _put_slot_inplace(x, s, share, out, at)
    if at == 0:  # weights spread so thinly that nothing was heavy enough
        at = _put_slot_inplace(x, best_geometry(x, lanes), 1.0, out, 0)
    for i in range(at):
        total += out.weights[i]
    for i in range(at):
        out.weights[i] /= total
    gather_parts_inplace(x, out, at)
    return at
