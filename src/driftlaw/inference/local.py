"""Kernels: the local sampler, which changes one centre at a time.

Design: the paper's proposal redraws all centres around one labelling of the k-means centres, so
its chains stand still and miss the other labellings. Local moves reach them all.
"""

import math
from typing import NamedTuple

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw._xoshiro import State, below
from driftlaw.geometry import log_location
from driftlaw.inference.chain import LOG_LOCATION, LOG_STEP, Chain
from driftlaw.inference.moves import (
    BIRTH,
    DEATH,
    WALK,
    Arrival,
    draw_arrival_inplace,
    draw_move,
    draw_walk_inplace,
    log_q_arrival,
    log_q_birth,
    log_q_death,
)
from driftlaw.inference.rjmcmc import (
    Record,
    Target,
    begin_inplace,
    clear_tally_inplace,
    close_iteration_inplace,
    is_accepted,
    leading_loss,
    log_target,
)
from driftlaw.inference.rows import copy_inplace
from driftlaw.inference.score import (
    drop_center_inplace,
    put_center_inplace,
    score_adding,
    score_removing,
    score_replacing,
    total_loss,
)
from driftlaw.inference.window import (
    Window,
    copy_observation_inplace,
    is_summary,
    n_scored,
)

N_ANCHORS = 32
_WANTED_ACCEPTANCE = 0.35
_ROUNDING = 1e-12  # relative difference of two sums of the same losses

REJECTED, ACCEPTED, IDLE = 0, 1, 2  # idle: accepted without touching the loss


@lean_kernel
def _try_replacing(
    window: Window, chain: Chain, target: Target, arrival: Arrival, move: int
) -> int:
    """Walk or jump one centre."""
    slot = below(chain.random, chain.k[0])
    old, new = chain.centers[slot], chain.trial_center
    if move == WALK:
        draw_walk_inplace(chain.random, old, _step_width(chain, target, window), new)
    else:
        draw_arrival_inplace(arrival, chain.random, new)
    inside = log_location(target.prior, new)
    if inside == -math.inf:
        return REJECTED
    forward, backward = 0.0, 0.0  # a walk is symmetric
    if move != WALK:
        forward, backward = log_q_arrival(arrival, new), log_q_arrival(arrival, old)
    located = chain.numbers[LOG_LOCATION] + inside - log_location(target.prior, old)
    loss = score_replacing(window, chain, slot)
    before = chain.numbers[leading_loss(window)]
    if not _accept(window, chain, target, chain.k[0], loss, located, backward - forward):
        return REJECTED
    put_center_inplace(window, chain, slot)
    return IDLE if abs(loss - before) <= _ROUNDING * before else ACCEPTED


@lean_kernel
def _try_birth(window: Window, chain: Chain, target: Target, arrival: Arrival) -> int:
    """Add a centre. Its slot is drawn in name only: the target does not see the order."""
    k, max_centers = chain.k[0], target.log_counts.shape[0]
    new = chain.trial_center
    draw_arrival_inplace(arrival, chain.random, new)
    inside = log_location(target.prior, new)
    if inside == -math.inf:
        return REJECTED
    forward = log_q_birth(arrival, new, k, max_centers)
    backward = log_q_death(k + 1, max_centers)
    located = chain.numbers[LOG_LOCATION] + inside
    loss = score_adding(window, chain)
    if not _accept(window, chain, target, k + 1, loss, located, backward - forward):
        return REJECTED
    chain.k[0] = k + 1
    put_center_inplace(window, chain, k)
    return ACCEPTED


@lean_kernel
def _try_death(window: Window, chain: Chain, target: Target, arrival: Arrival) -> int:
    """Remove a centre."""
    k, max_centers = chain.k[0], target.log_counts.shape[0]
    slot = below(chain.random, k)
    old = chain.centers[slot]
    forward = log_q_death(k, max_centers)
    backward = log_q_birth(arrival, old, k - 1, max_centers)
    located = chain.numbers[LOG_LOCATION] - log_location(target.prior, old)
    loss = score_removing(window, chain, slot)
    if not _accept(window, chain, target, k - 1, loss, located, backward - forward):
        return REJECTED
    drop_center_inplace(window, chain, slot)
    return ACCEPTED


