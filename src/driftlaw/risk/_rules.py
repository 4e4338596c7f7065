"""Deterministic rules for expectations: nodes and weights for standard components."""

from typing import NamedTuple

import numpy as np
from scipy import special

from driftlaw._validate import Array

_N_SHIFTS = 8
_NORMAL_REACH = 8.0
_STUDENT_REACH = 3.7


class Rule(NamedTuple):
    """Nodes (Q, m) and weights (Q,) with sum of weights close to one."""

    nodes: Array
    weights: Array


def node_range(dim: int) -> tuple[int, int]:
    """Numbers of nodes to begin and to end a refinement with (per coordinate up to dim 2)."""
    return {0: (1, 1), 1: (64, 4096), 2: (32, 256)}.get(dim, (512, 2048))


def rules(n_nodes: int, dim: int, df: float) -> list[Rule]:
    """Rules for a standard normal (df = inf) or Student-t component in R^dim.

    With dim 0 the one exact rule; with dim 1 and 2 trapezoidal rules with n and n / 2 nodes per
    coordinate; above, eight shifted quasi-random rules with n nodes each.
    """
    if dim == 0:
        return [Rule(np.zeros((1, 0)), np.ones(1))]
    if dim <= 2:
        return [grid_rule(n_nodes, dim, df), grid_rule(n_nodes // 2, dim, df)]
    # steps of another dimension: with the cloud's own, a shift would only renumber its points
    shifts = kronecker(_N_SHIFTS, dim + 2)[:, 1:]
    return [cloud_rule(n_nodes, dim, df, shift) for shift in shifts]


def combine(values: list[float], dim: int) -> tuple[float, float]:
    """Turn the values of `rules` into an estimate and its error."""
    if dim == 0:
        return values[0], 0.0
    if dim <= 2:
        return values[0], abs(values[0] - values[1])
    return float(np.mean(values)), 3.0 * float(np.std(values, ddof=1) / np.sqrt(len(values)))


def grid_rule(n_nodes: int, dim: int, df: float) -> Rule:
    """Trapezoidal rule; a double-exponential change of variable carries the tails of Student-t."""
    if np.isinf(df):
        x, step = np.linspace(-_NORMAL_REACH, _NORMAL_REACH, n_nodes, retstep=True)
        slope = np.ones(n_nodes)
    else:
        s, step = np.linspace(-_STUDENT_REACH, _STUDENT_REACH, n_nodes, retstep=True)
        inner = 0.5 * np.pi * np.sinh(s)
        x, slope = np.sinh(inner), 0.5 * np.pi * np.cosh(s) * np.cosh(inner)
    nodes = np.stack(np.meshgrid(*[x] * dim, indexing="ij"), axis=-1).reshape(-1, dim)
    slopes = np.stack(np.meshgrid(*[slope] * dim, indexing="ij"), axis=-1).reshape(-1, dim)
    weights = float(step) ** dim * slopes.prod(axis=1) * density((nodes**2).sum(axis=1), df, dim)
    heavy = weights > 1e-17 * weights.max()
    return Rule(nodes[heavy], weights[heavy])


def cloud_rule(n_nodes: int, dim: int, df: float, shift: Array) -> Rule:
    """Quasi-random points and their mirror images, so that odd moments vanish exactly."""
    uniforms = (kronecker((n_nodes + 1) // 2, dim + 1) + shift) % 1.0
    uniforms = np.clip(uniforms, 1e-12, 1 - 1e-12)
    nodes = special.ndtri(uniforms[:, :dim])
    if np.isfinite(df):
        chi_squared = 2.0 * special.gammaincinv(df / 2, uniforms[:, dim])
        nodes = nodes * np.sqrt(df / chi_squared)[:, None]
    nodes = np.concatenate([nodes, -nodes])
    return Rule(nodes, np.full(len(nodes), 1.0 / len(nodes)))


def kronecker(n: int, dim: int) -> Array:
    r"""Additive recurrence in the unit cube, (n, dim).

    The steps are :math:`g^{-1}, …, g^{-m}` with g the positive root of :math:`g^{m+1} = g + 1`,
    m = dim: the golden ratio for m = 1.
    """
    root = 2.0
    for _ in range(64):
        root = (1.0 + root) ** (1.0 / (dim + 1))
    steps = root ** -np.arange(1.0, dim + 1)
    return (0.5 + np.arange(1, n + 1)[:, None] * steps) % 1.0


def density(squares: Array, df: float, dim: int) -> Array:
    """Density of the standard normal or Student-t law in R^dim at squared radius ``squares``."""
    if np.isinf(df):
        return np.asarray(np.exp(-0.5 * squares) / (2 * np.pi) ** (dim / 2))
    constant = special.gammaln((df + dim) / 2) - special.gammaln(df / 2)
    constant -= dim / 2 * np.log(df * np.pi)
    return np.asarray(np.exp(constant - (df + dim) / 2 * np.log1p(squares / df)))
