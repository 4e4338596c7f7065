"""Kernels: small dense linear algebra, sums of exponentials, Bayes' rule on log weights."""

import math

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.model import ERROR, SOLVED
from driftlaw.predictor.adaptive.state import Store

_ROUNDING = 1e-13  # of a variance
_FAR = 1e100  # whitened coordinates are cut here, so that squares stay finite


@lean_kernel
def factorise_inplace(factor: Array, matrix: Array, floor: float) -> None:
    """Lower Cholesky factor of a matrix (d, d); squared pivots are kept above ``floor``.

    And above what rounding leaves of the diagonal, lest what is divided by them be noise.
    """
    d = matrix.shape[0]
    for i in range(d):
        for j in range(i + 1):
            rest = matrix[i, j]
            for a in range(j):
                rest -= factor[i, a] * factor[j, a]
            if i == j:
                factor[i, i] = math.sqrt(max(rest, floor, _ROUNDING * matrix[i, i]))
            else:
                factor[i, j] = rest / factor[j, j]
        for j in range(i + 1, d):
            factor[i, j] = 0.0


@lean_kernel
def squared_length_inplace(x: Store, factor: Array) -> float:
    """|L⁻¹e|² for the vector e in the store's ERROR line; SOLVED receives L⁻¹e."""
    total = 0.0
    for i in range(factor.shape[0]):
        value = x.lines[ERROR, i]
        for j in range(i):
            value -= factor[i, j] * x.lines[SOLVED, j]
        value = min(max(value / factor[i, i], -_FAR), _FAR)
        x.lines[SOLVED, i] = value
        total += value * value
    return total


@lean_kernel
def log_volume_ratio(above: Array, below: Array) -> float:
    """Log of det(above) / det(below) for two triangular factors.

    Ratios of pivots are free of units: rescaling by a power of two changes no bit of them.
    """
    total = 0.0
    for i in range(above.shape[0]):
        total += math.log(above[i, i] / below[i, i])
    return total


@lean_kernel
def log_sum(x: Array, n: int) -> float:
    """Log of the sum of exp over the first n entries."""
    top = float(x[0])
    for i in range(1, n):
        top = max(top, x[i])
    total = 0.0
    for i in range(n):
        total += math.exp(x[i] - top)
    return top + math.log(total)


@lean_kernel
def bayes_inplace(logs: Array, scores: Array, prior: Array, rate: float, share: float) -> float:
    """Bayes' rule at a rate for log weights, then a share returns to the prior.

    Returns the log of what they sum to before that: at rate one, the log score of all together.
    """
    n = prior.shape[0]
    for q in range(n):
        logs[q] += rate * scores[q]
    total = log_sum(logs, n)
    for q in range(n):
        logs[q] = math.log((1 - share) * math.exp(logs[q] - total) + share * prior[q])
    return total
