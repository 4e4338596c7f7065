"""From the state of `Adaptive` to the law of the next observation."""

import numpy as np

from driftlaw._validate import Array
from driftlaw.law import MixtureLaw
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.linear import factorise_inplace
from driftlaw.predictor.adaptive.mixture import geometry_parts_inplace
from driftlaw.predictor.adaptive.pool import recent, window_scatter
from driftlaw.predictor.adaptive.state import Parts, State, with_own_scratch

_LEAST = 1e-2  # weight below which a window is left out of the law
_WIDTHS = np.minimum(m.WIDTHS, 0.1)  # of kernels in the law: smoothing serves log scores, not W1


def predictive_law(state: State) -> MixtureLaw:
    """Mixture of the experts' laws by the weights of the pool; pure."""
    state = with_own_scratch(state)
    dim = state.past.shape[1]
    if state.t[0] == 0:
        return MixtureLaw([1.0], np.zeros((1, dim)), _scales(np.eye(dim)[None]), 3.0)
    parts = [_geometries(state)]
    if state.t[0] >= m.FIRST_JUDGED:
        parts += _windows(state)
    weights, means, scales, df = (np.concatenate(p) for p in zip(*parts, strict=True))
    df = np.where(df > 100.0, np.inf, df)
    return MixtureLaw.unchecked(weights / weights.sum(), means, _scales(scales), df)


def _scales(factors: Array) -> Array:
    """Return the form that a law wants: (K,) on the line, else (K, d, d)."""
    return factors[:, 0, 0].copy() if factors.shape[1] == 1 else factors


def _geometries(state: State) -> Parts:
    parts = state.parts
    n = geometry_parts_inplace(state.store, state.lanes, parts)
    return Parts(
        np.exp(state.pool[m.KIND]) * parts.weights[:n],
        parts.means[:n].copy(),
        parts.scales[:n].copy(),
        parts.df[:n].copy(),
    )


def _windows(state: State) -> list[Parts]:
    """Law of each window: its points under narrow kernels, whatever widths it was judged with."""
    t, laws = int(state.t[0]), []
    lengths = np.exp(state.pool[m.KIND + 1] + state.pool[m.WINDOW : m.WIDTH])
    widths = np.exp(state.pool[m.WIDTH :]).reshape(m.N_WINDOWS, m.N_WIDTHS)
    for length, by_width in zip(m.WINDOWS, lengths[:, None] * widths, strict=True):
        points = recent(state.past, t, min(t, int(length)))
        factor, n = np.empty((points.shape[1],) * 2), len(points)
        factorise_inplace(factor, window_scatter(points, state.store), state.store.work[m.FLOOR])
        for width in np.unique(_WIDTHS):
            weight = by_width[width == _WIDTHS].sum()
            if weight > _LEAST:
                along = np.where(state.store.lines[m.GRAIN] > 0.0, _WIDTHS.min(), width)
                scales = np.broadcast_to(along[:, None] * factor, (n, *factor.shape))
                laws.append(Parts(np.full(n, weight / n), points, scales, np.full(n, np.inf)))
    return laws
