"""Kernels: one Markov chain: where it is, and what that costs."""

from typing import NamedTuple

from driftlaw._validate import Array, IntArray
from driftlaw._xoshiro import State

# What a chain's numbers are: the loss, the log prior density of the centres, the log step width,
# how many iterations lead to one decision, and how many decisions have adapted that; then, while a
# summary leads, its loss, the iterations that wait for a decision, and k, log prior density and
# summary's loss as last decided.
LOSS, LOG_LOCATION, LOG_STEP, BLOCK, DECISIONS, N_SAVED = 0, 1, 2, 3, 4, 5
SKETCH, WAITING, DECIDED_K, DECIDED_LOCATION, DECIDED_SKETCH, N_NUMBERS = 5, 6, 7, 8, 9, 10


class Chain(NamedTuple):
    """One Markov chain: where it is, what that costs, and room for the next proposal."""

    k: IntArray  # (1,)
    centers: Array  # (max_centers, d)
    numbers: Array  # (N_NUMBERS,)
    distances: Array  # (max_centers, capacity)
    nearest: Array  # (capacity,)
    random: State  # (4,)
    trial_center: Array  # (d,)
    trial_distances: Array  # (capacity,)
    trial_nearest: Array  # (capacity,)
    decided: Array  # (max_centers, d): centres to go back to
