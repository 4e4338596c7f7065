"""What a figure is: streams × predictors × metrics × scales × claims; frozen, checked at birth."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from itertools import pairwise
from typing import Any

from driftlaw._validate import check_choice, check_count
from driftlaw.errors import InputError
from driftlaw.experiments.contenders import check_settings
from driftlaw.experiments.worlds import check_world

KINDS = ("curves", "sweep", "horizons", "real", "twin")
SCALES = ("smoke", "quick", "full")
SETTINGS = ("printed", "recommended")
METRICS = ("w1", "paper_w1", "mean_error", "total", "clean", "corruption")
PREDICATES = (
    "less",
    "less_everywhere",
    "increases",
    "exponent_below",
    "exponent_at_least",
    "exponent_near",
    "stays_up",
    "comes_back",
    "splits",
)
_NAMES = ("restarted", "vanilla", "window")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How much of a figure is run: seeds, distance between judged steps, length, swept values."""

    seeds: int
    every: int
    n_steps: int | None = None
    values: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        check_count("seeds", self.seeds)
        check_count("every", self.every)
        if self.n_steps is not None:
            check_count("n_steps", self.n_steps)
        if self.values is not None:
            object.__setattr__(self, "values", _increasing(self.values))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """What is varied: ``target`` is ``restart_every`` or ``stream.`` and a word of the stream."""

    word: str
    target: str
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if self.target != "restart_every" and not self.target.startswith("stream."):
            raise InputError(
                f"target must be restart_every or begin with 'stream.', got {self.target!r}"
            )
        object.__setattr__(self, "values", _increasing(self.values))


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence as a predicate: who is compared, by which metrics, against which number.

    ``source`` is ``paper`` for a sentence of its text, ``figure`` for what a figure of it is there
    to show, ``ours`` for a question that it does not ask.
    """

    sentence: str
    source: str
    predicate: str
    left: str = "restarted"
    right: str = "vanilla"
    settings: tuple[str, ...] = SETTINGS
    metrics: tuple[str, ...] = ("w1", "paper_w1")
    threshold: float = 0.0
    tolerance: float = 0.0

    def __post_init__(self) -> None:
        check_choice("source", self.source, ("paper", "figure", "ours"))
        check_choice("predicate", self.predicate, PREDICATES)
        check_choice("left", self.left, _NAMES)
        check_choice("right", self.right, _NAMES)
        for name, choices in (("settings", SETTINGS), ("metrics", METRICS)):
            values = tuple(getattr(self, name))
            for value in values:
                check_choice(name, value, choices)
            object.__setattr__(self, name, values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure: everything that its numbers depend on, and what it is to show.

    Examples
    --------
    >>> from driftlaw.experiments import catalogue
    >>> figure = catalogue()["main"]
    >>> Figure.from_dict(figure.to_dict()) == figure
    True
    """

    name: str
    order: int
    title: str
    about: str
    kind: str
    label: str = ""  # of the paper; empty for a figure that it does not have
    stream: Mapping[str, Any]
    restart: Mapping[str, float]  # every = H, or power = h with H = round(T^h)
    settings: Mapping[str, Mapping[str, Any]]
    windows: tuple[int, ...]
    judge: Mapping[str, Any]
    scales: Mapping[str, Scale]
    panels: tuple[str, ...] = ()
    sweep: Sweep | None = None
    claims: tuple[Claim, ...] = field(default=())

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, KINDS)
        self._put(
            windows=tuple(check_count("windows", size) for size in self.windows),
            panels=tuple(self.panels),
            scales={name: _made(Scale, value) for name, value in self.scales.items()},
            claims=tuple(_made(Claim, value) for value in self.claims),
            sweep=None if self.sweep is None else _made(Sweep, self.sweep),
        )
        if tuple(self.scales) != SCALES:
            raise InputError(f"scales must be {', '.join(SCALES)}, got {', '.join(self.scales)}")
        if set(self.restart) not in ({"every"}, {"power"}):
            raise InputError(f"restart must hold either every or power, got {dict(self.restart)}")
        if (self.sweep is None) == (self.kind in ("sweep", "horizons")):
            raise InputError(f"sweep must be given for sweeps and horizons alone, got {self.kind}")
        for name in self.judge["metrics"]:
            check_choice("metrics", name, METRICS)
        check_world(self.stream)
        check_settings(self.settings, SETTINGS)

    def _put(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Figure":
        """Read what `to_dict` or a file gave; an unknown word is an error."""
        figure: Figure = _made(cls, record)
        return figure

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        record: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return record

    def digest(self) -> str:
        """Hash of the record: equal for equal figures."""
        return digest_of(self.to_dict())

    @property
    def needs_data(self) -> bool:
        """Whether it reads files of prices."""
        return bool(self.stream["name"] in ("spy", "spy-pair"))


def digest_of(record: object) -> str:
    """Return 24 hexadecimal digits for a JSON-able record."""
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _increasing(values: tuple[float, ...]) -> tuple[float, ...]:
    given = tuple(values)
    if len(given) < 2 or any(b <= a for a, b in pairwise(given)):
        raise InputError(f"values must be at least two and increase, got {given}")
    return given


def _made(cls: type, value: Any) -> Any:
    if isinstance(value, cls):
        return value
    known = {f.name for f in fields(cls)}
    unknown = set(value) - known
    if unknown:
        raise InputError(f"{cls.__name__} knows no {', '.join(sorted(unknown))}")
    try:
        return cls(**value)
    except TypeError as error:
        raise InputError(f"{cls.__name__}: {error}") from error
