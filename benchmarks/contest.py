"""`Adaptive` against rolling windows and other predictors, on streams whose law is known.

Run ``python -m benchmarks.contest [FOLDER] [--seeds FIRST COUNT] [--streams NAME ...]``; it prints
Markdown tables: streams, laws in space, laws on the line that move and single ones that do not, and
with the folder of the CSV files segments of recorded series, these also by the CRPS (on the line)
or the energy score.

Score: sliced W1 between the law that is predicted and the true one (recorded series: the next 20
clean values), the mean over one step in 8 (recorded: 4) from the twentieth on; ± is the standard
error over seeds or segments, their number in brackets. Best window and best peer are chosen after
the result is seen. A ratio is one of means, ± the standard error of the ratios per seed. *Covers*:
share of the clean coordinates inside our central 90 % intervals on the same steps. `rivals` names
who takes part, `scoring` says how it is measured; ``--peers all`` adds mixtures by EM.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.line_laws import single_laws
from benchmarks.line_streams import moving_laws
from benchmarks.real import SEGMENTS, segment
from benchmarks.rivals import OURS, WINDOW, Rivals, rivals
from benchmarks.scoring import as_normals, covered, distance, energy
from benchmarks.space_streams import laws_in_space
from benchmarks.worlds import Maker, World, simulated
from driftlaw._validate import Array

_FIRST, _EVERY, _EVERY_REAL = 20, 8, 4
_HEAD = "| stream | ours | best window | ratio | best peer | ratio | 90 % interval covers |"


class Scores(NamedTuple):
    """Means over the scored steps of one stream: sliced W1, CRPS or energy score, coverage."""

    w1: float
    energy: float
    covers: float


class Task(NamedTuple):
    """One stream from one seed; on a recorded series the seed is the segment's first row."""

    name: str
    seed: int
    folder: Path | None = None
    with_mixtures: bool = False


Result = dict[str, Scores]
_FAILED = Scores(np.nan, np.nan, np.nan)


@cache
def _makers() -> dict[str, Maker]:
    return simulated() | laws_in_space() | moving_laws() | single_laws()


def _score(name: str, run: Iterator[list[float]]) -> Scores:
    """Mean scores of a run; NaN where a peer's linear algebra fails, as on equal values."""
    try:
        return Scores(*np.mean(list(run), axis=0).tolist())
    except (np.linalg.LinAlgError, ArithmeticError, ValueError) as error:
        if name == OURS:
            raise
        print(f"{name} failed: {error}", file=sys.stderr)
        return _FAILED


