"""A predictor in one file: NumPy arrays and a JSON header, written atomically, never pickled."""

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftlaw.errors import InputError, SavedStateError

FORMAT, VERSION = "driftlaw-predictor", 1
_HEADER = "header"

Arrays = Mapping[str, NDArray[np.generic]]


class Saved(NamedTuple):
    """What a file holds: the predictor's kind, its settings, its arrays."""

    kind: str
    config: dict[str, Any]
    arrays: dict[str, NDArray[np.generic]]


def write(path: str | os.PathLike[str], saved: Saved) -> None:
    """Write to a temporary neighbour, flush it to disk, then rename it over ``path``."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "kind": saved.kind,
        "config": saved.config,
        "digest": _digest(saved.arrays),
    }
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            np.savez(file, allow_pickle=False, **{_HEADER: text, **saved.arrays})
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as error:
        raise InputError(f"path must be writable, got {str(path)!r}: {error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def read(path: str | os.PathLike[str]) -> Saved:
    """Read a file back; anything truncated, foreign, newer or damaged is refused."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"path must be a readable file, got {str(path)!r}: {error}") from error
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(bytes(arrays.pop(_HEADER)).decode())
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile, AttributeError) as error:
        raise SavedStateError(f"{str(path)!r} is not a saved predictor, or is damaged") from error
    _check_header(path, header, arrays)
    return Saved(header["kind"], header["config"], arrays)


def _check_header(path: str | os.PathLike[str], header: Any, arrays: Arrays) -> None:
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise SavedStateError(f"{str(path)!r} is not a saved predictor")
    if header.get("version") != VERSION:
        raise SavedStateError(
            f"{str(path)!r} has format version {header.get('version')!r}; this driftlaw reads "
            f"version {VERSION}"
        )
    if header.get("digest") != _digest(arrays):
        raise SavedStateError(f"{str(path)!r} is damaged: its arrays do not match their digest")
    if not isinstance(header.get("kind"), str) or not isinstance(header.get("config"), dict):
        raise SavedStateError(f"{str(path)!r} is damaged: its header is incomplete")


def _digest(arrays: Arrays) -> str:
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name}:{array.dtype.str}:{array.shape};".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
