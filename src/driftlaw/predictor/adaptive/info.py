"""What observations did to `Adaptive`: the record of one, and of a batch."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import Array, IntArray
from driftlaw.predictor.adaptive import report
from driftlaw.predictor.adaptive.model import N_EXPERTS, N_LANES


class AdaptiveInfo(NamedTuple):
    """What one observation did.

    Attributes
    ----------
    t : int
        Observations learnt so far.
    p_value : float
        Anomaly score of the observation under the law before it was learnt: its rank among the
        latest 500 surprises, small where it is unusual; 1 for the first two observations.
    is_alarm : bool
        Whether the change alarm rang at this observation.
    evidence : float
        log(1 + R) of the statistic R of surprising runs; one rings where this reaches
        log(2 / false_alarm_rate), or more soon after other alarms. Restarts and departures ring by
        odds of their own.
    last_alarm : int
        Number of the observation at which it last rang; 0 for never.
    memory : float
        Effective number of observations behind the law, averaged over the experts.
    last_restart : int
        Number of the observation at which the leading geometry was born, by a move or by a fit of
        the recent window.
    restart_evidence : float
        Log odds of the geometries born then or later against all older ones; about 690 where
        none of the older ones is left.
    n_centers : int
        Centers of the leading geometry.
    outlier_rate : float
        Share of observations that it does not explain, as learnt; between 0.002 and 0.2.
    experts : (9,) array
        Weight of each expert in the law; `Adaptive.expert_names` says which is which.
    lanes : (15,) array
        Weight of each kind of motion inside the quasi-posterior.
    """

    t: int
    p_value: float
    is_alarm: bool
    evidence: float
    last_alarm: int
    memory: float
    last_restart: int
    restart_evidence: float
    n_centers: int
    outlier_rate: float
    experts: Array
    lanes: Array


class AdaptiveHistory(NamedTuple):
    """What a batch of n observations did: the fields of `AdaptiveInfo` as arrays (n,).

    ``experts`` is (n, 9) and ``lanes`` (n, 15).
    """

    t: IntArray
    p_value: Array
    is_alarm: NDArray[np.bool_]
    evidence: Array
    last_alarm: IntArray
    memory: Array
    last_restart: IntArray
    restart_evidence: Array
    n_centers: IntArray
    outlier_rate: Array
    experts: Array
    lanes: Array

    def last(self) -> AdaptiveInfo:
        """Return the record of the latest observation alone."""
        return AdaptiveInfo(
            int(self.t[-1]),
            float(self.p_value[-1]),
            bool(self.is_alarm[-1]),
            float(self.evidence[-1]),
            int(self.last_alarm[-1]),
            float(self.memory[-1]),
            int(self.last_restart[-1]),
            float(self.restart_evidence[-1]),
            int(self.n_centers[-1]),
            float(self.outlier_rate[-1]),
            self.experts[-1].copy(),
            self.lanes[-1].copy(),
        )


def new_history(n: int) -> report.History:
    """Return room for the records of n observations."""
    return report.History(
        np.zeros((n, report.N_NUMBERS)), np.zeros((n, N_EXPERTS)), np.zeros((n, N_LANES))
    )


def read_history(rows: report.History, t: int) -> AdaptiveHistory:
    """Name the columns of records that follow ``t`` observations."""
    numbers = rows.numbers
    times = t + np.arange(1, len(numbers) + 1)
    last_alarm = numbers[:, report.LAST_ALARM_AT].astype(np.int64)
    return AdaptiveHistory(
        times,
        numbers[:, report.PVALUE_AT].copy(),
        last_alarm == times,
        numbers[:, report.EVIDENCE_AT].copy(),
        last_alarm,
        numbers[:, report.MEMORY_AT].copy(),
        numbers[:, report.LAST_RESTART_AT].astype(np.int64),
        numbers[:, report.RESTART_EVIDENCE_AT].copy(),
        numbers[:, report.N_CENTERS_AT].astype(np.int64),
        numbers[:, report.STRAY_RATE_AT].copy(),
        rows.experts,
        rows.lanes,
    )
