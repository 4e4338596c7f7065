"""Kernels: a predictor's whole state, and the loop that takes it from one observation to the next.

The loop over observations is compiled, so a batch crosses into compiled code once; so is one over
streams that are learnt side by side. All arrays of a state that belong to chains have the chain as
their first axis, and the kernel that Python calls has the stream before it.
"""

import math
from typing import NamedTuple

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw.geometry import log_location
from driftlaw.inference.chain import Chain
from driftlaw.inference.rjmcmc import (
    Record,
    Sampler,
    Target,
    run_chain_inplace,
    run_prior_inplace,
    sampler_of,
    start_over_inplace,
)
from driftlaw.inference.score import append_inplace, rescore_inplace
from driftlaw.inference.window import (
    COLUMNS,
    WANTED,
    Window,
    forget_inplace,
    is_summed_up_inplace,
    loss_error,
    n_scored,
    window_of,
)

LEARN, RESTART, WAIT = 0, 1, 2


class Plan(NamedTuple):
    """What happens at each coming observation: the rate after it, and whether memory restarts."""

    rates: Array  # (n,)
    restarts: IntArray  # (n,) LEARN or RESTART; or WAIT: sample again without the observation


class Memory(NamedTuple):
    """Everything that changes: the window, and each chain with its record, of every stream."""

    window: Window
    chains: Chain
    records: Record


class History(NamedTuple):
    """What happened to one stream at each observation; what chains did, chain by chain."""

    n_window: IntArray  # (n,) observations in the score afterwards
    outside: IntArray  # (n,) 1 where the observation lies outside the prior's support
    mean_k: Array  # (n_chains, n) over the kept configurations
    mean_loss: Array  # (n_chains, n)
    loss_error: Array  # (n_chains, n): bound on the error of the last configuration's loss
    tally: IntArray  # (n_chains, n, n_moves, 2)


@lean_kernel
def _chain_of(chains: Chain, c: int) -> Chain:
    """Return number c along the first axis: a stream's chains, or one of these."""
    return Chain(
        chains.k[c],
        chains.centers[c],
        chains.numbers[c],
        chains.distances[c],
        chains.nearest[c],
        chains.random[c],
        chains.trial_center[c],
        chains.trial_distances[c],
        chains.trial_nearest[c],
        chains.decided[c],
    )


@lean_kernel
def _record_of(records: Record, c: int) -> Record:
    return Record(
        records.k[c],
        records.centers[c],
        records.loss[c],
        records.counts[c],
        records.trace_k[c],
        records.trace_loss[c],
        records.tally[c],
    )


@lean_kernel
def _history_of(histories: History, i: int) -> History:
    return History(
        histories.n_window[i],
        histories.outside[i],
        histories.mean_k[i],
        histories.mean_loss[i],
        histories.loss_error[i],
        histories.tally[i],
    )


@lean_kernel
def _sample_inplace(
    sampler: Sampler, target: Target, window: Window, chains: Chain, records: Record
) -> None:
    """Let every chain sample the target given the window; exactly, where it is the prior."""
    for c in range(chains.k.shape[0]):
        chain, record = _chain_of(chains, c), _record_of(records, c)
        if target.rate <= 0.0 or window.n[COLUMNS] == 0:
            run_prior_inplace(window, chain, target, record)
        else:
            run_chain_inplace(sampler, c, window, chain, target, record)


@lean_kernel
def _learn_inplace(window: Window, chains: Chain, z: Array) -> None:
    """Add z to the window and to the chains' scores."""
    n = window.n[COLUMNS]
    for a in range(z.shape[0]):
        window.points[a, n] = z[a]
    window.n[COLUMNS] = n + 1
    for c in range(chains.k.shape[0]):
        append_inplace(window, _chain_of(chains, c))
    if is_summed_up_inplace(window, z):
        for c in range(chains.k.shape[0]):
            rescore_inplace(window, _chain_of(chains, c))


@lean_kernel
def _note_inplace(history: History, i: int, window: Window, chains: Chain, records: Record) -> None:
    history.n_window[i] = n_scored(window)
    n_chains, m = records.k.shape
    for c in range(n_chains):
        mean_k, mean_loss = 0.0, 0.0
        for j in range(m):
            mean_k += records.k[c, j] / m
            mean_loss += records.loss[c, j] / m
        history.mean_k[c, i], history.mean_loss[c, i] = mean_k, mean_loss
        history.loss_error[c, i] = loss_error(window, _chain_of(chains, c))
        for move in range(records.tally.shape[1]):
            history.tally[c, i, move, 0] = records.tally[c, move, 0]
            history.tally[c, i, move, 1] = records.tally[c, move, 1]


@lean_kernel
def advance_inplace(
    batches: Array,
    plan: Plan,
    sampler: Sampler,
    target: Target,
    memory: Memory,
    histories: History,
) -> None:
    """Learn n observations of each of m streams, ``batches`` (m, n, d), and sample after each."""
    for i in range(batches.shape[0]):
        own = Memory(
            window_of(memory.window, i),
            _chain_of(memory.chains, i),
            _record_of(memory.records, i),
        )
        _advance_inplace(
            batches[i], plan, sampler_of(sampler, i), target, own, _history_of(histories, i)
        )


@lean_kernel
def _advance_inplace(
    batch: Array, plan: Plan, sampler: Sampler, target: Target, memory: Memory, history: History
) -> None:
    """Learn the rows of ``batch`` (n, d) one after the other and sample after each."""
    window, chains, records = memory.window, memory.chains, memory.records
    for i in range(batch.shape[0]):
        z = batch[i]
        history.outside[i] = log_location(target.prior, z) == -math.inf
        if plan.restarts[i] == RESTART:
            forget_inplace(window)
            start_over_inplace(sampler)
        elif plan.restarts[i] == LEARN:
            _learn_inplace(window, chains, z)
        if window.n[WANTED] >= 0:
            window.n[WANTED] = i + 1 == batch.shape[0]  # only the last ones will be seen
        now = Target(plan.rates[i], target.log_counts, target.prior)
        _sample_inplace(sampler, now, window, chains, records)
        _note_inplace(history, i, window, chains, records)
