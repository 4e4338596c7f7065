"""When memory restarts: ages and rates of the coming steps, known before they come.

After the last observation of a segment the score is empty again, so the next prediction comes
from the prior. Paper: [eq:restart-score], [eq:restart-posterior].
"""

import numpy as np

from driftlaw._validate import IntArray
from driftlaw.inference import Plan
from driftlaw.predictor.config import QuasiBayesConfig
from driftlaw.schedules import rate_at


def plan_steps(config: QuasiBayesConfig, t: int, age: int, n: int) -> Plan:
    """Plan n steps after t observations, of which ``age`` are in the score."""
    ages = _ages(config, t, age, n)
    steps = ages.tolist()
    rates = {a: _rate(config, a) for a in dict.fromkeys(steps)}
    restarts = (ages == 0).astype(np.int64)
    return Plan(np.array([rates[a] for a in steps], dtype=float), restarts)


def _ages(config: QuasiBayesConfig, t: int, age: int, n: int) -> IntArray:
    """Ages after each of the next n observations."""
    steps = np.arange(1, n + 1)
    if config.restart_every is not None:
        return np.asarray((age + steps) % config.restart_every)
    ages = age + steps
    for time in config.restart_at:
        if t < time <= t + n:
            ages[time - t - 1 :] = np.arange(t + n - time + 1)
    return np.asarray(ages)


def _rate(config: QuasiBayesConfig, age: int) -> float:
    if age == 0:
        return 0.0  # the prior predicts; a schedule of one's own may have no value here
    return rate_at(config.schedule, age)
