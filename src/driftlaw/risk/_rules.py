"""Deterministic rules for expectations: nodes and weights for standard components."""

from typing import NamedTuple

import numpy as np
from scipy import special

from driftlaw._validate import Array

_N_SHIFTS = 8
_NORMAL_REACH = 9.0
_STUDENT_REACH = 3.7


class Rule(NamedTuple):
    """Nodes (Q, m) and weights (Q,) with sum of weights close to one."""

    nodes: Array
    weights: Array


def rules(n_nodes: int, dim: int, df: float) -> list[Rule]:
    """Rules for a standard normal (df = inf) or Student-t component in R^dim.

    With dim 0 the one exact rule; with dim 1 trapezoidal rules with n and n / 2 nodes; above,
    eight shifted quasi-random rules with n nodes each.
    """
    if dim == 0:
        return [Rule(np.zeros((1, 0)), np.ones(1))]
    if dim == 1:
        return [line_rule(n_nodes, df), line_rule(n_nodes // 2, df)]
    shifts = kronecker(_N_SHIFTS, dim + 1)
    return [cloud_rule(n_nodes, dim, df, shift) for shift in shifts]


def combine(values: list[float], dim: int) -> tuple[float, float]:
    """Turn the values of `rules` into an estimate and its error."""
    if dim == 0:
        return values[0], 0.0
    if dim == 1:
        return values[0], abs(values[0] - values[1])
    return float(np.mean(values)), 3.0 * float(np.std(values, ddof=1) / np.sqrt(len(values)))


def line_rule(n_nodes: int, df: float) -> Rule:
    """Trapezoidal rule; a double-exponential change of variable carries the tails of Student-t."""
    if np.isinf(df):
        x, step = np.linspace(-_NORMAL_REACH, _NORMAL_REACH, n_nodes, retstep=True)
        return Rule(x[:, None], float(step) * np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi))
    s, step = np.linspace(-_STUDENT_REACH, _STUDENT_REACH, n_nodes, retstep=True)
    inner = 0.5 * np.pi * np.sinh(s)
    x = np.sinh(inner)
    slope = 0.5 * np.pi * np.cosh(s) * np.cosh(inner)
    return Rule(x[:, None], float(step) * slope * student_density(x, df))


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


def student_density(x: Array, df: float) -> Array:
    """Density of the standard Student-t law."""
    constant = special.gammaln((df + 1) / 2) - special.gammaln(df / 2) - 0.5 * np.log(df * np.pi)
    return np.asarray(np.exp(constant - (df + 1) / 2 * np.log1p(x * x / df)))
