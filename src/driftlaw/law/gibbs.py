"""The paper's predictive kernel: an average of truncated Voronoi-Gibbs densities on a ball."""

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._rng import compiled_states
from driftlaw._validate import (
    Array,
    IntArray,
    check_count,
    check_nonnegative,
    check_point,
    check_positive,
)
from driftlaw.law import _gibbs_line as line
from driftlaw.law._gibbs_checks import (
    check_cell_weights,
    check_centers,
    check_counts,
    check_inside,
    pad,
    unpad,
)
from driftlaw.law._gibbs_kernels import (
    Ball,
    Configurations,
    draw_all,
    log_normalizers,
    log_potentials,
)
from driftlaw.law._pairs import LineForm, NormalForm
from driftlaw.law._roots import solve_increasing
from driftlaw.law.base import PredictiveLaw
from driftlaw.law.sample import SampleLaw

N_INTERNAL = 4096
N_PROPOSALS = 4096


class Normalizers(NamedTuple):
    """Integrals (M,) of the unnormalised densities, with their standard errors (M,)."""

    value: Array
    standard_error: Array


class GibbsLaw(PredictiveLaw):
    r"""Average over M configurations of the Gibbs kernel of the clustering loss.

    .. math:: p(x|c) \propto v_{j(x)} \exp(-\lambda \min_j \|x - c_j\|^2)\, 1\{\|x - b\| \le r\}

    with j(x) the nearest center. Rate 0 is the uniform law on the ball (times v of the cell).

    Parameters
    ----------
    counts : (M,) whole numbers, 1 <= count <= p
    centers : (M, p, d) array inside the ball; entries beyond count are ignored (NaN by custom)
    rate : float >= 0, the paper's learning rate
    ball_center, ball_radius : (d,) array and float > 0
    cell_weights : (M, p) array >= 0 or None for the paper's kernel, all equal
    seed : int, fixes everything below that is computed by sampling

    Notes
    -----
    Drawing is exact in every dimension (rejection, no burn-in). In one dimension all else is
    closed form. Above, normalisers come from 4096 proposals per configuration (``normalizers``
    has their errors), and mean, cov, cdf, quantile, marginal, project and w1 from an internal
    exact sample of about 4096 points, equally many per configuration: standard errors are at
    most 1/64 of a standard deviation for the mean and 1/128 for the cdf.
    Paper: [eq:mc-predictive-approx]; the paper names no kernel, this one is the Gibbs measure of
    its loss [eq:clustering-loss].

    Examples
    --------
    >>> law = GibbsLaw([2], [[[-1.0], [1.0]]], rate=2.0, ball_center=[0.0], ball_radius=3.0)
    >>> bool(abs(law.mean()[0]) < 1e-12), bool(abs(law.quantile(0.5)[0]) < 1e-12)
    (True, True)
    """

    __slots__ = (
        "_memory",
        "ball_center",
        "ball_radius",
        "cell_weights",
        "centers",
        "counts",
        "rate",
        "seed",
    )
    kind: ClassVar[str] = "gibbs"
    counts: IntArray
    centers: Array
    rate: float
    ball_center: Array
    ball_radius: float
    cell_weights: Array | None
    seed: int
    _memory: dict[str, Any]

    def __init__(
        self,
        counts: ArrayLike,
        centers: ArrayLike,
        rate: float,
        ball_center: ArrayLike,
        ball_radius: float,
        cell_weights: ArrayLike | None = None,
        seed: int = 0,
    ) -> None:
        points = check_centers(centers)
        n, most, dim = points.shape
        whole = check_counts(counts, n, most)
        middle = check_point("ball_center", ball_center, dim)
        radius = check_positive("ball_radius", ball_radius)
        is_used = np.arange(most) < whole[:, None]
        check_inside(points[is_used], middle, radius)
        self._set(
            dim=dim,
            counts=whole,
            centers=points,
            rate=check_nonnegative("rate", rate),
            ball_center=middle,
            ball_radius=radius,
            cell_weights=check_cell_weights(cell_weights, is_used),
            seed=check_count("seed", seed, least=0),
            _memory={},
        )

    @classmethod
    def unchecked(
        cls, counts: IntArray, centers: Array, rate: float, ball: tuple[Array, float], **rest: Any
    ) -> "GibbsLaw":
        """Build from arrays known to be right, without a copy; they become read-only.

        ``ball`` is its center and radius; ``rest`` may hold ``cell_weights`` and ``seed``. For
        code that builds a law at every step from its own arrays.
        """
        law = cls.__new__(cls)
        fields = {"cell_weights": None, "seed": 0, **rest, "_memory": {}}
        law._set(dim=centers.shape[2], counts=counts, centers=centers, rate=rate, **fields)
        law._set(ball_center=ball[0], ball_radius=ball[1])
        return law

    def normalizers(self) -> Normalizers:
        """Integrals of the unnormalised densities per configuration; error 0 in one dimension."""
        if self.dim == 1:
            values = self._line().normalizers
            return Normalizers(values, np.zeros_like(values))
        log_values, relative_errors = self._log_normalizers()
        values = np.exp(log_values)
        return Normalizers(values, values * relative_errors)

    def mean(self) -> Array:
        """Mean, shape (dim,)."""
        if self.dim > 1:
            return self._internal().mean()
        return np.array([line.pieces_moments(self._line().pieces)[0]])

    def cov(self) -> Array:
        """Covariance matrix, shape (dim, dim)."""
        if self.dim > 1:
            return self._internal().cov()
        return np.array([[line.pieces_moments(self._line().pieces)[1]]])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON; entries beyond a configuration's count are left out."""
        weights = self.cell_weights
        return {
            "kind": self.kind,
            "max_centers": self.centers.shape[1],
            "centers": unpad(self.centers, self.counts),
            "rate": self.rate,
            "ball_center": self.ball_center.tolist(),
            "ball_radius": self.ball_radius,
            "cell_weights": None if weights is None else unpad(weights, self.counts),
            "seed": self.seed,
        }

    @classmethod
    def _from_record(cls, record: Mapping[str, Any]) -> "GibbsLaw":
        most = check_count("max_centers", record["max_centers"])
        centers, weights = record["centers"], record["cell_weights"]
        return cls(
            [len(row) for row in centers],
            pad("centers", centers, most),
            record["rate"],
            record["ball_center"],
            record["ball_radius"],
            None if weights is None else pad("cell_weights", weights, most),
            record["seed"],
        )

    def _made_of(self) -> str:
        return f"{len(self.counts)} configurations"

    def _draw(self, rng: np.random.Generator, n: int) -> Array:
        n_configurations = len(self.counts)
        shares = np.full(n_configurations, 1 / n_configurations)
        points = self._draw_sizes(rng, rng.multinomial(n, shares))
        return points[rng.permutation(n)]

    def _logpdf(self, points: Array) -> Array:
        logs = np.log(self._line().normalizers) if self.dim == 1 else self._log_normalizers()[0]
        terms = log_potentials(self._configurations(), self._ball(), points) - logs
        return np.asarray(np.logaddexp.reduce(terms, axis=1) - np.log(len(self.counts)))

    def _cdf(self, points: Array) -> Array:
        if self.dim > 1:
            return self._internal()._cdf(points)
        return line.pieces_cdf(self._line().pieces, points[:, 0])

    def _quantile(self, levels: Array) -> Array:
        if self.dim > 1:
            return self._internal()._quantile(levels)
        pieces = self._line().pieces

        def gap_and_slope(x: Array) -> tuple[Array, Array]:
            return line.pieces_cdf(pieces, x) - levels, line.pieces_pdf(pieces, x)

        low, high = (np.full_like(levels, end) for end in self._ends())
        roots = solve_increasing(gap_and_slope, low, high)
        return np.where(levels == 0, low, np.where(levels == 1, high, roots))[:, None]

    def _project(self, unit: Array) -> PredictiveLaw:
        if self.dim > 1:
            return self._internal()._project(unit)
        if unit[0] > 0:
            return self
        ball = -self.ball_center, self.ball_radius
        return GibbsLaw(self.counts, -self.centers, self.rate, *ball, self.cell_weights, self.seed)

    def _normal_form(self) -> NormalForm | None:
        return self._internal()._normal_form() if self.dim > 1 else None

    def _line_form(self) -> LineForm:
        pieces = self._line().pieces
        nodes = np.concatenate((pieces.low, pieces.high))
        widths = pieces.high - pieces.low
        scales = np.minimum(widths, 1 / np.sqrt(2 * self.rate)) if self.rate > 0 else widths

        def cdf(x: Array) -> tuple[Array, Array]:
            values = line.pieces_cdf(pieces, x)
            return values, values

        def integral(x: Array) -> Array:
            return line.pieces_integral(pieces, x)

        return LineForm(cdf, integral, pieces.centers, scales, nodes, float(self.mean()[0]))

    def _configurations(self) -> Configurations:
        is_used = np.arange(self.centers.shape[1]) < self.counts[:, None]
        weights = 1.0 if self.cell_weights is None else self.cell_weights
        centers = np.where(is_used[..., None], self.centers, 0.0)
        return Configurations(self.counts, centers, np.where(is_used, weights, 0.0))

    def _ball(self) -> Ball:
        return Ball(self.ball_center, self.ball_radius, self.rate)

    def _ends(self) -> Array:
        return np.asarray(self.ball_center[0] + self.ball_radius * np.array([-1.0, 1.0]))

    def _line(self) -> line.Line:
        if "line" not in self._memory:
            cells = self._configurations()
            rows = list(enumerate(self.counts))
            centers = [cells.centers[m, :k, 0] for m, k in rows]
            weights = [cells.weights[m, :k] for m, k in rows]
            self._memory["line"] = line.line_of(centers, weights, self.rate, self._ends())
        found: line.Line = self._memory["line"]
        return found

    def _log_normalizers(self) -> Array:
        if "normalizers" not in self._memory:
            state = compiled_states(np.random.default_rng([self.seed, 1]), 1)[0]
            found = log_normalizers(state, self._configurations(), self._ball(), N_PROPOSALS)
            self._memory["normalizers"] = found
        values: Array = self._memory["normalizers"]
        return values

    def _internal(self) -> SampleLaw:
        if "sample" not in self._memory:
            n_configurations = len(self.counts)
            sizes = np.full(n_configurations, -(-N_INTERNAL // n_configurations))
            points = self._draw_sizes(np.random.default_rng([self.seed, 0]), sizes)
            self._memory["sample"] = SampleLaw(points)
        found: SampleLaw = self._memory["sample"]
        return found

    def _draw_sizes(self, rng: np.random.Generator, sizes: IntArray) -> Array:
        state = compiled_states(rng, 1)[0]
        return draw_all(state, self._configurations(), self._ball(), sizes)
