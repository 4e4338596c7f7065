r"""A world on the line with finitely many configurations and points: everything is a plain sum."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_points, check_weights


@dataclass(frozen=True, slots=True, eq=False)
class LineWorld:
    r"""Finitely many configurations (n, k) on the line, a prior (n,), and points (q,) for laws.

    Examples
    --------
    >>> world = LineWorld([[0.0, 2.0], [1.0, 1.0]], None, [0.0, 1.0, 2.0])
    >>> world.losses().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    """

    configurations: ArrayLike
    prior: ArrayLike | None
    points: ArrayLike

    def __post_init__(self) -> None:
        centers = check_points("configurations", self.configurations)
        points = np.unique(check_points("points", self.points, 1)[:, 0])
        object.__setattr__(self, "configurations", centers)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "prior", check_weights("prior", self.prior, len(centers)))

    @property
    def centers(self) -> Array:
        """The configurations, (n, k)."""
        return np.asarray(self.configurations)

    @property
    def atoms(self) -> Array:
        """The points in increasing order, (q,)."""
        return np.asarray(self.points)

    @property
    def weights(self) -> Array:
        """The prior, (n,)."""
        return np.asarray(self.prior)

    @property
    def reach(self) -> float:
        """Largest distance of a centre from a point."""
        return float(np.abs(self.centers[:, :, None] - self.atoms).max())

    @property
    def diameter(self) -> float:
        """The paper's D: at least the reach and the width of the points."""
        return max(self.reach, float(np.ptp(self.atoms)))

    @property
    def center_diameter(self) -> float:
        """Largest distance between two centres."""
        return float(np.ptp(self.centers))

    def losses(self) -> Array:
        r""":math:`\min_j (c_j - x)^2` for every configuration and point, (n, q)."""
        return np.asarray(((self.centers[:, :, None] - self.atoms) ** 2).min(axis=1))

    def w1(self, p: ArrayLike, q: ArrayLike) -> float:
        """Exact W1 between two laws (q,) on the points."""
        first, second = (check_weights(s, v, len(self.atoms)) for s, v in (("p", p), ("q", q)))
        return float(np.abs(np.cumsum(first - second)[:-1]) @ np.diff(self.atoms))

    def w2_squared(self, p: Array, q: Array) -> float:
        """Exact squared W2 between two laws: both quantile functions are steps on merged levels."""
        first, second = np.cumsum(p), np.cumsum(q)
        levels = np.unique(np.concatenate([[0.0], first[:-1], second[:-1], [1.0]]).clip(0, 1))
        middle = (levels[1:] + levels[:-1]) / 2
        last = len(self.atoms) - 1
        at = [self.atoms[np.searchsorted(c, middle).clip(max=last)] for c in (first, second)]
        return float(np.diff(levels) @ (at[0] - at[1]) ** 2)
