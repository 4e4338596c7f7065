"""The runner: cells in parallel, each written whole to a file of its own as soon as it is done.

A run that is killed leaves only whole files behind, and the next one continues from them. The name
of a file holds everything that its numbers depend on, so nothing stale is ever read.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from driftlaw._validate import check_count, require
from driftlaw.errors import InputError
from driftlaw.experiments.cells import Cell, run_cell
from driftlaw.experiments.identity import identity
from driftlaw.experiments.spec import digest_of
from driftlaw.experiments.tables import from_csv, to_csv
from driftlaw.experiments.worlds import file_digests
from driftlaw.viz import write_whole

T = TypeVar("T")


class Job(NamedTuple):
    """A cell, the file for its rows, and a guess of what it costs."""

    cell: Cell
    path: Path
    cost: int  # milliseconds


class Done(NamedTuple):
    """The rows of every cell by its file, and how the run went."""

    tables: dict[Path, dict[str, Any]]
    n_run: int
    n_found: int
    seconds: float


class Names:
    """Files of cells in one folder, each named by a hash of all that its numbers depend on."""

    def __init__(self, folder: Path, data: Path | None) -> None:
        self.folder, self.data = folder, data
        self._identities: dict[str, dict[str, Any]] = {}

    def identity(self, cell: Cell) -> dict[str, Any]:
        """Code, versions and files of data behind a cell."""
        world = cell.stream["name"]
        if world not in self._identities:
            self._identities[world] = identity(file_digests(cell.stream, self.data))
        return self._identities[world]

    def path(self, cell: Cell) -> Path:
        """Return the file of a cell's rows."""
        name = digest_of({"cell": cell.record(), "identity": self.identity(cell)})
        return self.folder / f"{name}.csv"


def jobs_of(cells: Iterable[Cell], names: Names) -> list[Job]:
    """Return one job for each different cell, in the order of first appearance."""
    jobs: dict[Path, Job] = {}
    for cell in cells:
        path = names.path(cell)
        jobs.setdefault(path, Job(cell, path, _cost(cell)))
    return list(jobs.values())


def run_jobs(
    jobs: Sequence[Job],
    data: Path | None = None,
    *,
    n_jobs: int = 1,
    on_done: Callable[[int], None] | None = None,
) -> Done:
    """Run the jobs whose file is not there yet, then read all files.

    Parameters
    ----------
    jobs : from `jobs_of`
    data : folder of the prices, for cells that read them
    n_jobs : processes; the backend is joblib's, so ``joblib.parallel_config`` chooses another
    on_done : called with the cost of each job that is done, or that was done before
    """
    check_count("jobs", n_jobs)
    begin = time.perf_counter()
    _sweep_out(jobs)
    missing = [job for job in jobs if not job.path.is_file()]
    tell = on_done or (lambda cost: None)
    for job in jobs:
        if job.path.is_file():
            tell(job.cost)
    pilots, rest = _pilots(missing)
    for group in (pilots, rest):
        for cost in in_parallel(_work, [(job, data) for job in group], n_jobs):
            tell(cost)
    tables = {job.path: from_csv(job.path.read_bytes()) for job in jobs}
    n_found = len(jobs) - len(missing)
    return Done(tables, len(missing), n_found, time.perf_counter() - begin)


def in_parallel(
    work: Callable[..., T],
    calls: Sequence[tuple[Any, ...]],
    n_jobs: int,
    *,
    is_ordered: bool = False,
) -> Iterable[T]:
    """Call ``work`` with each of the arguments; results as they come, or in the calls' order."""
    if n_jobs == 1:
        return (work(*arguments) for arguments in calls)
    joblib = require("joblib", "reproduce")
    kind = "generator" if is_ordered else "generator_unordered"
    parallel = joblib.Parallel(n_jobs=n_jobs, batch_size=1, return_as=kind)
    done: Iterable[T] = parallel(joblib.delayed(work)(*arguments) for arguments in calls)
    return done


def _work(job: Job, data: Path | None) -> int:
    write_whole("output", job.path, to_csv(run_cell(job.cell, data)))
    return job.cost


def _pilots(jobs: Sequence[Job]) -> tuple[list[Job], list[Job]]:
    """Set apart the cheapest job of each kind: it compiles what the others load."""
    first: dict[str, Job] = {}
    for job in sorted(jobs, key=lambda job: job.cost):
        first.setdefault(str(job.cell.predictor.get("sampler")), job)
    pilots = sorted(first.values(), key=lambda job: -job.cost)
    chosen = {job.path for job in pilots}
    return pilots, [job for job in jobs if job.path not in chosen]


def _sweep_out(jobs: Sequence[Job]) -> None:
    """Remove what a killed run had begun to write."""
    for folder in {job.path.parent for job in jobs}:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for left_over in folder.glob(".*.part"):
                left_over.unlink(missing_ok=True)
        except OSError as error:
            raise InputError(f"output must be writable, got {str(folder)!r}: {error}") from error


def _cost(cell: Cell) -> int:
    """Guess milliseconds: learning every step, judging some; only the time left rests on it."""
    n = int(cell.stream.get("n_steps", 7000))
    n_judged = n // cell.judge["every"] + 1
    if cell.predictor["name"] == "window":
        return int(0.03 * n + 4 * n_judged)
    is_paper = cell.predictor["sampler"] == "paper"
    memory = min(n / 2, cell.predictor.get("restart_every", n))
    learning = n * (0.2 + (6e-4 if is_paper else 2e-4) * memory)
    judging = n_judged * cell.judge["fixed_directions"] * (1.2 if is_paper else 0.2)
    return int(learning + judging) + 1
