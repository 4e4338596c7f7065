r"""The prior on configurations, :math:`\pi(c) = q(k) \prod_j \pi_1(c_j)`.

Paper: [eq:configuration-prior].
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._rng import RngLike, as_generator, compiled_states
from driftlaw._validate import (
    Array,
    check_count,
    check_nonnegative,
    check_point,
    check_points,
    check_positive,
)
from driftlaw.errors import InputError
from driftlaw.geometry.configuration import Configurations, padded
from driftlaw.geometry.draws import draw_many_inplace, log_location_of
from driftlaw.geometry.location import BallPrior, GaussianPrior, LocationPrior


def ball_prior(dim: int, radius: float, center: ArrayLike | None = None) -> BallPrior:
    """Centres uniform on the ball of ``radius`` around ``center`` (default: the origin).

    Examples
    --------
    >>> ball_prior(dim=2, radius=1.0).log_volume == math.log(math.pi)
    True
    """
    check_count("dim", dim)
    check_positive("radius", radius)
    log_unit = 0.5 * dim * math.log(math.pi) - math.lgamma(0.5 * dim + 1.0)
    return BallPrior(_center(dim, center), float(radius), log_unit + dim * math.log(radius))


def gaussian_prior(dim: int, scale: float, center: ArrayLike | None = None) -> GaussianPrior:
    """Centres normal with standard deviation ``scale`` around ``center`` (default: the origin).

    Examples
    --------
    >>> gaussian_prior(dim=1, scale=2.0).scale
    2.0
    """
    check_count("dim", dim)
    check_positive("scale", scale)
    return GaussianPrior(_center(dim, center), float(scale))


def _center(dim: int, center: ArrayLike | None) -> Array:
    return np.zeros(dim) if center is None else check_point("center", center, dim)


def log_count_prior(max_centers: int, eta: float) -> Array:
    r"""Logarithm of :math:`q(k) \propto e^{-\eta k}` for k = 1, ..., max_centers, as an array."""
    check_count("max_centers", max_centers)
    if not math.isfinite(check_nonnegative("eta", eta) * max_centers):
        raise InputError(f"eta must leave eta * max_centers finite, got {eta!r}")
    log_q = -eta * np.arange(max_centers, dtype=float)
    return np.asarray(log_q - np.log(np.exp(log_q).sum()), dtype=float)


@dataclass(frozen=True)
class ConfigurationPrior:
    r"""Prior on (k, centres): :math:`q(k) \propto e^{-\eta k}`, centres independent given k.

    Examples
    --------
    >>> prior = ConfigurationPrior(ball_prior(dim=2, radius=10.0), max_centers=4, eta=0.1)
    >>> int(prior.draw(1000, rng=0).k.max())
    4
    """

    location: LocationPrior
    max_centers: int
    eta: float = 0.1

    def __post_init__(self) -> None:
        log_count_prior(self.max_centers, self.eta)

    @property
    def dim(self) -> int:
        """Dimension of a centre."""
        return len(self.location.center)

    def log_density(self, centers: ArrayLike) -> float:
        """Log-density of the ordered tuple ``centers`` (k, dim)."""
        rows = check_points("centers", centers, self.dim)
        if len(rows) > self.max_centers:
            return -math.inf
        log_q = log_count_prior(self.max_centers, self.eta)[len(rows) - 1]
        return float(log_q + sum(log_location_of(self.location, row) for row in rows))

    def draw(self, n: int, rng: RngLike = None) -> Configurations:
        """Draw n configurations, exactly and independently."""
        check_count("n", n)
        k = np.empty(n, dtype=np.int64)
        centers = np.empty((n, self.max_centers, self.dim))
        random = compiled_states(as_generator(rng), 1)[0]
        draw_many_inplace(
            log_count_prior(self.max_centers, self.eta), self.location, random, k, centers
        )
        return padded(k, centers)
