"""From the state of `Adaptive` to the law of the next observation."""

import numpy as np
from numpy.typing import NDArray
from scipy import special

from driftlaw._validate import Array
from driftlaw.law import MixtureLaw
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.axis import from_logarithms
from driftlaw.predictor.adaptive.carried import latest
from driftlaw.predictor.adaptive.carry import carry, noise_of
from driftlaw.predictor.adaptive.gross import without_gross
from driftlaw.predictor.adaptive.learning import mean_scale
from driftlaw.predictor.adaptive.mixture import geometry_parts_inplace
from driftlaw.predictor.adaptive.pool import lengths_in_law
from driftlaw.predictor.adaptive.refit import best_geometry
from driftlaw.predictor.adaptive.skewed import kind_weights, lanes_in_law, logarithms, logs_of
from driftlaw.predictor.adaptive.state import Parts, State, with_own_scratch
from driftlaw.predictor.adaptive.windows import nearest_centers, recent, window_scatter

_LEAST_WINDOWS = 1e-2  # weight below which windows are left out of the law
_LEAST_CARRIED = 3e-3  # … below which one that is carried is
_LEAST_SKEWED = 1e-3  # … below which skewed geometries are
_REACH = 5.0  # deviations of each of their centers that their grid covers
_BEYOND = np.log(2.0)  # … at most so far beyond what was seen: an exponential of tails has no mean
_CELLS = 160
_FILLED = 0.5  # deviation of the law of a cell, in its width: neighbours run into each other
_WIDEST = 0.1  # kernel in the law: smoothing serves log scores, not W1
_ATOM = 1e-3  # kernel of a value that comes again
_NEIGHBOURS = 5  # on a side, within which the kernel of a point far from its center keeps


def predictive_law(state: State) -> MixtureLaw:
    """Mixture of the experts' laws by the weights of the pool; pure."""
    state = with_own_scratch(state)
    dim = state.past.shape[1]
    if state.t[0] == 0:
        return MixtureLaw([1.0], np.zeros((1, dim)), _scales(np.eye(dim)[None]), 3.0)
    if state.t[0] < m.FIRST_JUDGED:
        parts = [_geometries(state, 1.0)]
    else:
        kinds = kind_weights(state)
        parts = [_geometries(state, kinds[0])]
        if kinds[1] > _LEAST_WINDOWS:
            parts += [_windows(state, kinds[1]), *_all_carried(state, kinds[1])]
        if kinds[2] > _LEAST_SKEWED:
            parts.append(_skewed(state, kinds[2]))
    weights, means, scales, df = (np.concatenate(p) for p in zip(*parts, strict=True))
    df = np.where(df > 100.0, np.inf, df)
    return MixtureLaw.unchecked(weights / weights.sum(), means, _scales(scales), df)


def _scales(factors: Array) -> Array:
    """Return the form that a law wants: (K,) on the line, else (K, d, d)."""
    return factors[:, 0, 0].copy() if factors.shape[1] == 1 else factors


def _geometries(state: State, weight: float) -> Parts:
    parts = state.parts
    n = geometry_parts_inplace(state.store, state.lanes, parts)
    return Parts(
        weight * parts.weights[:n],
        parts.means[:n].copy(),
        parts.scales[:n].copy(),
        parts.df[:n].copy(),
    )


def _windows(state: State, weight: float) -> Parts:
    """Law of the windows under narrow kernels, each a share of that of the nearest center.

    Or of the distance to it, or to the next neighbours, where both are more: these are few far out,
    and beside an atom the kernel is nil. Points have hardly any along a lattice, and where a value
    came more than once.
    """
    points = recent(state.past, int(state.t[0]), min(int(state.t[0]), m.PAST))
    scatter = window_scatter(points[-m.KERNEL_WINDOW :], state.store)
    kept = without_gross(state.store, points)
    weights, points = weight * _point_weights(state, len(points))[kept], points[kept]
    is_atom = _recurs(points) | (state.store.lines[m.GRAIN] > 0.0)
    if is_atom.any():
        points, weights, is_atom = _distinct(points, weights, is_atom)
    most = np.sqrt(np.maximum(np.diagonal(scatter), state.store.work[m.FLOOR]))
    kernels, centers = _point_kernels(state, points, most)
    widths = np.linalg.norm(kernels, axis=2)
    apart = np.minimum(_WIDEST * np.abs(points - centers), _to_neighbours(points))
    along = np.where(is_atom, _ATOM, np.maximum(_WIDEST, apart / widths))[:, :, None]
    return Parts(weights, points, along * kernels, np.full(len(points), np.inf))


def _all_carried(state: State, weight: float) -> list[Parts]:
    """Laws of the windows that are carried; without an axis logarithms are the values."""
    weights = weight * lengths_in_law(state.pool)[m.N_WINDOWS :].reshape(2, m.N_GAINS)
    if state.axis[m.SIGN] == 0.0:
        weights = np.array([weights.sum(axis=0), np.zeros(m.N_GAINS)])
    points = latest(state)
    points = points[without_gross(state.store, points)]
    chosen = np.argwhere(weights > _LEAST_CARRIED)
    laws = []
    for k, (is_log, g) in enumerate(chosen):
        part = slice(k, None, len(chosen))  # all hold the same points, nearly at the same places
        laws.append(_carried(state, points, int(g), part, is_log=bool(is_log)))
        laws[-1].weights[:] = weights[is_log, g] / len(laws[-1].weights)
    return laws


