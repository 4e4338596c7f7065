"""A predictor in one file: NumPy arrays and a JSON header, written atomically, never pickled."""

import hashlib
import io
import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from driftlaw.errors import InputError, SavedStateError

FORMAT, VERSION = "driftlaw-{}", 10
_HEADER = "header"

Arrays = Mapping[str, NDArray[np.generic]]


class Saved(NamedTuple):
    """What a file holds: the predictor's kind, its settings, its arrays."""

    kind: str
    config: dict[str, Any]
    arrays: dict[str, NDArray[np.generic]]


def write(path: str | os.PathLike[str], saved: Saved, what: str = "predictor") -> None:
    """Write to a temporary neighbour, flush it to disk, then rename it over ``path``.

    ``what`` is what the file holds: only a reader that asks for the same will take it.
    """
    header = {
        "format": FORMAT.format(what),
        "version": VERSION,
        "kind": saved.kind,
        "config": saved.config,
        "digest": _digest(saved),
    }
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    try:
        target = Path(path)
        temporary = target.with_name(f".{target.name}.{uuid4().hex}.part")
        _write_then_rename(temporary, target, {_HEADER: text, **saved.arrays})
    except (OSError, TypeError, ValueError) as error:
        raise InputError(f"path must be a writable file, got {path!r}: {error}") from error


def _write_then_rename(temporary: Path, target: Path, arrays: Arrays) -> None:
    with temporary.open("xb") as file:
        try:
            np.savez(file, **arrays)  # type: ignore[arg-type] # as if a name could be allow_pickle
            file.flush()
            os.fsync(file.fileno())
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make a renaming survive a power cut, where the system lets a folder be flushed."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        return
    finally:
        os.close(descriptor)


def read(path: str | os.PathLike[str], what: str = "predictor") -> Saved:
    """Read a file back; anything truncated, foreign, newer or damaged is refused."""
    try:
        content = Path(path).read_bytes()
    except (OSError, TypeError, ValueError) as error:
        raise InputError(f"path must be a readable file, got {path!r}: {error}") from error
    try:
        arrays = _read_arrays(content)
        header = json.loads(arrays.pop(_HEADER).tobytes().decode())
    except Exception as error:  # damage can make the readers of zip and npy raise anything
        raise SavedStateError(f"{str(path)!r} is not a saved {what}, or is damaged") from error
    return _checked(path, header, arrays, what)


def _read_arrays(content: bytes) -> dict[str, NDArray[np.generic]]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # NumPy warns where it mends a damaged header
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}


def _checked(path: str | os.PathLike[str], header: Any, arrays: dict[str, Any], what: str) -> Saved:
    if not isinstance(header, dict) or header.get("format") != FORMAT.format(what):
        raise SavedStateError(f"{str(path)!r} is not a saved {what}")
    if header.get("version") != VERSION:
        raise SavedStateError(
            f"{str(path)!r} has format version {header.get('version')!r}; this driftlaw reads "
            f"version {VERSION}"
        )
    kind, config = header.get("kind"), header.get("config")
    if not isinstance(kind, str) or not isinstance(config, dict):
        raise SavedStateError(f"{str(path)!r} is damaged: its header is incomplete")
    saved = Saved(kind, config, arrays)
    if header.get("digest") != _digest(saved):
        raise SavedStateError(f"{str(path)!r} is damaged: its content does not match its digest")
    return saved


def _digest(saved: Saved) -> str:
    digest = hashlib.sha256(json.dumps([saved.kind, saved.config], sort_keys=True).encode())
    for name in sorted(saved.arrays):
        array = np.ascontiguousarray(saved.arrays[name])
        digest.update(f"{name}:{array.dtype.str}:{array.shape};".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
