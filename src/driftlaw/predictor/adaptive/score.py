"""Kernels: one geometry, one observation — quasi-likelihood and responsibilities."""

import math

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.linear import log_volume_ratio, squared_length_inplace
from driftlaw.predictor.adaptive.model import (
    ABSENT,
    BELIEF,
    BROAD,
    BY_BELIEF,
    BY_MEMORY,
    COUNT,
    DF,
    ERROR,
    FIT,
    GAP,
    GONE,
    MASS,
    MEMORY,
    N_BELIEFS,
    N_CENTERS,
    N_TAILS,
    N_WEIGHTS,
    PI,
    PI_MEMORY,
    PULL,
    SCALE,
    SCALE_NOISE,
    SEEN,
    SHARE,
    STRAY,
    STRAYS,
    SURE,
    VAR,
    WEIGHT_MEMORY,
    WORLD_FACTOR,
)
from driftlaw.predictor.adaptive.state import Store

_TINY = 1e-12  # weight of others, at least: what is left of one after rounding
_HIGHEST = 600.0  # log density: kernels of a stream that has stood still are as good as points


@lean_kernel
def weigh_inplace(x: Store, s: int) -> None:
    """Weights of the centers: for each memory of occupancies, and mixed over the memories.

    A center counts for as much as it is likely to be visited still; SURE holds the mixed weights
    without any such doubt.
    """
    w, k = x.work, int(x.slot[s, N_CENTERS])
    for j in range(k):
        w[PI + j] = 0.0
        w[SURE + j] = 0.0
    for q in range(N_WEIGHTS):
        total, undoubted = 0.0, 0.0
        for j in range(k):
            visits = 0.0 if WEIGHT_MEMORY[q] == 0.0 else x.center[s, j, COUNT + q]
            there = 1.0 / (1.0 + x.center[s, j, GONE])
            w[PI_MEMORY + j * N_WEIGHTS + q] = (visits + 1.0) * there
        for j in range(k):
            total += w[PI_MEMORY + j * N_WEIGHTS + q]
            undoubted += w[PI_MEMORY + j * N_WEIGHTS + q] * (1.0 + x.center[s, j, GONE])
        for j in range(k):
            certain = 1.0 + x.center[s, j, GONE]
            share = w[PI_MEMORY + j * N_WEIGHTS + q] * certain / undoubted
            w[SURE + j] += x.slot[s, MEMORY + q] * share
            w[PI_MEMORY + j * N_WEIGHTS + q] /= total
            w[PI + j] += x.slot[s, MEMORY + q] * w[PI_MEMORY + j * N_WEIGHTS + q]


@lean_kernel
def stray_rate(x: Store, s: int) -> float:
    """Share ε of observations that no center explains, learnt, between 0.002 and 0.2."""
    rate: float = (x.slot[s, STRAYS] + 0.2) / (x.slot[s, SEEN] + 20.0)
    return min(max(rate, 0.002), 0.2)


