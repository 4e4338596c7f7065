"""Kernels: windows of points that are carried along with a level, at several gains.

A window of a law that moves holds points that were right when they came. Such a window is right
now, where only the level moves. On the line, while there is an axis of skewed geometries, there are
also those of the logarithms, by which the spread moves with the level.
"""

import math

import numpy as np

from driftlaw._jit import kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.axis import height
from driftlaw.predictor.adaptive.carry import carry, noise_of
from driftlaw.predictor.adaptive.density import blur_inplace, guarded, squared_gap
from driftlaw.predictor.adaptive.model import (
    BROAD,
    CARRIED,
    GAINS,
    GRAIN,
    N_GAINS,
    NEAR,
    SIGN,
    WIDTHS,
)
from driftlaw.predictor.adaptive.ranks import largest_ties
from driftlaw.predictor.adaptive.skewed import (
    log_unit,
    logs_of,
    set_log_blur_inplace,
    slope_at,
)
from driftlaw.predictor.adaptive.state import State, Store
from driftlaw.predictor.adaptive.windows import recent

_NIL = 1e3  # squared gap at which a density is nil
_TINY = 1e-300
_NOWHERE = -690.0  # log density beyond the origin
_MOST_TIES = 1e-4  # sum of the cubes of the shares of equal values: one value of twenty


@kernel
def may_carry(state: State) -> bool:
    """Say whether points may be moved: those of an atom, or of a lattice, would fall beside it."""
    found: bool = largest_ties(state) <= _MOST_TIES
    for i in range(state.past.shape[1]):
        found = found and state.store.lines[GRAIN, i] == 0.0
    return found


@kernel
def _log_mean_density(points: Array, x: Store, z: Array, factor: Array) -> float:
    """Log density at z of points (n, d) under kernels of a factor, but for their volume."""
    n, total = points.shape[0], 0.0
    for a in range(n):
        square = squared_gap(x, z, points[a], factor)
        if square < _NIL:
            total += math.exp(-0.5 * square)
    constant: float = 0.5 * z.shape[0] * math.log(2.0 * math.pi)
    return math.log(max(total, _TINY) / n) - constant


@kernel
def _score_gains_inplace(
    points: Array, x: Store, z: Array, factor: Array, scores: Array, starts: Array
) -> None:
    """Log densities (N_GAINS,) at z of points (n, d) that are carried, but for their volume.

    ``starts`` (N_GAINS, CARRIED) receives where their levels began anew.
    """
    noise = noise_of(points)
    for g in range(N_GAINS):
        found = carry(points, GAINS[g], noise)
        scores[g] = _log_mean_density(found.points, x, z, factor)
        starts[g, : points.shape[0]] = found.starts


@kernel
def _score_logs_inplace(state: State, z: float, scatter: Array, like: float, scores: Array) -> None:
    """Log densities at z of logarithms, under kernels that are there what those of values are.

    Under these even points that stay have another density than values have. So what counts is the
    gain over theirs, on top of ``like``, which values have that stay.
    """
    up, x, broad = height(state.axis, z), state.skewed, state.store.work[BROAD]
    if up <= 0.0:
        scores[:] = guarded(_NOWHERE, broad)
        return
    points, point = logs_of(state.axis, latest(state)), np.full(1, math.log(up))
    slope, starts = slope_at(state.axis, up), np.zeros((N_GAINS, CARRIED))
    factor = np.empty((1, 1))
    set_log_blur_inplace(state, slope)
    unit = log_unit(state, slope) - blur_inplace(x, scatter / slope**2, WIDTHS[0] ** 2, factor)
    x.work[NEAR] = 1.0
    _score_gains_inplace(points, x, point, factor, scores, starts)
    still = guarded(unit + _log_mean_density(points, x, point, factor), broad)
    for g in range(N_GAINS):
        scores[g] = like + guarded(unit + scores[g], broad) - still


@kernel
def latest(state: State) -> Array:
    """Observations (n, d) that are carried, oldest first."""
    return recent(state.past, state.t[0], min(state.t[0], CARRIED))


@kernel
def score_carried_inplace(
    state: State, z: Array, scatter: Array, like: float, scores: Array, starts: Array
) -> None:
    """Guarded log densities (N_CARRIED,) at z, under the kernels by which all windows are judged.

    ``like`` is that of the window of as many points that stay. ``starts`` (N_GAINS, CARRIED)
    receives where levels of values began anew. Without an axis logarithms are the values.
    """
    x, raw, logs = state.store, scores[:N_GAINS], scores[N_GAINS:]
    factor = np.empty(scatter.shape)
    volume = blur_inplace(x, scatter, WIDTHS[0] ** 2, factor)
    _score_gains_inplace(latest(state), x, z, factor, raw, starts)
    for g in range(N_GAINS):
        raw[g] = guarded(raw[g] - volume, x.work[BROAD])
    logs[:] = raw
    if state.axis[SIGN] != 0.0:
        _score_logs_inplace(state, z[0], scatter, like, logs)
