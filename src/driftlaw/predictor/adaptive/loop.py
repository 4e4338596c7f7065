"""One observation through the whole of `Adaptive`, and the loop over a batch.

Each part is compiled for itself and called from here: inside a compiled loop every part would be
compiled once more, which took longer than all the rest.
"""

from driftlaw._validate import Array
from driftlaw.predictor.adaptive.beam import step_lanes_inplace
from driftlaw.predictor.adaptive.engine import settle_inplace
from driftlaw.predictor.adaptive.grain import spread, spread_recent
from driftlaw.predictor.adaptive.gross import LOOKED_BACK, begin_again_inplace
from driftlaw.predictor.adaptive.model import FIRST_JUDGED, FIRST_SCORED, LANE_PRIOR, REFIT
from driftlaw.predictor.adaptive.pool import begin_pool_inplace, judge_inplace
from driftlaw.predictor.adaptive.renewal import begin_lanes_inplace, renew_inplace
from driftlaw.predictor.adaptive.report import History, conclude_inplace
from driftlaw.predictor.adaptive.skewed import learn_skewed_inplace
from driftlaw.predictor.adaptive.state import State


def advance_inplace(state: State, batch: Array, alarm_rate: float, history: History) -> None:
    """Learn the rows of the batch one after the other and note what each did."""
    for a, z in enumerate(batch):
        t = int(state.t[0])
        if t >= FIRST_JUDGED:
            judge_inplace(state, z)
        log_score = 0.0
        if t >= FIRST_SCORED:
            point = spread(state.store, z, t)
            log_score = step_lanes_inplace(state.store, state.lanes, LANE_PRIOR, point, t)
        settle_inplace(state, z, log_score)
        if t + 1 == FIRST_JUDGED:
            begin_pool_inplace(state)
        if t + 1 in LOOKED_BACK:
            _look_back_inplace(state, t)
        points = spread_recent(state.store, state.past, t + 1, min(t + 1, REFIT))
        renew_inplace(state.store, state.lanes, LANE_PRIOR, points, t)
        if len(z) == 1:
            learn_skewed_inplace(state, float(z[0]), t)
        conclude_inplace(state, alarm_rate, history, a)


def _look_back_inplace(state: State, t: int) -> None:
    """Begin again after gross readings among the first observations, if there were any."""
    n = begin_again_inplace(state.store, state.past[: t + 1])
    if FIRST_SCORED <= n <= t:
        points = spread_recent(state.store, state.past, t + 1, n)
        begin_lanes_inplace(state.store, state.lanes, LANE_PRIOR, points, t)
