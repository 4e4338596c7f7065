"""The oracle: the configuration of least risk under a known law, alone and along a stream."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment, minimize

from driftlaw._validate import Array, check_count, check_points
from driftlaw.errors import InputError
from driftlaw.law import MixtureLaw, PredictiveLaw, SampleLaw
from driftlaw.risk._cells import Cells, cells_by_rule, frame_of, total
from driftlaw.risk._kernels import lloyd_inplace, seed_inplace
from driftlaw.risk._rules import cloud_rule, kronecker, node_range
from driftlaw.risk.population import Risk, check_law, check_mixture, population_risk, risk_of_cells
from driftlaw.streams import Stream

_N_POINTS = 2048
_N_POLISH = 100
_MOST_CENTERS = 100  # work grows with the square of k; without an end, so would memory


class Oracle(NamedTuple):
    """Centres (k, d) of least risk found, and their risk."""

    centers: Array
    risk: Risk


class OraclePath(NamedTuple):
    """Oracles of the steps of a stream: centres (T, k, d), risks (T,), their errors (T,)."""

    centers: Array
    values: Array
    errors: Array


def oracle(
    law: PredictiveLaw, k: int, *, n_starts: int = 16, start: ArrayLike | None = None
) -> Oracle:
    r"""Find the k centres of least risk, :math:`c^* \in \arg\min_c R(c)`.

    k-means from many starts on fixed quasi-random points of the law (on the points themselves for
    an empirical law), then a quasi-Newton descent on the law itself, with the cell moments of
    `population_risk` as value and slope. The least over all starts is taken; a global minimum that
    no start leads to is missed.

    Parameters
    ----------
    law : MixtureLaw or SampleLaw
    k : int
        At most 100. The risk falls with k, so the oracle among at most p centres has p.
    n_starts : int
        Starts that are tried; nothing is random.
    start : (k, d) array, optional
        One more start, for instance the oracle of the step before. Its labels are kept: centre j
        of the answer is the one matched to ``start[j]``. Without it centres are sorted.

    Returns
    -------
    Oracle
        ``centers`` and ``risk``.

    Notes
    -----
    Paper: the configuration :math:`c_t^*` defined after [eq:population-risk].

    Examples
    --------
    >>> law = MixtureLaw([1.0], [[0.0]], [1.0])
    >>> best = oracle(law, 2)
    >>> best.centers.ravel().round(6), round(best.risk.value, 6)
    (array([-0.797885,  0.797885]), 0.36338)
    """
    k, n_starts = check_count("k", k), check_count("n_starts", n_starts)
    if k > _MOST_CENTERS:
        raise InputError(f"k must be <= {_MOST_CENTERS}, got {k}")
    check_law("law", law)
    first = None if start is None else check_points("start", start, law.dim)
    if first is not None and len(first) != k:
        raise InputError(f"start must be ({k}, {law.dim}), got {first.shape}")
    points, weights = _cloud(law)
    centers = _best_start(points, weights, _starts(points, weights, k, n_starts, first))
    if isinstance(law, MixtureLaw):
        centers = _polished(law, centers)
    centers = _labelled(centers, first)
    return Oracle(centers, population_risk(law, centers))


def oracle_path(
    stream: Stream, k: int, *, n_steps: int | None = None, n_starts: int = 4
) -> OraclePath:
    """Oracles of the steps 0, …, T - 1 of a stream, each started from the one before.

    Labels stay in order: centre j at t is the one matched to centre j at t - 1. Every step also
    tries ``n_starts`` fresh starts, so that a jump of the law is followed.

    Parameters
    ----------
    stream : Stream
    k : int
    n_steps : int, optional
        T; the stream's own number of steps when None.
    n_starts : int
        Fresh starts per step (four times as many at step 0).

    Examples
    --------
    >>> from driftlaw.streams import MixtureStream
    >>> stream = MixtureStream(centers=lambda t: np.array([[float(t)]]), rng=0)
    >>> oracle_path(stream, 1, n_steps=3).values.round(9)
    array([1., 1., 1.])
    """
    n_steps = horizon(stream, n_steps)
    found = [oracle(stream.law_at(0), k, n_starts=4 * check_count("n_starts", n_starts))]
    for t in range(1, n_steps):
        law, before = stream.law_at(t), stream.law_at(t - 1)
        same = law.to_dict() == before.to_dict()
        again = found[-1]
        found.append(again if same else oracle(law, k, n_starts=n_starts, start=again.centers))
    return OraclePath(
        np.array([best.centers for best in found]),
        np.array([best.risk.value for best in found]),
        np.array([best.risk.error for best in found]),
    )


def horizon(stream: Stream, n_steps: int | None) -> int:
    """Return the number of steps to take, not more than the stream has."""
    if n_steps is None:
        if stream.n_steps is None:
            raise InputError("n_steps must be given for an endless stream")
        return stream.n_steps
    n_steps = check_count("n_steps", n_steps)
    if stream.n_steps is not None and n_steps > stream.n_steps:
        raise InputError(f"n_steps must be <= {stream.n_steps} (the stream's), got {n_steps}")
    return n_steps


def _cloud(law: PredictiveLaw) -> tuple[Array, Array]:
    if isinstance(law, SampleLaw):
        return np.array(law.points), np.array(law.weights)
    mixture = check_mixture("law", law)
    n_each = max(_N_POINTS // len(mixture.weights), 64)
    points, weights = [], []
    for i, weight in enumerate(mixture.weights):
        rule = cloud_rule(n_each, law.dim, float(mixture.df[i]), np.zeros(law.dim + 1))
        factor = mixture.scales[i]
        noise = rule.nodes * factor if np.ndim(factor) == 0 else rule.nodes @ factor.T
        points.append(mixture.means[i] + noise)
        weights.append(weight * rule.weights)
    return np.concatenate(points), np.concatenate(weights)


def _starts(
    points: Array, weights: Array, k: int, n_starts: int, first: Array | None
) -> list[Array]:
    starts = [] if first is None else [first.copy()]
    for uniforms in kronecker(n_starts, k):
        centers = np.empty((k, points.shape[1]))
        seed_inplace(points, weights, uniforms, centers)
        starts.append(centers)
    return starts


def _best_start(points: Array, weights: Array, starts: list[Array]) -> Array:
    totals = np.empty((len(starts[0]), points.shape[1] + 1))
    losses = [lloyd_inplace(points, weights, centers, totals) for centers in starts]
    return starts[int(np.argmin(losses))]


def _polished(law: MixtureLaw, centers: Array) -> Array:
    """Descend from the centres on the law itself; the slope at c_j is 2 (mass_j c_j - first_j).

    Steps are measured in spreads of the law and weighed by the root of the mass, which makes the
    curvature about one.
    """
    unit = float(np.trace(law.cov()))
    mass = _cells(law, centers).mass[:, None]
    scale = np.sqrt(unit / np.maximum(mass, 1e-3))

    def loss_and_slope(flat: Array) -> tuple[float, Array]:
        places = centers + scale * flat.reshape(centers.shape)
        cells = _cells(law, places)
        slope = 2.0 * scale * (cells.mass[:, None] * places - cells.first)
        return risk_of_cells(law, places, cells) / unit, slope.ravel() / unit

    found = minimize(
        loss_and_slope,
        np.zeros(centers.size),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": _N_POLISH, "ftol": 1e-11, "gtol": 1e-7},
    )
    return np.asarray(centers + scale * found.x.reshape(centers.shape))


def _cells(law: MixtureLaw, centers: Array) -> Cells:
    frame = frame_of(centers)
    cells = cells_by_rule(law, frame, node_range(frame.n_outer)[0])
    return total(cells, 1.0 / len(cells)) if frame.n_outer > 2 else cells[0]


def _labelled(centers: Array, start: Array | None) -> Array:
    if start is None:
        return centers[np.lexsort(centers.T[::-1])]
    costs = ((start[:, None, :] - centers[None, :, :]) ** 2).sum(axis=2)
    return centers[linear_sum_assignment(costs)[1]]
