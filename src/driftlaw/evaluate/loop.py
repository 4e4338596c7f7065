"""The prequential loop: predict, judge, learn. There is no other such loop in the package."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_count, check_point
from driftlaw.errors import InputError
from driftlaw.law import PredictiveLaw
from driftlaw.streams import Step


class Predictor(Protocol):
    """What the loop needs of a predictor."""

    def predict(self) -> PredictiveLaw:
        """Law of the next point; pure."""

    def learn_one(self, z: Array, /) -> Any:
        """Advance by one observation; what it returns is passed on as ``info``."""


class Estimate(NamedTuple):
    """A Monte-Carlo number and its standard error (0 where nothing was sampled)."""

    value: float
    standard_error: float


Metric = Callable[[PredictiveLaw, Step, PredictiveLaw | None], float | Estimate]
Metrics = Mapping[str, Metric] | Sequence[Metric]
StreamLike = Iterable[Step] | Iterable[ArrayLike]


class Record(NamedTuple):
    """One step of a run: ``values`` by metric name, and what they were computed from.

    An ``Estimate`` named ``m`` gives the values ``m`` and ``m_se``. ``truth`` is None where no
    metric asked for it; ``info`` is what ``learn_one`` returned.
    """

    t: int
    values: dict[str, float]
    info: Any
    step: Step
    law: PredictiveLaw
    truth: PredictiveLaw | None


def prequential(
    predictor: Predictor,
    stream: StreamLike,
    metrics: Metrics = (),
    *,
    warmup: int = 0,
    every: int = 1,
) -> Iterator[Record]:
    r"""Predict, judge, learn — in this order, for every point of a stream.

    .. math:: \hat p_t = p(\cdot \mid z_{1:t-1}) \;\to\; m(\hat p_t, x_t, p_t^*) \;\to\; z_t

    Parameters
    ----------
    predictor : anything with ``predict()`` and ``learn_one(z)``
    stream : a stream, or a plain iterable of points (d,)
        Plain points have no known law; they are taken as clean.
    metrics : metrics by name, or a sequence of metrics that have a ``name``
        A metric is called with the law, the step and the true law (None if the stream has none).
        One that sets ``needs_truth = False`` spares the stream the question.
    warmup : number of first points that are learnt without being predicted
    every : predict and judge only each so many points from there on, and learn the others

    Yields
    ------
    Record
        For each judged point, after it was learnt. Nothing is kept, so an endless stream will do.

    Notes
    -----
    Paper: [eq:clean-regret], [eq:total-regret].

    Examples
    --------
    >>> from driftlaw.law import MixtureLaw
    >>> class Prior:
    ...     def predict(self): return MixtureLaw([1.0], [[0.0]], [1.0])
    ...     def learn_one(self, z): return None
    >>> def miss(law, step, truth): return abs(law.mean() - step.clean)[0]
    >>> [record.values["miss"] for record in prequential(Prior(), [[1.0], [3.0]], [miss])]
    [1.0, 3.0]
    """
    named = _named(metrics)
    law_at = getattr(stream, "law_at", None)
    asks = any(getattr(metric, "needs_truth", True) for metric in named.values())
    if law_at is None:
        _refuse_truth(named)
    check_count("warmup", warmup, least=0)
    judged = range(warmup, sys.maxsize, check_count("every", every))
    return _run(predictor, stream, named, law_at if asks else None, judged)


def _run(
    predictor: Predictor,
    stream: StreamLike,
    metrics: Mapping[str, Metric],
    law_at: Callable[[int], PredictiveLaw] | None,
    judged: range,
) -> Iterator[Record]:
    for position, item in zip(count(), stream, strict=False):
        step = item if isinstance(item, Step) else _plain(position, item)
        if position not in judged:
            predictor.learn_one(step.observed)
            continue
        law = predictor.predict()
        truth = None if law_at is None else law_at(step.t)
        values: dict[str, float] = {}
        for name, metric in metrics.items():
            values.update(_flat(name, metric(law, step, truth)))
        info = predictor.learn_one(step.observed)
        yield Record(step.t, values, info, step, law, truth)


def columns(records: Iterable[Record]) -> dict[str, Array]:
    """Gather ``t`` and every value of a run as arrays (n,); the laws are let go.

    Examples
    --------
    >>> columns([])
    {'t': array([], dtype=float64)}
    """
    table: dict[str, list[float]] = {"t": []}
    for record in records:
        table["t"].append(record.t)
        for name, value in record.values.items():
            table.setdefault(name, []).append(value)
    return {name: np.array(values, dtype=np.float64) for name, values in table.items()}


def _named(metrics: Metrics) -> dict[str, Metric]:
    if isinstance(metrics, Mapping):
        return dict(metrics)
    named: dict[str, Metric] = {}
    for metric in metrics:
        name = getattr(metric, "name", getattr(metric, "__name__", None))
        if not isinstance(name, str):
            raise InputError(f"metrics must be named or given by name, got {metric!r}")
        if name in named:
            raise InputError(f"metrics must have different names, got {name!r} twice")
        named[name] = metric
    return named


def _refuse_truth(metrics: Mapping[str, Metric]) -> None:
    for name, metric in metrics.items():
        if getattr(metric, "needs_truth", False):
            raise InputError(f"metric {name!r} needs a stream with law_at, got one without")


def _plain(t: int, item: Any) -> Step:
    point = np.asarray(item)
    point = check_point("point", item, max(1, point.size))
    return Step(t, point, point, False)


def _flat(name: str, result: float | Estimate) -> dict[str, float]:
    if isinstance(result, Estimate):
        return {name: float(result.value), f"{name}_se": float(result.standard_error)}
    return {name: float(result)}
