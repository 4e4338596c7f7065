"""What a run is asked to do: frozen, checked at birth, kept in its checkpoint."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from driftlaw._validate import check_choice, check_count, check_fraction
from driftlaw.errors import InputError
from driftlaw.live.predictors import PREDICTORS
from driftlaw.tables import MISSING, TRANSFORMS


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """Everything that decides the records of a run, besides its input.

    Parameters
    ----------
    predictor : str
        A name of `driftlaw.live.PREDICTORS`.
    options : mapping
        Keyword arguments of the predictor.
    transform, missing : str
        See `driftlaw.tables.Preparation`.
    quantiles : tuple of float
        Levels that each record holds.
    level : float
        Probability of the interval that each record holds.
    anomaly : float
        An observation further out than the law held likely with this probability is an anomaly;
        the first 20 are not judged.
    seed : int

    Examples
    --------
    >>> RunSettings(level=0.8).to_dict()["level"]
    0.8
    """

    predictor: str = "adaptive"
    options: Mapping[str, Any] = field(default_factory=dict)
    transform: str = "none"
    missing: str = "error"
    quantiles: tuple[float, ...] = (0.05, 0.25, 0.5, 0.75, 0.95)
    level: float = 0.9
    anomaly: float = 0.001
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("predictor", self.predictor, PREDICTORS)
        check_choice("transform", self.transform, TRANSFORMS)
        check_choice("missing", self.missing, MISSING)
        check_count("seed", self.seed, least=0)
        if not 0 < check_fraction("anomaly", self.anomaly) < 1:
            raise InputError(f"anomaly must be between 0 and 1, got {self.anomaly!r}")
        levels = tuple(check_fraction("quantiles", q) for q in self.quantiles)
        if not levels or any(not 0 < q < 1 for q in levels) or len(set(levels)) != len(levels):
            raise InputError(
                f"quantiles must be different and between 0 and 1, got {self.quantiles}"
            )
        if not 0 < check_fraction("level", self.level) < 1:
            raise InputError(f"level must be between 0 and 1, got {self.level!r}")
        object.__setattr__(self, "quantiles", tuple(sorted(levels)))
        object.__setattr__(self, "options", dict(self.options))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return asdict(self) | {"quantiles": list(self.quantiles)}
