"""Options that several commands share, each with the line that --help shows."""

from pathlib import Path
from typing import Annotated

import typer

File = Annotated[str, typer.Argument(help="CSV, TSV, JSONL or Parquet; - is standard input.")]
Columns = Annotated[
    str | None, typer.Option("--columns", "-c", help="Columns to predict, e.g. Open,Close.")
]
TimeColumn = Annotated[str | None, typer.Option("--time", help="Column of times.")]
Transform = Annotated[
    str | None, typer.Option("--transform", "-t", help="none, diff, log-return or standardize.")
]
Missing = Annotated[str | None, typer.Option(help="Missing values: error, skip or hold-last.")]
MissingValue = Annotated[
    list[str] | None,
    typer.Option(help="Reading that means nothing was measured, e.g. -9999; may be repeated."),
]
Format = Annotated[
    str | None, typer.Option("--format", help="Of the input: csv, tsv, jsonl or parquet.")
]
Header = Annotated[bool | None, typer.Option(help="Whether the first line names the columns.")]
Encoding = Annotated[str | None, typer.Option(help="Of a text file; utf-8 when not given.")]
Seed = Annotated[int | None, typer.Option(help="Of predictors that draw; 0 when not given.")]
Report = Annotated[str | None, typer.Option("--report", "-r", help="HTML page to write.")]
Progress = Annotated[bool, typer.Option(help="Show progress and a summary.")]

Output = Annotated[
    str | None, typer.Option("--output", "-o", help="Records: .csv, .jsonl, .parquet, or -.")
]
Predictor = Annotated[
    str | None,
    typer.Option(
        "--predictor",
        "-p",
        help="adaptive (default), quasi-bayes, window, kde, ewma, mixture, bocpd or garch.",
    ),
]
Option = Annotated[
    list[str] | None, typer.Option(help="name=value for the predictor; may be repeated.")
]
Quantiles = Annotated[str | None, typer.Option(help="Levels in each record, e.g. 0.05,0.5,0.95.")]
Level = Annotated[float | None, typer.Option(help="Probability of the range; 0.9 by default.")]
Anomaly = Annotated[float | None, typer.Option(help="Probability of an anomaly; 0.001.")]
Checkpoint = Annotated[str | None, typer.Option(help="File from which a stopped run goes on.")]
CheckpointEvery = Annotated[str | None, typer.Option(help="500 observations, or 30s (default).")]
ResumeFrom = Annotated[
    str | None,
    typer.Option(help="On resume, standard input holds all rows (start) or only new ones (next)."),
]
OutputFormat = Annotated[str | None, typer.Option(help="csv, jsonl or parquet.")]
Config = Annotated[Path | None, typer.Option(help="TOML file with these options.")]
