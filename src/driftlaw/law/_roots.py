"""Roots of increasing functions, many at once."""

from collections.abc import Callable

import numpy as np

from driftlaw._validate import Array


def solve_increasing(
    gap_and_slope: Callable[[Array], tuple[Array, Array]], low: Array, high: Array
) -> Array:
    """Roots (n,) of n increasing functions in their brackets: Newton where safe, else halving.

    ``gap_and_slope(x)`` returns values and derivatives (n,) at x (n,). A Newton step is taken
    only inside the bracket and only while it more than halves the last move, so at most about
    a hundred rounds are needed whatever the function.
    """
    low, high = low.copy(), high.copy()
    x = 0.5 * (low + high)
    move = high - low
    for _ in range(200):
        gap, slope = gap_and_slope(x)
        low, high = np.where(gap < 0, x, low), np.where(gap < 0, high, x)
        step = np.divide(gap, slope, out=np.full_like(gap, np.inf), where=slope > 0)
        new = x - step
        is_safe = (new >= low) & (new <= high) & (2 * abs(step) < move)
        new = np.where(gap == 0, x, np.where(is_safe, new, 0.5 * (low + high)))
        move = abs(new - x)
        x = new
        if not (move > 4e-16 * abs(new)).any():
            break
    return x
