"""Kernels: one geometry absorbs one observation — memories, scales, kernels, centers."""

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.linear import factorise_inplace
from driftlaw.predictor.adaptive.model import (
    ABSENT,
    BELIEF,
    BELIEF_PRIOR,
    BELIEF_SHARE,
    BY_BELIEF,
    BY_MEMORY,
    COUNT,
    COV,
    DF,
    ERROR,
    FIRST_JUDGED,
    FLOOR,
    GAP,
    GONE,
    IS_COMMON,
    LAST,
    LEAVING,
    LEAVING_GAIN,
    LIMIT,
    MASS,
    MATRIX,
    MEMORY,
    MOST,
    MOVES,
    N_BELIEFS,
    N_CENTERS,
    N_TAILS,
    N_WEIGHTS,
    POOLED,
    PULL,
    SCALE,
    SCALE_MEMORY,
    SCALE_RETURN,
    SEEN,
    SHAPE_MEMORY,
    SHARE,
    SHRINKAGE,
    SPEED_VAR,
    STRAY,
    STRAYS,
    TURN,
    VAR,
    WALK,
    WEIGHT_MEMORY,
    WEIGHT_PRIOR,
    WEIGHT_SHARE,
    WORLD_COV,
)
from driftlaw.predictor.adaptive.state import Store

_FINDING = 0.9  # part of earlier moves that counts after one more of the first observations
_GRANTED = 0.5  # observations that the pooled kernel is drawn by, in units of d + 1 …
_BROAD_PART = 0.3  # … and the share of them that speaks for the stream's own variances
_MOST_SQUARE = 12.0  # mean square, in units of the scale, that counts in full


@lean_kernel
def share_inplace(weights: Array, at: int, evidence: Array, prior: Array, rate: float) -> None:
    """Bayes step with fixed share: w ∝ w·evidence, then (1 - rate) w + rate·prior.

    ``weights[at:]`` are the weights; ``evidence`` starts at 0.
    """
    total = 0.0
    for q in range(prior.shape[0]):
        weights[at + q] *= evidence[q]
    for q in range(prior.shape[0]):
        total += weights[at + q]
    for q in range(prior.shape[0]):
        weights[at + q] = (1 - rate) * weights[at + q] / total + rate * prior[q]


@lean_kernel
def mean_scale(x: Store, s: int, j: int) -> float:
    """Scale of center j, averaged over memories and tails."""
    total = 0.0
    for q in range(N_BELIEFS):
        total += x.slot[s, BELIEF + q] * x.center[s, j, SCALE + q]
    return total


