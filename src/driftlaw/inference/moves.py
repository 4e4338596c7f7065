r"""Kernels: the proposals of the local sampler, each a pair of a draw and its log-density.

- walk: one centre takes a Gaussian step (symmetric);
- jump: one centre is replaced by a draw from the arrival density;
- birth: a draw from the arrival density takes a random slot among k + 1;
- death: a random centre leaves.

The arrival density is a mixture: with probability ``PRIOR_SHARE`` the location prior, otherwise
uniform on a cube around a random anchor. Anchors are observations; the cube has the variance
:math:`1/(2\lambda)` per coordinate that the posterior of a centre has given one observation.
"""

import math
from typing import NamedTuple

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw._xoshiro import State, below, fill_normal_inplace, uniform
from driftlaw.geometry import LocationPrior, draw_location_inplace, log_location

WALK, JUMP, BIRTH, DEATH = 0, 1, 2, 3
MOVE_NAMES = ("walk", "jump", "birth", "death")
WHOLE_BLOCK = 4  # no move, but decided upon: see decisions
PRIOR_SHARE = 0.5
_LOG_PRIOR_SHARE = math.log(PRIOR_SHARE)
_WALK_SHARE, _JUMP_SHARE, _RESIZE_SHARE = 0.5, 0.2, 0.3


class Arrival(NamedTuple):
    """Where new centres come from: the location prior, or near one of the anchors (d, n)."""

    prior: LocationPrior
    anchors: Array
    n_anchors: int
    half_width: float


@lean_kernel
def draw_arrival_inplace(arrival: Arrival, random: State, out: Array) -> None:
    """Draw a new centre into ``out`` (d,)."""
    if uniform(random) < PRIOR_SHARE:
        draw_location_inplace(arrival.prior, random, out)
        return
    s = below(random, arrival.n_anchors)
    for a in range(out.shape[0]):
        out[a] = arrival.anchors[a, s] + arrival.half_width * (2.0 * uniform(random) - 1.0)


@lean_kernel
def log_q_arrival(arrival: Arrival, center: Array) -> float:
    """Log-density of ``draw_arrival_inplace`` at ``center``."""
    d, covering = center.shape[0], 0
    for s in range(arrival.n_anchors):
        widest = 0.0
        for a in range(d):
            widest = max(widest, abs(center[a] - arrival.anchors[a, s]))
        covering += 1 if widest <= arrival.half_width else 0
    from_prior = _LOG_PRIOR_SHARE + log_location(arrival.prior, center)
    if covering == 0:
        return float(from_prior)
    near = math.log((1.0 - PRIOR_SHARE) * covering / arrival.n_anchors)
    near -= d * math.log(2.0 * arrival.half_width)
    top = max(near, from_prior)
    return float(top + math.log(math.exp(near - top) + math.exp(from_prior - top)))


@lean_kernel
def draw_walk_inplace(random: State, center: Array, step: float, out: Array) -> None:
    """Draw ``center`` plus a Gaussian step of width ``step`` into ``out`` (d,)."""
    fill_normal_inplace(random, out)
    for a in range(out.shape[0]):
        out[a] = center[a] + step * out[a]


@lean_kernel
def log_q_walk(center: Array, other: Array, step: float) -> float:
    """Log-density of a walk from ``center`` to ``other``: the same in both directions."""
    d, square = center.shape[0], 0.0
    for a in range(d):
        square += (other[a] - center[a]) ** 2
    return float(-0.5 * square / step**2 - d * math.log(step * math.sqrt(2.0 * math.pi)))


@lean_kernel
def move_probability(move: int, k: int, max_centers: int) -> float:
    """Probability of choosing ``move`` at k centres: no birth at the top, no death at one."""
    if max_centers == 1:
        resize = 0.0
    elif k in (1, max_centers):
        resize = _RESIZE_SHARE
    else:
        resize = 0.5 * _RESIZE_SHARE
    if move == BIRTH:
        return resize if k < max_centers else 0.0
    if move == DEATH:
        return resize if k > 1 else 0.0
    share = _WALK_SHARE if move == WALK else _JUMP_SHARE
    return share if max_centers > 1 else share / (_WALK_SHARE + _JUMP_SHARE)


@lean_kernel
def draw_move(random: State, k: int, max_centers: int) -> int:
    """Draw a move with its probability at k centres."""
    u = uniform(random)
    for move in range(DEATH):
        u -= move_probability(move, k, max_centers)
        if u < 0.0:
            return move
    return DEATH if k > 1 else WALK  # the latter only when probabilities round to below one


@lean_kernel
def log_q_birth(arrival: Arrival, center: Array, k: int, max_centers: int) -> float:
    """Log-density of reaching k + 1 centres by the birth of ``center`` into one of k + 1 slots."""
    chosen = math.log(move_probability(BIRTH, k, max_centers) / (k + 1))
    return chosen + log_q_arrival(arrival, center)


@lean_kernel
def log_q_death(k: int, max_centers: int) -> float:
    """Log-probability of removing one particular of k centres."""
    return math.log(move_probability(DEATH, k, max_centers) / k)
