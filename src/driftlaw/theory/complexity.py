r"""Comparator complexity :math:`C_{k,d}(r) = -\log\pi\{c\in\mathcal C_k: \|c-c^*\|_2\le r\}`.

The prior is :math:`q(k) \propto e^{-\eta k}` and k independent centres, uniform on a
ball of radius :math:`\varrho` (the paper's 2R). The mass is exact, not only its order: closed form
while the ball of radius r around :math:`c^*` stays inside the support or k is 1; otherwise the law
of :math:`\sum_j\|c_j-c_j^*\|^2` by convolution on a grid, with bounds on both sides.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, gammaln, logsumexp

from driftlaw._validate import Array, check_count, check_nonnegative, check_positive
from driftlaw.errors import InputError

_GRID = 1024


class PriorMass(NamedTuple):
    """Logarithm of a prior mass; ``low`` and ``high`` enclose it, equal where it is exact."""

    log_value: float
    log_low: float
    log_high: float
    method: str
    """``"inside"`` or ``"lens"`` (closed forms) or ``"convolution"`` (deterministic, enclosed)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPrior:
    r"""The prior [eq:configuration-prior] and the comparator's place in it.

    ``n_centers`` is the comparator's k, ``support_radius`` the radius 2R of the centres' ball,
    ``oracle_norm`` a bound on :math:`\|c_j^*\|`: the mass falls with it, so a bound is safe.
    ``separation`` is :math:`\min_{i\ne j}\|c_i^*-c_j^*\|`, for the symmetrised comparator.

    Examples
    --------
    >>> ClusterPrior(dim=2, n_centers=2, max_centers=4, support_radius=10.0).inner_radius
    10.0
    """

    dim: int
    n_centers: int
    max_centers: int
    support_radius: float
    eta: float = 0.1
    oracle_norm: float = 0.0
    separation: float = 0.0

    def __post_init__(self) -> None:
        check_count("dim", self.dim)
        check_count("n_centers", self.n_centers)
        check_count("max_centers", self.max_centers)
        check_positive("support_radius", self.support_radius)
        for name in ("eta", "oracle_norm", "separation"):
            check_nonnegative(name, getattr(self, name))
        if self.n_centers > self.max_centers:
            raise InputError(
                f"n_centers must be <= max_centers = {self.max_centers}: the comparator needs "
                f"prior mass, got {self.n_centers}"
            )
        if self.oracle_norm > self.support_radius:
            raise InputError(
                f"oracle_norm must be <= support_radius = {self.support_radius}: the oracle lies "
                f"in the prior's support, got {self.oracle_norm}"
            )

    @property
    def inner_radius(self) -> float:
        """Largest radius of a ball around the comparator that stays inside the support."""
        return self.support_radius - self.oracle_norm

    @property
    def log_count_mass(self) -> float:
        """Logarithm of q(k) at the comparator's k."""
        log_q = -self.eta * np.arange(1, self.max_centers + 1)
        return float(log_q[self.n_centers - 1] - logsumexp(log_q))


def ball_fraction(radius: ArrayLike, dim: int, norm: float, support_radius: float) -> Array:
    r""":math:`|B(c,r)\cap B(0,\varrho)| / |B(0,\varrho)|`, :math:`\|c\|` = norm, as two caps.

    A cap of a ball of radius s beyond signed distance h from its centre has the share
    :math:`\frac12 I_{1-h^2/s^2}(\frac{d+1}2,\frac12)` for :math:`h \ge 0` (regularised incomplete
    beta function), and one minus that of -h otherwise.

    Parameters
    ----------
    radius : any shape, >= 0

    Examples
    --------
    >>> float(ball_fraction(1.0, dim=1, norm=1.0, support_radius=1.0))
    0.5
    """
    r = np.asarray(radius, dtype=np.float64)
    rho = support_radius
    inside = np.minimum(r / rho, 1.0) ** dim
    if norm == 0:
        return inside
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # where no caps meet
        to_plane = (norm**2 + rho**2 - r**2) / (2 * norm)
        caps = _cap(to_plane / rho, dim) + (r / rho) ** dim * _cap((norm - to_plane) / r, dim)
    crossing = (r > abs(rho - norm)) & (r < rho + norm)
    apart = np.where(r + rho <= norm, 0.0, inside)
    return np.asarray(np.where(crossing, caps, apart), dtype=np.float64)


def log_prior_mass(prior: ClusterPrior, radius: float) -> PriorMass:
    r""":math:`\log\pi\{c\in\mathcal C_k: \|c-c^*\|_2\le r\}`, all :math:`\|c^*_j\|` at their bound.

    Examples
    --------
    >>> prior = ClusterPrior(dim=2, n_centers=1, max_centers=1, support_radius=10.0)
    >>> round(math.exp(log_prior_mass(prior, 1.0).log_value), 6)
    0.01
    """
    r = check_positive("radius", radius)
    k, d, rho = prior.n_centers, prior.dim, prior.support_radius
    log_q = prior.log_count_mass
    if r <= prior.inner_radius:
        gap = k * gammaln(d / 2 + 1) - gammaln(k * d / 2 + 1)
        value = float(log_q + gap + k * d * math.log(r / rho))
        return PriorMass(value, value, value, "inside")
    if k == 1:
        value = log_q + math.log(ball_fraction(r, d, prior.oracle_norm, rho))
        return PriorMass(value, value, value, "lens")
    low, middle, high = _sum_mass(prior, r)
    return PriorMass(log_q + middle, log_q + low, log_q + high, "convolution")


