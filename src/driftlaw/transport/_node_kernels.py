"""Kernels: where to look at a mixture on the line: sorted nodes, dense around every normal."""

import numpy as np

from driftlaw._jit import kernel
from driftlaw._validate import Array
from driftlaw.transport._normal_kernels import REACH

_PER_SCALE = 1.5  # nodes per standard deviation


@kernel
def scan_nodes(means: Array, scales: Array) -> Array:
    """Sorted nodes, at most two thirds of a standard deviation apart around every normal."""
    n = means.shape[0]
    low, high, least = np.inf, -np.inf, np.inf
    for k in range(n):
        low = min(low, means[k] - REACH * scales[k])
        high = max(high, means[k] + REACH * scales[k])
        least = min(least, scales[k])
    if n > 0 and _PER_SCALE * (high - low) > max(1024.0, 64.0 * n) * least:
        return local_nodes(means, scales)
    n_even = int(_PER_SCALE * (high - low) / least) + 2 if n > 0 else 0
    nodes = np.empty(n_even)
    for i in range(n_even):
        nodes[i] = low + (high - low) * i / (n_even - 1)
    return nodes


@kernel
def local_nodes(means: Array, scales: Array) -> Array:
    """Give every normal its own nodes, for spreads too unequal for even spacing."""
    n_each = int(2 * _PER_SCALE * REACH) + 1
    nodes = np.empty(means.shape[0] * n_each)
    for k in range(means.shape[0]):
        for j in range(n_each):
            nodes[k * n_each + j] = means[k] + scales[k] * (j / _PER_SCALE - REACH)
    sort_inplace(nodes)
    return nodes


@kernel
def sort_inplace(values: Array) -> None:
    """Shell's sort: for a rare case, it spares the seconds that np.sort takes to compile."""
    n = values.shape[0]
    gap = n // 2
    while gap > 0:
        for i in range(gap, n):
            value = values[i]
            j = i
            while j >= gap and values[j - gap] > value:
                values[j] = values[j - gap]
                j -= gap
            values[j] = value
        gap = gap * 5 // 11 if gap != 2 else 1


@kernel
def first_at_least(nodes: Array, bound: float) -> int:
    """Return the index of the first sorted node >= bound."""
    low, high = 0, nodes.shape[0]
    while low < high:
        middle = (low + high) // 2
        if nodes[middle] < bound:
            low = middle + 1
        else:
            high = middle
    return low
