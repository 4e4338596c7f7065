"""The command line: parse, call, print. Rooms are imported by the command that needs them."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from driftlaw import __version__
from driftlaw.errors import InputError, MissingExtraError


class _Commands(TyperGroup):
    """Turns the package's own errors into one line and exit code 2, Ctrl-C into 130; only here."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        try:
            return super().invoke(ctx)
        except (InputError, MissingExtraError) as error:
            typer.echo(f"Error: {error}", err=True)
            raise typer.Exit(2) from error
        except KeyboardInterrupt as error:
            typer.echo("Stopped.", err=True)
            raise typer.Exit(130) from error


app = typer.Typer(cls=_Commands, no_args_is_help=True, add_completion=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"driftlaw {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """Predict the whole distribution of a stream whose law drifts and may be corrupted."""


@app.command()
def demo(
    steps: Annotated[int, typer.Option(help="Length of the stream.")] = 500,
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
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    from driftlaw.demo import run_demo  # noqa: PLC0415
    from driftlaw.demo.contenders import contenders  # noqa: PLC0415

    columns = (TextColumn("predicting"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, disable=not progress, transient=True) as bar:
        task = bar.add_task("demo", total=steps * len(contenders(2)))
        return run_demo(steps, seed, on_step=lambda: bar.advance(task))


@app.command()
def bound(
    flags: Annotated[
        list[str] | None, typer.Argument(help="name=value, e.g. horizon=500 restart_every=10")
    ] = None,
    manifest: Annotated[Path | None, typer.Option(help="Take values from a run's JSON.")] = None,
    sharper: Annotated[bool, typer.Option(help="With our sharper constants.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print what the theorems certify: every term of the bound on the total regret.

    Values are those of driftlaw.theory.BoundFlags and go before a manifest's; what is not given
    is the paper's smooth experiment without corruption.
    """
    from driftlaw.theory import bound_from_flags, bound_from_manifest  # noqa: PLC0415

    values = _parse_flags(flags or [])
    if manifest is not None:
        report = bound_from_manifest(_read_manifest(manifest), sharper=sharper, **values)
    else:
        report = bound_from_flags(sharper=sharper, **values)
    typer.echo(report.to_json() if as_json else report.to_text())


def _parse_flags(flags: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for flag in flags:
        name, separator, text = flag.partition("=")
        if not separator or not name:
            raise InputError(f"a value must be written name=value, got {flag!r}")
        if name in ("json", "manifest", "sharper"):
            raise InputError(f"{name} is an option and must be written --{name}, got {flag!r}")
        values[name.replace("-", "_")] = _parse(text)
    return values


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"manifest must be a JSON file, got {str(path)!r}: {error}") from error
    if not isinstance(content, dict):
        raise InputError(f"manifest must hold a JSON object, got {str(path)!r}")
    return content
