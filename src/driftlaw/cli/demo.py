"""The command `driftlaw demo`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from driftlaw.cli.progress import progress_bar


def demo(
    steps: Annotated[int, typer.Option(help="Length of the stream, 34 or more.")] = 500,
    seed: Annotated[int, typer.Option(help="Seed of stream and predictors.")] = 0,
    output: Annotated[Path, typer.Option(help="The report to write.")] = Path("driftlaw-demo.html"),
    picture: Annotated[Path | None, typer.Option(help="Also write a PNG picture.")] = None,
    progress: Annotated[bool, typer.Option(help="Show a progress bar.")] = True,
) -> None:
    """Predict a drifting, corrupted stream with every setting and report who was right."""
    from rich.console import Console  # noqa: PLC0415 - so that --help stays fast
    from rich.table import Table  # noqa: PLC0415

    from driftlaw import demo as job  # noqa: PLC0415

    job.check_targets(output, picture)
    result = _run_with_progress(steps, seed, progress)
    job.write_report(result, output)
    if picture is not None:
        job.write_picture(result, picture)
    table = Table(*job.HEADER)
    for row in job.rows_of(result):
        table.add_row(*row)
    console = Console()
    console.print(table)
    console.print(job.verdict(result)[1], highlight=False)
    for path in filter(None, (output, picture)):
        typer.echo(f"Written: {path}")


def _run_with_progress(steps: int, seed: int, progress: bool) -> Any:
    from driftlaw.demo import run_demo  # noqa: PLC0415
    from driftlaw.demo.contenders import contenders  # noqa: PLC0415

    total = steps * len(contenders(2))
    with progress_bar("predicting", total, shown=progress) as advance:
        return run_demo(steps, seed, on_step=advance)
