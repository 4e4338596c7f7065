"""Kernels: observations of the current segment, and what a kind of window must know of them.

The first ``n[0]`` columns of ``points`` (d, capacity) lead every score, each for as many
observations as ``weights`` (capacity,) says. `ShortWindow` has them all there. Kinds that hold
more than their columns bring their own kernels for what is below, and the compiler takes those
of the kind at hand: nobody waits for the compilation of what he does not use.

``n`` (4,) counts columns; observations, where columns are but a summary of them, else 0; tells
whether occupancies are wanted of a summary (1), are not (0) or never (-1); and holds the number
of columns at which a summary is made.
"""

from typing import Any, NamedTuple

from driftlaw._jit import kernel_of_record, lean_kernel
from driftlaw._validate import Array, IntArray
from driftlaw.inference.chain import Chain, Change

Window = Any  # a NamedTuple class with points, n, weights and the static kernels of this module
COLUMNS, HELD, WANTED, LIMIT = 0, 1, 2, 3


@kernel_of_record
def is_summary(window: Window) -> bool:
    """Tell whether columns are but a summary."""
    return bool(window._is_summary(window))


@kernel_of_record
def has_more(window: Window) -> bool:
    """Tell whether the exact loss can be had where columns are a summary."""
    return bool(window._has_more(window))


@kernel_of_record
def exact_loss(window: Window, centers: Array, k: int) -> float:
    """Loss of the first k centres."""
    return float(window._exact_loss(window, centers, k))


@kernel_of_record
def exact_counts_inplace(window: Window, chain: Chain, counts: Array) -> None:
    """Let ``counts`` take the points nearest to each centre of the chain, ties for both."""
    window._exact_counts_inplace(window, chain, counts)


@kernel_of_record
def exact_change(window: Window, change: Change) -> float:
    """Difference that a change of centres makes to the loss."""
    return float(window._exact_change(window, change))


@kernel_of_record
def loss_offset(window: Window) -> float:
    """Return what is to be added to the loss of all columns."""
    return float(window._loss_offset(window))


@kernel_of_record
def loss_error(window: Window, chain: Chain) -> float:
    """Bound on what the loss of the chain's configuration is too much by."""
    return float(window._loss_error(window, chain))


@kernel_of_record
def is_summed_up_inplace(window: Window, z: Array) -> bool:
    """Take in z, which is in the last column; tell whether all columns are new."""
    return bool(window._is_summed_up_inplace(window, z))


@kernel_of_record
def copy_observation_inplace(window: Window, s: int, out: Array, i: int) -> None:
    """Copy the observation of rank s, or what stands for it, to column i of ``out``."""
    window._copy_observation_inplace(window, s, out, i)


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

    @staticmethod
    @lean_kernel
    def _is_summary(_window: "ShortWindow") -> bool:
        return False

    @staticmethod
    @lean_kernel
    def _has_more(_window: "ShortWindow") -> bool:
        return False

    @staticmethod
    @lean_kernel
    def _exact_loss(_window: "ShortWindow", _centers: Array, _k: int) -> float:
        return 0.0  # never asked

    @staticmethod
    @lean_kernel
    def _exact_counts_inplace(_window: "ShortWindow", _chain: Chain, _counts: Array) -> None:
        pass  # never asked

    @staticmethod
    @lean_kernel
    def _exact_change(_window: "ShortWindow", _change: Change) -> float:
        return 0.0  # never asked

    @staticmethod
    @lean_kernel
    def _loss_offset(_window: "ShortWindow") -> float:
        return 0.0

    @staticmethod
    @lean_kernel
    def _loss_error(_window: "ShortWindow", _chain: Chain) -> float:
        return 0.0

    @staticmethod
    @lean_kernel
    def _is_summed_up_inplace(_window: "ShortWindow", _z: Array) -> bool:
        return False

    @staticmethod
    @lean_kernel
    def _copy_observation_inplace(window: "ShortWindow", s: int, out: Array, i: int) -> None:
        for a in range(out.shape[0]):
            out[a, i] = window.points[a, s]