@lean_kernel
def _learn_scales_inplace(x: Store, s: int, j: int) -> None:
    """Student scale steps; a common memory moves the scale of every center by one factor."""
    d = x.mean.shape[2]
    share, y = x.work[SHARE + j], x.work[GAP + j] / (1.0 + x.center[s, j, VAR])
    for q in range(N_BELIEFS):
        nu, scale = DF[q % N_TAILS], x.center[s, j, SCALE + q]
        memory = min(SCALE_MEMORY[q // N_TAILS], x.center[s, j, MASS] + 6.0)
        pull = (nu + d) / (nu + y / scale)
        square = pull * y / (d * scale)
        if IS_COMMON[q // N_TAILS]:
            square = min((nu - 2.0) / nu * y / (d * scale), _MOST_SQUARE)
        ratio = max(1.0 + share / memory * (square - 1.0), 1e-6)
        if IS_COMMON[q // N_TAILS]:
            for i in range(int(x.slot[s, N_CENTERS])):
                x.center[s, i, SCALE + q] *= ratio
        else:
            x.center[s, j, SCALE + q] *= ratio
        gap = x.center[s, j, SCALE + q % N_TAILS] - x.center[s, j, SCALE + q]
        x.center[s, j, SCALE + q] += share * SCALE_RETURN[q // N_TAILS] * gap
        x.center[s, j, SCALE + q] = max(x.center[s, j, SCALE + q], 1e-9)


@lean_kernel
def _learn_shape_inplace(x: Store, s: int, j: int, memory: float, scale: float) -> None:
    """Kernel of center j moves towards the outer product of the error, which is in ERROR."""
    d, share = x.mean.shape[2], x.work[SHARE + j]
    x.center[s, j, MASS] = min(x.center[s, j, MASS] + share, memory)
    gain = share / (x.center[s, j, MASS] + 1e-12)
    for i in range(d):
        for a in range(d):
            new = x.work[PULL + j] * x.lines[ERROR, i] * x.lines[ERROR, a] / scale
            x.shape[s, j, i, a] += gain * (new - x.shape[s, j, i, a])


@lean_kernel
def kalman_inplace(x: Store, s: int, j: int, noise: float) -> None:
    """Kalman step of position and velocity for the error in ERROR; variances in kernel units."""
    c = x.center[s, j]
    gain, turn = c[VAR] / (c[VAR] + noise), c[COV] / (c[VAR] + noise)
    for i in range(x.mean.shape[2]):
        x.mean[s, j, i] += gain * x.lines[ERROR, i]
        x.velocity[s, j, i] += turn * x.lines[ERROR, i]
    c[SPEED_VAR] -= turn * c[COV]
    c[COV] -= gain * c[COV]
    c[VAR] -= gain * c[VAR]


@lean_kernel
def _learn_center_inplace(x: Store, s: int, j: int, lane: int, z: Array) -> None:
    """Scales, kernel and position of center j learn z by its responsibility and Student pull."""
    scale, known = mean_scale(x, s, j), x.center[s, j, SCALE]
    _learn_scales_inplace(x, s, j)
    for a in (VAR, COV, SPEED_VAR):
        x.center[s, j, a] *= x.center[s, j, SCALE] / known
    for i in range(z.shape[0]):
        x.lines[ERROR, i] = z[i] - x.mean[s, j, i]
    spread = scale * (1.0 + x.center[s, j, VAR])
    _learn_shape_inplace(x, s, j, SHAPE_MEMORY[lane], spread)
    kalman_inplace(x, s, j, scale / max(x.work[SHARE + j] * x.work[PULL + j], 1e-12))


@lean_kernel
def _pool_kernels_inplace(x: Store, s: int) -> None:
    """Mean kernel of the geometry, drawn a little to the stream's variances.

    A lone one is drawn to its own diagonal besides: how long axes are is known sooner than how they
    hang together.
    """
    d, k, total = x.mean.shape[2], int(x.slot[s, N_CENTERS]), 1e-12
    for j in range(k):
        total += x.center[s, j, MASS]
    granted = _GRANTED * (d + 1.0)
    own = 1.0 + (1.0 - _BROAD_PART) * granted / total if k == 1 else 1.0
    broad = _BROAD_PART * granted / k**2
    for i in range(d):
        for a in range(d):
            value = 0.0
            for j in range(k):
                value += x.center[s, j, MASS] * x.shape[s, j, i, a]
            if i == a:
                value = own * value + broad * x.squares[WORLD_COV, i, i]
            x.squares[POOLED, i, a] = value / (total + granted)


@lean_kernel
def refresh_inplace(x: Store, s: int) -> None:
    """Shrink every kernel towards the pooled one and factorise it."""
    d = x.mean.shape[2]
    granted = SHRINKAGE * (d + 2.0)
    _pool_kernels_inplace(x, s)
    for j in range(int(x.slot[s, N_CENTERS])):
        n = x.center[s, j, MASS]
        for i in range(d):
            for a in range(d):
                value = granted * x.squares[POOLED, i, a] + n * x.shape[s, j, i, a]
                x.squares[MATRIX, i, a] = value / (granted + n)
        factorise_inplace(x.factor[s, j], x.squares[MATRIX], x.work[FLOOR])


@lean_kernel
def move_time_inplace(x: Store, s: int, lane: int) -> None:
    """State-space prediction: each center one step ahead."""
    for j in range(int(x.slot[s, N_CENTERS])):
        c = x.center[s, j]
        for i in range(x.mean.shape[2]):
            x.mean[s, j, i] += x.velocity[s, j, i]
        c[VAR] += 2 * c[COV] + c[SPEED_VAR] + WALK[lane] + 0.25 * TURN[lane]
        c[COV] += c[SPEED_VAR] + 0.5 * TURN[lane]
        c[SPEED_VAR] += TURN[lane]


@lean_kernel
def most_centers(x: Store, lane: int) -> int:
    """Centers that a geometry of the lane may have."""
    return int(min(MOST[lane], x.work[LIMIT]))


@lean_kernel
def prior_row(x: Store, lane: int) -> int:
    """Row of `BELIEF_PRIOR`: for several centers, for one on the line, for one in space."""
    return 0 if most_centers(x, lane) > 1 else min(x.mean.shape[2], 2)


@lean_kernel
def learn_inplace(x: Store, s: int, lane: int, z: Array, t: int) -> None:
    """Absorb z into geometry s, after `score_inplace` has filled the work vector."""
    w = x.work
    share_inplace(x.slot[s], MEMORY, w[BY_MEMORY:], WEIGHT_PRIOR, WEIGHT_SHARE)
    prior = BELIEF_PRIOR[prior_row(x, lane)]
    share_inplace(x.slot[s], BELIEF, w[BY_BELIEF:], prior, BELIEF_SHARE)
    for j in range(int(x.slot[s, N_CENTERS])):
        for q in range(N_WEIGHTS):
            kept = 1.0 - 1.0 / max(WEIGHT_MEMORY[q], 1.0)
            x.center[s, j, COUNT + q] = kept * x.center[s, j, COUNT + q] + w[SHARE + j]
        leaving = LEAVING * (1.0 + LEAVING_GAIN * x.slot[s, MOVES])
        odds = (x.center[s, j, GONE] + leaving) * w[ABSENT + j]
        x.center[s, j, GONE] = odds if x.slot[s, N_CENTERS] > 1.0 else 0.0
        if w[SHARE + j] > 1e-4:
            _learn_center_inplace(x, s, j, lane, z)
        if w[SHARE + j] > 0.5:
            x.center[s, j, LAST] = t
    x.slot[s, STRAYS] = 0.995 * x.slot[s, STRAYS] + w[STRAY]
    x.slot[s, SEEN] = 0.995 * x.slot[s, SEEN] + 1.0
    x.slot[s, MOVES] *= 0.995 if t >= FIRST_JUDGED else _FINDING
    refresh_inplace(x, s)
    move_time_inplace(x, s, lane)
