"""The command `driftlaw compare`."""

import csv
import io
from typing import Annotated, Any

import typer

from driftlaw.cli import config as read
from driftlaw.cli import options as o
from driftlaw.cli.progress import progress_bar
from driftlaw.cli.targets import check_files
from driftlaw.errors import InputError

Contenders = Annotated[
    str | None, typer.Option("--predictors", help="Only these, e.g. adaptive,ewma.")
]
Last = Annotated[int | None, typer.Option(help="Only the last so many observations.")]
TableFile = Annotated[str | None, typer.Option("--output", "-o", help="CSV file of the table.")]


def compare(  # noqa: PLR0913 - one argument per option
    file: o.File,
    *,
    columns: o.Columns = None,
    time: o.TimeColumn = None,
    transform: o.Transform = None,
    missing: o.Missing = None,
    missing_value: o.MissingValue = None,
    predictors: Contenders = None,
    last: Last = None,
    output: TableFile = None,
    report: o.Report = None,
    format: o.Format = None,  # noqa: A002 - the option's name
    header: o.Header = None,
    encoding: o.Encoding = None,
    seed: o.Seed = None,
    progress: o.Progress = True,
) -> None:
    """Compare predictors on your stream and say which to use, even if it is a rolling window.

    Each predicts every observation before it comes. Scores are proper (CRPS, log score), the
    differences paired, with intervals that allow for neighbouring values hanging together.
    """
    given = {name: value for name, value in locals().items() if value is not None}
    _compare(given)


def _compare(given: dict[str, Any]) -> None:
    from driftlaw import compare as job  # noqa: PLC0415 - so that --help stays fast
    from driftlaw import report as pages  # noqa: PLC0415
    from driftlaw.tables import TableSpec, check_suffix  # noqa: PLC0415
    from driftlaw.viz import write_whole  # noqa: PLC0415

    chosen = {k: given[k] for k in ("format", "time", "header", "encoding") if k in given}
    names, void = read.names(given.get("columns", ())), read.texts(given.get("missing_value", ()))
    spec = TableSpec(path=given["file"], columns=names, missing_values=void, **chosen)
    if "output" in given:
        check_suffix("output", given["output"], ("csv",))
    check_files({name: given[name] for name in ("output", "report") if name in given}, spec)
    contenders = _contenders(given.get("predictors"))
    how = {k: given[k] for k in ("transform", "missing", "last") if k in given}
    points = job.read_points(spec, **how)
    if points.choice:
        typer.echo(points.choice, err=True)
    total = len(contenders) * (len(points.values) - min(100, len(points.values) // 5))
    with progress_bar("comparing", total, shown=given["progress"]) as advance:
        contest = job.run_contest(
            points.values,
            points.columns,
            contenders=contenders,
            seed=given.get("seed", 0),
            on_step=advance,
        )
    found = job.verdict(contest)
    if "output" in given:
        write_whole("output", given["output"], _csv(pages.comparison_numbers(contest)))
    if "report" in given:
        pages.write_comparison(contest, found, points.times, spec.name, given["report"])
    _tell(contest, found, pages.comparison_rows(contest))
    for name in ("output", "report"):
        if name in given:
            typer.echo(f"Written: {given[name]}")


def _contenders(names: str | None) -> list[Any]:
    from driftlaw.compare import CONTENDERS  # noqa: PLC0415

    if names is None:
        return list(CONTENDERS)
    wanted = read.names(names)
    known = {c.name: c for c in CONTENDERS}
    for name in wanted:
        if name not in known:
            raise InputError(f"predictors must be among {', '.join(known)}, got {name!r}")
    return [c for c in CONTENDERS if c.name in wanted]


def _csv(rows: list[tuple[str | float, ...]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _tell(contest: Any, found: Any, rows: list[tuple[str, ...]]) -> None:
    from rich.console import Console  # noqa: PLC0415 - so that --help stays fast
    from rich.table import Table  # noqa: PLC0415

    table = Table(*rows[0])
    for row in rows[1:]:
        table.add_row(*row, style="bold" if row[0] == found.advised else None)
    console = Console()
    console.print(table)
    console.print(
        f"{contest.n_judged} observations judged after {contest.warmup} to start with.",
        highlight=False,
    )
    for sentence in found.sentences:
        console.print(sentence, highlight=False)
    for entry in contest.entries:
        if entry.failure:
            console.print(f"«{entry.name}» was left out: {entry.failure}", highlight=False)
