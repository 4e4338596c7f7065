"""Kernels: the pool — geometries, windows of the latest observations, skewed geometries.

They are weighed by log score. A window is the law of its points under normal kernels; each pair of
a length and a width is a hypothesis of its own, and so is each gain at which points are carried.
"""

import math

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.carried import may_carry, score_carried_inplace
from driftlaw.predictor.adaptive.density import guarded, parts_log_density, set_near_inplace
from driftlaw.predictor.adaptive.linear import bayes_inplace, log_sum
from driftlaw.predictor.adaptive.mixture import geometry_parts_inplace
from driftlaw.predictor.adaptive.model import (
    BROAD,
    CARRIED,
    CARRIED_GROWTH,
    FIRST_JUDGED,
    GAINS,
    KERNEL_WINDOW,
    KIND,
    KIND_PRIOR,
    LENGTH,
    LENGTH_GROWTH,
    LENGTH_POWER,
    LENGTH_PRIOR,
    LENGTH_RATES,
    N_EXPERTS,
    N_GAINS,
    N_JUDGES,
    N_KINDS,
    N_LENGTHS,
    N_WIDTHS,
    N_WINDOWS,
    PAST,
    POOL_RATE,
    POOL_REPEATS,
    POOL_SHARE,
    REPEATS,
    SIGN,
    STAYING,
    WIDTH,
    WIDTH_PRIOR,
    WINDOWS,
)
from driftlaw.predictor.adaptive.ranks import score_levels_inplace, strangeness
from driftlaw.predictor.adaptive.refit import best_geometry
from driftlaw.predictor.adaptive.score import stray_rate
from driftlaw.predictor.adaptive.skewed import kind_weights, skewed_log_density
from driftlaw.predictor.adaptive.state import State
from driftlaw.predictor.adaptive.windows import recent, score_windows_inplace, window_scatter
from driftlaw.predictor.adaptive.world import set_broad_inplace

_COMPARED = 10  # observations from which on each is compared with those before
_MARGIN = 2.0  # nats of strangeness that chance may bring, on one axis
_OUT = -20.0  # nats by which windows fail that are not to be carried


@kernel
def window_weights(pool: Array) -> Array:
    """Weights (N_LENGTHS,) of the windows among themselves, whichever way they were judged."""
    weights = np.zeros(N_LENGTHS)
    for q in range(N_JUDGES * N_LENGTHS):
        weights[q % N_LENGTHS] += math.exp(pool[LENGTH + q])
    return weights


@kernel
def lengths_in_law(pool: Array) -> Array:
    """Weights (N_LENGTHS,) of the windows in the law, sharper than those by which they learn.

    A prior that lets short windows win in time leaves them a part of the law at rest otherwise.
    """
    weights = window_weights(pool) ** LENGTH_POWER
    weights /= weights.sum()
    return weights


@lean_kernel
def _hand_on_inplace(logs: Array, e: int, heir: int, part: float) -> None:
    """Hand a part of weight e, whose logs are given, to another one."""
    logs[heir] = math.log(math.exp(logs[heir]) + part * math.exp(logs[e]))
    logs[e] += math.log(1.0 - part)


@kernel
def _grow_inplace(pool: Array) -> None:
    """Hand a part of the weight of each window to the next longer one, from the longest down.

    What has been true for so many observations will soon have been so for twice as many. And what
    is carried along with a fast level, to the next slower one.
    """
    for q in range(N_JUDGES):
        logs = pool[LENGTH + q * N_LENGTHS :]
        for e in range(N_WINDOWS - 2, -1, -1):
            _hand_on_inplace(logs, e, e + 1, LENGTH_GROWTH / WINDOWS[e])
        for e in range(N_WINDOWS, N_LENGTHS):
            g = (e - N_WINDOWS) % N_GAINS
            if g > 0:
                _hand_on_inplace(logs, e, e - 1, CARRIED_GROWTH * GAINS[g])


@lean_kernel
def _tell_logarithms_inplace(logs: Array, ratios: Array) -> None:
    """Let kernels tell logarithms from values of the same gain, which ranks cannot.

    Of each such pair, whose log weights by ranks are given, both together keep what they have.
    """
    for q in range(N_WINDOWS, N_WINDOWS + N_GAINS):
        e = q + N_GAINS
        top = max(ratios[q], ratios[e])
        before = math.exp(logs[q]) + math.exp(logs[e])
        after = math.exp(logs[q] + ratios[q] - top) + math.exp(logs[e] + ratios[e] - top)
        common = top + math.log(after / before)
        ratios[N_LENGTHS + q] += ratios[q] - common
        ratios[N_LENGTHS + e] += ratios[e] - common


