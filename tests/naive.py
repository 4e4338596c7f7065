"""Slow, obvious oracles: what compiled code must return, written with as few ideas as possible."""

import itertools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import stats

from driftlaw._validate import Array, IntArray


def loss(points: Array, centers: Array) -> float:
    """Sum over points (n, d) of the squared distance to the nearest of ``centers`` (k, d)."""
    return math.fsum(
        min(
            math.fsum((x - c) ** 2 for x, c in zip(point, center, strict=True))
            for center in centers
        )
        for point in points
    )


def occupancy(points: Array, centers: Array) -> Array:
    """Number of points nearest to each centre."""
    counts = np.zeros(len(centers))
    for point in points:
        counts[int(np.argmin([np.sum((point - center) ** 2) for center in centers]))] += 1.0
    return counts


def count_prior(max_centers: int, eta: float) -> Array:
    """q(k) ∝ exp(-eta k) for k = 1, ..., max_centers."""
    q = np.array([math.exp(-eta * k) for k in range(1, max_centers + 1)])
    return np.asarray(q / q.sum())


def log_arrival(center: Array, anchors: Array, half_width: float, log_prior: float) -> float:
    """Half the prior, half the average of uniform laws on cubes around ``anchors`` (n, d)."""
    cubes = [
        np.prod(
            [
                stats.uniform.pdf(x, a - half_width, 2 * half_width)
                for x, a in zip(center, anchor, strict=True)
            ]
        )
        for anchor in anchors
    ]
    return math.log(0.5 * math.exp(log_prior) + 0.5 * float(np.mean(cubes)))


def log_labellings(centers: Array, means: Array, scale: float) -> float:
    """Product of multivariate t laws (three degrees of freedom), averaged over labellings."""
    k, d = centers.shape
    shape = scale**2 * np.eye(d)
    products = [
        math.prod(
            float(stats.multivariate_t.pdf(centers[j], means[i], shape, df=3))
            for j, i in enumerate(labelling)
        )
        for labelling in itertools.permutations(range(k))
    ]
    return math.log(math.fsum(products) / len(products))


class Nodes(NamedTuple):
    """A quadrature rule for one centre's prior: ``points`` (m, d), ``weights`` (m,) of sum 1."""

    points: Array
    weights: Array


def interval_nodes(radius: float, m: int) -> Nodes:
    """Midpoints for the uniform law on [-radius, radius]."""
    points = radius * (2.0 * (np.arange(m) + 0.5) / m - 1.0)
    return Nodes(points[:, None], np.full(m, 1.0 / m))


def normal_nodes(scale: float, m: int) -> Nodes:
    """Midpoints for the normal law of standard deviation ``scale``, out to seven of them."""
    points = interval_nodes(7.0 * scale, m).points
    weights = np.exp(-0.5 * (points[:, 0] / scale) ** 2)
    return Nodes(points, weights / weights.sum())


def disc_nodes(radius: float, n_rings: int) -> Nodes:
    """Gauss-Legendre along the radius, four equal angles per ring: the uniform law on the disc."""
    rho, weights = np.polynomial.legendre.leggauss(n_rings)
    rho = 0.5 * radius * (rho + 1.0)
    angle = 2.0 * np.pi * (np.arange(4 * n_rings) + 0.5) / (4 * n_rings)
    x, y = np.outer(rho, np.cos(angle)).ravel(), np.outer(rho, np.sin(angle)).ravel()
    mass = np.repeat(weights * rho, len(angle))
    return Nodes(np.column_stack([x, y]), mass / mass.sum())


class Exact(NamedTuple):
    """A quasi-posterior by quadrature.

    ``marginals[k - 1]`` (m,) is the law of any one centre on the nodes, given k centres.
    """

    nodes: Nodes
    probabilities: Array  # (max_centers,)
    marginals: Array  # (max_centers, m)
    losses: Array  # (max_centers,): mean loss given k

    def mean_of(self, function: Callable[[Array], Array]) -> float:
        """Mean of a function of the centres, averaged over the centres of a configuration."""
        return float(self.probabilities @ self.marginals @ function(self.nodes.points))

    def mean_loss(self) -> float:
        """Mean loss."""
        return float(self.probabilities @ self.losses)


def integrate(nodes: Nodes, points: Array, rate: float, eta: float, max_centers: int) -> Exact:
    """Sum exp(-rate S) over all tuples of at most three nodes."""
    gaps = ((nodes.points[:, None] - points[None]) ** 2).sum(axis=-1)
    m = len(gaps)
    masses, losses = np.zeros((max_centers, m)), np.zeros(max_centers)
    pairs = np.minimum(gaps[:, None], gaps[None]) if max_centers == 3 else np.empty(0)
    weights = (np.ones(1), nodes.weights, np.outer(nodes.weights, nodes.weights))
    for k in range(1, max_centers + 1):
        others = (np.full((1, len(points)), np.inf), gaps, pairs)[k - 1]
        for i in range(m):
            s = np.minimum(gaps[i], others).sum(axis=-1)
            density = np.exp(-rate * s) * weights[k - 1] * nodes.weights[i]
            masses[k - 1, i] = density.sum()
            losses[k - 1] += (density * s).sum()
    totals = masses.sum(axis=1)
    joint = totals * count_prior(max_centers, eta)
    return Exact(nodes, joint / joint.sum(), masses / totals[:, None], losses / totals)


class Draws(NamedTuple):
    """Exact draws: k (n,), centers (n, max_centers, d)."""

    k: IntArray
    centers: Array


def exact_draws(
    rng: np.random.Generator,
    n: int,
    draw_locations: Callable[[np.random.Generator, int], Array],
    points: Array,
    rate: float,
    q: Array,
) -> Draws:
    """Draw from the quasi-posterior by rejection from the prior: S >= 0, so exp(-rate S) <= 1."""
    max_centers, dim = len(q), points.shape[1]
    ks: list[int] = []
    kept: list[Array] = []
    while len(ks) < n:
        k = 1 + rng.choice(max_centers, size=1000, p=q)
        centers = draw_locations(rng, 1000 * max_centers).reshape(1000, max_centers, dim)
        gaps = ((centers[:, :, None] - points) ** 2).sum(axis=-1)
        gaps[np.arange(max_centers) >= k[:, None]] = np.inf
        accepted = rng.uniform(size=1000) < np.exp(-rate * gaps.min(axis=1).sum(axis=-1))
        ks.extend(k[accepted])
        kept.extend(centers[accepted])
    return Draws(np.array(ks[:n], dtype=np.int64), np.array(kept[:n]))


def uniform_ball(rng: np.random.Generator, n: int, dim: int, radius: float) -> Array:
    """Draw n points uniformly from the ball, by rejection from its cube."""
    kept = np.empty((0, dim))
    while len(kept) < n:
        cube = rng.uniform(-radius, radius, size=(4 * n, dim))
        kept = np.concatenate([kept, cube[(cube**2).sum(axis=1) <= radius**2]])
    return kept[:n]
