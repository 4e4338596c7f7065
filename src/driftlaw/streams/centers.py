"""Drifts of centres (K, d) that are known in advance: constant velocity, jumps, rotation."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_points
from driftlaw.errors import InputError
from driftlaw.streams.paths import Drift, Fixed


@dataclass(frozen=True, slots=True, eq=False)
class Linear(Drift):
    r"""Constant velocity: :math:`b_t + s\,t\,u`, with base b, step s and directions u.

    ``directions`` has the shape of the base, (K, d) for centres; rows of unit length make
    ``step`` the distance covered per step.

    Examples
    --------
    >>> Linear([[0.0, 0.0]], [[1.0, 0.0]], 0.5)(4)
    array([[2., 0.]])
    """

    directions: ArrayLike
    step: float

    def __post_init__(self) -> None:
        Drift.__post_init__(self)
        directions = Fixed(self.directions)(0)
        if directions.shape != self.base_at(0).shape:
            wanted = self.base_at(0).shape
            raise InputError(f"directions must be {wanted}, got {directions.shape}")
        object.__setattr__(self, "directions", directions)

    def __call__(self, t: int) -> Array:
        """Return the value at ``t``."""
        return self.base_at(t) + self.step * t * np.asarray(self.directions)


@dataclass(frozen=True, slots=True, eq=False)
class Jumps(Drift):
    r"""Abrupt translations: :math:`b_t + \sum_{i:\, \tau_i \le t} s_i`.

    ``times`` are increasing steps, ``shifts`` (n, d) is added to every centre from its time on.

    Examples
    --------
    >>> path = Jumps([[0.0], [1.0]], [3], [[7.0]])
    >>> path(2).ravel(), path(3).ravel()
    (array([0., 1.]), array([7., 8.]))
    """

    times: ArrayLike
    shifts: ArrayLike

    def __post_init__(self) -> None:
        Drift.__post_init__(self)
        times = np.array(self.times, dtype=np.int64).reshape(-1)
        if (np.diff(times) <= 0).any():
            raise InputError(f"times must increase, got {times}")
        dim = self.base_at(0).shape[-1]
        shifts = check_points("shifts", self.shifts, dim) if len(times) else np.empty((0, dim))
        if len(shifts) != len(times):
            raise InputError(f"shifts must be ({len(times)}, {dim}), got {shifts.shape}")
        totals = np.vstack([np.zeros(dim), np.cumsum(shifts, axis=0)])
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "shifts", totals)

    def __call__(self, t: int) -> Array:
        """Return the value at ``t``."""
        n_past = int(np.searchsorted(np.asarray(self.times), t, side="right"))
        return np.asarray(self.base_at(t) + np.asarray(self.shifts)[n_past])


@dataclass(frozen=True, slots=True, eq=False)
class Rotation(Drift):
    r"""Rotation about the origin in one coordinate plane, by ``angle`` radians per step.

    A base of centres (K, d) becomes :math:`R_t c_j`. A base of lower Cholesky factors (K, d, d)
    becomes the factors of :math:`R_t \Sigma_j R_t^\top`, so that centres and shapes can turn
    together.

    Examples
    --------
    >>> np.abs(Rotation([[1.0, 0.0]], np.pi / 2)(1).round(12))
    array([[0., 1.]])
    """

    angle: float
    plane: tuple[int, int] = (0, 1)

    def __post_init__(self) -> None:
        Drift.__post_init__(self)
        dim = self.base_at(0).shape[-1]
        first, second = self.plane
        if first == second or not 0 <= min(self.plane) <= max(self.plane) < dim:
            raise InputError(f"plane must name two axes below {dim}, got {self.plane}")

    def __call__(self, t: int) -> Array:
        """Return the value at ``t``."""
        value = self.base_at(t)
        i, j = self.plane
        cos, sin = np.cos(self.angle * t), np.sin(self.angle * t)
        turn = np.eye(value.shape[-1])
        turn[i, i], turn[i, j], turn[j, i], turn[j, j] = cos, -sin, sin, cos
        if value.ndim == 2:
            return np.asarray(value @ turn.T)
        turned = turn @ value
        return np.asarray(np.linalg.cholesky(turned @ turned.swapaxes(-1, -2)), dtype=np.float64)
