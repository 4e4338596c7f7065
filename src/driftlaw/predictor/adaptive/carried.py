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
    N_GAINS,
    NEAR,
    SIGN,
    WIDTHS,
)
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


@kernel
def _log_mean_density(points: Array, x: Store, z: Array, scatter: Array) -> float:
    """Log density at z of points (n, d) under wide kernels, blurred; of scatter a lower half."""
    n, d = points.shape
    factor, total = np.empty((d, d)), 0.0
    volume = blur_inplace(x, scatter, WIDTHS[0] ** 2, factor)
    for a in range(n):
        square = squared_gap(x, z, points[a], factor)
        if square < _NIL:
            total += math.exp(-0.5 * square)
    log_density: float = math.log(max(total, _TINY) / n) - 0.5 * d * math.log(2.0 * math.pi)
    return log_density - float(volume)


@kernel
def _score_gains_inplace(
    points: Array, x: Store, z: Array, scatter: Array, scores: Array, starts: Array
) -> None:
    """Log densities (N_GAINS,) at z of points (n, d) that are carried at each gain.

    ``starts`` (N_GAINS, CARRIED) receives where their levels began anew.
    """
    noise = noise_of(points)
    for g in range(N_GAINS):
        found = carry(points, GAINS[g], noise)
        scores[g] = _log_mean_density(found.points, x, z, scatter)
        starts[g, : points.shape[0]] = found.starts


@kernel
def _score_logs_inplace(state: State, z: float, scatter: Array, like: float, scores: Array) -> None:
    """Log densities at z of logarithms, under kernels that are there what those of values are.

    Under these even points that stay have another density than values have. So lengths are judged,
    in the first row, by the gain over theirs on top of ``like``, which values have that stay.
    """
    up, x, broad = height(state.axis, z), state.skewed, state.store.work[BROAD]
    scores[0], scores[1] = like, guarded(_NOWHERE, broad)
    if up <= 0.0:
        return
    points, point = logs_of(state.axis, latest(state)), np.full(1, math.log(up))
    slope, starts = slope_at(state.axis, up), np.zeros((N_GAINS, CARRIED))
    set_log_blur_inplace(state, slope)
    near, unit, found = scatter / slope**2, log_unit(state, slope), np.empty(N_GAINS)
    _score_gains_inplace(points, x, point, near, found, starts)
    still = guarded(unit + _log_mean_density(points, x, point, near), broad)
    x.work[NEAR] = 1.0
    for g in range(N_GAINS):
        scores[1, g] = guarded(unit + found[g], broad)
        scores[0, g] += scores[1, g] - still


@kernel
def latest(state: State) -> Array:
    """Observations (n, d) that are carried, oldest first."""
    return recent(state.past, state.t[0], min(state.t[0], CARRIED))


@kernel
def score_carried_inplace(
    state: State, z: Array, scatter: Array, like: float, scores: Array, starts: Array
) -> None:
    """Guarded log densities at z: by which lengths are judged, and those of the laws themselves.

    Both are under the kernels of all windows, in rows of scores (2, N_CARRIED). ``like`` is that of
    the window of as many points that stay. ``starts`` (N_GAINS, CARRIED) receives where levels of
    values began anew. Without an axis logarithms are the values.
    """
    x, raw, logs = state.store, scores[:, :N_GAINS], scores[:, N_GAINS:]
    _score_gains_inplace(latest(state), x, z, scatter, raw[0], starts)
    for g in range(N_GAINS):
        raw[0, g] = raw[1, g] = guarded(raw[0, g], x.work[BROAD])
    logs[:] = raw
    if state.axis[SIGN] != 0.0:
        _score_logs_inplace(state, z[0], scatter, like, logs)
