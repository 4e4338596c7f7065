r"""The drift side: what the motion of the true law costs, by risk shifts along its path.

Paper: «Lagged Risk and Dynamic OT Lemmas» and the two mismatch lemmas. Functions named
``…_sharper`` are ours; their proofs are in docs/theory.md.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import (
    Array,
    IntArray,
    check_count,
    check_nonnegative,
    check_points,
    check_positive,
)
from driftlaw.errors import InputError


def risk_shift(diameter: float, w1: float) -> float:
    r""":math:`|\bar R_t(c) - R_t(c)| \le 4D\,W_1(p^*_{t-1}, p^*_t)` [lem:appendix-risk-shift].

    Examples
    --------
    >>> risk_shift(10.0, 0.5)
    20.0
    """
    return 4 * check_positive("diameter", diameter) * check_nonnegative("w1", w1)


def lagged_excess(current_excess: float, diameter: float, w1: float) -> float:
    r""":math:`\bar E_t \le E_t^{cur} + 8D\,W_1(p^*_{t-1},p^*_t)` [prop:appendix-lagged-risk].

    Examples
    --------
    >>> lagged_excess(1.0, 10.0, 0.5)
    41.0
    """
    return check_nonnegative("current_excess", current_excess) + 2 * risk_shift(diameter, w1)


def lagged_excess_sharper(current_excess: float, pair_distance: float, w1: float) -> float:
    r""":math:`\bar E_t \le E_t^{cur} + 2\Delta\,W_1`, :math:`\Delta = \sup\|c_j - c^*_i\|`; ours.

    The difference of two losses is :math:`2\Delta`-Lipschitz in x, where the paper adds two
    constants 4D.

    Examples
    --------
    >>> lagged_excess_sharper(1.0, 10.0, 0.5)
    11.0
    """
    apart = check_positive("pair_distance", pair_distance)
    return check_nonnegative("current_excess", current_excess) + 2 * apart * check_nonnegative(
        "w1", w1
    )


def path_length(n_steps: int, action: float) -> float:
    r""":math:`\sum_t W_1(p^*_{t-1},p^*_t)\le\sqrt{nA}` for n moves [lem:appendix-pathwise-drift].

    Examples
    --------
    >>> path_length(4, 9.0)
    6.0
    """
    return math.sqrt(check_count("n_steps", n_steps, least=0) * check_nonnegative("action", action))


def global_mismatch(diameter: float, horizon: int, action: float) -> float:
    r""":math:`\sum_t [R_t(c^*_1)-R_t(c^*_t)]\le8DT\sqrt{(T-1)A_T}` [lem:appendix-global-mismatch].

    Examples
    --------
    >>> global_mismatch(1.0, 5, 4.0)
    160.0
    """
    n_steps = check_count("horizon", horizon)
    return 8 * check_positive("diameter", diameter) * n_steps * path_length(n_steps - 1, action)


def segment_mismatch(diameter: float, length: int, action: float) -> float:
    r""":math:`8D H_r^{3/2}\sqrt{A_r}` on one segment [lem:appendix-segment-mismatch].

    Examples
    --------
    >>> segment_mismatch(1.0, 4, 9.0)
    192.0
    """
    steps = check_count("length", length)
    return 8 * check_positive("diameter", diameter) * steps * path_length(steps, action)


def segment_mismatch_sharper(data_diameter: float, length: int, action: float) -> float:
    r""":math:`2D\sqrt{(H-1)H(2H-1)/6}\sqrt{A_r}` on one segment; ours.

    Cauchy–Schwarz on the triangular sum itself, and 2D for the difference of two oracle losses.
    The whole horizon is the segment of length T.

    Examples
    --------
    >>> segment_mismatch_sharper(1.0, 4, 9.0) == 6 * 14**0.5
    True
    """
    squares = _sum_of_squares(np.array([check_count("length", length)]))
    width = check_positive("data_diameter", data_diameter)
    return 2 * width * math.sqrt(squares * check_nonnegative("action", action))


def segment_lengths(horizon: int, restart_every: int | None) -> IntArray:
    r"""Lengths :math:`H_r` of the :math:`m=\lceil T/H\rceil` segments; the last may be shorter.

    Examples
    --------
    >>> segment_lengths(10, 4).tolist()
    [4, 4, 2]
    """
    n_steps = check_count("horizon", horizon)
    window = n_steps if restart_every is None else check_count("restart_every", restart_every)
    if window > n_steps:
        raise InputError(f"restart_every must be <= horizon = {n_steps}, got {window}")
    full, rest = divmod(n_steps, window)
    return np.array([window] * full + [rest] * (rest > 0))


def segment_sum(lengths: ArrayLike, actions: ArrayLike) -> float:
    r""":math:`\sum_r H_r^{3/2}\sqrt{A_r}`, left side of [lem:appendix-segment-aggregation].

    Examples
    --------
    >>> segment_sum([4, 4], [1.0, 9.0])
    32.0
    """
    sizes, energies = _check_segments(lengths, actions)
    return float(np.sum(sizes**1.5 * np.sqrt(energies)))


def segment_aggregation(restart_every: int, horizon: int, action: float) -> float:
    r""":math:`H\sqrt{T A_T}`, right side of [lem:appendix-segment-aggregation].

    It holds as it stands when H does not divide T (docs/theory.md): Cauchy–Schwarz with the pairs
    :math:`(\sqrt{H_r}, \sqrt{A_r})` needs only :math:`H_r \le H` and :math:`\sum_r H_r = T`.

    Examples
    --------
    >>> segment_aggregation(3, 16, 4.0)
    24.0
    """
    return check_count("restart_every", restart_every) * path_length(horizon, action)


def aggregated_mismatch_sharper(data_diameter: float, lengths: ArrayLike, action: float) -> float:
    r""":math:`2D\sqrt{A_T \sum_r (H_r-1)H_r(2H_r-1)/6}`, all segments together; ours.

    Examples
    --------
    >>> aggregated_mismatch_sharper(1.0, [4, 4], 7.0)
    28.0
    """
    sizes = check_points("lengths", lengths, 1)[:, 0]
    width = check_positive("data_diameter", data_diameter)
    return 2 * width * math.sqrt(_sum_of_squares(sizes) * check_nonnegative("action", action))


def _sum_of_squares(sizes: Array | IntArray) -> float:
    """Sum over segments of 1² + … + (H_r - 1)²."""
    return float(np.sum((sizes - 1) * sizes * (2 * sizes - 1) / 6))


def _check_segments(lengths: ArrayLike, actions: ArrayLike) -> tuple[Array, Array]:
    sizes = check_points("lengths", lengths, 1)[:, 0]
    energies = check_points("actions", actions, 1)[:, 0]
    if len(sizes) != len(energies) or (sizes < 1).any() or (energies < 0).any():
        raise InputError("lengths must be >= 1 and actions >= 0, one action per segment")
    return sizes, energies
