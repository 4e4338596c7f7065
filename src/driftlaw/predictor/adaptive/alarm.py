"""Kernels: conformal p-value of a new observation, and a change alarm on the p-values."""

import math

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.model import (
    EVIDENCE,
    LAST_ALARM,
    N_ALARMS,
    N_RANKED,
    N_SCORES,
    P_VALUE,
    SCORES,
    STATISTIC,
)

_FIRST = 20  # scores before the alarm may ring


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
def watch_inplace(watch: Array, surprise: float, t: int, rate: float) -> None:
    """Shiryaev-Roberts: R ← (1 + R)·½p^(-1/2), alarm and reset where R >= 1/rate."""
    is_early = watch[N_SCORES] < _FIRST
    rank_inplace(watch, surprise)
    statistic = 0.0 if is_early else (1.0 + watch[STATISTIC]) * 0.5 / math.sqrt(watch[P_VALUE])
    watch[EVIDENCE] = math.log1p(statistic)
    if statistic >= 1.0 / rate:
        statistic = 0.0
        watch[N_ALARMS] += 1.0
        watch[LAST_ALARM] = t
    watch[STATISTIC] = statistic
