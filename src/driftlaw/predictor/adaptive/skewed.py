"""Kernels: skewed laws that move, on the line — geometries of a logarithm, one center each.

Lanes, beams, scales and tails are those of the other geometries; only the coordinate differs. What
they are good for is motion. A skewed law at rest is better told by its values than by any curve, so
in the law a lane that stands still hands its weight over to the windows as it grows old.
"""

import math

import numpy as np

from driftlaw._jit import kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.axis import Axis, find_axis, height
from driftlaw.predictor.adaptive.beam import step_lanes_inplace
from driftlaw.predictor.adaptive.density import parts_log_density
from driftlaw.predictor.adaptive.gross import without_gross
from driftlaw.predictor.adaptive.mixture import geometry_parts_inplace
from driftlaw.predictor.adaptive.model import (
    AGE,
    GRAIN,
    IS_STILL,
    KIND,
    KIND_PRIOR,
    LOOK,
    N_KINDS,
    N_LANES,
    NEAR,
    ORIGIN,
    PAST,
    REFIT,
    REPEATS,
    RING,
    SIGN,
    SINCE,
    SKEWED_PRIOR,
    UNIT,
    WORLD_COV,
    WORLD_FACTOR,
    WORLD_MEMORY,
)
from driftlaw.predictor.adaptive.refit import best_geometry, leader
from driftlaw.predictor.adaptive.renewal import begin_lanes_inplace, renew_inplace
from driftlaw.predictor.adaptive.score import stray_rate
from driftlaw.predictor.adaptive.state import State
from driftlaw.predictor.adaptive.windows import recent
from driftlaw.predictor.adaptive.world import learn_world_inplace

_KIND = N_KINDS - 1
_DOUBT = 3.0  # power of the share of lanes that move, by which these count in the law
_GRANTED = 20.0  # observations, as if of the curve of a lane that stands still, against its values
_MORE = 1.25  # times the observations after which an axis is looked for again …
_EVERY = 320  # … at most so many later
_SAME = 0.15  # by which the log of the median's distance to the origin may change in place
_MOST_REPEATS = 0.05  # of the latest observations that a new one equals: beyond, there are atoms
_NOWHERE = -690.0  # log density beyond the origin


@kernel
def slope_at(axis: Array, up: float) -> float:
    """Slope of the value against its logarithm, at a height above the origin."""
    slope: float = up * axis[UNIT]
    return slope


@kernel
def set_log_blur_inplace(state: State, slope: float) -> None:
    """Let logarithms be blurred by what all values are, where these have that slope."""
    raw, x = state.store, state.skewed
    blur = raw.work[NEAR] * raw.squares[WORLD_COV, 0, 0] / slope**2
    x.work[NEAR] = blur / x.squares[WORLD_COV, 0, 0]


@kernel
def log_unit(state: State, slope: float) -> float:
    """Log of what a density of logarithms, per unit of their volume, is in that of the values."""
    factors = state.store.squares[WORLD_FACTOR, 0, 0] / state.skewed.squares[WORLD_FACTOR, 0, 0]
    return math.log(factors / slope)


@kernel
def skewed_log_density(state: State, z: float) -> float:
    """Log density of skewed geometries at z, blurred as all are, per unit of the stream's volume.

    Beyond the origin there is none.
    """
    x, up = state.skewed, height(state.axis, z)
    if up <= 0.0:
        return _NOWHERE
    slope = slope_at(state.axis, up)
    set_log_blur_inplace(state, slope)
    rows = geometry_parts_inplace(x, state.skewed_lanes, state.parts)
    total = parts_log_density(state.parts, rows, x, np.full(1, math.log(up)))
    x.work[NEAR] = 1.0
    total += math.log(1.0 - stray_rate(x, best_geometry(x, state.skewed_lanes)))
    return total + log_unit(state, slope)


@kernel
def lanes_in_law(state: State) -> Array:
    """Log weight that each skewed lane keeps in the law; together they may have less than one."""
    kept, moving = state.skewed_lanes.copy(), 0.0
    for lane in range(N_LANES):
        moving += 0.0 if IS_STILL[lane] else math.exp(kept[lane])
    for lane in range(N_LANES):
        share = moving**_DOUBT
        if IS_STILL[lane]:
            since = state.skewed.slot[leader(state.skewed, lane), SINCE]
            share = _GRANTED / (_GRANTED + max(state.t[0] - since, 0.0))
        kept[lane] += math.log(share)
    return kept


