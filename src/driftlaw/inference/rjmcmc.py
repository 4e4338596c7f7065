r"""Kernels: what every sampler shares — the target, the one acceptance rule, the record of a run.

The target on ordered tuples is
:math:`f(k, c) = q(k) \prod_j \pi_1(c_j) \exp(-\lambda S(c))`.
Paper: [eq:quasi-posterior], [eq:vanilla-quasi-posterior], [eq:restart-posterior].
"""

import math
from typing import Any, NamedTuple

from driftlaw._jit import called_kernel, kernel_of_record, lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw._xoshiro import State, uniform
from driftlaw.geometry import LocationPrior, draw_configuration_inplace, log_location
from driftlaw.inference.chain import LOG_LOCATION, LOSS, Chain
from driftlaw.inference.rows import copy_inplace
from driftlaw.inference.score import occupancy_inplace, rescore_inplace
from driftlaw.inference.window import Window, loss_offset


class Target(NamedTuple):
    """The quasi-posterior: learning rate, log q(k) of shape (max_centers,), location prior."""

    rate: float
    log_counts: Array
    prior: LocationPrior


class Record(NamedTuple):
    """What one chain leaves behind after an update.

    Kept configurations are evenly spaced over the iterations after burn-in; the traces hold every
    one of these iterations.
    """

    k: IntArray  # (m,)
    centers: Array  # (m, max_centers, d)
    loss: Array  # (m,)
    counts: Array  # (m, max_centers): points of the window nearest to each centre
    trace_k: Array  # (n_kept,)
    trace_loss: Array  # (n_kept,)
    tally: IntArray  # (n_moves, 2): proposed, accepted


@lean_kernel
def log_target(target: Target, k: int, loss: float, log_location_sum: float) -> float:
    """Log of the unnormalised target at k centres with this loss and log prior density."""
    return float(target.log_counts[k - 1] + log_location_sum - target.rate * loss)


@lean_kernel
def is_accepted(random: State, gain: float, log_backward: float, log_forward: float) -> bool:
    """Accept with the Metropolis–Hastings–Green probability, given the log target's gain."""
    return bool(math.log(uniform(random)) < gain + log_backward - log_forward)


@lean_kernel
def is_kept(record: Record, i: int) -> bool:
    """Tell whether the configuration of the i-th iteration after burn-in is kept."""
    n_kept, m = record.trace_k.shape[0], record.k.shape[0]
    return bool((i + 1) * m // n_kept > i * m // n_kept)


@lean_kernel
def keep_inplace(window: Window, chain: Chain, record: Record, i: int) -> None:
    """Note the i-th iteration after burn-in, and the configuration if it is one to keep.

    The chain's rows must be those of its configuration.
    """
    record.trace_k[i] = chain.k[0]
    loss = chain.numbers[LOSS] + loss_offset(window)
    record.trace_loss[i] = loss
    if is_kept(record, i):
        slot = (i + 1) * record.k.shape[0] // record.trace_k.shape[0] - 1
        record.k[slot] = chain.k[0]
        for j in range(chain.k[0]):
            copy_inplace(record.centers[slot, j], chain.centers[j], chain.centers.shape[1])
        record.loss[slot] = loss
        occupancy_inplace(window, chain, record.counts[slot])


@lean_kernel
def keep_again_inplace(record: Record, i: int) -> None:
    """Note that the i-th iteration after burn-in ended where the one before did."""
    record.trace_k[i], record.trace_loss[i] = record.trace_k[i - 1], record.trace_loss[i - 1]
    if is_kept(record, i):
        slot = (i + 1) * record.k.shape[0] // record.trace_k.shape[0] - 1
        record.k[slot], record.loss[slot] = record.k[slot - 1], record.loss[slot - 1]
        for j in range(record.k[slot]):
            row = record.centers[slot - 1, j]
            copy_inplace(record.centers[slot, j], row, row.shape[0])
        copy_inplace(record.counts[slot], record.counts[slot - 1], record.counts.shape[1])


@kernel_of_record
def leading_loss(_window: Window) -> int:
    """Tell which of a chain's numbers is the loss that its steps are judged by."""
    return LOSS


@kernel_of_record
def begin_inplace(_window: Window, _chain: Chain, _columns: float) -> None:
    """Get ready for iterations, given the loss of the columns where the chain is."""


@kernel_of_record
def close_iteration_inplace(
    window: Window, chain: Chain, _target: Target, record: Record, i: int
) -> None:
    """End iteration i, counted from the end of burn-in on; note it when that is over."""
    if i >= 0:
        keep_inplace(window, chain, record, i)


@lean_kernel
def clear_tally_inplace(record: Record) -> None:
    """Set all counts of proposals to zero."""
    for move in range(record.tally.shape[0]):
        record.tally[move, 0] = 0
        record.tally[move, 1] = 0


@called_kernel
def run_prior_inplace(window: Window, chain: Chain, target: Target, record: Record) -> None:
    """Fill the record with independent draws from the prior: the exact sampler at rate 0."""
    clear_tally_inplace(record)
    for i in range(record.trace_k.shape[0]):
        k = draw_configuration_inplace(target.log_counts, target.prior, chain.random, chain.centers)
        chain.k[0] = k
        rescore_inplace(window, chain)
        keep_inplace(window, chain, record, i)
    total = 0.0
    for j in range(chain.k[0]):
        total += log_location(target.prior, chain.centers[j])
    chain.numbers[LOG_LOCATION] = total


Sampler = Any  # a NamedTuple class with a static kernel ``_run_chain_inplace``


@kernel_of_record
def sampler_of(sampler: Sampler, _i: int) -> Sampler:
    """Return the sampler of stream i; where nothing is remembered it is that of all."""
    return sampler


@kernel_of_record
def start_over_inplace(_sampler: Sampler) -> None:
    """Forget what is remembered of the observations; most samplers remember nothing."""


@kernel_of_record
def run_chain_inplace(
    sampler: Sampler, c: int, window: Window, chain: Chain, target: Target, record: Record
) -> None:
    """Run chain number c from where it is and fill its record, by the sampler's own kernel."""
    sampler._run_chain_inplace(sampler, c, window, chain, target, record)
