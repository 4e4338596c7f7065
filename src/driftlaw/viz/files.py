"""Files of results: checked before a long run, and written whole or not at all."""

import os
from pathlib import Path

from driftlaw.errors import InputError

PathLike = str | os.PathLike[str]


def check_target(name: str, path: PathLike) -> Path:
    """Return ``path`` if a file can be written there; whatever is there now stays as it is.

    Parameters
    ----------
    name : the argument that the message names
    path : the file to be written later

    Examples
    --------
    >>> check_target("output", "nowhere/a.html")
    Traceback (most recent call last):
        ...
    driftlaw.errors.InputError: output must be a file in an existing folder, got 'nowhere/a.html'
    """
    target = Path(path)
    if target.is_dir() or not target.parent.is_dir():
        raise InputError(f"{name} must be a file in an existing folder, got {str(path)!r}")
    write_beside(name, target, b"").unlink()
    return target


def write_whole(name: str, path: PathLike, data: bytes) -> None:
    """Write ``data`` beside ``path`` and rename it into place: never half a file."""
    target = Path(path)
    temporary = write_beside(name, target, data)
    try:
        temporary.replace(target)
    except OSError as error:
        raise _refusal(name, target, error) from error
    finally:
        temporary.unlink(missing_ok=True)


def check_picture(name: str, path: PathLike) -> Path:
    """Return ``path`` if a PNG picture can be written there."""
    if Path(path).suffix.lower() != ".png":
        raise InputError(f"{name} must be a file that ends in .png, got {str(path)!r}")
    return check_target(name, path)


def write_beside(name: str, target: Path, data: bytes) -> Path:
    """Write ``data`` to a hidden file in the folder of ``target``; return its path."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(data)
    except BaseException as error:  # a full disk or Ctrl-C leaves nothing behind
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _refusal(name, target, error) from error
        raise
    return temporary


def _refusal(name: str, target: Path, error: OSError) -> InputError:
    reason = error.strerror or str(error)
    return InputError(f"{name} must be writable, got {str(target)!r}: {reason}")
