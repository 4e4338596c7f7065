"""Mixtures on the line as compiled code takes them, with tables of their components."""

from functools import cache
from typing import NamedTuple

import numpy as np

from driftlaw._validate import Array
from driftlaw.law._components import log_density, standard_cdf, standard_integral
from driftlaw.law._line_kernels import Line, line_areas_inplace, line_cdf_inplace

_N_NODES = 2048  # of a component's table: an error below 1e-9
_REACH = 1e15  # of Student-t, in scales: how much further is lost in the rounding of how far


class _Table(NamedTuple):
    tails: Array
    slopes: Array
    rests: Array
    rest_slopes: Array
    reach: Array


def line_of(weights: Array, means: Array, scales: Array, df: Array) -> Line:
    """Return the mixture of these components (K,) with the tables that it needs."""
    kinds, place = np.unique(df, return_inverse=True)
    tables = _tables(tuple(kinds.tolist()))
    return Line(  # of copies: what may not be written would be compiled for apart
        np.array(weights),
        np.array(means),
        np.array(scales),
        place.astype(np.int64).ravel(),
        *tables,
    )


def line_cdf(line: Line, x: Array) -> Array:
    """Return F(x) at x (n,), off by less than 1e-8."""
    out = np.empty(len(x))
    line_cdf_inplace(np.ascontiguousarray(x), line, out)
    return out


def line_areas(line: Line, x: Array) -> Array:
    """Return (3, n): F at x (n,), the integrals of F below and of 1 - F above.

    The integrals are off by less than 1e-8 of the scales.
    """
    out = np.empty((3, len(x)))
    line_areas_inplace(np.ascontiguousarray(x), line, out)
    return out


@cache
def _tables(kinds: tuple[float, ...]) -> _Table:
    """Upper tails of the standard components with these degrees of freedom."""
    y = np.linspace(0.0, 1.0, _N_NODES + 1)[:-1]
    df = np.array(kinds)
    z = (y / (1.0 - y))[:, None] * np.ones(len(df))
    tails, areas = standard_cdf(-z, df).T, standard_integral(-z, df).T
    slopes = -np.exp(log_density(z**2, df, 1)).T / (1.0 - y) ** 2
    rests, rest_slopes = areas * (1.0 - y), -areas - tails / (1.0 - y)
    end = np.zeros((len(df), 1))
    parts = (tails, slopes / _N_NODES, rests, rest_slopes / _N_NODES)
    a, b, c, d = (np.ascontiguousarray(np.hstack((part, end))) for part in parts)
    return _Table(a, b, c, d, np.where(np.isinf(df), 8.3, _REACH))
