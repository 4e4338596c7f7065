"""Kernels: conformal p-value of an observation; a change alarm on p-values and odds of change."""

import math

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.model import (
    EVIDENCE,
    GRAIN,
    HAZARDS,
    IS_OFF,
    LAST_ALARM,
    N_ALARMS,
    N_RANKED,
    N_SCORES,
    ODDS,
    P_VALUE,
    PAST,
    RAISED,
    REPEATS,
    RESTART,
    SCORES,
    STATISTIC,
    STILL,
    WAS_STILL,
)
from driftlaw.predictor.adaptive.state import Store

_FIRST = 20  # scores before the alarm may ring
YOUNG = 30  # observations within which a restart may ring, and for which others are the same one
_HAZARD = float(HAZARDS.sum())  # restarts per observation, before any evidence
_RAISE = 2.0  # nats by which an alarm raises what the next run needs
_CALM = 3.0  # statistic below which an episode has ended
_NEAR = 100  # latest observations that a new one is compared with
_TINY = 1e-300
_MANY = 0.1  # share of them that equal it, from which on restarts say nothing


@lean_kernel
def rank_inplace(watch: Array, surprise: float) -> None:
    """Rank of a surprise among the latest ones, ties halved; then it joins them."""
    n, above = int(watch[N_SCORES]), 0.5
    filled = min(n, N_RANKED)
    for i in range(filled):
        if watch[SCORES + i] > surprise:
            above += 1.0
        elif watch[SCORES + i] == surprise:
            above += 0.5
    watch[P_VALUE] = above / (filled + 1.0)
    watch[SCORES + n % N_RANKED] = surprise
    watch[N_SCORES] += 1.0


@lean_kernel
def watch_inplace(watch: Array, surprise: float) -> None:
    """Shiryaev-Roberts on the p-values: R ← (1 + R)·½p^(-1/2)."""
    is_early = watch[N_SCORES] < _FIRST
    rank_inplace(watch, surprise)
    grown = (1.0 + watch[STATISTIC]) * 0.5 / math.sqrt(watch[P_VALUE])
    watch[STATISTIC] = 0.0 if is_early else grown
    watch[EVIDENCE] = math.log1p(watch[STATISTIC])


@lean_kernel
def count_repeats_inplace(watch: Array, x: Store, past: Array, t: int, z: Array) -> None:
    """Learn what share of the latest observations a new one equals to the last bit.

    Not along an axis whose values are spread over the cells of a lattice.
    """
    n, equal = min(t, _NEAR), 0.0
    for s in range(t - n, t):
        is_equal = 1.0
        for i in range(z.shape[0]):
            is_spread = x.lines[GRAIN, i] > 0.0
            is_equal = 0.0 if is_spread or past[s % PAST, i] != z[i] else is_equal
        equal += is_equal
    if n > 0:
        watch[REPEATS] += (equal / n - watch[REPEATS]) / n


@lean_kernel
def _has_restarted(watch: Array, t: int, rate: float) -> bool:
    """Say whether the odds of a young restart are such that false ones are as rare as ``rate``.

    Not where few values come again and again: on such a stream kernels are as narrow as they may
    be, and the odds are a matter of their width.
    """
    born = watch[RESTART]
    is_new = born > watch[LAST_ALARM] + YOUNG and t - born < YOUNG and watch[REPEATS] < _MANY
    return bool(is_new and watch[ODDS] >= max(math.log(_HAZARD / rate), 0.0))


@lean_kernel
def _has_left(watch: Array, t: int, rate: float) -> bool:
    """Say whether what stood still and led of late is beaten, by restarts and by what moves.

    On some streams the two take turns for ever: as with runs, each alarm raises what is needed.
    """
    since = watch[WAS_STILL]
    is_armed = since > watch[LAST_ALARM] + YOUNG and t - since < YOUNG
    odds = math.log((1.0 - watch[STILL] + _TINY) / (watch[STILL] + _TINY))
    has_left = odds >= max(math.log(_HAZARD / rate), 0.0) + watch[RAISED]
    return bool(is_armed and watch[REPEATS] < _MANY and has_left)


@lean_kernel
def ring_inplace(watch: Array, t: int, rate: float) -> None:
    """Alarm where a run of surprises, a restart or a departure speaks for a change, once for each.

    Half of the rate goes to runs, a quarter to each sign of a change. The run must calm down
    before it may ring again, and every alarm raises what the next run or departure needs, until the
    set rate has made up for it.
    """
    needed = math.log(2.0 / rate)
    is_run = watch[IS_OFF] == 0.0 and watch[EVIDENCE] >= needed + watch[RAISED]
    change = -_RAISE * rate
    if watch[STILL] > 0.5:
        watch[WAS_STILL] = t
    has_changed = _has_left(watch, t, 0.25 * rate) or _has_restarted(watch, t, 0.25 * rate)
    if is_run or has_changed:
        watch[N_ALARMS] += 1.0
        watch[LAST_ALARM] = t
        watch[IS_OFF] = 1.0
        change += _RAISE
    watch[RAISED] = max(watch[RAISED] + change, 0.0)
    if watch[IS_OFF] == 1.0:
        watch[STATISTIC] = min(watch[STATISTIC], 2.0 / rate)
        watch[IS_OFF] = 1.0 if watch[STATISTIC] >= _CALM else 0.0
