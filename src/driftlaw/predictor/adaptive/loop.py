"""One observation through the whole of `Adaptive`, and the loop over a batch.

Each part is compiled for itself and called from here: inside a compiled loop every part would be
compiled once more, which took longer than all the rest.
"""

import numpy as np

from driftlaw._validate import Array
from driftlaw.predictor.adaptive.beam import step_lanes_inplace
from driftlaw.predictor.adaptive.engine import (
    FIRST_JUDGED,
    FIRST_SCORED,
    judge_inplace,
    recent,
    settle_inplace,
)
from driftlaw.predictor.adaptive.model import BEAM, N_LANES, REFIT
from driftlaw.predictor.adaptive.refit import fit_inplace, refit_lane_inplace
from driftlaw.predictor.adaptive.report import History, conclude_inplace
from driftlaw.predictor.adaptive.state import State

_EARLY = 16  # until here every lane is refitted, afterwards one at each step


def advance_inplace(state: State, batch: Array, alarm_rate: float, history: History) -> None:
    """Learn the rows of the batch one after the other and note what each did."""
    for a, z in enumerate(batch):
        t = int(state.t[0])
        if t >= FIRST_JUDGED:
            judge_inplace(state, z)
        log_score = 0.0
        if t >= FIRST_SCORED:
            log_score = step_lanes_inplace(state.store, state.lanes, z, t)
        settle_inplace(state, z, log_score)
        _renew_inplace(state, t)
        conclude_inplace(state, alarm_rate, history, a)


def _renew_inplace(state: State, t: int) -> None:
    """Offer global moves to the lane whose turn it is; at first, one center for every lane."""
    points = recent(state.past, t + 1, min(t + 1, REFIT))
    if t < FIRST_SCORED:
        for lane in range(N_LANES):
            fit_inplace(state.store, lane * BEAM, points, np.zeros(1, np.int64), lane, t)
    else:
        for lane in range(N_LANES) if t < _EARLY else (-t % N_LANES,):
            refit_lane_inplace(state.store, lane, points, t)
