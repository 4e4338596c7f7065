"""When memory restarts: ages and rates of the coming steps, known before they come.

After the last observation of a segment the score is empty again, so the next prediction comes
from the prior. Paper: [eq:restart-score], [eq:restart-posterior].

An adaptive restart is known only when the observation has come: its clustering loss under the
current draws is ranked among the latest ones, and a Shiryaev-Roberts statistic of these ranks
decides; the alarm of `Adaptive` begins with the same one.
"""

import numpy as np

from driftlaw._validate import Array, IntArray
from driftlaw.inference import Plan
from driftlaw.predictor.adaptive.alarm import watch_inplace
from driftlaw.predictor.adaptive.model import N_RANKED, SCORES, STATISTIC
from driftlaw.predictor.config import QuasiBayesConfig
from driftlaw.schedules import rate_at

_SETTLED = 10  # observations of a segment before its losses are compared


def plan_steps(config: QuasiBayesConfig, t: int, age: int, n: int) -> Plan:
    """Plan n steps after t observations, of which ``age`` are in the score."""
    ages = _ages(config, t, age, n)
    rates = np.array([_rate(config, a) for a in ages])
    return Plan(rates, np.array([a == 0 for a in ages], dtype=np.int64))


def new_watch() -> Array:
    """Return the watch over a stream of which nothing is known."""
    return np.zeros(SCORES + N_RANKED)


def surprise(k: IntArray, centers: Array, z: Array) -> float:
    """Clustering loss min_j ‖z - c_j‖² of z, averaged over the draws k (M,), centers (M, p, d)."""
    gaps = ((centers - z) ** 2).sum(axis=2)
    gaps[np.arange(centers.shape[1]) >= k[:, None]] = np.inf
    return float(gaps.min(axis=1).mean())


def plan_step_inplace(config: QuasiBayesConfig, watch: Array, age: int, loss: float) -> Plan:
    """Plan the step of the next observation, whose loss under the draws is given.

    The watch learns the loss once the segment has settled. Where it rings the segment ends with
    this observation, and the watch begins anew with the next one.
    """
    if age >= _SETTLED:
        watch_inplace(watch, loss)
    if watch[STATISTIC] >= 1.0 / config.false_alarm_rate:
        watch[:] = 0.0
        return Plan(np.zeros(1), np.ones(1, dtype=np.int64))
    return Plan(np.array([_rate(config, age + 1)]), np.zeros(1, dtype=np.int64))


def _ages(config: QuasiBayesConfig, t: int, age: int, n: int) -> list[int]:
    """Ages after each of the next n observations; numbers of Python, as n is mostly 1."""
    ages = list(range(age + 1, age + n + 1))
    if config.restart_every is not None:
        return [a % config.restart_every for a in ages]
    for time in config.restart_at:
        if t < time <= t + n:
            ages[time - t - 1 :] = range(t + n - time + 1)
    return ages


def _rate(config: QuasiBayesConfig, age: int) -> float:
    if age == 0:
        return 0.0  # the prior predicts; a schedule of one's own may have no value here
    return rate_at(config.schedule, age)
