"""Records out: one line per observation, to a file that is whole or resumable, or to a pipe."""

import csv
import io
import json
import math
import os
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from driftlaw._validate import check_choice, require
from driftlaw.errors import InputError, SavedStateError

RECORD_FORMATS = ("csv", "jsonl", "parquet")
_SUFFIXES = {
    "": "csv", ".csv": "csv", ".txt": "csv", ".dat": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_BUFFER = 1 << 16
_CHUNK = 1 << 20

Value = float | int | str | None


class Position(NamedTuple):
    """How far an output has come: its length in bytes and their checksum."""

    n_bytes: int
    checksum: int


def record_format(target: str, given: str | None = None) -> str:
    """Return the format of the records: as given, else from the file's name, CSV without a suffix.

    Examples
    --------
    >>> record_format("out.jsonl"), record_format("-")
    ('jsonl', 'csv')
    """
    if given is not None:
        return check_choice("output format", given, RECORD_FORMATS)
    check_suffix("output", target, RECORD_FORMATS, "or be given with --output-format")
    return _SUFFIXES[Path(target).suffix.lower()]


def check_suffix(
    name: str, target: str, formats: Sequence[str], otherwise: str = "or in nothing"
) -> None:
    """Raise if a file's name promises another format than these.

    Examples
    --------
    >>> check_suffix("output", "a.xlsx", ["csv"])
    Traceback (most recent call last):
        ...
    driftlaw.errors.InputError: output must end in .csv, .txt, .dat or in nothing, got 'a.xlsx'
    """
    known = [suffix for suffix, form in _SUFFIXES.items() if form in formats]
    if Path(target).suffix.lower() not in known:
        endings = ", ".join(filter(None, known))
        raise InputError(f"{name} must end in {endings} {otherwise}, got {target!r}")


class Recorder:
    """Writes records of fixed columns.

    Parameters
    ----------
    target : str
        A file, or ``-`` for the standard output, where each record is flushed at once.
    columns : mapping of column name to type, ``float``, ``int`` or ``str``
    form : {"csv", "jsonl", "parquet"}
        Parquet is written at the end, from a growing CSV file beside the target.
    resumable : bool
        Let the file itself grow, so that a killed run leaves what it had; otherwise records go
        to a hidden neighbour that takes the target's place when all is done.
    resume : Position, optional
        Cut an existing file back to this length and go on from there.
    """

    def __init__(
        self,
        target: str,
        columns: dict[str, type],
        *,
        form: str = "csv",
        resumable: bool = False,
        resume: Position | None = None,
    ) -> None:
        self._target, self._columns, self._form = target, columns, form
        self._is_pipe = target == "-"
        self._resumable = resumable
        self._buffer = bytearray()
        self._file: io.FileIO | None = None
        self.n_bytes, self.checksum = 0, 0
        if self._is_pipe and (form == "parquet" or resumable):
            rule = "a checkpoint needs an output file" if resumable else "Parquet needs a file"
            raise InputError(f"output must be a file, got '-': {rule}")
        if form == "parquet":
            require("pyarrow.parquet", "files")
        self._open(resume)

    @property
    def position(self) -> Position:
        """Length and checksum of what was written, the buffer included."""
        return Position(self.n_bytes, self.checksum)

    def write(self, values: Sequence[Value]) -> None:
        """Add one record, in the order of the columns."""
        self._put(self._line(values))
        if self._is_pipe:
            self.flush()

    def flush(self, *, durable: bool = False) -> None:
        """Hand everything to the system; ``durable`` waits until it is on the disk."""
        try:
            if self._is_pipe:
                sys.stdout.buffer.write(self._buffer)
                sys.stdout.buffer.flush()
            elif self._file is not None:
                _write_all(self._file, self._buffer)
                if durable:
                    os.fsync(self._file.fileno())
        except BrokenPipeError:
            raise
        except OSError as error:
            raise self._refusal(error) from error
        self._buffer.clear()

    def finish(self) -> None:
        """Put the whole output in its place."""
        self.flush(durable=True)
        if self._file is None:
            return
        self._file.close()
        try:
            if self._form == "parquet":
                self._convert()
            elif not self._resumable:
                self._growing.replace(self._target)
        except OSError as error:
            raise self._refusal(error) from error
        if not self._resumable:
            self._growing.unlink(missing_ok=True)

    def abandon(self, keep: Position | None = None) -> None:
        """Leave nothing half-written: nothing, or a resumable output cut back to ``keep``."""
        if self._file is None:
            return
        self._file.close()
        if not self._resumable or keep is None:
            self._growing.unlink(missing_ok=True)
        else:
            os.truncate(self._growing, keep.n_bytes)

    @property
    def _growing(self) -> Path:
        """The file that grows during the run."""
        target = Path(self._target)
        if self._resumable:
            return target.with_name(f"{target.name}.rows") if self._form == "parquet" else target
        return target.with_name(f".{target.name}.{os.getpid()}.part")

    def _open(self, resume: Position | None) -> None:
        if self._is_pipe:
            self._put_header()
            return
        target = Path(self._target)
        if target.is_dir() or not target.parent.is_dir():
            raise InputError(f"output must be a file in an existing folder, got {self._target!r}")
        if resume is not None:
            _check_begin(self._growing, resume)
        try:
            file = self._growing.open("wb" if resume is None else "r+b", buffering=0)
            self._file = file
            if resume is not None:
                file.truncate(resume.n_bytes)
                file.seek(resume.n_bytes)
                self.n_bytes, self.checksum = resume
        except OSError as error:
            raise self._refusal(error) from error
        if resume is None:
            self._put_header()

    def _put_header(self) -> None:
        if self._form != "jsonl":
            self._put(_csv_line(list(self._columns)))

    def _put(self, line: bytes) -> None:
        self._buffer += line
        self.n_bytes += len(line)
        self.checksum = zlib.crc32(line, self.checksum)
        if len(self._buffer) > _BUFFER and not self._is_pipe:
            self.flush()

    def _line(self, values: Sequence[Value]) -> bytes:
        clean = [None if isinstance(v, float) and not math.isfinite(v) else v for v in values]
        if self._form != "jsonl":
            return _csv_line(clean)
        return (json.dumps(dict(zip(self._columns, clean, strict=True))) + "\n").encode()

    def _convert(self) -> None:
        """Write the growing CSV file as Parquet, a batch at a time."""
        arrow, tables = require("pyarrow", "files"), require("pyarrow.csv", "files")
        parquet = require("pyarrow.parquet", "files")
        kinds = {float: arrow.float64(), int: arrow.int64(), str: arrow.string()}
        types = {name: kinds[kind] for name, kind in self._columns.items()}
        options = tables.ConvertOptions(column_types=types, strings_can_be_null=False)
        part = Path(self._target).with_name(f".{Path(self._target).name}.{os.getpid()}.parquet")
        try:
            with (
                tables.open_csv(self._growing, convert_options=options) as rows,
                parquet.ParquetWriter(part, rows.schema) as writer,
            ):
                for batch in rows:
                    writer.write_batch(batch)
            part.replace(self._target)
        finally:
            part.unlink(missing_ok=True)

    def _refusal(self, error: OSError) -> InputError:
        reason = error.strerror or str(error)
        return InputError(f"output must be writable, got {self._target!r}: {reason}")


def _csv_line(values: Sequence[Any]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(values)
    return text.getvalue().encode()


def _write_all(file: Any, data: bytearray) -> None:
    view = memoryview(bytes(data))
    while view:
        view = view[file.write(view) :]


def _check_begin(path: Path, resume: Position) -> None:
    """Raise unless the file begins with what the checkpoint says was written."""
    checksum, left = 0, resume.n_bytes
    try:
        with path.open("rb") as file:
            while left and (chunk := file.read(min(left, _CHUNK))):
                checksum, left = zlib.crc32(chunk, checksum), left - len(chunk)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"output must be the one of the checkpoint, {path}: {reason}") from error
    if left or checksum != resume.checksum:
        raise SavedStateError(
            f"{str(path)!r} does not begin with the records that the checkpoint counts; move it "
            "and the checkpoint away to start anew"
        )
