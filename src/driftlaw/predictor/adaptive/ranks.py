"""Kernels: ranks of the latest observations, by which a level that moves is seen early.

A kernel density estimate of twenty points says so little of a law that it takes hundreds of
observations until it beats one of all points that are out of date. The level alone is known from
twenty points far better, and its ranks make it free of tails, of skewness and of units.
"""

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.carry import walked
from driftlaw.predictor.adaptive.density import squared_gap
from driftlaw.predictor.adaptive.linear import factorise_inplace
from driftlaw.predictor.adaptive.model import CARRIED, GAINS, N_GAINS, N_WINDOWS, PAST, WINDOWS
from driftlaw.predictor.adaptive.state import State

_LEAST_VARIANCE = 0.02  # of ranks, a twelfth where no two are equal: rare values are not normal
_LEAST_PIVOT = 1e-3


@kernel
def rerank_inplace(state: State, z: Array) -> None:
    """Count z among the past, and no more what it takes the place of there."""
    past, twice, t = state.past, state.twice_ranks, state.t[0]
    at, n = t % PAST, min(t, PAST)
    for i in range(z.shape[0]):
        if t >= PAST:
            for a in range(n):
                below = past[at, i] < past[a, i]
                twice[a, i] -= 2 * below + (past[at, i] == past[a, i])
        own = 1
        for a in range(n):
            if a != at:
                is_below, is_equal = z[i] < past[a, i], z[i] == past[a, i]
                twice[a, i] += 2 * is_below + is_equal
                own += 2 * (1 - is_below) - is_equal
        twice[at, i] = own


@kernel
def _rank(past: Array, n: int, z: Array) -> Array:
    """Ranks (d,) of z among the first n rows of the past, as if it were one of them."""
    ranks = np.empty(z.shape[0])
    for i in range(z.shape[0]):
        twice = 1
        for a in range(n):
            twice += 2 * (past[a, i] < z[i]) + (past[a, i] == z[i])
        ranks[i] = 0.5 * twice / (n + 1.0)
    return ranks


@kernel
def strangeness(past: Array, first: int, n: int) -> float:
    """Nats by which rows ``first`` to n are farther from the middle than chance would have them.

    By the rank of each among those before it, as a normal law of ranks has it; a mean over axes.
    """
    total, d = 0.0, past.shape[1]
    for a in range(first, n):
        ranks = _rank(past, a, past[a])
        for i in range(d):
            total += 0.5 * (12.0 * (ranks[i] - 0.5) ** 2 - 1.0) / d
    return total


@kernel
def largest_ties(state: State) -> float:
    """Sum of the cubes of the shares that equal values have of the past, on the worst axis.

    Ranks of equals are alike, and their variance is a twelfth less that part of it.
    """
    n, largest = min(state.t[0], PAST), 0.0
    for i in range(state.past.shape[1]):
        total = 0.0
        for a in range(n):
            total += float(state.twice_ranks[a, i] - n) ** 2
        largest = max(largest, 1.0 - 3.0 * total / (float(n) * (float(n) ** 2 - 1.0)))
    return largest


@kernel
def _rank_scatter(ranks: Array) -> Array:
    """Factor (d, d) of the scatter of ranks (n, d), drawn to its diagonal where they are few."""
    n, d = ranks.shape
    scatter, factor = np.empty((d, d)), np.empty((d, d))
    kept = 1.0 - min(1.0, (d + 2.0) / n)
    for i in range(d):
        for j in range(i + 1):
            total = 0.0
            for a in range(n):
                total += (ranks[a, i] - 0.5) * (ranks[a, j] - 0.5)
            scatter[i, j] = kept * total / n if i != j else max(total / n, _LEAST_VARIANCE)
    factorise_inplace(factor, scatter, _LEAST_PIVOT)
    return factor


@lean_kernel
def _follow_ranks_inplace(ranks: Array, t: int, gain: float, starts: Array, level: Array) -> None:
    """Level (d,) of the latest ranks of a ring, that begins anew where ``starts`` says."""
    n, known = min(t, CARRIED), 1.0
    for a in range(n):
        row = (t - n + a) % PAST
        known = walked(known, gain) if starts[a] == 0.0 else 1.0
        for i in range(level.shape[0]):
            level[i] = level[i] + known * (ranks[row, i] - level[i])


@kernel
def score_levels_inplace(state: State, z: Array, starts: Array, scores: Array) -> None:
    """Log scores (N_LENGTHS,) at z, up to a constant, of the level of ranks in each window.

    It is their mean or, where points are carried, as their level is followed, which began anew at
    ``starts`` (N_GAINS, CARRIED). Ranks are those in all of the past, as if normal with their
    scatter.
    """
    t, d = state.t[0], z.shape[0]
    n = min(t, PAST)
    ranks, level = 0.5 * state.twice_ranks[:n] / n, np.zeros(d)
    factor, target, e = _rank_scatter(ranks), _rank(state.past, n, z), 0
    for a in range(n):
        for i in range(d):
            level[i] += (ranks[(t - 1 - a) % PAST, i] - level[i]) / (a + 1.0)
        while e < N_WINDOWS and a + 1 == min(WINDOWS[e], n):
            scores[e] = -0.5 * squared_gap(state.store, target, level, factor)
            e += 1
    for g in range(N_GAINS):
        _follow_ranks_inplace(ranks, t, GAINS[g], starts[g], level)
        for q in (N_WINDOWS + g, N_WINDOWS + N_GAINS + g):
            scores[q] = -0.5 * squared_gap(state.store, target, level, factor)
