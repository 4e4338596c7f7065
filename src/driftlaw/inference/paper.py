r"""Kernels: the sampler as the paper writes it.

:math:`k'` is uniform among k - 1, k, k + 1 within bounds; then all centres are drawn anew from a
product of Student-t laws with three degrees of freedom around the k'-means centres, with scale
:math:`\tau = (p_{\max} t)^{-1/2}`. As in the method it descends from, each factor is a
multivariate t of one centre. The proposal names one labelling of the k-means centres, so the
other k! - 1 copies of each mode are out of its reach; the symmetrised version draws the labelling
at random and uses the density averaged over all of them. It asks every observation, as the paper
does: its windows are short ones. Paper: section «Experimental Setup».
"""

import math
from typing import NamedTuple

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw._xoshiro import State, below, fill_normal_inplace
from driftlaw.geometry import log_location
from driftlaw.inference.chain import LOG_LOCATION, LOSS, Chain
from driftlaw.inference.kmeans import Means, follow_inplace, means_of
from driftlaw.inference.rjmcmc import (
    Record,
    Target,
    clear_tally_inplace,
    is_accepted,
    is_kept,
    keep_inplace,
    log_target,
)
from driftlaw.inference.rows import copy_inplace, minimum_inplace, squared_distances_inplace
from driftlaw.inference.score import refill_inplace, total_loss
from driftlaw.inference.window import Window, n_scored

WITHIN, BIRTH, DEATH = 0, 1, 2
MOVE_NAMES = ("within", "birth", "death")
MAX_SYMMETRIC = 10  # the symmetrised density costs k 2^k operations

_FREEDOM = 3.0


class Proposal(NamedTuple):
    """The paper's proposal: k-means centres for every k, scale, and whether labels are drawn."""

    means: Array  # (max_centers, max_centers, d); row k - 1 holds k centres
    scale: float
    is_symmetric: bool
    trial: Array  # (max_centers, d): the proposed configuration
    scratch: Array  # (max_centers, max(max_centers, d + 1)), for log-densities and k-means
    table: Array  # (2 ** max_centers,) when symmetric, else (1,)


@lean_kernel
def n_neighbours(k: int, max_centers: int) -> int:
    """How many of k - 1, k, k + 1 are admissible."""
    return min(max_centers, k + 1) - max(1, k - 1) + 1


@lean_kernel
def draw_student_inplace(random: State, mean: Array, scale: float, out: Array) -> None:
    """Draw a multivariate t with three degrees of freedom around ``mean`` into ``out`` (d,)."""
    fill_normal_inplace(random, out[:1])
    square = out[0] ** 2
    fill_normal_inplace(random, out[:1])
    square += out[0] ** 2
    fill_normal_inplace(random, out[:1])
    square += out[0] ** 2
    fill_normal_inplace(random, out)
    factor = scale / math.sqrt(square / _FREEDOM)
    for a in range(out.shape[0]):
        out[a] = mean[a] + factor * out[a]


@lean_kernel
def log_q_student(center: Array, mean: Array, scale: float) -> float:
    """Log-density of ``draw_student_inplace`` at ``center``."""
    d, square = center.shape[0], 0.0
    for a in range(d):
        square += (center[a] - mean[a]) ** 2
    constant = math.lgamma(0.5 * (_FREEDOM + d)) - math.lgamma(0.5 * _FREEDOM)
    constant -= 0.5 * d * math.log(_FREEDOM * math.pi * scale**2)
    tail = math.log1p(square / (_FREEDOM * scale**2))
    return float(constant - 0.5 * (_FREEDOM + d) * tail)


@lean_kernel
def draw_all_inplace(proposal: Proposal, random: State, k: int, out: Array) -> None:
    """Draw k centres around the k-means centres into ``out[:k]``, in random order if symmetric."""
    means = proposal.means[k - 1]
    for j in range(k):
        draw_student_inplace(random, means[j], proposal.scale, out[j])
    if proposal.is_symmetric:
        for j in range(k - 1, 0, -1):
            i = below(random, j + 1)
            for a in range(out.shape[1]):
                out[i, a], out[j, a] = out[j, a], out[i, a]


@lean_kernel
def log_q_all(proposal: Proposal, centers: Array, k: int) -> float:
    """Log-density of ``draw_all_inplace`` at ``centers[:k]``."""
    means = proposal.means[k - 1]
    if proposal.is_symmetric:
        return _log_q_labellings(proposal, centers, k)
    total = 0.0
    for j in range(k):
        total += log_q_student(centers[j], means[j], proposal.scale)
    return total


@lean_kernel
def _log_q_labellings(proposal: Proposal, centers: Array, k: int) -> float:
    """Average the density over labellings: the permanent of the densities over k!."""
    shift = _densities_inplace(proposal, centers, k)
    permanent = _permanent(proposal.scratch, k, proposal.table)
    if permanent == 0.0:
        return -math.inf
    return float(shift + math.log(permanent) - math.lgamma(k + 1.0))


@lean_kernel
def _densities_inplace(proposal: Proposal, centers: Array, k: int) -> float:
    """Fill scratch with q(center j | mean i), each row over its largest; return the log scale."""
    q, shift = proposal.scratch, 0.0
    for j in range(k):
        top = -math.inf
        for i in range(k):
            q[j, i] = log_q_student(centers[j], proposal.means[k - 1, i], proposal.scale)
            top = max(top, q[j, i])
        for i in range(k):
            q[j, i] = math.exp(q[j, i] - top)
        shift += top
    return shift


