"""Kernels: one Markov chain: where it is, and what that costs."""

from typing import NamedTuple

from driftlaw._validate import Array, IntArray
from driftlaw._xoshiro import State

LOSS, LOG_LOCATION, LOG_STEP, SKETCH = 0, 1, 2, 3


class Chain(NamedTuple):
    """One Markov chain: where it is, what that costs, and room for the next proposal.

    ``numbers`` holds the loss, the log prior density of the centres, the log step width, and the
    loss of the summary in a long window.
    """

    k: IntArray  # (1,)
    centers: Array  # (max_centers, d)
    numbers: Array  # (4,)
    distances: Array  # (max_centers, capacity)
    nearest: Array  # (capacity,)
    random: State  # (4,)
    trial_center: Array  # (d,)
    trial_distances: Array  # (capacity,)
    trial_nearest: Array  # (capacity,)


class Change(NamedTuple):
    """One of k centres leaves, unless ``out`` is negative; and ``new`` comes, if it does."""

    centers: Array
    k: int
    out: int
    new: Array
    is_coming: bool