@lean_kernel
def _accept(
    window: Window,
    chain: Chain,
    target: Target,
    k: int,
    loss: float,
    located: float,
    log_q_ratio: float,
) -> bool:
    """Decide on a step to k centres by the loss of the columns; if yes, take over its numbers."""
    known = leading_loss(window)
    here = log_target(target, chain.k[0], chain.numbers[known], chain.numbers[LOG_LOCATION])
    there = log_target(target, k, loss, located)
    if not is_accepted(chain.random, there - here, log_q_ratio, 0.0):
        return False
    chain.numbers[known] = loss
    chain.numbers[LOG_LOCATION] = located
    return True


@lean_kernel
def _step_width(chain: Chain, target: Target, window: Window) -> float:
    """Width of a walk: the posterior's order of magnitude times the adapted factor."""
    return math.exp(chain.numbers[LOG_STEP]) / math.sqrt(2.0 * target.rate * n_scored(window))


@lean_kernel
def _adapt_inplace(chain: Chain, outcome: int, i: int) -> None:
    """Move the step factor towards the wanted acceptance; moves of idle centres say nothing."""
    if outcome != IDLE:
        gain = 1.0 - _WANTED_ACCEPTANCE if outcome == ACCEPTED else -_WANTED_ACCEPTANCE
        chain.numbers[LOG_STEP] += gain * 5.0 / (10.0 + i)


@lean_kernel
def local_step(window: Window, chain: Chain, target: Target, arrival: Arrival, move: int) -> int:
    """Try one move; return whether it was rejected, accepted or accepted idly."""
    if move == BIRTH:
        return _try_birth(window, chain, target, arrival)
    if move == DEATH:
        return _try_death(window, chain, target, arrival)
    return _try_replacing(window, chain, target, arrival, move)


@lean_kernel
def choose_anchors_inplace(window: Window, random: State, anchors: Array) -> int:
    """Copy the window, or a random part of a long one, into ``anchors``; return how many."""
    n, room = n_scored(window), int(anchors.shape[1])
    if n <= room and not is_summary(window):
        for a in range(anchors.shape[0]):
            copy_inplace(anchors[a], window.points[a], n)
        return n
    for i in range(room):
        copy_observation_inplace(window, below(random, n), anchors, i)
    return room


class LocalSampler(NamedTuple):
    """Local moves; the step width adapts during the first ``n_burn`` iterations only."""

    n_burn: int
    anchors: Array  # (d, N_ANCHORS) scratch

    @staticmethod
    @lean_kernel
    def _run_chain_inplace(
        sampler: "LocalSampler",
        c: int,
        window: Window,
        chain: Chain,
        target: Target,
        record: Record,
    ) -> None:
        max_centers = target.log_counts.shape[0]
        clear_tally_inplace(record)
        begin_inplace(window, chain, total_loss(window, chain.nearest))
        n_anchors = choose_anchors_inplace(window, chain.random, sampler.anchors)
        half_width = math.sqrt(1.5 / target.rate)  # variance 1 / (2 rate) per coordinate
        arrival = Arrival(target.prior, sampler.anchors, n_anchors, half_width)
        for i in range(sampler.n_burn + record.trace_k.shape[0]):
            move = draw_move(chain.random, chain.k[0], max_centers)
            outcome = local_step(window, chain, target, arrival, move)
            record.tally[move, 0] += 1
            record.tally[move, 1] += outcome != REJECTED
            if i < sampler.n_burn and move == WALK:
                _adapt_inplace(chain, outcome, i)
            close_iteration_inplace(window, chain, target, record, i - sampler.n_burn)
