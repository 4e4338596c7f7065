"""Kernels: the integral of |F - G| for two sorted samples, by one pass over both."""

import numpy as np

from driftlaw._jit import kernel
from driftlaw._validate import Array


@kernel
def merged_w1(x: Array, y: Array) -> float:
    """Distance of two sorted samples (n,), (m,) with equal weights inside each.

    Counting in whole numbers, |F - G| = |i m - j n| / (n m), keeps ties exact.
    """
    n, m = x.shape[0], y.shape[0]
    i, j = 0, 0
    total = 0.0
    last = min(x[0], y[0])
    while i < n and j < m:
        if x[i] <= y[j]:
            here = x[i]
            total += abs(i * m - j * n) * (here - last)
            i += 1
        else:
            here = y[j]
            total += abs(i * m - j * n) * (here - last)
            j += 1
        last = here
    # One sample is used up: F or G is 1 from here on.
    while i < n:
        total += (n - i) * m * (x[i] - last)
        last = x[i]
        i += 1
    while j < m:
        total += (m - j) * n * (y[j] - last)
        last = y[j]
        j += 1
    return float(total / (float(n) * float(m)))


@kernel
def weighted_w1(x: Array, x_weights: Array, y: Array, y_weights: Array) -> float:
    """Distance of two sorted weighted samples; the weights of each sum to one."""
    n, m = x.shape[0], y.shape[0]
    i, j = 0, 0
    total = 0.0
    excess = 0.0  # F - G
    last = min(x[0], y[0])
    while i < n or j < m:
        if j == m or (i < n and x[i] <= y[j]):
            total += abs(excess) * (x[i] - last)
            excess += x_weights[i]
            last = x[i]
            i += 1
        else:
            total += abs(excess) * (y[j] - last)
            excess -= y_weights[j]
            last = y[j]
            j += 1
    return float(total)


@kernel
def merged_rows_w1(x: Array, y: Array) -> Array:
    """Distances (L,) of the sorted rows of x (L, n) and y (L, m)."""
    out = np.empty(x.shape[0])
    for row in range(x.shape[0]):
        out[row] = merged_w1(x[row], y[row])
    return out


@kernel
def paired_rows_w1(x: Array, y: Array) -> Array:
    """Distances (L,) of the sorted rows of x and y, both (L, n): mean gap of equal ranks."""
    out = np.empty(x.shape[0])
    for row in range(x.shape[0]):
        total = 0.0
        for i in range(x.shape[1]):
            total += abs(x[row, i] - y[row, i])
        out[row] = total / x.shape[1]
    return out