@lean_kernel
def widened(x: Store, s: int, j: int, q: int) -> float:
    """Scale q of center j with what is not known of it: s² (1 + P) n / (n - 2).

    A scale that is known as if from n squares makes a normal law one of Student with n degrees.
    """
    certainty = 1.0 - 2.0 * SCALE_NOISE[q // N_TAILS] / x.mean.shape[2]
    scale: float = x.center[s, j, SCALE + q] * (1.0 + x.center[s, j, VAR]) / certainty
    return scale


@lean_kernel
def _overfit(x: Store, s: int) -> float:
    """How much longer squared gaps of new points are than of those that a lone kernel is made of.

    A kernel that was estimated from n points is too narrow somewhere, by (d - 1)/n on average.
    """
    if x.slot[s, N_CENTERS] > 1.0:
        return 1.0
    d = x.mean.shape[2]
    growth: float = 1.0 + (d - 1.0) / (x.center[s, 0, MASS] + d)
    return growth


@lean_kernel
def _score_center_inplace(x: Store, s: int, j: int, z: Array, stretch: float) -> None:
    """Gap, density and Student pull of center j; its kernel grows with its own uncertainty."""
    w, d = x.work, z.shape[0]
    for i in range(d):
        x.lines[ERROR, i] = z[i] - x.mean[s, j, i]
    gap = squared_length_inplace(x, x.factor[s, j]) / stretch
    volume = log_volume_ratio(x.squares[WORLD_FACTOR], x.factor[s, j])
    volume -= 0.5 * d * math.log(stretch)
    density, pull = 0.0, 0.0
    for q in range(N_BELIEFS):
        nu = DF[q % N_TAILS]
        scale = widened(x, s, j, q)
        y = gap / scale
        log_f = x.constants[q % N_TAILS] + volume - 0.5 * d * math.log(scale)
        f = math.exp(min(log_f - 0.5 * (nu + d) * math.log1p(y / nu), _HIGHEST))
        density += x.slot[s, BELIEF + q] * f
        pull += x.slot[s, BELIEF + q] * f * (nu + d) / (nu + y)
        w[BY_BELIEF + q] += w[PI + j] * f
    w[GAP + j] = gap
    w[FIT + j] = density
    w[PULL + j] = pull / density if density > 1e-200 else 0.0


@lean_kernel
def _compare_absence_inplace(x: Store, s: int, total: float, floor: float) -> None:
    """How much likelier the observation is if center j has left than if it is there, for each j.

    The others keep their weights and doubts. ``total`` is (1-ε) Σ_j π_j f_j, in which each π_j
    holds the doubt of j, and ``floor`` is ε b. No observation says more than that it is another's:
    what speaks for one that was doubted does not speak against the rest.
    """
    w, k = x.work, int(x.slot[s, N_CENTERS])
    for j in range(k if k > 1 else 0):
        others, certain = 1.0 - w[PI + j], 1.0 + x.center[s, j, GONE]
        own = w[SHARE + j] * (total + floor)
        rest = max(total - own, 0.0)
        there = (certain * own + rest) / (certain * w[PI + j] + others) + floor
        ratio = (rest / max(others, _TINY) + floor) / there
        w[ABSENT + j] = min(ratio, 1.0 / max(1.0 - w[SURE + j], _TINY))


@lean_kernel
def score_inplace(x: Store, s: int, z: Array, is_new: bool) -> float:
    """Log of (1-ε) Σ_j π_j t(z; c_j) + ε b(z), per unit of volume; responsibilities on the way.

    The broad density b(z) must stand in the work vector already. ``is_new`` is whether the
    geometry was made without z.
    """
    w, k = x.work, int(x.slot[s, N_CENTERS])
    weigh_inplace(x, s)
    stretch = _overfit(x, s) if is_new else 1.0
    for q in range(N_BELIEFS):
        w[BY_BELIEF + q] = 0.0
    for j in range(k):
        _score_center_inplace(x, s, j, z, stretch)
    rate = stray_rate(x, s)
    floor, total = rate * w[BROAD], 0.0
    for j in range(k):
        total += (1 - rate) * w[PI + j] * w[FIT + j]
    for q in range(N_BELIEFS):
        w[BY_BELIEF + q] = (1 - rate) * w[BY_BELIEF + q] + floor
    for q in range(N_WEIGHTS):
        fit = 0.0
        for j in range(k):
            fit += w[PI_MEMORY + j * N_WEIGHTS + q] * w[FIT + j]
        w[BY_MEMORY + q] = floor + (1 - rate) * fit
    for j in range(k):
        w[SHARE + j] = (1 - rate) * w[PI + j] * w[FIT + j] / (total + floor)
    w[STRAY] = floor / (total + floor)
    _compare_absence_inplace(x, s, total, floor)
    return math.log(total + floor)
