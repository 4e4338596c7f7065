"""The command `driftlaw run`."""

import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import typer

from driftlaw.cli import config as read
from driftlaw.cli import options as o
from driftlaw.cli.progress import patience, row_bar
from driftlaw.cli.targets import check_files
from driftlaw.errors import InputError

_COMPILING = "Preparing the predictor: its first use compiles; `driftlaw compile` does so ahead."
_NOT_IN_CONFIG = ("config", "file", "progress")


def run(  # noqa: PLR0913 - one argument per option
    file: o.File,
    *,
    output: o.Output = None,
    columns: o.Columns = None,
    time: o.TimeColumn = None,
    transform: o.Transform = None,
    missing: o.Missing = None,
    missing_value: o.MissingValue = None,
    predictor: o.Predictor = None,
    option: o.Option = None,
    quantiles: o.Quantiles = None,
    level: o.Level = None,
    anomaly: o.Anomaly = None,
    report: o.Report = None,
    checkpoint: o.Checkpoint = None,
    checkpoint_every: o.CheckpointEvery = None,
    resume_from: o.ResumeFrom = None,
    format: o.Format = None,  # noqa: A002 - the option's name
    output_format: o.OutputFormat = None,
    header: o.Header = None,
    encoding: o.Encoding = None,
    seed: o.Seed = None,
    config: o.Config = None,
    progress: o.Progress = True,
) -> None:
    """Predict every next value of your stream: quantiles, range, anomalies, changes.

    One record per observation: what was predicted before it came, and what came. Give a name
    ending in .csv, .jsonl or .parquet as --output, and --report for a page with charts.
    """
    given = {name: value for name, value in locals().items() if name not in _NOT_IN_CONFIG}
    _run(file, read.merged(config, given), config, shown=progress)


def _run(file: str, values: dict[str, Any], config: Path | None, *, shown: bool) -> None:
    from driftlaw import live  # noqa: PLC0415 - so that --help stays fast

    spec, settings, target = _parts(file, values)
    page = values.get("report")
    _check_targets(spec, target, page, config)
    total = None if spec.is_pipe else live.check_input(spec, settings)
    stopper, begin = live.Stopper(), perf_counter()

    def compile_first(reader: Any) -> None:
        nonlocal begin
        if reader.choice:
            typer.echo(reader.choice, err=True)
        with patience(_COMPILING, shown=shown):
            live.warm_up(settings.predictor, len(reader.columns), settings.options)
        begin = perf_counter()

    with (
        stopper.listening(),
        row_bar("predicting", total, shown=shown and sys.stderr.isatty()) as advance,
    ):
        outcome = live.run_stream(
            spec, settings, target, on_open=compile_first, on_row=advance, stopper=stopper
        )
    seconds = perf_counter() - begin
    if page is not None:
        from driftlaw.report import write_run_report  # noqa: PLC0415

        write_run_report(outcome, settings, spec.name, page)
    _tell(outcome, settings, seconds, target, page, shown=shown)
    if not outcome.is_complete:
        raise typer.Exit(130)


def _parts(file: str, values: dict[str, Any]) -> tuple[Any, Any, Any]:
    from driftlaw.live import RunSettings, Target  # noqa: PLC0415
    from driftlaw.tables import TableSpec  # noqa: PLC0415

    spec_names = ("format", "time", "header", "encoding")
    chosen = {name: values[name] for name in spec_names if name in values}
    spec = TableSpec(
        path=file,
        columns=read.names(values.get("columns", ())),
        missing_values=read.texts(values.get("missing_value", ())),
        **chosen,
    )
    setting_names = ("predictor", "transform", "missing", "level", "anomaly", "seed")
    own = {name: values[name] for name in setting_names if name in values}
    if "quantiles" in values:
        own["quantiles"] = read.numbers("quantiles", values["quantiles"])
    settings = RunSettings(options=read.options(values.get("option", ())), **own)
    if "checkpoint" not in values and {"checkpoint_every", "resume_from"} & set(values):
        raise InputError("checkpoint-every and resume-from need --checkpoint FILE")
    if "resume_from" in values and not spec.is_pipe:
        raise InputError("resume-from belongs to standard input; a file is always read from start")
    target = Target(
        output=values.get("output", "-" if spec.is_pipe else _default_output(file)),
        form=values.get("output_format"),
        checkpoint=values.get("checkpoint"),
        every=str(values.get("checkpoint_every", "30s")),
        resume_from=values.get("resume_from", "start"),
    )
    return spec, settings, target


def _default_output(file: str) -> str:
    return f"{Path(file).name.split('.')[0]}-driftlaw.csv"


def _check_targets(spec: Any, target: Any, page: str | None, config: Path | None) -> None:
    named = {"report": page, "checkpoint": target.checkpoint}
    if target.output != "-":
        named["output"] = target.output
    check_files({name: path for name, path in named.items() if path is not None}, spec, config)


def _tell(
    outcome: Any, settings: Any, seconds: float, target: Any, page: str | None, *, shown: bool
) -> None:
    """Print what happened; on the error stream where the records are on the other."""
    from driftlaw.report import run_sentences  # noqa: PLC0415

    is_err = target.output == "-"
    done = outcome.sketch.n - outcome.n_before
    if shown:
        rate = f" ({done / seconds:.0f} per second)" if seconds > 0 and done else ""
        typer.echo(f"{done} observations in {seconds:.1f} s{rate}.", err=is_err)
        for sentence in run_sentences(outcome, settings):
            typer.echo(sentence, err=is_err)
        for path in filter(None, (None if is_err else target.output, page)):
            typer.echo(f"Written: {path}", err=is_err)
    if not outcome.is_complete:
        hint = (
            "run the same command again to go on from there"
            if target.checkpoint is not None
            else "next time, --checkpoint FILE makes a run that can be resumed"
        )
        typer.echo(f"Stopped after {outcome.sketch.n} observations; {hint}.", err=True)
