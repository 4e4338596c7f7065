"""The run: rows in, records out, and a state that can be put down and taken up again."""

import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.evaluate import Record, prequential
from driftlaw.law import PredictiveLaw
from driftlaw.live import checkpoint
from driftlaw.live.checkpoint import Cadence, Progress, State
from driftlaw.live.predictors import make_predictor
from driftlaw.live.record import record_columns, record_levels, record_values
from driftlaw.live.settings import RunSettings
from driftlaw.live.sketch import LEVELS, Sketch, event_of
from driftlaw.live.stopping import Stopper
from driftlaw.live.target import Target
from driftlaw.predictor import Adaptive, QuasiBayes
from driftlaw.tables import (
    Counts,
    Preparation,
    Reader,
    Recorder,
    Row,
    TableSpec,
    check_apart,
    open_reader,
    record_format,
)
from driftlaw.tables.records import Position


class Outcome(NamedTuple):
    """What a run has done so far, the parts before a resume included."""

    columns: tuple[str, ...]
    time: str | None
    counts: Counts
    span: tuple[str, str]  # times of the first and the last row; empty where there are none
    sketch: Sketch
    next_law: PredictiveLaw
    is_complete: bool
    n_before: int  # observations that a checkpoint had already seen


def check_input(spec: TableSpec, settings: RunSettings) -> int:
    """Read a file once, every cell and every transform, and return its number of rows.

    An error shows before anything is written.
    """
    with open_reader(spec) as reader:
        record_columns(reader.columns, reader.time, settings)
        preparation = _preparation(reader, settings)
        made = [preparation.feed(row, reader) is not None for row in reader]
    if not any(made):
        raise InputError(f"{spec.name}: its {len(made)} rows give no observation")
    return len(made)


def run_stream(
    spec: TableSpec,
    settings: RunSettings,
    target: Target,
    *,
    on_open: Callable[[Reader], None] | None = None,
    on_row: Callable[[int], None] | None = None,
    stopper: Stopper | None = None,
) -> Outcome:
    """Predict, record and learn every observation of an input.

    Parameters
    ----------
    spec : what to read
    settings : what to do
    target : where to write
    on_open : called with the opened input before anything is written; a place to compile
    on_row : called with the number of rows read so far, after each
    stopper : asked after each observation; the run then ends as if the input had

    Returns
    -------
    Outcome
    """
    stopper = stopper or Stopper()
    check_apart("output", target.output, spec)
    if target.checkpoint is not None:
        check_apart("checkpoint", target.checkpoint, spec)
    with open_reader(spec) as reader:
        record_columns(reader.columns, reader.time, settings)  # refuses before anything compiles
        if on_open is not None:
            with stopper.waiting():
                on_open(reader)
        run = _Run(spec, settings, target, reader, stopper)
        try:
            run.go(on_row)
        except BaseException as error:
            run.break_off(error)
            raise
        return run.outcome()


def _preparation(reader: Reader, settings: RunSettings) -> Preparation:
    return Preparation(len(reader.columns), transform=settings.transform, missing=settings.missing)