def _carried(state: State, points: Array, g: int, part: slice, *, is_log: bool) -> Parts:
    """Law of a part of the points, carried at a gain, under narrow kernels along each axis."""
    rows = logs_of(state.axis, points) if is_log else points
    moved = carry(rows, m.GAINS[g], noise_of(rows)).points
    scatter = window_scatter(moved, state.skewed if is_log else state.store)
    moved = moved[part]
    widths = np.broadcast_to(_WIDEST * np.sqrt(np.diagonal(scatter)), moved.shape)
    if is_log:
        widths = widths * np.exp(moved) * state.axis[m.UNIT]
        moved = from_logarithms(state.axis, moved)
    n, d = moved.shape
    widths = np.maximum(widths, np.sqrt(state.store.work[m.FLOOR]))
    return Parts(np.empty(n), moved, widths[:, :, None] * np.eye(d), np.full(n, np.inf))


def _to_neighbours(points: Array) -> Array:
    """Distance (n, d) to the nearer of the fifth neighbours on both sides, along each axis."""
    n, d = points.shape
    if n <= _NEIGHBOURS:
        return np.full((n, d), np.inf)
    order = np.argsort(points, axis=0)
    ordered = np.take_along_axis(points, order, axis=0)
    steps, edge = ordered[_NEIGHBOURS:] - ordered[:-_NEIGHBOURS], np.full((_NEIGHBOURS, d), np.inf)
    both = np.minimum(np.concatenate((edge, steps)), np.concatenate((steps, edge)))
    np.put_along_axis(ordered, order, both, axis=0)
    return ordered


def _skewed(state: State, weight: float) -> Parts:
    """Law of skewed geometries: the cells of a grid of logarithms, each a narrow normal law."""
    lanes = lanes_in_law(state)
    lanes -= special.logsumexp(lanes)
    rows = geometry_parts_inplace(state.skewed, lanes, state.parts)
    weights, means, scales, df = (a[:rows] for a in state.parts)
    centers, spreads = means[:, 0], scales[:, 0, 0]
    low, high = (centers - _REACH * spreads).min(), (centers + _REACH * spreads).max()
    seen = logarithms(state, m.PAST, with_gross=False)
    seen_low, seen_high = max(low, seen.min() - _BEYOND), min(high, seen.max() + _BEYOND)
    if seen_low < seen_high:
        low, high = seen_low, seen_high
    edges = np.linspace(low, high, _CELLS + 1)
    standard = (edges[1:-1, None] - centers) / spreads
    below = np.where(df > 100.0, special.ndtr(standard), special.stdtr(df, standard)) @ weights
    masses = np.diff(below, prepend=0.0, append=1.0)
    values, floor = from_logarithms(state.axis, edges), np.sqrt(state.store.work[m.FLOOR])
    return Parts(
        weight * masses,
        0.5 * (values[1:] + values[:-1])[:, None],
        np.maximum(_FILLED * np.abs(np.diff(values)), floor)[:, None, None],
        np.full(_CELLS, np.inf),
    )


def _recurs(points: Array) -> NDArray[np.bool_]:
    """Whether each coordinate of points (n, d) is equal to that of another one."""
    order = np.argsort(points, axis=0)
    is_next = np.diff(np.take_along_axis(points, order, axis=0), axis=0) == 0.0
    edge, recurs = np.zeros((1, points.shape[1]), bool), np.empty(points.shape, bool)
    is_any = np.concatenate((edge, is_next)) | np.concatenate((is_next, edge))
    np.put_along_axis(recurs, order, is_any, axis=0)
    return recurs


def _distinct(
    points: Array, weights: Array, is_atom: NDArray[np.bool_]
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Join equal points (n, d) to one that has the weight of all of them."""
    found, first, which = np.unique(points, axis=0, return_index=True, return_inverse=True)
    total = np.zeros(len(found))
    np.add.at(total, which.ravel(), weights)
    return found, total, is_atom[first]


def _point_kernels(state: State, points: Array, most: Array) -> tuple[Array, Array]:
    """Factors (n, d, d) of the kernels of the points, each that of its nearest center (n, d).

    Along no axis are they wider than ``most`` (d,): centers may lag behind a spread that falls.
    """
    x, s = state.store, best_geometry(state.store, state.lanes)
    scales = np.array([mean_scale(x, s, j) for j in range(int(x.slot[s, m.N_CENTERS]))])
    kernels = np.sqrt(scales)[:, None, None] * x.factor[s, : len(scales)]
    kernels *= np.minimum(1.0, most / np.linalg.norm(kernels, axis=2))[:, :, None]
    nearest = nearest_centers(points, x, s)
    return kernels[nearest], x.mean[s, nearest]


def _point_weights(state: State, n: int) -> Array:
    """Weight (n,) of each point in windows, oldest first, from all that hold it."""
    lengths, ages = np.minimum(m.WINDOWS, n), n - np.arange(n)
    return np.asarray(
        (ages[:, None] <= lengths) @ (lengths_in_law(state.pool)[: m.N_WINDOWS] / lengths)
    )
