"""The comparison itself: every contender through the prequential loop on the same observations."""

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_count, check_points
from driftlaw.compare.contenders import CONTENDERS, Contender
from driftlaw.errors import InputError, MissingExtraError
from driftlaw.evaluate import prequential
from driftlaw.live import summarise
from driftlaw.tables import Preparation, TableSpec, open_reader

LEVELS = np.array([0.05, 0.5, 0.95])
PROMISED = 0.9
_LEAST = 60


class Entry(NamedTuple):
    """How one contender did; scores (n,) are in the order of the observations."""

    name: str
    description: str
    scores: Array
    log_scores: Array  # NaN for a law without a density
    pit: Array  # (n, d)
    coverage: float  # share inside the 90 % range, over all columns
    milliseconds: float  # per observation, to predict and to learn
    failure: str = ""


class Contest(NamedTuple):
    """All entries, and what they were judged on."""

    entries: list[Entry]
    columns: tuple[str, ...]
    warmup: int
    n_judged: int
    unit: float  # of the scores, in those of the data; 1 where several columns were scaled


class Points(NamedTuple):
    """Observations of a table (n, d), their columns and times."""

    values: Array
    columns: tuple[str, ...]
    times: list[str]
    choice: str  # what to tell of the columns, where nobody chose them


def read_points(
    spec: TableSpec, *, transform: str = "none", missing: str = "error", last: int | None = None
) -> Points:
    """Read all observations of a table, or only the ``last`` so many."""
    with open_reader(spec) as reader:
        preparation = Preparation(len(reader.columns), transform=transform, missing=missing)
        made = [(preparation.feed(row, reader), row.time) for row in reader]
        columns, choice = reader.columns, reader.choice
    kept = [(point, time) for point, time in made if point is not None]
    if last is not None:
        kept = kept[-check_count("last", last) :]
    if len(kept) < _LEAST:
        raise InputError(f"{spec.name}: a comparison needs {_LEAST} observations, got {len(kept)}")
    return Points(np.array([p for p, _ in kept]), columns, [time for _, time in kept], choice)


class _Timed:
    """A predictor with a stop watch."""

    def __init__(self, predictor: Any) -> None:
        self._predictor, self.seconds = predictor, 0.0

    def predict(self) -> Any:
        begin = perf_counter()
        law = self._predictor.predict()
        self.seconds += perf_counter() - begin
        return law

    def learn_one(self, z: Array) -> Any:
        begin = perf_counter()
        info = self._predictor.learn_one(z)
        self.seconds += perf_counter() - begin
        return info


def run_contest(
    points: ArrayLike,
    columns: Iterable[str] = (),
    *,
    contenders: Iterable[Contender] = CONTENDERS,
    seed: int = 0,
    on_step: Callable[[], None] | None = None,
) -> Contest:
    """Let every contender predict the same observations.

    The first ones, a fifth but at most 100, are learnt without being judged; their medians and
    interquartile ranges also scale the columns, for all contenders alike.

    Parameters
    ----------
    points : (n, d) array, n >= 60
    columns : names of the d columns
    contenders : who takes part
    seed : of those that draw
    on_step : called after each judged observation of each contender

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=(80, 1))
    >>> contest = run_contest(x, contenders=[c for c in CONTENDERS if c.name in ("ewma", "kde")])
    >>> [entry.name for entry in contest.entries], contest.n_judged
    (['ewma', 'kde'], 64)
    """
    values = check_points("points", points)
    if len(values) < _LEAST:
        raise InputError(f"points must have at least {_LEAST} rows, got {len(values)}")
    warmup = min(100, len(values) // 5)
    center = np.median(values[:warmup], axis=0)
    low, high = np.quantile(values[:warmup], [0.25, 0.75], axis=0)
    scale = np.where(high > low, high - low, 1.0) / 1.349
    scaled = (values - center) / scale
    chosen = [c for c in contenders if values.shape[1] == 1 or not c.is_for_one_column]
    unit = float(scale[0]) if values.shape[1] == 1 else 1.0
    entries = [_enter(c, scaled, warmup, seed, on_step) for c in chosen]
    in_units = [entry._replace(scores=entry.scores * unit) for entry in entries]
    names = tuple(columns) or tuple(f"c{i + 1}" for i in range(values.shape[1]))
    return Contest(in_units, names, warmup, len(values) - warmup, unit)


def _enter(
    contender: Contender,
    points: Array,
    warmup: int,
    seed: int,
    on_step: Callable[[], None] | None,
) -> Entry:
    try:
        return _judge(contender, points, warmup, seed, on_step)
    except (MissingExtraError, InputError, ArithmeticError, np.linalg.LinAlgError) as error:
        nothing = np.full(len(points) - warmup, np.nan)
        pit = np.full((len(nothing), points.shape[1]), np.nan)
        return Entry(
            contender.name, contender.description, nothing, nothing, pit, np.nan, np.nan, str(error)
        )


def _judge(
    contender: Contender,
    points: Array,
    warmup: int,
    seed: int,
    on_step: Callable[[], None] | None,
) -> Entry:
    predictor = contender.make(points[:warmup], seed)
    for point in points[:warmup]:
        predictor.learn_one(point)
    timed = _Timed(predictor)
    timed.predict()  # what compiles at the first call is not counted
    timed.seconds = 0.0
    scores, logs, pits, inside = [], [], [], []
    for record in prequential(timed, points[warmup:]):
        summary = summarise(record.law, record.step.observed, LEVELS)
        scores.append(summary.score)
        pits.append(summary.pit)
        low, _, high = summary.quantiles
        inside.append((low <= record.step.observed) & (record.step.observed <= high))
        logs.append(_log_score(record.law, record.step.observed))
        if on_step is not None:
            on_step()
    return Entry(
        contender.name,
        contender.description,
        np.array(scores),
        np.array(logs),
        np.array(pits),
        float(np.mean(inside)),
        1000 * timed.seconds / len(scores),
    )


def _log_score(law: Any, x: Array) -> float:
    try:
        return -float(law.logpdf(x))
    except InputError:  # an empirical law has no density
        return float("nan")
