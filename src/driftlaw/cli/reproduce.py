"""The command `driftlaw reproduce`."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from driftlaw.cli.progress import progress_bar
from driftlaw.errors import InputError


def reproduce(  # noqa: PLR0913, PLR0917 - options of the command, each by name
    figures: Annotated[
        list[str] | None, typer.Argument(help="Names of --list, their first word, or all.")
    ] = None,
    scale: Annotated[str, typer.Option(help="smoke, quick or full.")] = "smoke",
    output: Annotated[Path, typer.Option(help="The folder to write.")] = Path(
        "driftlaw-reproduction"
    ),
    jobs: Annotated[int | None, typer.Option(help="Processes; all cores by default.")] = None,
    data: Annotated[Path | None, typer.Option(help="Folder of spy_daily.csv.")] = None,
    seeds: Annotated[int | None, typer.Option(help="Another number than the scale's.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the figures and stop.")] = False,
    progress: Annotated[bool, typer.Option(help="Show a progress bar.")] = True,
) -> None:
    """Run the paper's experiments and check its claims; a run that was killed continues.

    With all, figures whose data are in no usual place are left out, and this is said.
    """
    from driftlaw import experiments  # noqa: PLC0415 - so that --help stays fast

    if list_:
        _print_list(experiments.catalogue())
        return
    if not figures:
        raise InputError("figure must be named, or all; --list shows the names")
    n_jobs = os.cpu_count() or 1 if jobs is None else jobs
    if n_jobs < 1:
        raise InputError(f"jobs must be a whole number >= 1, got {n_jobs}")
    study = experiments.prepare(
        experiments.select(figures),
        scale,
        output,
        data=data,
        n_seeds=seeds,
        may_leave_out="all" in figures,
    )
    with progress_bar("running", study.cost, shown=progress) as advance:
        outcome = experiments.run_study(study, n_jobs=n_jobs, on_done=advance)
    _print_outcome(outcome)


def _print_list(catalogue: Any) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table("figure", "title", "in the paper", "seeds at smoke, quick, full")
    for figure in catalogue.values():
        seeds = ", ".join(str(size.seeds) for size in figure.scales.values())
        table.add_row(figure.name, figure.title, figure.label or "–", seeds)
    Console().print(table)


def _print_outcome(outcome: Any) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    from driftlaw.experiments.words import BRIEF_HEADER, brief_rows  # noqa: PLC0415

    table = Table(*BRIEF_HEADER)
    for row in brief_rows(outcome.verdicts):
        table.add_row(*row)
    Console().print(table)
    for name, reason in outcome.left_out.items():
        typer.echo(f"Left out: {name}, {reason}.")
    typer.echo(f"Written: {outcome.output / 'report.html'}")
