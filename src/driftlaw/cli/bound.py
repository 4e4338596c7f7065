"""The command `driftlaw bound`."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from driftlaw.errors import InputError


def bound(
    flags: Annotated[
        list[str] | None, typer.Argument(help="name=value, e.g. horizon=500 restart_every=10")
    ] = None,
    manifest: Annotated[Path | None, typer.Option(help="Take values from a run's JSON.")] = None,
    sharper: Annotated[bool, typer.Option(help="With our sharper constants.")] = False,
    picture: Annotated[Path | None, typer.Option(help="Also draw it, as a PNG picture.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print what the theorems certify: every term of the bound on the total regret.

    Values are those of driftlaw.theory.BoundFlags and go before a manifest's; what is not given
    is the paper's smooth experiment without corruption.
    """
    from driftlaw import theory  # noqa: PLC0415 - so that --help stays fast

    values = _parse_flags(flags or [])
    if manifest is not None:
        problem = theory.problem_from_manifest(_read_manifest(manifest), **values)
    else:
        problem = theory.problem_from_flags(**values)
    report = (theory.sharper_bound if sharper else theory.bound)(problem)
    if picture is not None:
        _write_picture(problem, report, picture)
    typer.echo(report.to_json() if as_json else report.to_text())


def _write_picture(problem: Any, report: Any, path: Path) -> None:
    """Draw the bounds from a tenth of the horizon to ten times it, and the shares at it."""
    from driftlaw import viz  # noqa: PLC0415
    from driftlaw.theory import bound_curve  # noqa: PLC0415

    viz.check_picture("picture", path)
    horizons = sorted({max(2, round(problem.horizon * 10 ** (i / 4))) for i in range(-4, 5)})
    figure = viz.draw_bound(report.table(), bound_curve(problem, horizons))
    viz.write_whole("picture", path, viz.png_of(figure))


def _parse_flags(flags: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for flag in flags:
        name, separator, text = flag.partition("=")
        if not separator or not name:
            raise InputError(f"a value must be written name=value, got {flag!r}")
        if name in ("json", "manifest", "picture", "sharper"):
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
