"""A cell: one predictor on one stream from one seed, judged; its rows and its name on disk."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from driftlaw._rng import child_seed
from driftlaw._validate import Array
from driftlaw.evaluate import MeanError, Metric, PaperW1, columns, prequential
from driftlaw.experiments.contenders import make_predictor
from driftlaw.experiments.worlds import make_world
from driftlaw.law import PredictiveLaw, sliced_w1
from driftlaw.streams import Step, Stream

Truth = PredictiveLaw | None
_STREAM, _PREDICTOR, _JUDGE = 0, 1, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What a run depends on, apart from the code and the files of data."""

    stream: Mapping[str, Any]
    predictor: Mapping[str, Any]
    judge: Mapping[str, Any]
    seed: int

    def record(self) -> dict[str, Any]:
        """Return a JSON-able record."""
        return {
            "stream": dict(self.stream),
            "predictor": dict(self.predictor),
            "judge": dict(self.judge),
            "seed": self.seed,
        }


def run_cell(cell: Cell, data: Path | None = None) -> dict[str, Array]:
    """Run a cell: ``t`` (n,) of the judged steps and one column (n,) for each metric.

    Stream, predictor and metrics draw from three children of the seed, so that all predictors of
    one seed see the same points and are judged by the same draws.
    """
    seed = np.random.SeedSequence(cell.seed)
    stream = make_world(cell.stream, child_seed(seed, _STREAM), data)
    if "total" in cell.judge["metrics"]:
        return _run_twins(cell, stream, seed)
    predictor = make_predictor(cell.predictor, stream.dim, child_seed(seed, _PREDICTOR))
    metrics = _metrics(cell.judge, child_seed(seed, _JUDGE))
    table = columns(prequential(predictor, stream, metrics, **_steps(cell)))
    return {name: table[name] for name in ("t", *cell.judge["metrics"])}


def _steps(cell: Cell) -> dict[str, int]:
    return {"warmup": cell.judge["warmup"], "every": cell.judge["every"]}


def _metrics(judge: Mapping[str, Any], seed: np.random.SeedSequence) -> dict[str, Metric]:
    known: dict[str, Metric] = {
        "w1": FixedW1(judge["fixed_directions"]),
        "paper_w1": PaperW1(judge["n_samples"], judge["n_directions"], seed),
        "mean_error": MeanError(),
    }
    return {name: known[name] for name in judge["metrics"]}


@dataclass(frozen=True, slots=True)
class FixedW1:
    """Sliced W1 over so many fixed directions: no draws but those inside the printed kernel."""

    n_directions: int
    needs_truth: ClassVar[bool] = True

    def __call__(self, law: PredictiveLaw, step: Step, truth: Truth) -> float:
        """Judge."""
        if truth is None:
            return float("nan")
        return sliced_w1(law, truth, n_directions=self.n_directions).value


class _AgainstTwin:
    """Distance to the law that the twin with the clean history predicted at the same step."""

    needs_truth = False

    def __init__(self, distance: FixedW1, laws: dict[int, PredictiveLaw]) -> None:
        self._distance, self._laws = distance, laws

    def __call__(self, law: PredictiveLaw, step: Step, truth: Truth) -> float:
        return self._distance(law, step, self._laws[step.t])


@dataclass(frozen=True, slots=True)
class _Clean:
    """A stream whose predictor sees the clean points."""

    stream: Stream

    def __iter__(self) -> Iterator[Step]:
        return (Step(step.t, step.clean, step.clean, False) for step in self.stream)

    def law_at(self, t: int) -> PredictiveLaw:
        return self.stream.law_at(t)


def _run_twins(cell: Cell, stream: Stream, seed: np.random.SeedSequence) -> dict[str, Array]:
    """Total, clean and corruption side of the regret. Paper: [eq:appendix-total-split]."""
    distance = FixedW1(cell.judge["fixed_directions"])
    first, second = (
        make_predictor(cell.predictor, stream.dim, child_seed(seed, _PREDICTOR)) for _ in range(2)
    )
    twin = list(prequential(first, _Clean(stream), {"clean": distance}, **_steps(cell)))
    laws = {record.t: record.law for record in twin}
    metrics: dict[str, Metric] = {"total": distance, "corruption": _AgainstTwin(distance, laws)}
    table = columns(prequential(second, stream, metrics, **_steps(cell)))
    return table | {"clean": columns(twin)["clean"]}
