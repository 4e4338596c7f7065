"""Kernels: the pool — geometries, windows of the latest observations, skewed geometries.

They are weighed by log score. A window is the law of its points under normal kernels; each pair of
a length and a width is a hypothesis of its own.
"""

import math

import numpy as np

from driftlaw._jit import kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.density import guarded, parts_log_density, set_near_inplace
from driftlaw.predictor.adaptive.linear import bayes_inplace, log_sum
from driftlaw.predictor.adaptive.mixture import geometry_parts_inplace
from driftlaw.predictor.adaptive.model import (
    BROAD,
    FIRST_JUDGED,
    KERNEL_WINDOW,
    KIND,
    KIND_PRIOR,
    LENGTH,
    LENGTH_GROWTH,
    LENGTH_POWER,
    LENGTH_PRIOR,
    LENGTH_RATES,
    N_JUDGES,
    N_KINDS,
    N_WIDTHS,
    N_WINDOWS,
    PAST,
    POOL_RATE,
    POOL_REPEATS,
    POOL_SHARE,
    REPEATS,
    SIGN,
    WIDTH,
    WIDTH_PRIOR,
    WINDOWS,
)
from driftlaw.predictor.adaptive.ranks import score_levels_inplace
from driftlaw.predictor.adaptive.refit import best_geometry
from driftlaw.predictor.adaptive.score import stray_rate
from driftlaw.predictor.adaptive.skewed import kind_weights, skewed_log_density
from driftlaw.predictor.adaptive.state import State
from driftlaw.predictor.adaptive.windows import recent, score_windows_inplace, window_scatter
from driftlaw.predictor.adaptive.world import set_broad_inplace


@kernel
def window_weights(pool: Array) -> Array:
    """Weights (N_WINDOWS,) of the windows among themselves, whichever way they were judged."""
    weights = np.zeros(N_WINDOWS)
    for q in range(N_JUDGES * N_WINDOWS):
        weights[q % N_WINDOWS] += math.exp(pool[LENGTH + q])
    return weights


@kernel
def lengths_in_law(pool: Array) -> Array:
    """Weights (N_WINDOWS,) of the windows in the law, sharper than those by which they learn.

    A prior that lets short windows win in time leaves them a part of the law at rest otherwise.
    """
    weights = window_weights(pool) ** LENGTH_POWER
    weights /= weights.sum()
    return weights


@kernel
def _grow_inplace(pool: Array) -> None:
    """Hand a part of the weight of each window to the next longer one, from the longest down.

    What has been true for so many observations will soon have been so for twice as many.
    """
    for q in range(N_JUDGES):
        logs = pool[LENGTH + q * N_WINDOWS :]
        for e in range(N_WINDOWS - 2, -1, -1):
            part = LENGTH_GROWTH / WINDOWS[e]
            logs[e + 1] = math.log(math.exp(logs[e + 1]) + part * math.exp(logs[e]))
            logs[e] += math.log(1.0 - part)


@kernel
def _judge_windows_inplace(state: State, scatter: Array, best: int, z: Array) -> float:
    """Weigh lengths and widths by what they say of z; returns the log density of all together.

    Lengths are judged under kernels of one width, a wide one: by kernels of its own a long window
    would win for being smooth, and a still one for being narrow, whatever is true by now. And by
    the level alone. What counts is the ratio to the longest window, judged in the same way.
    """
    pool, scores = state.pool, np.empty((N_WIDTHS, N_WINDOWS))
    logs, levels = np.empty(N_WINDOWS * N_WIDTHS), np.empty(N_WINDOWS)
    points = recent(state.past, state.t[0], min(state.t[0], PAST))
    score_windows_inplace(points, state.store, z, scatter, best, scores)
    score_levels_inplace(state, z, levels)
    weights, ratios = window_weights(pool), np.empty(N_JUDGES * N_WINDOWS)
    for e in range(N_WINDOWS):
        ratios[e] = LENGTH_RATES[0] * (scores[0, e] - scores[0, N_WINDOWS - 1])
        ratios[N_WINDOWS + e] = LENGTH_RATES[1] * (levels[e] - levels[N_WINDOWS - 1])
        widths = pool[WIDTH + e * N_WIDTHS :]
        log_weight = math.log(weights[e])
        for h in range(N_WIDTHS):
            logs[e * N_WIDTHS + h] = log_weight + widths[h] + scores[h, e]
        bayes_inplace(widths, scores[:, e], WIDTH_PRIOR, POOL_RATE, POOL_SHARE)
    bayes_inplace(pool[LENGTH:], ratios, LENGTH_PRIOR, 1.0, POOL_SHARE)
    _grow_inplace(pool)
    return log_sum(logs, logs.shape[0])


@kernel
def kind_prior(repeats: float) -> Array:
    """Prior of the kinds of experts: values that come again are atoms, which windows hold."""
    prior = KIND_PRIOR.copy()
    for q in (0, 2):
        prior[q] *= math.exp(-POOL_REPEATS * repeats)
    prior /= prior.sum()
    return prior


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
    if t == FIRST_JUDGED:
        for q in range(N_KINDS):
            pool[KIND + q] = math.log(prior[q])
    bayes_inplace(pool[KIND:], scores, prior, POOL_RATE, POOL_SHARE)


@kernel
def expert_weights_inplace(state: State, weights: Array) -> None:
    """Weights in the law: geometries, each window whatever its kernels' width, skewed ones."""
    kinds = kind_weights(state)
    weights[0], weights[1 + N_WINDOWS] = kinds[0], kinds[2]
    weights[1 : 1 + N_WINDOWS] = kinds[1] * lengths_in_law(state.pool)
