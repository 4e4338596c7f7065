"""Kernels: what surrounds the lanes at one observation — watch, past, the stream's own units."""

from driftlaw._jit import kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.alarm import count_repeats_inplace, watch_inplace
from driftlaw.predictor.adaptive.grain import learn_grain_inplace
from driftlaw.predictor.adaptive.model import FIRST_SCORED, PAST
from driftlaw.predictor.adaptive.ranks import rerank_inplace
from driftlaw.predictor.adaptive.state import State
from driftlaw.predictor.adaptive.world import learn_world_inplace


@kernel
def settle_inplace(state: State, z: Array, log_score: float) -> None:
    """Tell the watch how z was expected, and the past and the stream's own units of z."""
    t = state.t[0]
    if t >= FIRST_SCORED:
        watch_inplace(state.watch, -log_score)
    count_repeats_inplace(state.watch, state.store, state.past, t, z)
    rerank_inplace(state, z)
    for i in range(z.shape[0]):
        state.past[t % PAST, i] = z[i]
    learn_world_inplace(state.store, z)
    state.t[0] = t + 1
    learn_grain_inplace(state)