def judge_world(world: World, chosen: Rivals, every: int, *, with_energy: bool) -> Result:
    """Let every rival predict and learn the observations in turn."""
    n, dim = world.points.shape
    steps = range(-(-_FIRST // every) * every, n, every)
    targets = {t: as_normals(world.law_at(t)) for t in steps}

    def run(name: str) -> Iterator[list[float]]:
        predictor = chosen[name](dim)
        for t, z in enumerate(world.points):
            if t in targets:
                law, clean = predictor.predict(), world.clean[t]
                score = np.nan
                if with_energy:
                    score = energy(law, clean, np.random.default_rng((dim, t)))
                covers = covered(law, clean) if name == OURS else np.nan
                yield [distance(as_normals(law), targets[t]), score, covers]
            predictor.learn_one(z)

    return {name: _score(name, run(name)) for name in chosen}


def judge(task: Task) -> Result:
    """Scores of all rivals on one stream from one seed."""
    is_real = task.name in SEGMENTS
    if is_real and task.folder is not None:
        world = segment(task.name, task.folder, task.seed)
    else:
        world = _makers()[task.name](task.seed)
    chosen = rivals(
        world.points.shape[1],
        is_returns=world.is_returns,
        with_mixtures=task.with_mixtures,
    )
    every = _EVERY_REAL if is_real else _EVERY
    return judge_world(world, chosen, every, with_energy=is_real)


def _error(values: Array) -> str:
    return f"{values.std(ddof=1) / len(values) ** 0.5:.3f}" if len(values) > 1 else "–"


def _against(ours: Array, others: dict[str, Array]) -> str:
    """Two cells: the best of the others by its mean, and our ratio to it."""
    known = {name: values for name, values in others.items() if np.isfinite(values).all()}
    best = min(known, key=lambda name: float(known[name].mean()))
    ratio = ours.mean() / known[best].mean()
    return f"{known[best].mean():.3f} [{best}] | {ratio:.3f} ± {_error(ours / known[best])}"


def row(name: str, results: Sequence[Result], measure: str) -> str:
    """Return one row of a table, from the results of a stream's seeds."""
    columns = {
        rival: np.array([getattr(result[rival], measure) for result in results])
        for rival in results[0]
    }
    ours = columns.pop(OURS)
    windows = {rival: values for rival, values in columns.items() if rival.startswith(WINDOW)}
    covers = np.mean([result[OURS].covers for result in results])
    return (
        f"| {name} | {ours.mean():.3f} ± {_error(ours)} ({len(ours)}) | {_against(ours, windows)} "
        f"| {_against(ours, columns)} | {covers:.3f} |"
    )


def _print_head(title: str) -> None:
    print(f"\n{title}\n\n{_HEAD}\n" + "|---" * _HEAD.count(" | ") + "|---|", flush=True)


def tables(arguments: argparse.Namespace) -> dict[str, dict[str, list[Task]]]:
    """Return the tasks by table and stream."""
    first, count = arguments.seeds
    seeds = range(first, first + count)
    chosen: dict[str, dict[str, Sequence[int]]] = {
        "Streams": dict.fromkeys(simulated(), seeds),
        "Laws in space": dict.fromkeys(laws_in_space(), seeds),
        "Laws on the line that move": dict.fromkeys(moving_laws(), seeds),
        "Independent draws of one law on the line": dict.fromkeys(single_laws(), seeds),
        "Recorded series": dict(SEGMENTS) if arguments.folder else {},
    }
    wanted, more = arguments.streams, arguments.peers == "all"
    return {
        title: {
            name: [Task(name, seed, arguments.folder, more) for seed in its_seeds]
            for name, its_seeds in streams.items()
            if wanted is None or name in wanted
        }
        for title, streams in chosen.items()
    }


def _parse(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contest", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", nargs="?", type=Path, help="where the CSV files lie")
    parser.add_argument("--seeds", nargs=2, type=int, default=[1000, 5], metavar=("FIRST", "COUNT"))
    names = [*_makers(), *SEGMENTS]
    parser.add_argument("--streams", nargs="+", choices=names, metavar="NAME")
    parser.add_argument("--peers", choices=["usual", "all"], default="usual")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    arguments = parser.parse_args(given)
    needed = set(arguments.streams or ()) & set(SEGMENTS)
    if needed and arguments.folder is None:
        parser.error(f"{', '.join(sorted(needed))} needs the folder of the CSV files")
    return arguments


def main(given: Sequence[str] | None = None) -> None:
    """Print the tables, each row as soon as it is known."""
    arguments = _parse(given)
    wanted = {title: streams for title, streams in tables(arguments).items() if streams}
    tasks = [task for streams in wanted.values() for its in streams.values() for task in its]
    with ProcessPoolExecutor(arguments.processes, get_context("spawn")) as pool:
        results = pool.map(judge, tasks)
        for title, streams in wanted.items():
            _print_head(title + ": sliced W1 per step")
            by_energy = []
            for name, its in streams.items():
                found = []
                for task in its:
                    found.append(next(results))
                    print(f"{name} {task.seed}", file=sys.stderr, flush=True)
                print(row(name, found, "w1"), flush=True)
                if name in SEGMENTS:
                    by_energy.append(row(name, found, "energy"))
            if by_energy:
                _print_head(title + ": CRPS or energy score of the next value")
                print("\n".join(by_energy))


if __name__ == "__main__":
    main()
