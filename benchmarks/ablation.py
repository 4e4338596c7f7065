"""What each part of `Adaptive` buys: sliced W1 with one part left out, relative to the whole.

Run ``python -m benchmarks.ablation [FOLDER] [--parts NAME ...]``; it prints a Markdown table, a row
for each part or for those that are named. With the folder of the daily prices, five segments of
SPY's returns are judged too, against the next 20 of them. Above one
the part helps. Every number is a ratio of means over the seeds 700 to 704, on which no choice was
made, ± the standard error of the ratios per seed; one step in 16 is scored, from the twentieth on.

Lanes and experts are left out by taking their weight away after each observation. What is a
constant of compiled code is changed before anything is compiled: each part has a process of its
own, and where it needs one a copy of the package that holds no kernels.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import driftlaw
from benchmarks.line_streams import moving_laws
from benchmarks.real import segment
from benchmarks.worlds import Maker, World, ablated
from driftlaw import Adaptive, sliced_w1
from driftlaw._validate import Array
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.refit import refit_lane_inplace
from driftlaw.predictor.adaptive.state import State, Store

_SEEDS = range(700, 705)
_FIRST, _EVERY, _N_DIRECTIONS = 20, 16, 6
_SEGMENTS = (1000, 1900, 2700, 4100, 5000)
_NOWHERE = -700.0  # log weight of what is left out


class Part(NamedTuple):
    """What is left out: lanes, kinds of experts, values of constants."""

    lanes: Iterable[int] = ()
    experts: Iterable[int] = ()
    constants: Mapping[str, Any] = MappingProxyType({})


def _lanes(chosen: Any) -> list[int]:
    return [int(lane) for lane in np.flatnonzero(chosen)]


def _only(prior: Array, kept: Any) -> Array:
    """Prior of the memories that are kept, the others being impossible."""
    rest = np.where(kept, prior, 0.0)
    return np.asarray(rest / rest.sum(axis=-1, keepdims=True))


def _no_refit(_x: Store, _lane: int, _points: Array, _t: int) -> None:
    pass


def _far_refit(x: Store, lane: int, points: Array, t: int) -> None:
    x.slot[:, m.SINCE] = 0.0
    refit_lane_inplace(x, lane, points, t)


def _lengths(kept: Any) -> dict[str, Any]:
    """Prior of the windows and their judges where only these are kept."""
    prior = m.LENGTH_PRIOR * np.where(kept, 1.0, 1e-12)
    prior /= prior.sum()
    pool = np.concatenate([m.POOL_PRIOR[: m.LENGTH], prior, m.POOL_PRIOR[m.WIDTH :]])
    return {"LENGTH_PRIOR": prior, "POOL_PRIOR": pool}


_BELIEFS = np.arange(m.N_BELIEFS)
_BY_KERNELS = np.arange(len(m.LENGTH_PRIOR)) < m.N_LENGTHS
_ARE_CARRIED = np.arange(len(m.LENGTH_PRIOR)) % m.N_LENGTHS >= m.N_WINDOWS
_ON_THE_LINE = ("few_counts", "weibull_jumps", "gumbel_jumps")
PARTS = {
    "velocities": Part(lanes=_lanes(m.TURN > 0)),
    "random walks": Part(lanes=_lanes(m.WALK > 0)),
    "lanes of one centre": Part(lanes=_lanes(m.MOST == 1)),
    "calm lanes": Part(lanes=_lanes(m.IS_CALM & ~m.RENEWS)),
    "a lane that begins anew": Part(lanes=_lanes(m.RENEWS)),
    "kernels that are kept": Part(constants={"RENEWAL_KEEPS": 1e-12}),
    "centers that leave": Part(constants={"LEAVING": 0.0}),
    "uniform weights": Part(constants={"WEIGHT_PRIOR": _only(m.WEIGHT_PRIOR, m.WEIGHT_MEMORY > 0)}),
    "short weight memories": Part(
        constants={"WEIGHT_PRIOR": _only(m.WEIGHT_PRIOR, np.isin(m.WEIGHT_MEMORY, (0, 2000)))}
    ),
    "moving scales": Part(constants={"BELIEF_PRIOR": _only(m.BELIEF_PRIOR, _BELIEFS < m.N_TAILS)}),
    "heavy tails": Part(
        constants={"BELIEF_PRIOR": _only(m.BELIEF_PRIOR, _BELIEFS % m.N_TAILS == m.N_TAILS - 1)}
    ),
    "moves at surprises": Part(constants={"_SURPRISE": 2.0}),
    "shifts and fresh starts": Part(
        constants={"HAZARDS": m.HAZARDS * np.array([1.0, 1e-200, 1.0, 1e-200])}
    ),
    "doubt of one point": Part(constants={"_UNCONFIRMED": 1.0, "_DOUBTS": 1e12}),
    "fits of the latest twenty": Part(constants={"_LATEST_PART": 10**6}),
    "strays left out of fits": Part(constants={"_LEAST_GROUP": 1}),
    "fits that end at restarts": Part(constants={"refit_lane_inplace": _far_refit}),
    "global moves": Part(constants={"refit_lane_inplace": _no_refit, "_STOCK_AT": ()}),
    "taking stock": Part(constants={"_STOCK_AT": ()}),
    "stretched axes": Part(constants={"_AXES": 0}),
    "skewed geometries": Part(experts=(2,)),
    "levels of ranks": Part(constants=_lengths(_BY_KERNELS)),
    "carried windows": Part(constants=_lengths(~_ARE_CARRIED)),
    "windows that grow": Part(constants={"LENGTH_GROWTH": 0.0}),
    "ranks at the beginning": Part(constants={"_MARGIN": 1e9}),
    "sharper lengths": Part(constants={"LENGTH_POWER": 1.0}),
    "windows": Part(experts=(1, 2)),
}


def cases(folder: Path | None) -> dict[str, Maker]:
    """Return the streams by name, each from a seed."""
    made, moving = ablated(), moving_laws()
    made |= {name: moving[name] for name in _ON_THE_LINE}
    if folder is not None:
        made["spy_close"] = lambda seed: segment(
            "spy_close", folder, _SEGMENTS[seed % len(_SEGMENTS)]
        )
    return made


def _silence(state: State, part: Part) -> None:
    """Take away the weight of the lanes and kinds of experts that are left out."""
    kinds = state.pool[m.KIND : m.LENGTH]
    lanes, experts = list(part.lanes), list(part.experts)
    for weights, chosen in ((state.lanes, lanes), (state.skewed_lanes, lanes), (kinds, experts)):
        if chosen:
            weights[chosen] = _NOWHERE
            weights[:] -= np.log(np.exp(weights).sum())


def score(world: World, part: Part) -> float:
    """Mean sliced W1 over the scored steps."""
    p, total = Adaptive(world.points.shape[1]), []
    _silence(p._state, part)
    for t, z in enumerate(world.points):
        if t >= _FIRST and t % _EVERY == 0:
            total.append(sliced_w1(p.predict(), world.law_at(t), n_directions=_N_DIRECTIONS).value)
        p.learn_one(z)
        _silence(p._state, part)
    return float(np.mean(total))


def _change_constants(constants: Mapping[str, Any]) -> None:
    """Put the values wherever the names were imported; compiled code reads them once.

    A name with an underscore is of one module: two that have it mean different things.
    """
    rooms = [a for n, a in sys.modules.items() if n.startswith("driftlaw.predictor.adaptive")]
    for constant, value in constants.items():
        having = [module for module in rooms if hasattr(module, constant)]
        if not having or (constant.startswith("_") and len(having) > 1):
            raise ValueError(f"{constant} is a name in {len(having)} modules")
        for module in having:
            setattr(module, constant, value)


def child(title: str, folder: Path | None) -> Iterator[tuple[str, list[float]]]:
    """Yield the scores of each stream with one part left out."""
    part = PARTS.get(title, Part())
    _change_constants(part.constants)
    for name, make in cases(folder).items():
        yield name, [score(make(seed), part) for seed in _SEEDS]


def _copy_without_kernels(folder: Path) -> dict[str, str]:
    """Copy the package, without what is compiled beside it; returns where to find and keep it."""
    source = Path(driftlaw.__file__).parent
    shutil.copytree(source, folder / "driftlaw", ignore=shutil.ignore_patterns("__pycache__"))
    others = [path for path in (os.environ.get("PYTHONPATH"),) if path]
    return {
        "PYTHONPATH": os.pathsep.join([str(folder), *others]),
        "NUMBA_CACHE_DIR": str(folder / "kernels"),
    }


def scores_without(title: str, folder_of_prices: Path | None) -> dict[str, Array]:
    """Scores by stream, from a process in which the part is missing."""
    given = [] if folder_of_prices is None else [str(folder_of_prices)]
    command = [sys.executable, "-m", "benchmarks.ablation", *given, f"--without={title}"]
    with TemporaryDirectory() as folder:
        changed = PARTS.get(title, Part()).constants.values()
        own = {} if all(map(callable, changed)) else _copy_without_kernels(Path(folder))
        answer = subprocess.run(
            command, env=os.environ | own, check=True, capture_output=True, text=True
        )
    return {name: np.array(scores) for name, scores in json.loads(answer.stdout).items()}


def _print_table(parts: Sequence[str], folder: Path | None) -> None:
    """Print one row for each part; as many processes as there are cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # each thread waits for its process
        rows = pool.map(partial(scores_without, folder_of_prices=folder), ["nothing", *parts])
        whole = next(rows)
        print("| without | " + " | ".join(whole) + " |\n" + "|---" * (len(whole) + 1) + "|")
        print("| nothing (W1) | " + " | ".join(f"{s.mean():.3f}" for s in whole.values()) + " |")
        for title, row in zip(parts, rows, strict=True):
            cells = []
            for name, scores in row.items():
                error = (scores / whole[name]).std(ddof=1) / len(scores) ** 0.5
                cells.append(f"{scores.mean() / whole[name].mean():.2f} ± {error:.2f}")
            print(f"| {title} | " + " | ".join(cells) + " |", flush=True)


def main(given: Sequence[str] | None = None) -> None:
    """Print the table, or what a process of it has to say."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ablation", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folder", nargs="?", type=Path, help="where the CSV files lie")
    parser.add_argument("--parts", nargs="+", choices=[*PARTS], default=[*PARTS], metavar="NAME")
    parser.add_argument("--without", metavar="NAME", help="print the scores without one, as JSON")
    arguments = parser.parse_args(given)
    if arguments.without is None:
        _print_table(arguments.parts, arguments.folder)
    else:
        print(json.dumps(dict(child(arguments.without, arguments.folder))))


if __name__ == "__main__":
    main()
