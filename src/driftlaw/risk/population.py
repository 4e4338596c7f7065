r"""Population risk of a configuration under a known law, with the accuracy it was computed to."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_count, check_points, check_positive
from driftlaw.errors import InputError
from driftlaw.law import MixtureLaw, PredictiveLaw, SampleLaw
from driftlaw.risk._cells import Cells, cells_by_rule, frame_of
from driftlaw.risk._rules import combine, node_range
from driftlaw.streams import Stream


class Risk(NamedTuple):
    """A risk and an estimate of its numerical error (0 where it is exact up to rounding)."""

    value: float
    error: float


def population_risk(law: PredictiveLaw, centers: ArrayLike, *, tolerance: float = 1e-6) -> Risk:
    r"""Compute the expected clustering loss :math:`R(c) = E_{X \sim p}\, \min_j \|c_j - X\|_2^2`.

    Exact (error 0, up to rounding) for an empirical law, on the line, for one centre and for two
    centres in any dimension, and whenever the centres lie on one line. Otherwise exact along one
    line and by quadrature across: with centres that span a plane or a space a trapezoidal rule,
    whose error is its change on doubling; with more, quasi-random points, whose error is three
    standard errors over eight shifts. Rules are refined until the error is below ``tolerance``
    times the value.

    Parameters
    ----------
    law : MixtureLaw or SampleLaw
        Student-t components need df > 2, otherwise the risk is infinite.
    centers : (k, d) array
    tolerance : float
        Relative. Refinement stops at 4096 nodes for a plane, 256 squared for a space and 8 times
        2048 above, so the returned ``error`` may be larger.

    Returns
    -------
    Risk
        ``value`` and ``error``.

    Notes
    -----
    Paper: [eq:population-risk] of the loss [eq:clustering-loss].

    Examples
    --------
    >>> law = MixtureLaw([1.0], [[0.0]], [1.0])
    >>> population_risk(law, [[0.0]])
    Risk(value=1.0, error=0.0)
    >>> round(population_risk(law, [[-0.5], [0.5]]).value, 6), round(1.25 - (2 / np.pi) ** 0.5, 6)
    (0.452115, 0.452115)
    """
    check_positive("tolerance", tolerance)
    points = check_points("centers", centers, check_law("law", law).dim)
    if isinstance(law, SampleLaw):
        return Risk(float(law.weights @ nearest_squares(law.points, points)), 0.0)
    mixture = check_mixture("law", law)
    distinct = np.unique(points, axis=0)
    frame = frame_of(distinct)
    n_nodes, most = node_range(frame.n_outer)
    while True:
        cells = cells_by_rule(mixture, frame, n_nodes)
        values = [risk_of_cells(mixture, distinct, part) for part in cells]
        value, error = combine(values, frame.n_outer)
        if error <= tolerance * value or n_nodes >= most:
            return Risk(max(value, 0.0), error)
        n_nodes *= 2


def lagged_risk(stream: Stream, t: int, centers: ArrayLike, *, tolerance: float = 1e-6) -> Risk:
    r"""Risk under the step before, :math:`\bar R_t(c) = E_{X \sim p_{t-1}^*}\, \ell(c, X)`.

    ``t`` is a step of the stream, at least 1; see `population_risk`. Paper: [eq:lagged-risk].

    Examples
    --------
    >>> from driftlaw.streams import MixtureStream
    >>> stream = MixtureStream(centers=lambda t: np.array([[float(t)]]), rng=0)
    >>> lagged_risk(stream, 3, [[2.0]])
    Risk(value=1.0, error=0.0)
    """
    before = stream.law_at(check_count("t", t) - 1)
    return population_risk(before, centers, tolerance=tolerance)


def risk_of_cells(law: MixtureLaw, centers: Array, cells: Cells) -> float:
    """Risk from the masses and first moments of the cells, about the middle of the centres."""
    origin = centers.mean(axis=0)
    places = centers - origin
    moved = cells.first - cells.mass[:, None] * origin
    gain = cells.mass @ (places**2).sum(axis=1) - 2.0 * (places * moved).sum()
    return spread_about(law, origin) + float(gain)


def spread_about(law: MixtureLaw, point: Array) -> float:
    """Mean squared distance of the law from a point."""
    return float(np.trace(law.cov()) + ((law.mean() - point) ** 2).sum())


def nearest_squares(points: Array, centers: Array) -> Array:
    """Squared distance (n,) of every point from its nearest centre."""
    gaps = points[:, None, :] - centers[None, :, :]
    return np.asarray((gaps**2).sum(axis=2).min(axis=1))


def check_law(name: str, law: PredictiveLaw) -> PredictiveLaw:
    """Return the law if it is one at all: arguments are easily swapped."""
    if not isinstance(law, PredictiveLaw):
        raise InputError(f"{name} must be a MixtureLaw or a SampleLaw, got {type(law).__name__}")
    return law


def check_mixture(name: str, law: PredictiveLaw) -> MixtureLaw:
    """Return the law if it is a mixture with second moments."""
    if not isinstance(law, MixtureLaw):
        raise InputError(f"{name} must be a MixtureLaw or a SampleLaw, got {type(law).__name__}")
    if not (law.df > 2).all():
        raise InputError(f"{name} must have df > 2 for a finite risk, got {law.df.min()}")
    return law
