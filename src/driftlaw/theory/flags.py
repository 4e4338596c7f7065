"""The door for the command line: plain values, or a run's manifest, in; a problem out."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from numbers import Real

import numpy as np

from driftlaw._validate import check_choice, check_fraction, check_positive
from driftlaw.errors import InputError
from driftlaw.schedules import Constant, Power, Schedule, SqrtLog
from driftlaw.theory.complexity import ClusterPrior
from driftlaw.theory.constants import Problem, Space, check_horizon
from driftlaw.theory.perturbation import spread_corruption

_PASSED = (
    *("horizon", "restart_every", "amplitude", "action", "growth", "predictive_lipschitz"),
    *("failure_probability", "first_step", "local_radius"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundFlags:
    """Everything ``driftlaw bound`` takes; the defaults are the paper's smooth experiment."""

    horizon: int = 500
    restart_every: int | None = None
    dim: int = 2
    n_centers: int = 2
    max_centers: int = 4
    eta: float = 0.1
    radius: float = 5.0
    """The paper's R: data on the ball of radius R, centres on the ball of radius 2R."""
    diameter: float | None = None
    """One D for everything, as in the paper; from the balls when None."""
    schedule: str = "sqrt-log"
    scale: float = 0.1
    beta: float = 0.5
    amplitude: float = 0.0
    n_corrupted: int | None = None
    """Number of corrupted steps, evenly spread; or give ``corruption_rate``."""
    corruption_rate: float = 0.0
    action: float = 0.0
    growth: float = 1.0
    predictive_lipschitz: float = 1.0
    failure_probability: float = 0.05
    first_step: float | None = None
    local_radius: float | None = None

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            is_left_out = value is None and item.default is None
            if item.name != "schedule" and not (is_left_out or isinstance(value, Real)):
                raise InputError(f"{item.name} must be a number, got {value!r}")
        check_horizon(self.horizon)
        check_positive("radius", self.radius)
        check_fraction("corruption_rate", self.corruption_rate)

    def problem(self) -> Problem:
        """Build the problem; every rule is checked there."""
        check_choice("schedule", self.schedule, ("sqrt-log", "power", "constant"))
        schedules: dict[str, Schedule] = {
            "sqrt-log": SqrtLog(self.scale),
            "power": Power(self.scale, self.beta),
            "constant": Constant(self.scale),
        }
        prior = ClusterPrior(
            dim=self.dim,
            n_centers=self.n_centers,
            max_centers=self.max_centers,
            support_radius=2 * self.radius,
            eta=self.eta,
            oracle_norm=self.radius,
        )
        passed = {name: getattr(self, name) for name in _PASSED}
        return Problem(
            space=self._space(),
            prior=prior,
            schedule=schedules[self.schedule],
            corrupted=self._marks(),
            **passed,
        )

    def _space(self) -> Space:
        if self.diameter is not None:
            return Space.common(self.diameter)
        r = self.radius
        return Space.balls(data_radius=r, center_radius=2 * r, predictive_radius=2 * r)

    def _marks(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        rate = self.corruption_rate
        if self.n_corrupted is not None and rate > 0:
            raise InputError("give n_corrupted or corruption_rate, not both")
        count = math.ceil(rate * self.horizon) if self.n_corrupted is None else self.n_corrupted
        return spread_corruption(self.horizon, count)


def problem_from_flags(**values: object) -> Problem:
    """Problem from plain values named as the fields of :class:`BoundFlags`; the rest as default.

    Examples
    --------
    >>> problem_from_flags(horizon=200, restart_every=50).n_segments
    4
    """
    known = {item.name for item in fields(BoundFlags)}
    unknown = sorted(set(values) - known)
    if unknown:
        raise InputError(f"unknown value {unknown[0]!r}; known are {', '.join(sorted(known))}")
    return BoundFlags(**values).problem()  # type: ignore[arg-type] # checked there


def problem_from_manifest(manifest: Mapping[str, object], **values: object) -> Problem:
    """Problem from a run's manifest: its ``"bound"`` table if there is one, else its top level.

    Names that the bound does not know (seeds, versions, times) are passed over at the top level
    and refused inside a ``"bound"`` table. ``values`` go before those of the manifest.

    Examples
    --------
    >>> problem_from_manifest({"seed": 1, "horizon": 200}, restart_every=50).n_segments
    4
    """
    inner = manifest.get("bound")
    if isinstance(inner, Mapping):
        return problem_from_flags(**{**inner, **values})
    known = {item.name for item in fields(BoundFlags)}
    found = {name: value for name, value in manifest.items() if name in known} | values
    if "horizon" not in found:
        raise InputError(f"manifest must name a horizon, got {', '.join(map(str, manifest))}")
    return problem_from_flags(**found)
