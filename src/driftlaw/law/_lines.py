"""Mixtures on the line as compiled code takes them, with tables of their components."""

from functools import cache
from typing import NamedTuple

import numpy as np

from driftlaw._validate import Array
from driftlaw.law._components import log_density, standard_cdf
from driftlaw.law._line_kernels import Line, line_cdf_inplace

_N_NODES = 2048  # of a component's table: an error below 1e-9


class _Table(NamedTuple):
    tails: Array
    slopes: Array
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
        tables.tails,
        tables.slopes,
        tables.reach,
    )


def line_cdf(line: Line, x: Array) -> Array:
    """Return F(x) at x (n,), off by less than 1e-8."""
    out = np.empty(len(x))
    line_cdf_inplace(np.ascontiguousarray(x), line, out)
    return out


@cache
def _tables(kinds: tuple[float, ...]) -> _Table:
    """Upper tails of the standard components with these degrees of freedom."""
    y = np.linspace(0.0, 1.0, _N_NODES + 1)[:-1]
    z, df = y / (1.0 - y), np.array(kinds)
    tails = standard_cdf(-z[:, None] * np.ones(len(df)), df).T
    density = np.exp(log_density((z**2)[:, None] * np.ones(len(df)), df, 1)).T
    slopes = -density / (1.0 - y) ** 2 / _N_NODES
    end = np.zeros((len(df), 1))
    reach = np.where(np.isinf(df), 8.3, np.inf)
    tails, slopes = (np.ascontiguousarray(np.hstack((part, end))) for part in (tails, slopes))
    return _Table(tails, slopes, reach)
