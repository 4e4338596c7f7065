"""One record: what the law said of an observation before it came, and what came of it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.evaluate import Record, crps
from driftlaw.law import LineSummary, MixtureLaw, PredictiveLaw, SampleLaw
from driftlaw.live.settings import RunSettings

WARMUP = 20  # first steps that are not judged: nothing was known yet


class LawSummary(NamedTuple):
    """Numbers of one law at one point."""

    mean: Array  # (d,)
    quantiles: Array  # (n_levels, d)
    pit: Array  # (d,) probability of at most the point, per coordinate
    above: Array  # (d,) probability of at least the point: one less pit, and the atom at it
    score: float  # CRPS, averaged over the coordinates


class _Exact:
    """The questions of `LineSummary`, asked of the law itself."""

    def __init__(self, law: PredictiveLaw) -> None:
        self._law = law
        self.has_atoms = isinstance(law, SampleLaw)

    def quantile(self, q: Array) -> Array:
        return self._law.quantile(q)[:, 0]

    def cdf(self, x: float) -> Array:
        return np.atleast_1d(self._law.cdf([x]))

    def crps(self, x: float) -> float:
        return crps(self._law, x)


def line_of(law: PredictiveLaw) -> LineSummary | _Exact:
    """Return the fastest way to ask a law of dim 1 several questions."""
    return LineSummary(law) if isinstance(law, MixtureLaw) else _Exact(law)


def sides(line: LineSummary | _Exact, x: float) -> tuple[float, float]:
    """P(X <= x) and P(X >= x); an atom at x belongs to both.

    Examples
    --------
    >>> sides(line_of(SampleLaw([0.0, 1.0, 1.0, 2.0])), 1.0)
    (0.75, 0.75)
    """
    at_most = float(line.cdf(x)[0])
    if not (isinstance(line, _Exact) and line.has_atoms):
        return at_most, 1.0 - at_most
    return at_most, 1.0 - float(line.cdf(np.nextafter(x, -np.inf))[0])


def summarise(law: PredictiveLaw, x: Array, levels: Array) -> LawSummary:
    """Summarise a law at a point x (d,).

    Examples
    --------
    >>> law = MixtureLaw([1.0], [[0.0]], [1.0])
    >>> summary = summarise(law, np.array([0.0]), np.array([0.5]))
    >>> summary.pit.round(6), round(summary.score, 5)
    (array([0.5]), 0.23369)
    """
    lines = [line_of(law.marginal(i) if law.dim > 1 else law) for i in range(law.dim)]
    quantiles = np.column_stack([line.quantile(levels) for line in lines])
    pit, above = np.array([sides(line, value) for line, value in zip(lines, x, strict=True)]).T
    score = np.mean([line.crps(value) for line, value in zip(lines, x, strict=True)])
    return LawSummary(law.mean(), quantiles, pit, above, float(score))


class Told(NamedTuple):
    """A record's cells after its number and time, and what they were made of."""

    values: list[Any]
    summary: LawSummary
    verdict: "Verdict"
    is_inside: NDArray[np.bool_]  # (d,) whether the range of the record holds the value
    is_anomaly: bool
    is_alarm: bool


class Verdict(NamedTuple):
    """What the predictor says of an observation; NaN where it has no word on it."""

    tail: float  # probability of so far out under the law, two-sided, over all coordinates
    p_value: float
    alarm: float
    memory: float
    k: float


def verdict_of(info: Any, summary: LawSummary) -> Verdict:
    """Read what ``learn_one`` returned; without a p-value of its own, the tail."""
    nearer = np.minimum(summary.pit, summary.above)
    tail = min(2.0 * float(nearer.min()) * len(nearer), 1.0)
    nan = float("nan")
    return Verdict(
        tail,
        float(getattr(info, "p_value", tail)),
        float(getattr(info, "is_alarm", nan)),
        float(getattr(info, "memory", getattr(info, "age", nan))),
        float(getattr(info, "n_centers", getattr(info, "mean_k", nan))),
    )


def record_values(record: Record, n: int, levels: Array, settings: RunSettings) -> Told:
    """Tell what the law said of observation n and what came.

    ``levels`` begin with those of `record_levels`; the quantiles at the others are in the summary.
    """
    x, n_own = record.step.observed, len(settings.quantiles) + 2
    summary = summarise(record.law, x, levels)
    verdict = verdict_of(record.info, summary)
    is_anomaly = n > WARMUP and verdict.tail < settings.anomaly
    is_alarm = verdict.alarm == 1.0
    low, high = summary.quantiles[n_own - 2 : n_own]
    is_inside = (low <= x) & (x <= high)
    values: list[Any] = []
    for i in range(len(x)):
        own = summary.quantiles[:n_own, i].tolist()
        values += [float(x[i]), float(summary.mean[i]), *own, float(summary.pit[i])]
    alarm = None if np.isnan(verdict.alarm) else int(is_alarm)
    values += [summary.score, verdict.tail, verdict.p_value, int(is_anomaly), alarm]
    values += [verdict.memory, verdict.k]
    return Told(values, summary, verdict, is_inside, is_anomaly, is_alarm)


def record_columns(
    columns: tuple[str, ...], time: str | None, settings: RunSettings
) -> dict[str, type]:
    """Names and types of a record's columns; two of one name would hide each other."""
    names: list[tuple[str, type]] = [("n", int)]
    if time is not None:
        names.append(("time", str))
    for column in columns:
        own = ("mean", *(f"q{q:g}" for q in settings.quantiles), "low", "high", "pit")
        names += [(column, float), *((f"{column}_{name}", float) for name in own)]
    names += [("score", float), ("tail", float), ("p_value", float), ("anomaly", int)]
    names += [("alarm", int), ("memory", float), ("k", float)]
    _check_different([name for name, _ in names], columns)
    return dict(names)


def _check_different(names: list[str], columns: tuple[str, ...]) -> None:
    for name in names:
        if names.count(name) == 1:
            continue
        if name in columns:
            raise InputError(
                f"column {name!r} must not be called like a column of the records; rename it in "
                "the input"
            )
        raise InputError(f"quantiles must differ in six digits, got two for the column {name!r}")


def record_levels(settings: RunSettings) -> Array:
    """Levels asked of each law: the quantiles, then both ends of the interval."""
    tail = (1.0 - settings.level) / 2.0
    return np.array([*settings.quantiles, tail, 1.0 - tail])
