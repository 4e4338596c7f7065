"""From the state of `Adaptive` to the law of the next observation."""

import numpy as np

from driftlaw._validate import Array
from driftlaw.law import MixtureLaw
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.engine import (
    FIRST_EMPIRICAL,
    FIRST_JUDGED,
    ONE_CENTER,
    recent,
    window_weights_inplace,
)
from driftlaw.predictor.adaptive.mixture import tracker_parts_inplace
from driftlaw.predictor.adaptive.residual import one_center_frame
from driftlaw.predictor.adaptive.state import Parts, State, with_own_scratch

_LEAST_TRACKER = 1e-3  # weight below which an expert is left out of the law
_LEAST_WINDOWS = 1e-2
_LEAST_POINT = 1e-6
_KERNEL = 0.1  # width of the windows' points, of the standard deviation of the latest …
_KERNEL_POINTS = 40


def predictive_law(state: State) -> MixtureLaw:
    """Mixture of the experts' laws by the weights of the pool; pure."""
    state = with_own_scratch(state)
    dim = state.past.shape[1]
    if state.t[0] == 0:
        return MixtureLaw([1.0], np.zeros((1, dim)), _scales(np.eye(dim)[None]), 3.0)
    pool = np.exp(state.pool)
    groups = [group for group in range(m.N_TRACKERS) if pool[group] >= _LEAST_TRACKER]
    parts = [_tracker(state, group, pool[group]) for group in groups]
    may_speak = state.t[0] >= FIRST_EMPIRICAL
    if may_speak and pool[m.RESIDUALS] >= _LEAST_TRACKER:
        parts.append(_residuals(state, pool[m.RESIDUALS]))
    if may_speak and pool[m.RESIDUALS + 1 :].sum() > _LEAST_WINDOWS:
        parts.append(_windows(state))
    weights, means, scales, df = (np.concatenate(p) for p in zip(*parts, strict=True))
    df = np.where(df > 100.0, np.inf, df)
    return MixtureLaw.unchecked(weights / weights.sum(), means, _scales(scales), df)


def _scales(factors: Array) -> Array:
    """Return the form that a law wants: (K,) on the line, else (K, d, d)."""
    return factors[:, 0, 0].copy() if factors.shape[1] == 1 else factors


def _tracker(state: State, group: int, weight: float) -> Parts:
    parts = state.parts
    n = tracker_parts_inplace(state.store, state.lanes, group, parts)
    return Parts(
        weight * parts.weights[:n],
        parts.means[:n].copy(),
        parts.scales[:n].copy(),
        parts.df[:n].copy(),
    )


def _residuals(state: State, weight: float) -> Parts:
    """Law of the latest residuals in the frame of one center, under a small kernel."""
    t = int(state.t[0])
    n = min(t - FIRST_JUDGED, m.PAST)
    rows = tracker_parts_inplace(state.store, state.lanes, ONE_CENTER, state.parts)
    mean, factor = one_center_frame(state.parts, rows, state.store.work[m.FLOOR])
    points = mean + recent(state.residuals, t, n) @ factor.T
    scales = np.repeat(_KERNEL * factor[None], n, axis=0)
    return Parts(np.full(n, weight / n), points, scales, np.full(n, np.inf))


def _windows(state: State) -> Parts:
    """All windows together: the latest points under a small normal kernel."""
    n = min(int(state.t[0]), m.PAST)
    points, weights = recent(state.past, int(state.t[0]), n), np.empty(n)
    window_weights_inplace(state, weights)
    least = np.sqrt(state.store.work[m.FLOOR])
    # … or, where that is less, of the stream's own, in which a gross outlier counts little
    own = np.sqrt(np.diag(state.store.squares[m.WORLD_COV]))
    spread = np.minimum(points[-_KERNEL_POINTS:].std(axis=0), own)
    width = np.maximum(_KERNEL * spread, least)
    is_used = weights > _LEAST_POINT
    n_used = int(is_used.sum())
    scales = np.repeat(np.diag(width)[None], n_used, axis=0)
    return Parts(weights[is_used], points[is_used], scales, np.full(n_used, np.inf))