@lean_kernel
def _permanent(matrix: Array, k: int, table: Array) -> float:
    """Permanent of ``matrix[:k, :k]``.

    ``table[mask]`` sums the products over assignments of the first rows to the columns in
    ``mask``; all terms are positive, so nothing cancels.
    """
    table[0] = 1.0
    for mask in range(1, 1 << k):
        row, total = -1, 0.0
        for i in range(k):
            row += (mask >> i) & 1
        for i in range(k):
            if (mask >> i) & 1:
                total += table[mask ^ (1 << i)] * matrix[row, i]
        table[mask] = total
    return float(table[(1 << k) - 1])


@lean_kernel
def _log_location_sum(target: Target, centers: Array, k: int) -> float:
    total = 0.0
    for j in range(k):
        total += log_location(target.prior, centers[j])
    return total


@lean_kernel
def _loss_inplace(window: Window, chain: Chain, centers: Array, k: int) -> float:
    """Loss of k centres over the columns; overwrites the chain's trial rows."""
    n = window.n[0]
    squared_distances_inplace(window.points, n, centers[0], chain.trial_nearest)
    for j in range(1, k):
        squared_distances_inplace(window.points, n, centers[j], chain.trial_distances)
        minimum_inplace(chain.trial_nearest, chain.trial_distances, n)
    return total_loss(window, chain.trial_nearest)


@lean_kernel
def paper_step(
    window: Window, chain: Chain, target: Target, proposal: Proposal
) -> tuple[int, bool]:
    """Propose a whole configuration; return the kind of move and whether it was accepted."""
    k, max_centers, new = chain.k[0], target.log_counts.shape[0], proposal.trial
    lowest = max(1, k - 1)
    k_new = lowest + below(chain.random, n_neighbours(k, max_centers))
    move = WITHIN if k_new == k else (BIRTH if k_new > k else DEATH)
    draw_all_inplace(proposal, chain.random, k_new, new)
    located = _log_location_sum(target, new, k_new)
    if located == -math.inf:
        return move, False
    forward = log_q_all(proposal, new, k_new) - math.log(n_neighbours(k, max_centers))
    backward = log_q_all(proposal, chain.centers, k) - math.log(n_neighbours(k_new, max_centers))
    loss = _loss_inplace(window, chain, new, k_new)
    here = log_target(target, k, chain.numbers[LOSS], chain.numbers[LOG_LOCATION])
    there = log_target(target, k_new, loss, located)
    if not is_accepted(chain.random, there - here, backward, forward):
        return move, False
    chain.numbers[LOSS] = loss
    chain.k[0] = k_new
    for j in range(k_new):
        copy_inplace(chain.centers[j], new[j], new.shape[1])
    chain.numbers[LOG_LOCATION] = located
    return move, True


@lean_kernel
def _start_at_means_inplace(
    window: Window, chain: Chain, target: Target, proposal: Proposal
) -> None:
    """Put the chain on the k-means centres of its k, where the prior admits them."""
    k = chain.k[0]
    means = proposal.means[k - 1]
    located = _log_location_sum(target, means, k)
    if located > -math.inf:
        for j in range(k):
            copy_inplace(chain.centers[j], means[j], means.shape[1])
        chain.numbers[LOG_LOCATION] = located
        chain.numbers[LOSS] = _loss_inplace(window, chain, means, k)


class PaperSampler(NamedTuple):
    """The paper's proposal, around k-means centres that are carried from update to update.

    They depend on the observations and, by their seeds, on random numbers drawn before the chain's
    first step of an update, never on where the chain is: within an update the proposal is a fixed
    one, and accepting by Metropolis–Hastings is exact however good or poor the centres are.

    The paper does not say where a chain starts. Here each update starts on the k-means centres of
    the current k: so narrow is the proposal that a chain elsewhere may never leave its place.
    """

    n_burn: int
    is_symmetric: bool
    means: Means  # of each chain: all arrays have it as their first axis
    trial: Array  # (max_centers, d) scratch
    square: Array  # (max_centers, max(max_centers, d + 1)) scratch
    table: Array  # (2 ** max_centers,) scratch when symmetric, else (1,)

    @staticmethod
    @lean_kernel
    def _sampler_of(sampler: "PaperSampler", i: int) -> "PaperSampler":
        return PaperSampler(
            sampler.n_burn,
            sampler.is_symmetric,
            means_of(sampler.means, i),
            sampler.trial,
            sampler.square,
            sampler.table,
        )

    @staticmethod
    @lean_kernel
    def _start_over_inplace(sampler: "PaperSampler") -> None:
        for c in range(sampler.means.counts.shape[0]):
            sampler.means.counts[c, 0, 0] = 0.0

    @staticmethod
    @lean_kernel
    def _run_chain_inplace(
        sampler: "PaperSampler",
        c: int,
        window: Window,
        chain: Chain,
        target: Target,
        record: Record,
    ) -> None:
        max_centers, d = sampler.trial.shape
        means = means_of(sampler.means, c)
        proposal = Proposal(
            means.centers,
            1.0 / math.sqrt(max_centers * n_scored(window)),
            sampler.is_symmetric,
            sampler.trial,
            sampler.square,
            sampler.table,
        )
        clear_tally_inplace(record)
        follow_inplace(window, chain.random, means, chain.distances, sampler.square[:, : d + 1])
        _start_at_means_inplace(window, chain, target, proposal)
        for i in range(sampler.n_burn + record.trace_k.shape[0]):
            move, accepted = paper_step(window, chain, target, proposal)
            record.tally[move, 0] += 1
            record.tally[move, 1] += accepted
            if i >= sampler.n_burn:
                if is_kept(record, i - sampler.n_burn):
                    refill_inplace(window, chain)
                keep_inplace(window, chain, record, i - sampler.n_burn)
