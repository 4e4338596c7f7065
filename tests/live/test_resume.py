"""Runs that were killed, interrupted or fed with something else, and taken up again."""

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from driftlaw.errors import InputError, SavedStateError
from driftlaw.live import Outcome, RunSettings, Stopper, Target, run_stream
from driftlaw.live.checkpoint import WHAT, Cadence
from driftlaw.predictor import storage
from driftlaw.tables import TableSpec

DRIVER = Path(__file__).with_name("kill_driver.py")
SETTINGS = RunSettings(predictor="ewma", transform="diff", missing="hold-last")


def _input(folder: Path, n: int = 260) -> Path:
    values = np.random.default_rng(4).normal(size=n).cumsum()
    cells = ["" if i % 17 == 5 else f"{v:.6f}" for i, v in enumerate(values)]
    path = folder / "in.csv"
    path.write_text("t,x\n" + "".join(f"{i},{cell}\n" for i, cell in enumerate(cells)))
    return path


def _run(
    path: Path, output: str = "out.csv", settings: RunSettings = SETTINGS, **options: Any
) -> Outcome:
    folder = path.parent
    more = {"checkpoint": str(folder / "state"), "every": "7"} | options.pop("target", {})
    target = Target(output=str(folder / output), **more)
    return run_stream(TableSpec(path=str(path)), settings, target, **options)


@pytest.mark.parametrize(("kind", "output"), [("file", "out.csv"), ("pipe", "out.jsonl")])
def test_killed_at_any_moment_the_output_is_the_same(
    kind: str, output: str, tmp_path: Path
) -> None:
    path = _input(tmp_path, 120)
    plain = tmp_path / f"plain.{output}"
    run_stream(TableSpec(path=str(path)), SETTINGS, Target(output=str(plain)))
    command = [sys.executable, str(DRIVER), str(tmp_path), kind, output, "15"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 8
    assert (tmp_path / output).read_bytes() == plain.read_bytes()
    assert not list(tmp_path.glob(".*.csv*"))


@pytest.mark.parametrize("predictor", ["window", "kde", "mixture", "bocpd"])
def test_every_predictor_resumes_to_the_same_records(predictor: str, tmp_path: Path) -> None:
    path, settings = _input(tmp_path, 60), RunSettings(predictor=predictor, missing="skip")
    _run(path, "plain.csv", settings, target={"checkpoint": None})
    stopper = Stopper()

    def stop(n_rows: int) -> None:
        stopper.is_asked = n_rows == 35

    assert not _run(path, settings=settings, on_row=stop, stopper=stopper).is_complete
    outcome = _run(path, settings=settings)
    assert outcome.is_complete
    assert 0 < outcome.n_before < outcome.sketch.n
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()


def test_adaptive_resumes_with_the_same_records_and_the_same_page(tmp_path: Path) -> None:
    path, settings = _input(tmp_path, 40), RunSettings(missing="skip")
    whole = _run(path, "plain.csv", settings, target={"checkpoint": None})
    stopper = Stopper()

    def stop(n_rows: int) -> None:
        stopper.is_asked = n_rows == 25

    _run(path, settings=settings, on_row=stop, stopper=stopper)
    resumed = _run(path, settings=settings)
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()
    for name, array in whole.sketch.state().items():
        np.testing.assert_array_equal(resumed.sketch.state()[name], array, err_msg=name)


def test_a_file_that_has_grown_is_continued(tmp_path: Path) -> None:
    path = _input(tmp_path)
    content = path.read_text().splitlines(keepends=True)
    path.write_text("".join(content[:120]))
    _run(path, "out.parquet")
    assert pq.read_metadata(tmp_path / "out.parquet").num_rows == 118
    path.write_text("".join(content))
    outcome = _run(path, "out.parquet")
    assert outcome.n_before == 118
    _run(path, "plain.parquet", target={"checkpoint": None})
    resumed, plain = (pq.read_table(tmp_path / f"{name}.parquet") for name in ("out", "plain"))
    assert resumed.equals(plain)
    assert resumed.schema.field("x_q0.05").type == "double"


def test_a_pipe_can_go_on_with_new_rows_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _input(tmp_path, 80)
    content = path.read_text().splitlines(keepends=True)
    _run(path, "plain.csv", target={"checkpoint": None})
    target = Target(
        output=str(tmp_path / "out.csv"), checkpoint=str(tmp_path / "state"), resume_from="next"
    )
    for part in (content[:30], [content[0], *content[30:]]):
        pipe = io.TextIOWrapper(io.BytesIO("".join(part).encode()))
        monkeypatch.setattr(sys, "stdin", pipe)
        run_stream(TableSpec(path="-"), SETTINGS, target)
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()


class TestRefusals:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        path = _input(tmp_path, 60)
        _run(path)
        return path

    def test_other_settings(self, path: Path) -> None:
        before = (path.parent / "out.csv").read_bytes()
        with pytest.raises(InputError, match="transform was 'diff' and is now 'none'"):
            _run(path, settings=RunSettings(predictor="ewma", missing="hold-last"))
        assert (path.parent / "out.csv").read_bytes() == before

    def test_other_rows(self, path: Path) -> None:
        path.write_text(path.read_text().replace("\n3,", "\n3,1"))
        with pytest.raises(InputError, match="first 60 rows are not those"):
            _run(path)

    def test_fewer_rows(self, path: Path) -> None:
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:20]))
        with pytest.raises(InputError, match="it has 19 rows, fewer than the 60"):
            _run(path)

    def test_other_output(self, path: Path) -> None:
        output = path.parent / "out.csv"
        output.write_bytes(b"something else" + output.read_bytes())
        with pytest.raises(SavedStateError, match="does not begin with the records"):
            _run(path)
        output.unlink()
        with pytest.raises(InputError, match="output must be the one of the checkpoint"):
            _run(path)

    @pytest.mark.parametrize("damage", ["cut", "flip", "foreign", "predictor"])
    def test_damaged_checkpoint(self, path: Path, damage: str) -> None:
        state = path.parent / "state"
        content = bytearray(state.read_bytes())
        if damage == "cut":
            content = content[: len(content) // 2]
        elif damage == "flip":
            content[len(content) // 2] ^= 0xFF
        elif damage == "foreign":
            content = bytearray(b"hello")
        state.write_bytes(content)
        if damage == "predictor":
            storage.write(state, storage.Saved("EWMA", {}, {}))
        with pytest.raises(SavedStateError, match="checkpoint of a run"):
            _run(path)

    def test_newer_checkpoint(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        state = path.parent / "state"
        saved = storage.read(state, WHAT)
        newer = storage.VERSION + 1
        monkeypatch.setattr(storage, "VERSION", newer)
        storage.write(state, saved, WHAT)
        monkeypatch.undo()
        with pytest.raises(SavedStateError, match=f"format version {newer}; this driftlaw reads"):
            _run(path)

    @pytest.mark.parametrize("text", ["0", "-1", "often", "s", "0s", "1.5", "infs", "nans"])
    def test_bad_cadence(self, text: str) -> None:
        with pytest.raises(InputError, match="like 500 or 30s"):
            Cadence(text)


def test_a_failed_write_leaves_the_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, calls = _input(tmp_path), 0
    fsync = os.fsync

    def full(descriptor: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 40:
            raise OSError(28, "No space left on device")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        _run(path)
    monkeypatch.undo()
    assert _run(path).is_complete
    _run(path, "plain.csv", target={"checkpoint": None})
    assert (tmp_path / "out.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()
