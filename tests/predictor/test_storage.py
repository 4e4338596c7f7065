"""Saving and loading: nothing but a whole file of our own is read, and no code in it is run."""

import json
import multiprocessing
import os
import signal
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from driftlaw import Constant, QuasiBayes, load
from driftlaw.errors import InputError, SavedStateError
from driftlaw.predictor import storage


def small(**settings: Any) -> QuasiBayes:
    sizes = {"max_centers": 2, "n_iterations": 6, "n_configurations": 2}
    return QuasiBayes(dim=1, radius=2.0, rng=0, **(sizes | settings))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state.npz"


@pytest.fixture
def content(path: Path) -> bytes:
    """Return a small predictor's file, of which three observations were learnt."""
    p = small()
    p.learn_many([0.5, -0.3, 1.0])
    p.save(path)
    return path.read_bytes()


def resaved(path: Path) -> bytes:
    """Load and save again: the same bytes, if all that counts was read as it was."""
    p = load(path)
    again = path.with_name("again")
    p.save(again)
    return again.read_bytes()


def test_saving_is_deterministic_and_leaves_nothing_else(path: Path, content: bytes) -> None:
    assert resaved(path) == content
    p = load(path)
    for _ in range(3):
        p.save(path)
    assert sorted(f.name for f in path.parent.iterdir()) == ["again", "state.npz"]


def test_every_truncation_is_refused(path: Path, content: bytes) -> None:
    for length in [*range(0, len(content), 37), *range(len(content) - 30, len(content))]:
        path.write_bytes(content[:length])
        with pytest.raises(SavedStateError, match="not a saved predictor, or is damaged"):
            load(path)


def test_every_flipped_bit_is_refused_or_harmless(path: Path, content: bytes) -> None:
    rng = np.random.default_rng(0)
    refused = 0
    flips = [
        (int(i), int(b))
        for i, b in zip(
            rng.integers(len(content), size=500), rng.integers(8, size=500), strict=True
        )
    ]
    for position, bit in flips:
        damaged = bytearray(content)
        damaged[position] ^= 1 << bit
        path.write_bytes(damaged)
        try:
            assert resaved(path) == content, (position, bit)
        except SavedStateError:
            refused += 1
    assert refused > 250  # the rest are bytes of the archive that nobody reads


@pytest.mark.parametrize(
    "junk",
    [b"", b"PK", b"hello", bytes(5000), json.dumps({"format": storage.FORMAT}).encode()],
    ids=["empty", "two bytes", "text", "zeros", "json"],
)
def test_foreign_bytes_are_refused(path: Path, junk: bytes) -> None:
    path.write_bytes(junk)
    with pytest.raises(SavedStateError, match="not a saved predictor"):
        load(path)


