"""Kernels: axes along which points fall apart, and coordinates in which these count for more.

Groups that are far apart along one axis make its variance large: in units of the points' own
scatter they are hardly two deviations apart, and in many dimensions the noise along all other axes
hides them. So the axes are found first along which two groups leave the least variance, and
coordinates along them are stretched to what is left. It is free of units, and of the axes chosen.
"""

import math

import numpy as np

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array
from driftlaw.predictor.adaptive.linear import factorise_inplace
from driftlaw.predictor.adaptive.model import FLOOR, WORLD_COV
from driftlaw.predictor.adaptive.state import Store

_AXES = 2  # that are stretched
_STEPS = 8  # towards an axis of extreme kurtosis, and of Lloyd's algorithm along it
_FAR = 3.0  # deviations by which a coordinate counts at most: strays make no axis
_LEAST_LEFT = 0.02  # share of the variance
_TINY = 1e-12
_FURTHEST = 1e100  # so that squares stay finite


@kernel
def solve_rows(points: Array, factor: Array) -> Array:
    """Rows L⁻¹p for the rows p of points (n, d)."""
    n, d = points.shape
    rows = np.empty((n, d))
    for a in range(n):
        for i in range(d):
            value = points[a, i]
            for j in range(i):
                value -= factor[i, j] * rows[a, j]
            rows[a, i] = min(max(value / factor[i, i], -_FURTHEST), _FURTHEST)
    return rows


@kernel
def _own_factor(x: Store, points: Array) -> Array:
    """Factor (d, d) of the points' scatter, drawn to the stream's as if by d + 1 of them."""
    n, d = points.shape
    means, matrix, factor = np.empty(d), np.empty((d, d)), np.empty((d, d))
    for i in range(d):
        means[i] = points[:, i].mean()
        for j in range(i + 1):
            total = (d + 1.0) * x.squares[WORLD_COV, i, j]
            for a in range(n):
                total += (points[a, i] - means[i]) * (points[a, j] - means[j])
            matrix[i, j] = total / (n + d + 1.0)
    factorise_inplace(factor, matrix, x.work[FLOOR])
    return factor


@lean_kernel
def _make_unit_inplace(axis: Array, others: Array, n: int) -> None:
    """Take off what lies along the first n of the others; then the length is one."""
    for r in range(n):
        part = 0.0
        for i in range(axis.shape[0]):
            part += axis[i] * others[r, i]
        for i in range(axis.shape[0]):
            axis[i] -= part * others[r, i]
    square = _TINY
    for i in range(axis.shape[0]):
        square += axis[i] * axis[i]
    for i in range(axis.shape[0]):
        axis[i] /= math.sqrt(square)


@lean_kernel
def _project_inplace(rows: Array, axis: Array, along: Array) -> None:
    for a in range(rows.shape[0]):
        total = 0.0
        for i in range(rows.shape[1]):
            total += rows[a, i] * axis[i]
        along[a] = total


@lean_kernel
def _turn_inplace(rows: Array, along: Array, axis: Array) -> None:
    """Fixed-point step towards an axis of extreme kurtosis."""
    n, d = rows.shape
    for i in range(d):
        axis[i] *= -3.0
    for a in range(n):
        near = min(max(along[a], -_FAR), _FAR)
        for i in range(d):
            axis[i] += near**3 * rows[a, i] / n


@lean_kernel
def _left_by_two(along: Array) -> float:
    """Share of the variance that two groups of numbers (n,) around zero leave, by Lloyd."""
    n, low, high, left, total = along.shape[0], -1.0, 1.0, 0.0, 0.0
    for _ in range(_STEPS):
        middle, n_low, sum_low, sum_high = 0.5 * (low + high), 0, 0.0, 0.0
        for a in range(n):
            if along[a] < middle:
                n_low += 1
                sum_low += along[a]
            else:
                sum_high += along[a]
        if n_low in (0, n):
            break
        low, high = sum_low / n_low, sum_high / (n - n_low)
    for a in range(n):
        left += min((along[a] - low) ** 2, (along[a] - high) ** 2)
        total += along[a] ** 2
    return left / total if total > _TINY else 1.0


@kernel
def _find_axis_inplace(rows: Array, factor: Array, axes: Array, r: int) -> float:
    """Row r of axes becomes the one that two groups leave the least share along, returned.

    The search starts from each of the given coordinates.
    """
    n, d = rows.shape
    axis, along, least = np.empty(d), np.empty(n), 2.0
    for start in range(d):
        for i in range(d):
            axis[i] = factor[start, i] / factor[start, start]  # free of units
        _make_unit_inplace(axis, axes, r)
        _project_inplace(rows, axis, along)
        for _ in range(_STEPS):
            _turn_inplace(rows, along, axis)
            _make_unit_inplace(axis, axes, r)
            _project_inplace(rows, axis, along)
        left = _left_by_two(along)
        if left < least:
            least = left
            for i in range(d):
                axes[r, i] = axis[i]
    return least


@kernel
def stretched(x: Store, points: Array) -> Array:
    """Coordinates (n, d) of points in which those axes along which they fall apart are longer."""
    n, d = points.shape
    factor = _own_factor(x, points)
    rows = solve_rows(points, factor)
    for i in range(d):
        rows[:, i] -= rows[:, i].mean()
    axes, along, longer = np.zeros((_AXES, d)), np.empty(n), np.empty(_AXES)
    n_axes = min(_AXES, d)
    for r in range(n_axes):
        left = _find_axis_inplace(rows, factor, axes, r)
        longer[r] = 1.0 / math.sqrt(max(left, _LEAST_LEFT)) - 1.0
    for r in range(n_axes):
        _project_inplace(rows, axes[r], along)
        for a in range(n):
            for i in range(d):
                rows[a, i] += longer[r] * along[a] * axes[r, i]
    return rows
