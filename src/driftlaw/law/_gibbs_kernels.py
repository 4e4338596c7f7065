"""Kernels: exact draws from p(x|c), proportional to v_j exp(-rate min_j |x - c_j|^2) on a ball.

Rejection from the tighter of two envelopes: the normals v_j N(c_j, I / (2 rate)), or the uniform
law on the ball. What is accepted follows p(.|c) exactly; the mean acceptance gives its normaliser.
"""

import math
from typing import NamedTuple

import numpy as np

from driftlaw._jit import kernel
from driftlaw._validate import Array, IntArray
from driftlaw._xoshiro import State, fill_normal_inplace, uniform


class Configurations(NamedTuple):
    """M configurations: counts (M,), centers (M, p, d) and cell weights (M, p), 0 beyond count."""

    counts: IntArray
    centers: Array
    weights: Array


class Ball(NamedTuple):
    """The support: its center (d,) and radius, with the rate of p(.|c)."""

    center: Array
    radius: float
    rate: float


class Cells(NamedTuple):
    """One configuration: centers (k, d), weights (k,), and whether the envelope is the normals."""

    centers: Array
    weights: Array
    is_normal: bool


@kernel
def draw_all(state: State, configurations: Configurations, ball: Ball, sizes: IntArray) -> Array:
    """Draw sizes[m] points of every configuration, stacked in order: (sum of sizes, d)."""
    n, row = 0, 0
    for m in range(sizes.shape[0]):
        n += sizes[m]
    out = np.empty((n, ball.center.shape[0]))
    for m in range(sizes.shape[0]):
        cells, _ = cells_of(configurations, ball, m)
        for _ in range(sizes[m]):
            chance = 0.0
            while not uniform(state) < chance:
                propose_inplace(state, cells, ball, out[row])
                chance = acceptance(cells, ball, out[row])
            row += 1
    return out


@kernel
def log_normalizers(state: State, configurations: Configurations, ball: Ball, n: int) -> Array:
    """Log-normaliser and its standard error per configuration, (2, M), from n proposals each."""
    n_configurations = configurations.counts.shape[0]
    out = np.empty((2, n_configurations))
    x = np.empty(ball.center.shape[0])
    for m in range(n_configurations):
        cells, log_mass = cells_of(configurations, ball, m)
        mean = 0.0
        scatter = 0.0
        for i in range(n):
            propose_inplace(state, cells, ball, x)
            gap = acceptance(cells, ball, x) - mean
            mean += gap / (i + 1)
            scatter += gap * gap * i / (i + 1)
        out[0, m] = log_mass + math.log(mean)
        out[1, m] = math.sqrt(scatter / (n * (n - 1))) / mean
    return out


@kernel
def cells_of(configurations: Configurations, ball: Ball, m: int) -> tuple[Cells, float]:
    """Return configuration m with its tighter envelope, and the log-mass of that envelope."""
    k = configurations.counts[m]
    d = ball.center.shape[0]
    weights = configurations.weights[m, :k]
    log_ball = 0.5 * d * math.log(math.pi) - math.lgamma(0.5 * d + 1.0) + d * math.log(ball.radius)
    log_flat = math.log(_largest(weights)) + log_ball
    log_normals = np.inf
    if ball.rate > 0.0:
        log_normals = math.log(_total(weights)) + 0.5 * d * math.log(math.pi / ball.rate)
    cells = Cells(configurations.centers[m, :k], weights, log_normals < log_flat)
    return cells, min(log_normals, log_flat)


@kernel
def propose_inplace(state: State, cells: Cells, ball: Ball, x: Array) -> None:
    """Draw x (d,) from the envelope's law."""
    fill_normal_inplace(state, x)
    if cells.is_normal:
        center = cells.centers[pick(state, cells.weights)]
        scale = math.sqrt(0.5 / ball.rate)
    else:
        center = ball.center
        length = math.sqrt(_total_square(x))
        scale = ball.radius * uniform(state) ** (1.0 / x.shape[0]) / length
    for i in range(x.shape[0]):
        x[i] = center[i] + scale * x[i]


@kernel
def pick(state: State, weights: Array) -> int:
    """Draw an index with probability proportional to its weight."""
    rest = uniform(state) * _total(weights)
    last: int = weights.shape[0] - 1
    for j in range(last):
        rest -= weights[j]
        if rest < 0.0:
            return j
    return last


@kernel
def acceptance(cells: Cells, ball: Ball, x: Array) -> float:
    """Return the probability to keep x: target over envelope, 0 outside the ball."""
    if squared_gap(x, ball.center) > ball.radius * ball.radius:
        return 0.0
    nearest, least = nearest_cell(cells.centers, x)
    weight = float(cells.weights[nearest])
    if not cells.is_normal:
        return weight / _largest(cells.weights) * math.exp(-ball.rate * least)
    total = 0.0
    for j in range(cells.weights.shape[0]):
        excess = squared_gap(x, cells.centers[j]) - least
        total += cells.weights[j] * math.exp(-ball.rate * excess)
    return weight / total


@kernel
def nearest_cell(centers: Array, x: Array) -> tuple[int, float]:
    """Return the nearest center's index and its squared distance."""
    nearest = 0
    least = squared_gap(x, centers[0])
    for j in range(1, centers.shape[0]):
        square = squared_gap(x, centers[j])
        if square < least:
            nearest, least = j, square
    return nearest, least


@kernel
def _total(values: Array) -> float:  # NumPy's own reductions take seconds to compile
    total = 0.0
    for j in range(values.shape[0]):
        total += values[j]
    return total


@kernel
def _total_square(values: Array) -> float:
    total = 0.0
    for j in range(values.shape[0]):
        total += values[j] * values[j]
    return total


@kernel
def _largest(values: Array) -> float:
    largest = float(values[0])
    for j in range(1, values.shape[0]):
        largest = max(largest, values[j])
    return largest


@kernel
def squared_gap(x: Array, y: Array) -> float:
    """Squared distance of two points (d,)."""
    total = 0.0
    for i in range(x.shape[0]):
        total += (x[i] - y[i]) ** 2
    return total


@kernel
def log_potentials(configurations: Configurations, ball: Ball, points: Array) -> Array:
    """Log of v_j exp(-rate min_j |x - c_j|^2), (n, M); -inf outside the ball."""
    n_configurations = configurations.counts.shape[0]
    out = np.full((points.shape[0], n_configurations), -np.inf)
    for i in range(points.shape[0]):
        if squared_gap(points[i], ball.center) > ball.radius * ball.radius:
            continue
        for m in range(n_configurations):
            k = configurations.counts[m]
            nearest, least = nearest_cell(configurations.centers[m, :k], points[i])
            if configurations.weights[m, nearest] > 0.0:
                out[i, m] = math.log(configurations.weights[m, nearest]) - ball.rate * least
    return out
