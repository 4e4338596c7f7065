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
    x = 0.5 * (low + high)
    move = high - low
    for _ in range(200):
        gap, slope = gap_and_slope(x)
        low, high = np.where(gap < 0, x, low), np.where(gap < 0, high, x)
        with np.errstate(over="ignore"):  # a slope next to 0 makes a step that is not safe
            step = np.divide(gap, slope, out=np.full_like(gap, np.inf), where=slope > 0)
            new = x - step
            is_safe = (new >= low) & (new <= high) & (2 * abs(step) < move)
        new = np.where(is_safe, new, 0.5 * (low + high))
        # A root that is found stays as it is while others go on: each is as if solved alone.
        is_found = (gap == 0) | (move <= 4e-16 * abs(x))
        if is_found.all():
            break
        move = np.where(is_found, 0.0, abs(new - x))
        x = np.where(is_found, x, new)
    return x
