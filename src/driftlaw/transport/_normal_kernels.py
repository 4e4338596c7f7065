"""Kernels: the normal distribution function from a table of Taylor polynomials.

Nodes 1/16 apart on [-8, 8], degree 6: the error stays below 1e-13, at a quarter of erfc's cost.
"""

import numpy as np
from scipy.special import ndtr

from driftlaw._jit import kernel
from driftlaw._validate import Array

REACH = 8.0  # Phi(-8) is below the spacing of floats at 1
_PER_UNIT = 16.0


def _taylor_table() -> Array:
    """Coefficients Phi^(k)(z) / k!, k = 0 … 6, at the nodes: (257, 7).

    The density's derivatives follow f^(k+1) = -z f^(k) - k f^(k-1).
    """
    z = np.arange(-REACH * _PER_UNIT, REACH * _PER_UNIT + 1) / _PER_UNIT
    density = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    derivatives = [ndtr(z), density, -z * density]
    for k in range(1, 5):
        derivatives.append(-z * derivatives[-1] - k * derivatives[-2])
    factorials = np.cumprod([1.0, 1, 2, 3, 4, 5, 6])
    return np.asarray(np.column_stack(derivatives) / factorials)


_TABLE = _taylor_table()


@kernel
def normal_cdf(z: float) -> float:
    """Phi(z) for -8 <= z <= 8, error below 1e-13."""
    i = int((z + REACH) * _PER_UNIT + 0.5)
    t = z - (i / _PER_UNIT - REACH)
    c = _TABLE[i]
    return float(c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * (c[5] + t * c[6]))))))
