"""The demo's runs: every contender through the prequential loop on one stream."""

import math
import time
from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

import numpy as np

from driftlaw._validate import Array, check_count
from driftlaw.corruption import paper_smooth
from driftlaw.demo.contenders import Contender, contenders
from driftlaw.evaluate import W1, Record, prequential, regret_curves
from driftlaw.law import MixtureLaw, PredictiveLaw, SampleLaw
from driftlaw.predictor import Adaptive, QuasiBayes
from driftlaw.streams import Step, Stream

JUDGE_EVERY = 7  # shares no factor with a restart: every age within a segment has its turn
WARMUP = 20
_N_BINS = 120
_N_FIRST = 64  # steps after which everything has been called once
_N_BLOCKS = 10
_N_DRAWS = 4096


class Run(NamedTuple):
    """One contender's run: tables for the pictures, numbers for the summary."""

    name: str
    description: str
    table: dict[str, Array]
    mean_w1: float  # after the first WARMUP steps
    standard_error: float  # of that mean, from blocks of consecutive steps
    total: float  # cumulative regret
    seconds: float


class Demo(NamedTuple):
    """All runs, and the world they ran in."""

    runs: list[Run]
    world: dict[str, Array]
    n_steps: int
    seed: int


def run_demo(n_steps: int = 500, seed: int = 0, on_step: Callable[[], None] | None = None) -> Demo:
    """Run every contender on the paper's smooth, corrupted stream.

    Laws are compared with the truth at every seventh step, the same steps for all; cumulative
    regret takes each for the seven steps from it on.

    Parameters
    ----------
    n_steps : int
        Length of the stream.
    seed : int
        Seeds the stream and, with the same value, every predictor.
    on_step : callable, optional
        Called after every step of every contender.

    Examples
    --------
    >>> [run.name for run in run_demo(40).runs][-1]
    'rolling window'
    """
    check_count("n_steps", n_steps, least=WARMUP + 2 * JUDGE_EVERY)
    check_count("seed", seed, least=0)
    stream = paper_smooth(n_steps=n_steps, rng=seed)
    observed = np.array([step.observed for step in stream])
    centers = np.array([_true_centers(stream.law_at(t)) for t in range(n_steps)])
    world = {"t": np.arange(n_steps), "observed": observed, "centers": centers}
    world["edges"] = _edges(observed[:, 0])
    runs = [_run(c, stream, seed, world["edges"], on_step) for c in contenders(stream.dim)]
    return Demo(runs, world, n_steps, seed)


def _edges(values: Array) -> Array:
    """Bins over the stream's range and a quarter of it on either side."""
    low, high = values.min(), values.max()
    return np.linspace(low - (high - low) / 4, high + (high - low) / 4, _N_BINS + 1)


def _true_centers(law: PredictiveLaw) -> Array:
    if not isinstance(law, MixtureLaw):
        raise TypeError(f"the demo's stream has mixture laws, got {type(law).__name__}")
    return law.means


class _Judge:
    """Distance to the truth and density of the first coordinate, at every seventh step."""

    name, needs_truth = "w1", True

    def __init__(self, edges: Array) -> None:
        self._edges = edges
        self.densities: list[Array] = []

    def __call__(self, law: PredictiveLaw, step: Step, truth: PredictiveLaw | None) -> float:
        if step.t % JUDGE_EVERY:
            return math.nan
        self.densities.append(np.diff(law.marginal(0).cdf(self._edges)) / np.diff(self._edges))
        return W1()(_drawn(law, step.t), step, truth)


def _drawn(law: PredictiveLaw, t: int) -> PredictiveLaw:
    """Replace a mixture of Student laws by draws: its exact distance takes longer."""
    is_student = isinstance(law, MixtureLaw) and bool(np.isfinite(law.df).any())
    return SampleLaw(law.sample(_N_DRAWS, t)) if is_student else law


def _run(
    contender: Contender,
    stream: Stream,
    seed: int,
    edges: Array,
    on_step: Callable[[], None] | None,
) -> Run:
    for _ in islice(prequential(contender.make(seed), stream, [_Judge(edges)]), _N_FIRST):
        pass  # what has to be compiled is, before the clock runs
    predictor = contender.make(seed)
    judge, records, sketches = _Judge(edges), [], []
    begin = time.perf_counter()
    for record in prequential(predictor, stream, [judge]):
        if record.t % JUDGE_EVERY == 0:
            records.append(record)
            sketches.append(_centers(predictor, record.t))
        if on_step is not None:
            on_step()
    seconds = time.perf_counter() - begin
    table = _table(records, judge, sketches, stream.n_steps or 0)
    return _summarise(contender, table, seconds)


def _centers(predictor: object, t: int) -> Array:
    """Rows (t, center...) of the configurations it holds; none for another predictor."""
    if isinstance(predictor, Adaptive):
        centers = predictor.geometry().centers
    elif isinstance(predictor, QuasiBayes):
        centers = np.concatenate(predictor.configurations().each())
    else:
        return np.empty((0, 3))
    return np.column_stack([np.full(len(centers), t), centers])


def _table(
    records: list[Record], judge: _Judge, sketches: list[Array], n_steps: int
) -> dict[str, Array]:
    t = np.array([record.t for record in records])
    w1 = np.array([record.values["w1"] for record in records])
    curves = regret_curves(w1)
    points = np.concatenate(sketches)
    return {
        "t": t,
        "w1": w1,
        "cumulative": np.cumsum(w1 * np.diff(t, append=n_steps)),
        "average": curves.average,
        "density": np.array(judge.densities),
        "k": np.array([_n_centers(record) for record in records]),
        "acceptance": np.array([_acceptance(record) for record in records]),
        "center_t": points[:, 0],
        "centers": points[:, 1:],
    }


def _n_centers(record: Record) -> float:
    return float(getattr(record.info, "mean_k", getattr(record.info, "n_centers", math.nan)))


def _acceptance(record: Record) -> float:
    shares = getattr(record.info, "acceptance", {}).values()
    proposed = [share for share in shares if not math.isnan(share)]
    return float(np.mean(proposed)) if proposed else math.nan


def _summarise(contender: Contender, table: dict[str, Array], seconds: float) -> Run:
    late = table["w1"][table["t"] >= WARMUP]
    blocks = np.array([block.mean() for block in np.array_split(late, min(_N_BLOCKS, len(late)))])
    return Run(
        contender.name,
        contender.description,
        table,
        float(late.mean()),
        float(blocks.std(ddof=1) / math.sqrt(len(blocks))),
        float(table["cumulative"][-1]),
        seconds,
    )
