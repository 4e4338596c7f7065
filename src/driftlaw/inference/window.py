"""Kernels: observations of the current segment, and what a kind of window must know of them.

The first ``n[0]`` columns of ``points`` (d, capacity) lead every score, each for as many
observations as ``weights`` (capacity,) says. `ShortWindow` has them all there, and is what the
kernels below are written for. Kinds that hold more than their columns bring their own, and the
compiler takes those of the kind at hand: nobody waits for the compilation of what he does not use.

``n`` (4,) counts columns; observations, where columns are but a summary of them, else 0; tells
whether occupancies are wanted of a summary (1), are not (0) or never (-1); and holds the number
of columns at which a summary is made.
"""

from typing import Any, NamedTuple

from driftlaw._jit import kernel_of_record, lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw.inference.chain import Chain

Window = Any  # a NamedTuple class with points, n, weights, and kernels for where it differs
COLUMNS, HELD, WANTED, LIMIT = 0, 1, 2, 3


@kernel_of_record
def is_summary(_window: Window) -> bool:
    """Tell whether columns are but a summary."""
    return False


@kernel_of_record
def full_loss(_window: Window, _centers: Array, _k: int, columns: float) -> float:
    """Loss of the first k centres, given that of the columns."""
    return columns


@kernel_of_record
def loss_offset(_window: Window) -> float:
    """Return what is to be added to the loss of all columns."""
    return 0.0


@kernel_of_record
def loss_error(_window: Window, _chain: Chain) -> float:
    """Bound on what the loss of the chain's configuration is too much by."""
    return 0.0


@kernel_of_record
def is_summed_up_inplace(_window: Window, _z: Array) -> bool:
    """Take in z, which is in the last column; tell whether all columns are new."""
    return False


@kernel_of_record
def copy_observation_inplace(window: Window, s: int, out: Array, i: int) -> None:
    """Copy the observation of rank s, or what stands for it, to column i of ``out``."""
    for a in range(out.shape[0]):
        out[a, i] = window.points[a, s]


@kernel_of_record
def window_of(windows: Window, i: int) -> Window:
    """Return the window of stream i."""
    return ShortWindow(windows.points[i], windows.n[i], windows.weights[i])


@lean_kernel
def n_scored(window: Window) -> int:
    """Count the observations in the score."""
    return int(window.n[HELD] if is_summary(window) else window.n[COLUMNS])


@lean_kernel
def forget_inplace(window: Window) -> None:
    """Forget all observations."""
    if is_summary(window):
        for s in range(window.weights.shape[0]):
            window.weights[s] = 1.0
    window.n[COLUMNS], window.n[HELD] = 0, 0


class ShortWindow(NamedTuple):
    """Observations that are all in columns."""

    points: Array  # (d, capacity)
    n: IntArray  # (4,)
    weights: Array  # (capacity,) ones