def comparator_complexity(prior: ClusterPrior, radius: float) -> float:
    r""":math:`C_{k,d}(r) = \mathrm{KL}(\nu_{c^*,r}\|\pi)`; the upper end where it is enclosed.

    Paper: [lem:appendix-localized-comparator] and the display after
    [lem:main-latent-excess-brackets].

    Examples
    --------
    >>> prior = ClusterPrior(dim=2, n_centers=1, max_centers=1, support_radius=10.0)
    >>> round(comparator_complexity(prior, 1.0), 4)
    4.6052
    """
    return -log_prior_mass(prior, radius).log_low


def complexity_order(prior: ClusterPrior, radius: float) -> float:
    r""":math:`\log\frac1{q(k)} + kd\log\frac{2R}{r}`, the order the paper gives.

    Inside the support the exact value is this plus
    :math:`\log\Gamma(\frac{kd}2+1) - k\log\Gamma(\frac d2+1)`: 0 for k = 1, positive above.

    Examples
    --------
    >>> prior = ClusterPrior(dim=2, n_centers=1, max_centers=1, support_radius=10.0)
    >>> round(complexity_order(prior, 1.0), 4)
    4.6052
    """
    r = check_positive("radius", radius)
    size = prior.n_centers * prior.dim
    return -prior.log_count_mass + size * math.log(prior.support_radius / r)


def complexity_sharper(prior: ClusterPrior, radius: float) -> float:
    r""":math:`C_{k,d}(r) - \log k!` where the k! relabelled balls are disjoint; ours.

    The loss does not see labels, so the comparator may live on all relabelled balls at once; they
    are disjoint when :math:`\sqrt2\min_{i\ne j}\|c^*_i-c^*_j\| \ge 2r`.

    Examples
    --------
    >>> prior = ClusterPrior(dim=1, n_centers=2, max_centers=2, support_radius=1.0, separation=1.0)
    >>> round(comparator_complexity(prior, 0.1) - complexity_sharper(prior, 0.1), 4)
    0.6931
    """
    value = comparator_complexity(prior, radius)
    disjoint = math.sqrt(2) * prior.separation >= 2 * radius
    return value - (math.lgamma(prior.n_centers + 1) if disjoint else 0.0)


def localization_sharper(prior: ClusterPrior, radius: float) -> float:
    r""":math:`E_{\nu} R(c) - R(c^*) \le r^2 d/(kd+2)` while the ball is inside the support; ours.

    There :math:`\nu` is uniform on a ball of :math:`\mathbb R^{kd}`, symmetric around :math:`c^*`,
    so the linear term of the loss averages out. Infinite where the ball leaves the support.

    Examples
    --------
    >>> prior = ClusterPrior(dim=2, n_centers=1, max_centers=1, support_radius=10.0)
    >>> localization_sharper(prior, 1.0)
    0.5
    """
    r = check_positive("radius", radius)
    if r > prior.inner_radius:
        return math.inf
    return r**2 * prior.dim / (prior.n_centers * prior.dim + 2)


def _cap(height: Array, dim: int) -> Array:
    """Share of a unit ball beyond the signed distance ``height`` from its centre."""
    h = np.clip(height, -1.0, 1.0)
    half = 0.5 * betainc((dim + 1) / 2, 0.5, 1 - h**2)
    return np.where(h >= 0, half, 1 - half)


def _sum_mass(prior: ClusterPrior, radius: float) -> tuple[float, float, float]:
    r"""Logarithms of :math:`P(\sum_j X_j \le r^2)`, :math:`X_j=\|c_j-c^*_j\|^2`, on a grid.

    All :math:`X_j` rounded up gives the lower bound, all rounded down the upper one; between them
    the value for :math:`X_j` uniform within their cells (error of second order in the cell size).
    """
    k = prior.n_centers
    edges = radius * np.sqrt(np.arange(_GRID + 1) / _GRID)
    below = ball_fraction(edges, prior.dim, prior.oracle_norm, prior.support_radius)
    cell = np.diff(below) / below[-1]
    total = cell
    for _ in range(k - 1):
        total = np.convolve(total, cell)
    room = _GRID - np.arange(
        len(total)
    )  # in cells: what the k positions within cells may add up to
    shares = (room >= k, _irwin_hall(room.astype(np.float64), k), room >= 1)
    scale = k * math.log(below[-1])
    low, middle, high = (scale + math.log(float(total @ share)) for share in shares)
    return low, middle, high


def _irwin_hall(x: Array, k: int) -> Array:
    """P(U_1 + … + U_k <= x) for independent uniforms."""
    terms = [(-1) ** i * math.comb(k, i) * np.clip(x - i, 0, None) ** k for i in range(k + 1)]
    return np.where(x >= k, 1.0, np.sum(terms, axis=0) / math.factorial(k))
