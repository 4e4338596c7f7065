r"""Twin runs: one predictor on the corrupted history, its twin on the clean one.

The twins share every random number: the stream's draws, because each step carries both points,
and their own, because they are made by one function with one seed. What differs between them is
the corruption alone.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import tee
from typing import NamedTuple

from driftlaw.errors import InputError
from driftlaw.evaluate.loop import Predictor, Record, prequential
from driftlaw.evaluate.metrics import W1
from driftlaw.evaluate.regret import RegretPoint, RegretTracker
from driftlaw.law import PredictiveLaw
from driftlaw.streams import Step, Stream


class TwinRecord(NamedTuple):
    r"""One step of a twin run.

    .. math:: \underbrace{W_1(p(\cdot|z), p^*)}_{\text{total}} \le
       \underbrace{W_1(p(\cdot|z), p(\cdot|x))}_{\text{corruption}} +
       \underbrace{W_1(p(\cdot|x), p^*)}_{\text{clean}}

    ``on_observed`` and ``on_clean`` are the records of the two runs.
    """

    t: int
    total: float
    clean: float
    corruption: float
    on_observed: Record
    on_clean: Record


class TwinRegret(NamedTuple):
    """The three regrets after one more step; ``total`` <= ``clean`` + ``corruption``."""

    total: RegretPoint
    clean: RegretPoint
    corruption: RegretPoint


def twin_run(make_predictor: Callable[[], Predictor], stream: Stream) -> Iterator[TwinRecord]:
    r"""Run a predictor and its clean-history twin side by side through the prequential loop.

    Parameters
    ----------
    make_predictor : called twice; it must give the same predictor, with the same seed, each time
        Twins whose first laws differ are refused.
    stream : a stream whose steps carry observed and clean points and whose laws are known
        It is run through once, so one-shot streams will do.

    Yields
    ------
    TwinRecord

    Notes
    -----
    Paper: [eq:total-regret], [eq:clean-regret], [eq:appendix-total-split]; at the first step both
    histories are empty, so its corruption side is 0 and its clean side is :math:`\Delta_1`.

    Examples
    --------
    >>> from driftlaw.corruption import paper_smooth
    >>> from driftlaw.law import MixtureLaw
    >>> class Last:
    ...     law = MixtureLaw([1.0], [[0.0, 0.0]], [1.0])
    ...     def predict(self): return self.law
    ...     def learn_one(self, z): self.law = MixtureLaw([1.0], [z], [1.0])
    >>> *_, last = twin_regret(twin_run(Last, paper_smooth(n_steps=20, rng=0)))
    >>> last.total.cumulative < last.clean.cumulative + last.corruption.cumulative
    True
    """
    first, second = tee(iter(stream))
    views = _View(first, stream.law_at), _View(map(_cleaned, second), stream.law_at)
    seen, unspoilt = (prequential(make_predictor(), view, [W1()]) for view in views)
    for is_later, pair in enumerate(zip(seen, unspoilt, strict=True)):
        corruption = pair[0].law.w1(pair[1].law)
        if not is_later and corruption > 0:
            raise InputError("make_predictor must give the same predictor twice: fix its seed")
        total, clean = (record.values["w1"] for record in pair)
        yield TwinRecord(pair[0].t, total, clean, corruption, *pair)


def twin_regret(records: Iterable[TwinRecord]) -> Iterator[TwinRegret]:
    """Accumulate a twin run: total, clean and corruption-side regret together."""
    trackers = RegretTracker(), RegretTracker(), RegretTracker()
    for record in records:
        values = record.total, record.clean, record.corruption
        points = (tracker.add(value) for tracker, value in zip(trackers, values, strict=True))
        yield TwinRegret(*points)


@dataclass(frozen=True, slots=True)
class _View:
    """Steps with the laws of the stream they come from."""

    steps: Iterator[Step]
    law_at: Callable[[int], PredictiveLaw]

    def __iter__(self) -> Iterator[Step]:
        return self.steps


def _cleaned(step: Step) -> Step:
    return Step(step.t, step.clean, step.clean, False)