class _Run:
    """One run: its parts, and how far it has come."""

    def __init__(
        self,
        spec: TableSpec,
        settings: RunSettings,
        target: Target,
        reader: Reader,
        stopper: Stopper,
    ) -> None:
        self._spec, self._settings, self._target = spec, settings, target
        self._reader, self._stopper = reader, stopper
        self._levels = record_levels(settings)
        self._cadence = Cadence(target.every)
        dim = len(reader.columns)
        predictor = make_predictor(settings.predictor, dim, settings.options, settings.seed)
        self._state = State(predictor, _preparation(reader, settings), Sketch(dim))
        self._n_rows, self._checksum = 0, 0
        self._saved_at: Position | None = None
        self._is_complete, self._row = False, Row(0, "", np.empty(0))
        found = self._load()
        self._n_seen_rows = self._n_rows
        self._n_before = self._state.sketch.n
        self._recorder = Recorder(
            target.output,
            record_columns(reader.columns, reader.time, settings),
            form=record_format(target.output, target.form),
            resumable=target.checkpoint is not None,
            resume=found,
        )

    def _identity(self) -> dict[str, Any]:
        return {
            "settings": self._settings.to_dict(),
            "columns": list(self._reader.columns),
            "time": self._reader.time,
            "missing values": list(self._spec.missing_values),
            "format of the output": record_format(self._target.output, self._target.form),
        }

    def _load(self) -> Position | None:
        if self._target.checkpoint is None:
            return None
        found = checkpoint.load(self._target.checkpoint, self._identity(), self._state)
        if found is None:
            return None
        self._state, progress = found
        self._n_rows, self._checksum = progress.n_rows, progress.rows_checksum
        position = Position(progress.n_bytes, progress.bytes_checksum)
        self._saved_at = position
        return position

    def go(self, on_row: Callable[[int], None] | None) -> None:
        """Work through the input."""
        if self._saved_at is None:
            self._save()
        for record in prequential(self._state.predictor, self._observations(on_row)):
            self._tell(record)
            if self._cadence.is_due():
                self._save()
        self._save()
        self._recorder.finish()

    def outcome(self) -> Outcome:
        """Say what was done."""
        return Outcome(
            self._reader.columns,
            self._reader.time,
            self._state.preparation.counts,
            self._state.preparation.span,
            self._state.sketch,
            self._state.predictor.predict(),
            self._is_complete,
            self._n_before,
        )

    def break_off(self, error: BaseException) -> None:
        """Leave the output whole: after a bad row of a pipe all records before it, else none."""
        if self._spec.is_pipe and isinstance(error, InputError) and self._state.sketch.n:
            try:
                self._save()
                self._recorder.finish()
            except (InputError, OSError):
                self._recorder.abandon(self._saved_at)
        else:
            self._recorder.abandon(self._saved_at)

    def _save(self) -> None:
        if self._target.checkpoint is None:
            return
        self._recorder.flush(durable=True)
        position = self._recorder.position
        progress = Progress(self._n_rows, self._checksum, *position)
        checkpoint.save(self._target.checkpoint, self._identity(), self._state, progress)
        self._saved_at = position

    def _observations(self, on_row: Callable[[int], None] | None) -> Iterator[Array]:
        rows = iter(self._reader)
        if not (self._spec.is_pipe and self._target.resume_from == "next"):
            self._skip_seen(rows)
        while not self._stopper.is_asked:
            try:
                with self._stopper.waiting():
                    row = next(rows, None)
            except KeyboardInterrupt:  # nothing was under way: end as if the input had
                return
            if row is None:
                self._is_complete = True
                return
            made = self._state.preparation.feed(row, self._reader)
            self._n_rows, self._row = self._n_rows + 1, row
            self._checksum = zlib.crc32(_content(row), self._checksum)
            if made is not None:
                yield made
            if on_row is not None:
                on_row(self._n_rows)

    def _skip_seen(self, rows: Iterator[Row]) -> None:
        checksum = 0
        for n in range(self._n_seen_rows):
            row = next(rows, None)
            if row is None:
                raise InputError(
                    f"{self._spec.name}: it has {n} rows, fewer than the {self._n_seen_rows} "
                    "that the checkpoint has seen"
                )
            checksum = zlib.crc32(_content(row), checksum)
        if checksum != self._checksum:
            raise InputError(
                f"{self._spec.name}: its first {self._n_seen_rows} rows are not those that the "
                "checkpoint has seen"
            )

    def _tell(self, record: Record) -> None:
        sketch, time, x = self._state.sketch, self._row.time, record.step.observed
        n = sketch.n + 1
        is_kept = sketch.wants(n)
        levels = np.concatenate((self._levels, LEVELS)) if is_kept else self._levels
        told = record_values(record, n, levels, self._settings)
        sketch.count(told, event_of(told, n, time, x, len(self._levels)))
        sketch.episodes.add(n, time, x, told.is_alarm)
        if is_kept:
            quantiles = told.summary.quantiles[len(self._levels) :]
            sketch.keep(n, time, x, quantiles, told.verdict)
            self._keep_centers()
        self._recorder.write([n, *([] if self._reader.time is None else [time]), *told.values])

    def _keep_centers(self) -> None:
        predictor = self._state.predictor
        if isinstance(predictor, Adaptive):
            geometry = predictor.geometry()
            self._state.sketch.keep_centers(geometry.centers, geometry.weights, geometry.identities)
        elif isinstance(predictor, QuasiBayes):
            centers = predictor.configurations().each()[-1]
            k = len(centers)
            self._state.sketch.keep_centers(centers, np.full(k, 1.0 / k), np.arange(k, dtype=float))


def _content(row: Row) -> bytes:
    return row.time.encode() + row.values.tobytes()