@kernel
def _length_ratios(state: State, z: Array, scatter: Array, by_kernels: Array) -> Array:
    """Log ratios (N_JUDGES N_LENGTHS,) of each window to the longest, by kernels and by levels.

    ``by_kernels`` (N_LENGTHS,) holds the densities at z of those whose points stay, and receives
    those of the others.
    """
    levels, starts = np.empty(N_LENGTHS), np.zeros((N_GAINS, CARRIED))
    ratios, last, n = np.full(N_JUDGES * N_LENGTHS, _OUT), N_WINDOWS - 1, N_WINDOWS
    by_kernels[N_WINDOWS:] = by_kernels[last] + _OUT
    if may_carry(state):
        n, like = N_LENGTHS, by_kernels[STAYING]
        score_carried_inplace(state, z, scatter, like, by_kernels[N_WINDOWS:], starts)
    score_levels_inplace(state, z, starts, levels)
    for e in range(n):
        ratios[e] = LENGTH_RATES[0] * (by_kernels[e] - by_kernels[last])
        ratios[N_LENGTHS + e] = LENGTH_RATES[1] * (levels[e] - levels[last])
    if n > N_WINDOWS:
        _tell_logarithms_inplace(state.pool[LENGTH + N_LENGTHS :], ratios)
    return ratios


@kernel
def _judge_windows_inplace(state: State, scatter: Array, best: int, z: Array) -> float:
    """Weigh lengths and widths by what they say of z; returns the log density of all together.

    Lengths are judged under kernels of one width, a wide one: by kernels of its own a long window
    would win for being smooth, and a still one for being narrow, whatever is true by now. And by
    the level alone. What counts is the ratio to the longest window, judged in the same way. One
    that is carried has the density of as many points that stay, and what it gains under wide ones.
    """
    pool, scores = state.pool, np.empty((N_WIDTHS, N_WINDOWS))
    logs, by_kernels = np.empty(N_LENGTHS), np.empty(N_LENGTHS)
    points = recent(state.past, state.t[0], min(state.t[0], PAST))
    score_windows_inplace(points, state.store, z, scatter, best, scores)
    by_kernels[:N_WINDOWS] = scores[0]
    ratios, weights = _length_ratios(state, z, scatter, by_kernels), window_weights(pool)
    for e in range(N_WINDOWS):
        widths = pool[WIDTH + e * N_WIDTHS : WIDTH + (e + 1) * N_WIDTHS]
        logs[e] = log_sum(widths + scores[:, e], N_WIDTHS)
        bayes_inplace(widths, scores[:, e], WIDTH_PRIOR, POOL_RATE, POOL_SHARE)
    logs[N_WINDOWS:] = logs[STAYING] + by_kernels[N_WINDOWS:] - by_kernels[STAYING]
    bayes_inplace(pool[LENGTH:], ratios, LENGTH_PRIOR, 1.0, POOL_SHARE)
    _grow_inplace(pool)
    return log_sum(logs + np.log(weights), N_LENGTHS)


@kernel
def kind_prior(repeats: float) -> Array:
    """Prior of the kinds of experts: values that come again are atoms, which windows hold."""
    prior = KIND_PRIOR.copy()
    for q in (0, 2):
        prior[q] *= math.exp(-POOL_REPEATS * repeats)
    prior /= prior.sum()
    return prior


@kernel
def begin_pool_inplace(state: State) -> None:
    """Begin from the priors, but windows with less where they are out of date from the first.

    That is where the latest observations are strange to those before, by their ranks: densities of
    a few points would tell more of the dimension.
    """
    pool, prior = state.pool, kind_prior(state.watch[REPEATS])
    behind = strangeness(state.past, _COMPARED, FIRST_JUDGED)
    behind -= _MARGIN / math.sqrt(state.past.shape[1])
    for q in range(N_KINDS):
        pool[KIND + q] = math.log(prior[q])
    pool[KIND + 1] -= max(behind, 0.0)
    top = log_sum(pool[KIND:], N_KINDS)
    for q in range(N_KINDS):
        pool[KIND + q] -= top


@kernel
def judge_inplace(state: State, z: Array) -> None:
    """Weigh the kinds of experts, and windows among themselves, before z is learnt."""
    pool, x, t, scores = state.pool, state.store, state.t[0], np.empty(N_KINDS)
    best = best_geometry(x, state.lanes)
    set_broad_inplace(x, z)
    scatter = window_scatter(recent(state.past, t, min(t, KERNEL_WINDOW)), x)
    set_near_inplace(x, scatter)
    rows = geometry_parts_inplace(x, state.lanes, state.parts)
    log_density = math.log(1.0 - stray_rate(x, best)) + parts_log_density(state.parts, rows, x, z)
    scores[0] = guarded(log_density, x.work[BROAD])
    scores[1] = _judge_windows_inplace(state, scatter, best, z)
    scores[2] = scores[0]
    if state.axis[SIGN] != 0.0:
        scores[2] = guarded(skewed_log_density(state, z[0]), x.work[BROAD])
    prior = kind_prior(state.watch[REPEATS])
    bayes_inplace(pool[KIND:], scores, prior, POOL_RATE, POOL_SHARE)


@kernel
def expert_weights_inplace(state: State, weights: Array) -> None:
    """Weights in the law: geometries, windows by length, carried ones, skewed geometries."""
    if state.t[0] < FIRST_JUDGED:
        weights[:] = 0.0
        weights[0] = 1.0
        return
    kinds, lengths = kind_weights(state), lengths_in_law(state.pool)
    weights[0], weights[N_EXPERTS - 1] = kinds[0], kinds[2]
    weights[1 : 1 + N_WINDOWS] = kinds[1] * lengths[:N_WINDOWS]
    weights[1 + N_WINDOWS] = kinds[1] * lengths[N_WINDOWS:].sum()
