r"""What the theorems take as given: the space, the stream's constants, the learner's settings."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import check_count, check_nonnegative, check_positive
from driftlaw.errors import InputError
from driftlaw.schedules import Schedule, SqrtLog
from driftlaw.theory.complexity import ClusterPrior
from driftlaw.theory.drift import segment_lengths

_WIDEST = 1e60  # fourth powers of it, times a horizon, are still numbers
_LONGEST = 10**7  # a rate is computed for every age


def check_horizon(value: int) -> int:
    """Return T if it is a whole number from 1 to ten million.

    Examples
    --------
    >>> check_horizon(500)
    500
    """
    horizon = check_count("horizon", value)
    if horizon > _LONGEST:
        raise InputError(f"horizon must be <= {_LONGEST}, got {horizon}")
    return horizon


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    r"""Sizes of the supports; the paper's single D must be at least each of them.

    The theorems use one D with three duties: :math:`\ell \le D^2`, the loss is 4D-Lipschitz, a
    predictive error is at most D. With centres on the ball of radius 2R, wider than the data, the
    data's diameter 2R is too small for the first (:math:`\ell` reaches :math:`9R^2`).
    :meth:`balls` takes the smallest D that does all three. The sharper bounds use each size itself.

    Examples
    --------
    >>> Space.balls(data_radius=5.0, center_radius=10.0, predictive_radius=10.0).diameter
    20.0
    """

    diameter: float
    data_diameter: float
    center_diameter: float
    predictive_diameter: float
    reach: float
    """Largest distance of a centre from a data point; the loss is at most its square."""

    def __post_init__(self) -> None:
        if check_positive("diameter", self.diameter) > _WIDEST:
            raise InputError(f"diameter must be <= {_WIDEST:g}, got {self.diameter!r}")
        for name in ("data_diameter", "center_diameter", "predictive_diameter", "reach"):
            check_positive(name, getattr(self, name))
        for name in ("data_diameter", "predictive_diameter", "reach"):
            if getattr(self, name) > self.diameter * (1 + 1e-12):
                raise InputError(
                    f"diameter must be >= {name} = {getattr(self, name)}: bounded support, "
                    f"got {self.diameter}"
                )

    @classmethod
    def common(cls, diameter: float) -> "Space":
        """Everything inside one set of this diameter, the paper's convention.

        Examples
        --------
        >>> Space.common(2.0).reach
        2.0
        """
        return cls(
            diameter=diameter,
            data_diameter=diameter,
            center_diameter=diameter,
            predictive_diameter=diameter,
            reach=diameter,
        )

    @classmethod
    def balls(
        cls, *, data_radius: float, center_radius: float, predictive_radius: float
    ) -> "Space":
        """Put data, centres and predictive laws on balls around one point."""
        data = check_positive("data_radius", data_radius)
        reach = data + check_positive("center_radius", center_radius)
        wide = 2 * check_positive("predictive_radius", predictive_radius)
        return cls(
            # the Lipschitz constant 4D covers 2·reach as soon as D covers the reach
            diameter=max(2 * data, reach, wide),
            data_diameter=2 * data,
            center_diameter=2 * center_radius,
            predictive_diameter=wide,
            reach=reach,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    r"""One horizon, one learner, one world: all that the two theorems need.

    Examples
    --------
    >>> prior = ClusterPrior(dim=1, n_centers=1, max_centers=1, support_radius=2.0)
    >>> problem = Problem(horizon=100, space=Space.common(2.0), prior=prior, restart_every=8)
    >>> problem.n_segments
    13
    """

    horizon: int
    space: Space
    prior: ClusterPrior
    schedule: Schedule = field(default_factory=SqrtLog)
    restart_every: int | None = None
    corrupted: NDArray[np.bool_] | None = field(default=None, compare=False)
    """(T,) booleans, True where the observation was corrupted; None: nowhere."""
    amplitude: float = 0.0
    action: float = 0.0
    growth: float = 1.0
    r""":math:`\mu` of [eq:quadratic-growth]."""
    predictive_lipschitz: float = 1.0
    r""":math:`L_K` of [eq:predictive-regularity]."""
    failure_probability: float = 0.05
    first_step: float | None = None
    r""":math:`\Delta_1 \le D`; the diameter when not known."""
    local_radius: float | None = None
    """Radius r of the localized comparator; chosen to make the bracket small when None."""

    def __post_init__(self) -> None:
        check_horizon(self.horizon)
        segment_lengths(self.horizon, self.restart_every)
        check_positive("growth", self.growth)
        for name in ("action", "predictive_lipschitz"):
            check_nonnegative(name, getattr(self, name))
        self._check_corruption()
        if not 0 < check_nonnegative("failure_probability", self.failure_probability) < 1:
            raise InputError(
                f"failure_probability must be in (0, 1), got {self.failure_probability!r}"
            )
        if not 0 <= self.initial_error <= self.space.diameter:
            raise InputError(f"first_step must be in [0, diameter], got {self.first_step!r}")
        if self.local_radius is not None:
            check_positive("local_radius", self.local_radius)

    def _check_corruption(self) -> None:
        if not (self.amplitude >= 0 and math.isfinite(self.amplitude)):
            raise InputError(
                f"amplitude must be finite and >= 0: corruption is bounded by delta, "
                f"got {self.amplitude!r}"
            )
        if self.corrupted is None:
            return
        if np.shape(self.corrupted) != (self.horizon,):
            raise InputError(f"corrupted must be ({self.horizon},), got {np.shape(self.corrupted)}")
        marks = np.array(self.corrupted, dtype=np.bool_)
        marks.setflags(write=False)
        object.__setattr__(self, "corrupted", marks)

    @property
    def window(self) -> int:
        """Length H of a segment; the horizon without restart."""
        return (
            self.horizon
            if self.restart_every is None
            else check_count("restart_every", self.restart_every)
        )

    @property
    def n_segments(self) -> int:
        r""":math:`m = \lceil T/H \rceil`."""
        return -(-self.horizon // self.window)

    @property
    def initial_error(self) -> float:
        r""":math:`\Delta_1`, or its bound D."""
        return self.space.diameter if self.first_step is None else self.first_step

    @property
    def n_corrupted(self) -> int:
        r""":math:`\Lambda_T`."""
        return 0 if self.corrupted is None else int(np.sum(self.corrupted))

    @property
    def conversion(self) -> float:
        r""":math:`L_K/\sqrt\mu`, the price of an excess risk in :math:`W_1`."""
        return self.predictive_lipschitz / math.sqrt(self.growth)
