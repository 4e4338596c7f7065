"""The settings of `QuasiBayes`: frozen, checked at birth, written to JSON and read back."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from itertools import pairwise
from typing import Any

from driftlaw import schedules
from driftlaw._validate import (
    check_choice,
    check_count,
    check_fraction,
    check_nonnegative,
    check_positive,
)
from driftlaw.errors import InputError, SavedStateError
from driftlaw.inference import MAX_SYMMETRIC, SAMPLERS
from driftlaw.schedules import Schedule, SqrtLog

KERNELS = ("gibbs", "gaussian", "adaptive")
WEIGHTS = ("uniform", "occupancy")
RESTARTS = ("adaptive",)
LEAST_HISTORY = 16
_DEFAULT_SCHEDULE = SqrtLog(0.1)
_SCHEDULES = {name: getattr(schedules, name) for name in ("Constant", "Power", "SqrtLog")}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuasiBayesConfig:
    """Settings of :class:`driftlaw.QuasiBayes`, which describes them."""

    dim: int
    radius: float
    max_centers: int = 4
    eta: float = 0.1
    schedule: Schedule = _DEFAULT_SCHEDULE
    restart_every: int | None = None
    restart_at: tuple[int, ...] = ()
    restart: str | None = None
    false_alarm_rate: float = 0.001
    sampler: str = "local"
    kernel: str = "gibbs"
    scale: float | None = None
    weights: str = "uniform"
    n_iterations: int = 200
    burn_in: float = 0.25
    n_configurations: int = 10
    n_chains: int = 1
    max_history: int | None = None

    def __post_init__(self) -> None:
        self._put(
            dim=check_count("dim", self.dim),
            radius=check_positive("radius", self.radius),
            max_centers=check_count("max_centers", self.max_centers),
            eta=check_nonnegative("eta", self.eta),
        )
        check_choice("sampler", self.sampler, SAMPLERS)
        check_choice("kernel", self.kernel, KERNELS)
        check_choice("weights", self.weights, WEIGHTS)
        if not callable(self.schedule):
            raise InputError(f"schedule must be callable, got {self.schedule!r}")
        if self.sampler == "paper-symmetric" and self.max_centers > MAX_SYMMETRIC:
            raise InputError(
                f"max_centers must be <= {MAX_SYMMETRIC} for sampler 'paper-symmetric', "
                f"got {self.max_centers}"
            )
        self._check_restarts()
        self._check_scale()
        self._check_chains()
        if self.max_history is not None:
            self._put(max_history=check_count("max_history", self.max_history))
            if self.max_history < LEAST_HISTORY:
                raise InputError(f"max_history must be >= {LEAST_HISTORY}, got {self.max_history}")
            if self.sampler != "local":
                raise InputError(
                    f"max_history must be None with sampler {self.sampler!r}, "
                    f"got {self.max_history}"
                )

    def _put(self, **values: Any) -> None:
        """Set checked values at birth: plain Python numbers, which JSON can hold."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _check_restarts(self) -> None:
        try:
            given = tuple(self.restart_at)
        except TypeError as error:
            raise InputError(f"restart_at must be a tuple, got {self.restart_at!r}") from error
        times = tuple(check_count("restart_at", time) for time in given)
        if any(late <= early for early, late in pairwise(times)):
            raise InputError(f"restart_at must increase, got {times}")
        self._put(restart_at=times)
        self._check_adaptive_restart()
        if self.restart_every is not None:
            self._put(restart_every=check_count("restart_every", self.restart_every))
            if times:
                raise InputError(
                    "restart_every and restart_at exclude each other, "
                    f"got {self.restart_every} and {times}"
                )

    def _check_adaptive_restart(self) -> None:
        rate = check_fraction("false_alarm_rate", self.false_alarm_rate)
        if not 0 < rate < 1:
            raise InputError(f"false_alarm_rate must be in (0, 1), got {self.false_alarm_rate!r}")
        self._put(false_alarm_rate=rate)
        if self.restart is None:
            return
        check_choice("restart", self.restart, RESTARTS)
        if self.restart_every is not None or self.restart_at:
            raise InputError(
                "restart='adaptive' excludes restart_every and restart_at, "
                f"got {self.restart_every} and {self.restart_at}"
            )

    def _check_scale(self) -> None:
        if self.kernel == "gaussian" and self.scale is None:
            raise InputError("scale must be given when kernel is 'gaussian', got None")
        if self.kernel != "gaussian" and self.scale is not None:
            raise InputError(f"scale belongs to kernel 'gaussian', got kernel {self.kernel!r}")
        if self.scale is not None:
            self._put(scale=check_positive("scale", self.scale))

    def _check_chains(self) -> None:
        self._put(
            n_iterations=check_count("n_iterations", self.n_iterations),
            burn_in=check_fraction("burn_in", self.burn_in),
            n_configurations=check_count("n_configurations", self.n_configurations),
            n_chains=check_count("n_chains", self.n_chains),
        )
        if self.burn_in == 1:
            raise InputError(f"burn_in must be < 1, or nothing is kept, got {self.burn_in}")
        if self.n_configurations % self.n_chains:
            raise InputError(
                f"n_configurations must be a multiple of n_chains ({self.n_chains}), "
                f"got {self.n_configurations}"
            )
        if self.n_configurations > self.n_chains * self.n_kept:
            raise InputError(
                f"n_configurations must be at most the {self.n_chains * self.n_kept} iterations "
                f"after burn-in, got {self.n_configurations}"
            )

    @property
    def n_burn(self) -> int:
        """Iterations that are discarded."""
        return math.floor(self.n_iterations * self.burn_in)

    @property
    def n_kept(self) -> int:
        """Iterations after burn-in."""
        return self.n_iterations - self.n_burn

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able record; a schedule of one's own is noted as custom."""
        record = {f.name: getattr(self, f.name) for f in fields(self)}
        return record | {"schedule": _schedule_record(self.schedule)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any], schedule: Schedule | None) -> "QuasiBayesConfig":
        """Read a record back; ``schedule`` replaces a custom one, which cannot be saved."""
        values = dict(record)
        values["schedule"] = _read_schedule(values.get("schedule"), schedule)
        try:
            return cls(**values)
        except (TypeError, InputError) as error:
            raise SavedStateError(f"saved settings do not fit: {error}") from error


def _schedule_record(schedule: Schedule) -> dict[str, Any]:
    name = type(schedule).__name__
    if type(schedule) is _SCHEDULES.get(name) and is_dataclass(schedule):
        return {"name": name, **asdict(schedule)}
    return {"name": "custom"}


def _read_schedule(record: Any, given: Schedule | None) -> Schedule:
    if not isinstance(record, dict) or "name" not in record:
        raise SavedStateError(f"saved schedule must be a record with a name, got {record!r}")
    values = {key: value for key, value in record.items() if key != "name"}
    if record["name"] == "custom":
        if given is None:
            raise InputError("schedule must be given: the saved predictor had one of its own")
        return given
    if given is not None:
        raise InputError(f"schedule must be None: the saved one is {record['name']}")
    try:
        schedule: Schedule = _SCHEDULES[record["name"]](**values)
    except (KeyError, TypeError, ValueError) as error:
        raise SavedStateError(f"saved schedule is not known: {record!r}") from error
    return schedule
