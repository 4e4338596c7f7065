"""The whole job: figures in; tables, verdicts, pictures, report and manifest out."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from driftlaw._validate import check_choice, check_count, require
from driftlaw.errors import InputError
from driftlaw.experiments import report
from driftlaw.experiments.claims import Verdict, claims_table
from driftlaw.experiments.plan import plan
from driftlaw.experiments.results import Results, gather
from driftlaw.experiments.runner import Done, Job, Names, in_parallel, jobs_of, run_jobs
from driftlaw.experiments.spec import SCALES, Figure
from driftlaw.experiments.tables import write_table
from driftlaw.experiments.worlds import find_data, missing_file
from driftlaw.viz import check_target, write_whole


class Study(NamedTuple):
    """What is to be run, where, and which figures are left out for want of data."""

    figures: list[Figure]
    scale: str
    output: Path
    data: Path | None
    n_seeds: int | None
    names: Names
    jobs: list[Job]
    left_out: dict[str, str]

    @property
    def cost(self) -> int:
        """Guess of the milliseconds of all jobs together."""
        return sum(job.cost for job in self.jobs)


class Outcome(NamedTuple):
    """The verdicts of a study, by figure, and the folder they were written to."""

    verdicts: list[tuple[str, Verdict]]
    output: Path
    left_out: dict[str, str]


def prepare(
    figures: Sequence[Figure],
    scale: str,
    output: Path,
    *,
    data: Path | None = None,
    n_seeds: int | None = None,
    may_leave_out: bool = False,
) -> Study:
    """Check everything that a run needs before it begins; nothing is written.

    Figures whose data are not there are an error, or left out where ``may_leave_out`` says so and
    no folder was given.
    """
    check_choice("scale", scale, SCALES)
    if n_seeds is not None:
        check_count("seeds", n_seeds)
    for module, extra in (("matplotlib.figure", "plot"), ("joblib", "reproduce")):
        require(module, extra)
    folder = find_data(data)
    chosen, left_out = _with_data(figures, folder, may_leave_out and data is None)
    names = Names(_check_folder(output) / "cells", folder)
    cells = [entry.cell for figure in chosen for entry in plan(figure, scale, n_seeds)]
    jobs = jobs_of(cells, names)
    return Study(chosen, scale, output, folder, n_seeds, names, jobs, left_out)


def _with_data(
    figures: Sequence[Figure], folder: Path | None, may_leave_out: bool
) -> tuple[list[Figure], dict[str, str]]:
    chosen, left_out = [], {}
    for figure in figures:
        missing = missing_file(figure.stream, folder)
        if missing is None:
            chosen.append(figure)
        elif may_leave_out:
            left_out[figure.name] = f"which needs {missing} (give its folder with --data)"
        else:
            place = "no usual place" if folder is None else f"not {str(folder)!r}"
            raise InputError(f"data must be a folder with {missing} for {figure.name}: {place} has")
    return chosen, left_out


def _check_folder(output: Path) -> Path:
    """Return ``output`` if it is a folder, or can become one; it is left as it was."""
    if output.is_dir():
        check_target("output", output / "report.html")
        return output
    if output.exists() or not output.absolute().parent.is_dir():
        raise InputError(f"output must be a folder, or a new one in a folder, got {str(output)!r}")
    try:
        output.mkdir()
        output.rmdir()
    except OSError as error:
        raise InputError(f"output must be writable, got {str(output)!r}: {error}") from error
    return output


def run_study(
    study: Study, *, n_jobs: int = 1, on_done: Callable[[int], None] | None = None
) -> Outcome:
    """Run what is missing and write everything; every file is written whole or not at all."""
    done = run_jobs(study.jobs, study.data, n_jobs=n_jobs, on_done=on_done)
    studies = [
        gather(figure, study.scale, study.names, done.tables, study.n_seeds)
        for figure in study.figures
    ]
    pairs = [(each, study.output) for each in studies]
    drawn = list(in_parallel(report.write_figure, pairs, n_jobs, is_ordered=True))
    verdicts = report.all_verdicts(studies)
    write_table(study.output, "claims", claims_table(verdicts))
    text = report.tables_text(studies, verdicts)
    write_whole("output", study.output / "tables.md", text.encode())
    record = json.dumps(_manifest(study, done, studies, n_jobs), indent=1, sort_keys=True)
    write_whole("output", study.output / "manifest.json", f"{record}\n".encode())
    report.write_page(study.output / "report.html", studies, drawn, verdicts, study.left_out)
    return Outcome(verdicts, study.output, study.left_out)


def _manifest(
    study: Study, done: Done, studies: Sequence[Results], n_jobs: int
) -> Mapping[str, Any]:
    """Everything the tables depend on, and how long the run took."""
    identities: dict[str, Any] = {}
    for job in study.jobs:
        identities[job.cell.stream["name"]] = study.names.identity(job.cell)
    return {
        "scale": study.scale,
        "figures": {each.figure.name: _figure_record(each, study) for each in studies},
        "identities": identities,
        "left_out": study.left_out,
        "run": {
            "cells_found": done.n_found,
            "cells_run": done.n_run,
            "jobs": n_jobs,
            "seconds": round(done.seconds, 3),
        },
    }


def _figure_record(each: Results, study: Study) -> dict[str, Any]:
    cells = [entry.cell for entry in plan(each.figure, study.scale, study.n_seeds)]
    return {
        "digest": each.figure.digest(),
        "spec": each.figure.to_dict(),
        "seeds": sorted({cell.seed for cell in cells}),
        "cells": sorted({study.names.path(cell).stem for cell in cells}),
    }