@kernel
def kind_weights(state: State) -> Array:
    """Weights of geometries, windows and skewed geometries in the law, when all is handed over.

    Without an axis the skewed geometries are the others.
    """
    weights = np.exp(state.pool[KIND : KIND + N_KINDS])
    if state.axis[SIGN] == 0.0:
        weights[0] += weights[_KIND]
        weights[_KIND] = 0.0
    else:
        handed = weights[_KIND] * max(1.0 - np.exp(lanes_in_law(state)).sum(), 0.0)
        weights[1] += handed
        weights[_KIND] -= handed
    return weights


def learn_skewed_inplace(state: State, z: float, t: int) -> None:
    """Skewed geometries learn z, which the past holds already; now and then the axis is set."""
    axis = state.axis
    is_beyond = axis[SIGN] != 0.0 and height(axis, z) <= 0.0
    if is_beyond:
        _pass_over_inplace(state, t)
    elif axis[SIGN] != 0.0:
        point = np.log([height(axis, z)])
        step_lanes_inplace(state.skewed, state.skewed_lanes, SKEWED_PRIOR, point, t)
        learn_world_inplace(state.skewed, point)
        points = logarithms(state, REFIT)
        renew_inplace(state.skewed, state.skewed_lanes, SKEWED_PRIOR, points, t)
    if is_beyond or t + 1 >= axis[LOOK]:
        _look_inplace(state, t)


def _pass_over_inplace(state: State, t: int) -> None:
    """Count an observation of which nothing is learnt, as if scored like those before."""
    x = state.skewed
    x.work[AGE] += 1.0
    x.slot[:, RING + t % REFIT] = x.slot[:, RING : RING + REFIT].mean(axis=1)


@kernel
def logs_of(axis: Array, points: Array) -> Array:
    """Logarithms (m, 1) of values (n, 1); those beyond the origin are left out."""
    heights = (axis[SIGN] * points[:, 0] - axis[ORIGIN]) / axis[UNIT]
    logs: Array = np.log(heights[heights > 0.0]).reshape(-1, 1)
    return logs


def logarithms(state: State, n: int, *, with_gross: bool = True) -> Array:
    """Logarithms (n, 1) of the latest observations; those beyond the origin are left out."""
    points = recent(state.past, int(state.t[0]), min(int(state.t[0]), n))
    if not with_gross:
        points = points[without_gross(state.store, points)]
    return np.asarray(logs_of(state.axis, points))


def _look_inplace(state: State, t: int) -> None:
    """Find the axis anew; unless it is nearly the same, all lanes begin again on it."""
    axis, n = state.axis, t + 1
    axis[LOOK] = min(math.ceil(_MORE * n), n + _EVERY)
    points = recent(state.past, n, min(n, PAST))
    values = points[without_gross(state.store, points), 0]
    has_atoms = state.store.lines[GRAIN, 0] > 0.0 or state.watch[REPEATS] > _MOST_REPEATS
    found = None if has_atoms else find_axis(values, has_axis=axis[SIGN] != 0.0)
    if found is None:
        if axis[SIGN] != 0.0:
            _set_kinds_inplace(state, skewed=0.0)
        axis[SIGN] = 0.0
    elif not _is_same(axis, found, values):
        if axis[SIGN] == 0.0:
            _set_kinds_inplace(state, skewed=float(KIND_PRIOR[_KIND]))
        axis[:LOOK] = found
        _begin_inplace(state, t)


def _is_same(axis: Array, found: Axis, values: Array) -> bool:
    """Say whether the axis is as good as one that was found, for the same values."""
    if axis[SIGN] != found.sign or (found.sign * values).min() <= axis[ORIGIN]:
        return False
    middle = float(np.median(found.sign * values))
    return abs(math.log((middle - found.origin) / (middle - axis[ORIGIN]))) < _SAME


def _set_kinds_inplace(state: State, *, skewed: float) -> None:
    """Give skewed geometries a weight; with none they have a part of that of the others again."""
    kinds, part = np.exp(state.pool[KIND : KIND + N_KINDS]), KIND_PRIOR[_KIND] / KIND_PRIOR[0]
    if skewed == 0.0:
        kinds[0], kinds[_KIND] = kinds[0] / (1.0 + part), kinds[0] * part / (1.0 + part)
        kinds /= kinds.sum()
    else:
        kinds[0] += kinds[_KIND]
        kinds[:_KIND] *= (1.0 - skewed) / kinds[:_KIND].sum()
        kinds[_KIND] = skewed
    state.pool[KIND : KIND + N_KINDS] = np.log(kinds)


def _begin_inplace(state: State, t: int) -> None:
    """All skewed lanes begin with the latest observations, in the units of some more."""
    x = state.skewed
    x.work[AGE] = 0.0
    for point in logarithms(state, int(WORLD_MEMORY)):
        learn_world_inplace(x, point)
    x.work[AGE] = t + 1.0
    begin_lanes_inplace(x, state.skewed_lanes, SKEWED_PRIOR, logarithms(state, REFIT), t)