class _Bomb:
    """Writes a file when unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return Path.touch, (self.mark,)


def test_no_pickle_is_ever_run(path: Path, content: bytes, tmp_path: Path) -> None:
    mark = tmp_path / "it ran"
    bomb = np.array([_Bomb(mark)], dtype=object)
    np.save(path, bomb, allow_pickle=True)
    with pytest.raises(SavedStateError, match="not a saved predictor"):
        load(tmp_path / "state.npz.npy")
    for write in (
        lambda: np.savez(path, header=bomb),
        lambda: np.savez(path, **_arrays(content, path), extra=bomb),
        lambda: path.write_bytes(bomb.dumps()),
    ):
        write()
        with pytest.raises(SavedStateError, match="not a saved predictor"):
            load(path)
        assert not mark.exists()


def _arrays(content: bytes, path: Path) -> dict[str, Any]:
    path.write_bytes(content)
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def _edit_header(content: bytes, path: Path, **changes: Any) -> None:
    arrays = _arrays(content, path)
    header = json.loads(arrays["header"].tobytes()) | changes
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "is not a saved predictor"),
        ({"version": 1}, f"has format version 1; this driftlaw reads version {storage.VERSION}"),
        ({"version": None}, "has format version None"),
        ({"digest": "0"}, "content does not match its digest"),
        ({"kind": 3}, "header is incomplete"),
        ({"config": []}, "header is incomplete"),
        ({"kind": "Other"}, "content does not match its digest"),
        ({"config": {}}, "content does not match its digest"),
    ],
)
def test_edited_headers_are_refused(
    path: Path, content: bytes, change: dict[str, Any], message: str
) -> None:
    _edit_header(content, path, **change)
    with pytest.raises(SavedStateError, match=message):
        load(path)


def test_foreign_archives_are_refused(path: Path) -> None:
    np.savez(path, a=np.arange(3))
    with pytest.raises(SavedStateError, match="not a saved predictor"):
        load(path)
    np.savez(path, header=np.frombuffer(b"[1, 2]", dtype=np.uint8))
    with pytest.raises(SavedStateError, match="not a saved predictor"):
        load(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("header", "{}")
    with pytest.raises(SavedStateError, match="not a saved predictor"):
        load(path)


def _spoil(name: str, value: Any) -> Callable[[storage.Saved], storage.Saved]:
    def spoil(saved: storage.Saved) -> storage.Saved:
        array = saved.arrays[name].copy()
        array.flat[0] = value
        return saved._replace(arrays=saved.arrays | {name: array})

    return spoil


def _settings(**changes: Any) -> Callable[[storage.Saved], storage.Saved]:
    return lambda saved: saved._replace(config=saved.config | changes)


def _arrays_with(**changes: Any) -> Callable[[storage.Saved], storage.Saved]:
    return lambda saved: saved._replace(arrays=saved.arrays | changes)


CRAFTED: dict[str, tuple[Callable[[storage.Saved], storage.Saved], str]] = {
    "kind": (lambda s: s._replace(kind="Other"), "holds an unknown predictor, 'Other'"),
    "dimension": (_settings(dim=2), "do not fit the settings"),
    "more centres": (_settings(max_centers=3), "do not fit the settings"),
    "another sampler": (_settings(sampler="paper"), "do not fit the settings"),
    "more chains": (_settings(n_chains=2), "do not fit the settings"),
    "radius": (_settings(radius=-1.0), "saved settings do not fit: radius must be"),
    "unknown setting": (_settings(colour=1), "saved settings do not fit"),
    "k too large": (_spoil("chain_k", 10**9), "chain_k must be in 1 … 2"),
    "k zero": (_spoil("record_k", 0), "record_k must be in 1 … 2"),
    "nan centre": (_spoil("chain_centers", np.nan), "chain_centers must be finite"),
    "nan point": (_spoil("window_points", np.nan), "window_points must be finite"),
    "dead generator": (
        _arrays_with(chain_random=np.zeros((1, 4), dtype=np.uint64)),
        "chain_random must not be all zero",
    ),
    "time": (_spoil("progress", np.nan), "progress must be a count >= 3"),
    "time below the window": (_spoil("progress", 2.0), "progress must be a count >= 3"),
    "endless time": (_spoil("progress", 1e300), "progress must be a count"),
    "negative square": (_spoil("chain_distances", -1.0), "chain_distances must be >= 0"),
    "negative loss": (_spoil("record_loss", -1.0), "record_loss must be >= 0"),
    "rate": (_arrays_with(progress=np.array([3.0, -1.0])), "progress must be"),
    "short progress": (_arrays_with(progress=np.array([3.0])), "do not fit the settings"),
    "floats for integers": (_arrays_with(chain_k=np.ones((1, 1))), "chain_k must be int64"),
    "flat window": (_arrays_with(window_points=np.zeros(3)), "do not fit the settings"),
    "bad center": (_arrays_with(center=np.zeros(2)), "do not fit the settings"),
}


@pytest.mark.parametrize(("craft", "message"), CRAFTED.values(), ids=list(CRAFTED))
def test_whole_files_that_contradict_themselves_are_refused(
    path: Path, content: bytes, craft: Callable[[storage.Saved], storage.Saved], message: str
) -> None:
    assert content
    storage.write(path, craft(storage.read(path)))  # with the right digest
    with pytest.raises(SavedStateError, match=message):
        load(path)


def test_a_missing_array_is_refused(path: Path, content: bytes) -> None:
    assert content
    saved = storage.read(path)
    for name in saved.arrays:
        rest = {key: value for key, value in saved.arrays.items() if key != name}
        storage.write(path, saved._replace(arrays=rest))
        with pytest.raises(SavedStateError, match=name):
            load(path)


def test_a_schedule_of_ones_own_must_be_given_again(path: Path) -> None:
    def own(age: int) -> float:
        return 1.0 / age

    p = small(schedule=own, restart_every=5)
    p.learn_many([0.1] * 7)
    p.save(path)
    with pytest.raises(InputError, match="schedule must be given: the saved predictor had one"):
        load(path)
    again = load(path, schedule=own)
    for z in (0.3, 0.1, 0.7, -0.5):
        assert repr(again.learn_one(z)) == repr(p.learn_one(z))
    small(schedule=Constant(0.5)).save(path)
    with pytest.raises(InputError, match="schedule must be None: the saved one is Constant"):
        load(path, schedule=own)
    known = load(path)
    assert isinstance(known, QuasiBayes)
    assert known.config.schedule == Constant(0.5)


def test_bad_paths_for_saving(tmp_path: Path) -> None:
    p = small()
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    bad: list[Any] = [
        tmp_path / "folder",
        tmp_path / "missing" / "state",
        tmp_path / "file" / "state",
        tmp_path / ("n" * 300),
        tmp_path / "nul\0",
        "",
        3,
        None,
    ]
    for target in bad:
        with pytest.raises(InputError, match="path must be a writable file, got"):
            p.save(target)
        assert sorted(tmp_path.rglob("*")) == before
    with pytest.raises(InputError, match="path must be a readable file, got"):
        load(tmp_path / "missing")
    with pytest.raises(InputError, match="path must be a readable file, got"):
        load(tmp_path / "folder")
    with pytest.raises(InputError, match="path must be a readable file, got"):
        load(3)  # type: ignore[arg-type]


def test_a_failed_write_keeps_the_old_file(
    path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    p = load(path)
    p.learn_one(0.2)
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        p.save(path)
    assert path.read_bytes() == content
    assert [f.name for f in path.parent.iterdir()] == ["state.npz"]


def test_two_threads_may_save_to_one_path(path: Path) -> None:
    predictors = [small(), small()]
    threads = [
        threading.Thread(target=lambda p=p: [p.save(path) for _ in range(20)]) for p in predictors
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert load(path).n_seen == 0
    assert [f.name for f in path.parent.iterdir()] == ["state.npz"]


def _save_for_ever(p: QuasiBayes, path: Path) -> None:
    while True:
        p.save(path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and SIGKILL")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of fork beside other threads
def test_a_killed_writer_leaves_a_whole_file(path: Path) -> None:
    """The traces make the file large, so that most of the time goes into writing it."""
    p = QuasiBayes(dim=1, radius=2.0, n_iterations=40_000, rng=0)
    p.save(path)
    content = path.read_bytes()
    assert len(content) > 400_000
    found = set()
    for milliseconds in range(5, 105, 5):
        started = path.stat().st_ino
        child = multiprocessing.get_context("fork").Process(target=_save_for_ever, args=(p, path))
        child.start()
        while path.stat().st_ino == started:  # until it has overwritten the file once
            time.sleep(0.001)
        time.sleep(milliseconds / 1000)
        child.kill()
        child.join()
        assert child.exitcode == -signal.SIGKILL
        assert path.read_bytes() == content
        found |= {f.name for f in path.parent.iterdir()}
    assert load(path).n_seen == 0
    assert any(name.endswith(".part") for name in found)  # some were caught while writing
