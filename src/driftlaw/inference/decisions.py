r"""Kernels: where columns are but a summary of a long window, they lead and the exact loss decides.

Iterations take the summary's loss :math:`\tilde S` for the loss. After a block of them that led
from c to c' the exact loss S decides on all of them together: they stand with probability
:math:`\min(1, \exp(-\lambda [S(c') - S(c) - \tilde S(c') + \tilde S(c)]))`; else the chain goes
back to c. Each iteration is reversible under the summary's target, hence so is a block, and the
decision makes it so under the target itself (Liu's surrogate transitions; a block of one is
the delayed acceptance of Christen and Fox). What is noted of a block is what was decided at its
end. Its length adapts during burn-in only, as the step width does, and ever more slowly.
"""

import math

from driftlaw._jit import lean_kernel
from driftlaw.inference.chain import (
    BLOCK,
    DECIDED_K,
    DECIDED_LOCATION,
    DECIDED_SKETCH,
    DECISIONS,
    LOG_LOCATION,
    LOSS,
    SKETCH,
    WAITING,
    Chain,
)
from driftlaw.inference.moves import WHOLE_BLOCK
from driftlaw.inference.rjmcmc import (
    Record,
    Target,
    is_accepted,
    is_kept,
    keep_again_inplace,
    keep_inplace,
)
from driftlaw.inference.rows import copy_inplace
from driftlaw.inference.score import refill_inplace
from driftlaw.inference.window import Window, full_loss

_LONGER, _SHORTER = math.log(2.0), math.log(0.8)  # balanced where one block of four stands
_DECISIONS = 20.0  # after so many the gain has halved


@lean_kernel
def longest_block(d: int) -> float:
    """How many iterations one decision may cover: more where the exact loss costs more."""
    return 30.0 if d <= 3 else 75.0


@lean_kernel
def close_block_inplace(
    window: Window, chain: Chain, target: Target, record: Record, i: int
) -> None:
    """End iteration i, counted from the end of burn-in on; if it is time, decide and take notes."""
    chain.numbers[WAITING] += 1.0
    is_last = i in (-1, record.trace_k.shape[0] - 1)
    if is_last or chain.numbers[WAITING] >= chain.numbers[BLOCK]:
        first = max(0, i + 1 - int(chain.numbers[WAITING]))
        if _has_moved(chain):
            stands = _is_decided_inplace(window, chain, target)
            record.tally[WHOLE_BLOCK, 0] += 1
            record.tally[WHOLE_BLOCK, 1] += stands
            if i < 0:
                _adapt_inplace(chain, stands)
        chain.numbers[WAITING] = 0.0
        _keep_block_inplace(window, chain, record, first, i)


@lean_kernel
def _keep_block_inplace(window: Window, chain: Chain, record: Record, a: int, b: int) -> None:
    """Note iterations a, ..., b, which all end where the chain is: count points once."""
    is_counted = False
    for i in range(a, b + 1):
        if is_counted:
            keep_again_inplace(record, i)
        else:
            keep_inplace(window, chain, record, i)
            is_counted = is_kept(record, i)


@lean_kernel
def mark_inplace(chain: Chain) -> None:
    """Remember where the chain is as decided."""
    d, k = chain.centers.shape[1], chain.k[0]
    for j in range(k):
        copy_inplace(chain.decided[j], chain.centers[j], d)
    chain.numbers[DECIDED_K] = k
    chain.numbers[DECIDED_LOCATION] = chain.numbers[LOG_LOCATION]
    chain.numbers[DECIDED_SKETCH] = chain.numbers[SKETCH]
    chain.numbers[WAITING] = 0.0


@lean_kernel
def _has_moved(chain: Chain) -> bool:
    if chain.k[0] != chain.numbers[DECIDED_K]:
        return True
    for j in range(chain.k[0]):
        for a in range(chain.centers.shape[1]):
            if chain.centers[j, a] != chain.decided[j, a]:
                return True
    return False


@lean_kernel
def _is_decided_inplace(window: Window, chain: Chain, target: Target) -> bool:
    """Let the steps since the last decision stand, or go back to where they began; tell which."""
    exact = full_loss(window, chain.centers, chain.k[0], chain.numbers[SKETCH])
    foreseen = chain.numbers[SKETCH] - chain.numbers[DECIDED_SKETCH]
    missed = exact - chain.numbers[LOSS] - foreseen
    if is_accepted(chain.random, -target.rate * missed, 0.0, 0.0):
        chain.numbers[LOSS] = exact
        mark_inplace(chain)
        return True
    _go_back_inplace(window, chain)
    return False


@lean_kernel
def _adapt_inplace(chain: Chain, stands: bool) -> None:
    """Let blocks be longer after one that stands, else shorter.

    The gain falls with the number of decisions: were it constant, where the chain is would go
    along with how long its blocks are, and this would show in what is sampled.
    """
    chain.numbers[DECISIONS] += 1.0
    gain = 1.0 / (1.0 + chain.numbers[DECISIONS] / _DECISIONS)
    length = chain.numbers[BLOCK] * math.exp(gain * (_LONGER if stands else _SHORTER))
    chain.numbers[BLOCK] = min(max(length, 1.0), longest_block(chain.centers.shape[1]))


@lean_kernel
def _go_back_inplace(window: Window, chain: Chain) -> None:
    chain.k[0] = int(chain.numbers[DECIDED_K])
    for j in range(chain.k[0]):
        copy_inplace(chain.centers[j], chain.decided[j], chain.centers.shape[1])
    chain.numbers[LOG_LOCATION] = chain.numbers[DECIDED_LOCATION]
    chain.numbers[SKETCH] = chain.numbers[DECIDED_SKETCH]
    refill_inplace(window, chain)
