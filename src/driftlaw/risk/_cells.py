r"""Masses and first moments of the Voronoi cells of a configuration under a mixture law.

The cells of :math:`c_1, …, c_k` depend on x only through its projection u on the span of the
differences of the centres, of dimension r <= k - 1. Along one chosen line in that span every cell
is an interval, where truncated moments of normal and Student-t laws are known in closed form; the
other r - 1 coordinates are left to a quadrature rule. So the result is exact for r <= 1, that is on
the line and for two centres anywhere. What is orthogonal to the span follows by linear
regression, which is exact for elliptical components.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from driftlaw._validate import Array
from driftlaw.law import MixtureLaw
from driftlaw.risk._rules import Rule, rules, student_density
from driftlaw.transport import directions

_N_CANDIDATES = 32


class Cells(NamedTuple):
    """Mass (k,) and first moment E[X; X in cell] (k, d) of every cell."""

    mass: Array
    first: Array


class Frame(NamedTuple):
    """Coordinates in the span of the centres: ``basis`` (d, r), ``places`` (k, r) of the centres.

    The last coordinate runs along the line of the closed form.
    """

    origin: Array
    basis: Array
    places: Array


def frame_of(centers: Array) -> Frame:
    """Choose coordinates; the line is the one along which all pairs of centres differ most."""
    origin = centers.mean(axis=0)
    offsets = centers - origin
    _, sizes, axes = np.linalg.svd(offsets, full_matrices=False)
    rank = int((sizes > 1e-13 * max(sizes[0], 1e-300)).sum()) if sizes[0] > 0 else 0
    if rank > 1:
        axes = _turned(offsets @ axes[:rank].T) @ axes[:rank]
    basis = axes[:rank].T
    return Frame(origin, basis, offsets @ basis)


def _turned(places: Array) -> Array:
    """Return rows of an orthonormal basis whose last row separates the places best."""
    rank = places.shape[1]
    pairs = places[:, None, :] - places[None, :, :]
    pairs = pairs[np.triu_indices(len(places), 1)]
    pairs = pairs / np.maximum(np.linalg.norm(pairs, axis=1, keepdims=True), 1e-300)
    units = directions(rank, _N_CANDIDATES)
    best = units[np.argmax(np.abs(units @ pairs.T).min(axis=1))]
    full = np.linalg.qr(np.column_stack([best, np.eye(rank)]))[0]
    return np.roll(full.T, -1, axis=0)


def cells_by_rule(law: MixtureLaw, centers: Array, n_nodes: int) -> tuple[list[Cells], int]:
    """Cell moments by every rule of `rules`, and the number of coordinates left to a rule."""
    frame = frame_of(centers)
    n_outer = max(frame.basis.shape[1] - 1, 0)
    by_component = [
        [_component_cells(law, i, frame, rule) for rule in rules(n_nodes, n_outer, float(df))]
        for i, df in enumerate(law.df)
    ]
    return [_mixed(law.weights, parts) for parts in zip(*by_component, strict=True)], n_outer


def _mixed(weights: Array, parts: Sequence[Cells]) -> Cells:
    mass = np.tensordot(weights, np.array([part.mass for part in parts]), axes=1)
    return Cells(mass, np.tensordot(weights, np.array([part.first for part in parts]), axes=1))


def _component_cells(law: MixtureLaw, i: int, frame: Frame, rule: Rule) -> Cells:
    mean, factor = law.means[i], law.scales[i]
    if frame.basis.shape[1] == 0:
        share = np.full(len(frame.places), 1.0 / len(frame.places))
        return Cells(share, share[:, None] * mean)
    shadow = factor * frame.basis.T if np.ndim(factor) == 0 else frame.basis.T @ factor
    triangle = np.linalg.cholesky(shadow @ shadow.T)
    middle = frame.basis.T @ (mean - frame.origin)
    mass, noise = _noise_moments(frame.places, middle, triangle, rule, float(law.df[i]))
    # regression of the component's noise on its shadow in the span
    lift = np.linalg.solve(triangle, shadow)
    lift = lift * factor if np.ndim(factor) == 0 else lift @ factor.T
    return Cells(mass, mass[:, None] * mean + noise @ lift)


def _noise_moments(
    places: Array, middle: Array, triangle: Array, rule: Rule, df: float
) -> tuple[Array, Array]:
    """Masses (k,) and moments (k, r) of the standard noise e, u = middle + triangle e, per cell."""
    outer = rule.nodes @ triangle[:, :-1].T + middle
    heights = (places**2).sum(axis=1) - 2.0 * outer @ places.T
    slopes = -2.0 * triangle[-1, -1] * places[:, -1]
    low, high = _intervals(heights, slopes)
    n_outer = rule.nodes.shape[1]
    inner_df = df + n_outer
    stretch = np.ones(len(rule.nodes))
    if np.isfinite(df):
        stretch = np.sqrt((df + (rule.nodes**2).sum(axis=1)) / inner_df)
    low, high = low / stretch[:, None], high / stretch[:, None]
    share = rule.weights[:, None] * (_cdf(high, inner_df) - _cdf(low, inner_df))
    inner = _partial_mean(high, inner_df) - _partial_mean(low, inner_df)
    along = (rule.weights * stretch) @ inner
    return share.sum(axis=0), np.column_stack([share.T @ rule.nodes, along])


def _intervals(heights: Array, slopes: Array) -> tuple[Array, Array]:
    """Where line j of ``heights[q, j] + slopes[j] s`` is the lowest: ends (Q, k) each, or empty."""
    lead = slopes[:, None] - slopes[None, :]
    parallel = lead == 0
    gap = heights[:, None, :] - heights[:, :, None]
    crossing = gap / np.where(parallel, 1.0, lead)
    low = np.where(lead > 0, crossing, -np.inf).max(axis=1)
    high = np.where(lead < 0, crossing, np.inf).min(axis=1)
    earlier = np.triu(np.ones(lead.shape, dtype=bool), 1)
    hidden = (parallel & ((gap > 0) | ((gap == 0) & earlier))).any(axis=1)
    low = np.where(hidden, np.inf, low)
    return low, np.maximum(low, high)


def _cdf(z: Array, df: float) -> Array:
    return np.asarray(special.ndtr(z) if np.isinf(df) else special.stdtr(df, z))


def _partial_mean(z: Array, df: float) -> Array:
    r"""Return :math:`\int_{-\infty}^z s f(s) ds` of the standard law; 0 at both infinities."""
    finite = np.isfinite(z)
    s = np.where(finite, z, 0.0)
    if np.isinf(df):
        value = -np.exp(-0.5 * s * s) / np.sqrt(2 * np.pi)
    else:
        value = -(df + s * s) / (df - 1) * student_density(s, df)
    return np.where(finite, value, 0.0)


def average(parts: list[Cells]) -> Cells:
    """Return the mean of several estimates."""
    return _mixed(np.full(len(parts), 1.0 / len(parts)), parts)
