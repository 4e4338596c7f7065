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
from numpy.typing import NDArray
from scipy import special

from driftlaw._validate import Array
from driftlaw.law import MixtureLaw
from driftlaw.risk._kernels import lowest_intervals_inplace
from driftlaw.risk._rules import Rule, density, rules
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

    @property
    def n_outer(self) -> int:
        """Number of coordinates that are left to a rule."""
        return max(int(self.basis.shape[1]) - 1, 0)


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


def cells_by_rule(law: MixtureLaw, frame: Frame, n_nodes: int) -> list[Cells]:
    """Cell moments by every rule of `rules`."""
    n_outer = frame.n_outer
    groups = [
        [_group_cells(law, law.df == df, frame, rule) for rule in rules(n_nodes, n_outer, df)]
        for df in np.unique(law.df).tolist()
    ]
    return [total(parts) for parts in zip(*groups, strict=True)]


def total(parts: Sequence[Cells], share: float = 1.0) -> Cells:
    """Sum of several parts, each times ``share``."""
    mass = sum(part.mass for part in parts)
    return Cells(np.asarray(share * mass), np.asarray(share * sum(part.first for part in parts)))


def _group_cells(law: MixtureLaw, chosen: NDArray[np.bool_], frame: Frame, rule: Rule) -> Cells:
    """Weighted sum over the chosen components, which share one df."""
    weights, means, scales = law.weights[chosen], law.means[chosen], law.scales[chosen]
    rank = frame.basis.shape[1]
    if rank == 0:
        share = np.full(len(frame.places), weights.sum() / len(frame.places))
        return Cells(share, share[:, None] * (weights @ means / weights.sum()))
    factors = scales[:, None, None] * np.eye(law.dim) if scales.ndim == 1 else scales
    shadows = frame.basis.T @ factors
    triangles: Array = np.linalg.cholesky(shadows @ shadows.transpose(0, 2, 1)).astype(np.float64)
    middles = (means - frame.origin) @ frame.basis
    df = float(law.df[chosen][0])
    mass, noise = _noise_moments(frame.places, middles, triangles, rule, df)
    # regression of a component's noise on its shadow in the span of the centres
    lifts = np.linalg.solve(triangles, shadows) @ factors.transpose(0, 2, 1)
    first = mass[:, :, None] * means[:, None, :] + noise @ lifts
    return Cells(weights @ mass, np.tensordot(weights, first, axes=1))


def _noise_moments(
    places: Array, middles: Array, triangles: Array, rule: Rule, df: float
) -> tuple[Array, Array]:
    """Masses (K, k) and moments (K, k, r) per cell of the standard noise e, u = m + triangle e."""
    n_outer = rule.nodes.shape[1]
    outer = rule.nodes @ triangles[:, :, :-1].transpose(0, 2, 1) + middles[:, None, :]
    heights = (places**2).sum(axis=1) - 2.0 * outer @ places.T
    slopes = -2.0 * triangles[:, -1, -1, None] * places[:, -1]
    low, high = np.empty(heights.shape), np.empty(heights.shape)
    lowest_intervals_inplace(heights, slopes, low, high)
    inner_df, stretch = df + n_outer, np.ones(len(rule.nodes))
    if np.isfinite(df):
        stretch = np.sqrt((df + (rule.nodes**2).sum(axis=1)) / inner_df)
        low, high = low / stretch[:, None], high / stretch[:, None]
    share = rule.weights[:, None] * (_cdf(high, inner_df) - _cdf(low, inner_df))
    inner = _partial_mean(high, inner_df) - _partial_mean(low, inner_df)
    along = (rule.weights * stretch) @ inner
    across = share.transpose(0, 2, 1) @ rule.nodes
    return share.sum(axis=1), np.concatenate([across, along[:, :, None]], axis=2)


def _cdf(z: Array, df: float) -> Array:
    return np.asarray(special.ndtr(z) if np.isinf(df) else special.stdtr(df, z))


def _partial_mean(z: Array, df: float) -> Array:
    r"""Return :math:`\int_{-\infty}^z s f(s) ds` of the standard law; 0 at both infinities."""
    finite = np.isfinite(z)
    s = np.where(finite, z, 0.0)
    squares = s * s
    factor = 1.0 if np.isinf(df) else (df + squares) / (df - 1)
    return np.where(finite, -factor * density(squares, df, 1), 0.0)
