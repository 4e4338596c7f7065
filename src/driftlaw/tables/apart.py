"""What is read is not written over, whichever way its name is spelt."""

import os
import sys
from pathlib import Path

from driftlaw.errors import InputError
from driftlaw.tables.source import TableSpec


def is_same_file(a: str, b: str) -> bool:
    """Whether two names lead to one file: another spelling, a symbolic or a hard link.

    Examples
    --------
    >>> is_same_file("a.csv", "./a.csv"), is_same_file("a.csv", "b.csv")
    (True, False)
    """
    try:
        return os.path.samestat(Path(a).stat(), Path(b).stat())
    except OSError:  # one of them is yet to be written
        return Path(a).resolve() == Path(b).resolve()


def check_apart(name: str, path: str, spec: TableSpec) -> None:
    """Raise if a file to be written is the one that is read, also as the standard input.

    Parameters
    ----------
    name : the argument that the message names
    path : the file to be written, or ``-``
    spec : the input

    Examples
    --------
    >>> check_apart("output", "./a.csv", TableSpec(path="a.csv"))
    Traceback (most recent call last):
        ...
    driftlaw.errors.InputError: output must be another file than the input, got './a.csv'
    """
    if path == "-":
        return
    if _is_standard_input(path) if spec.is_pipe else is_same_file(path, spec.path):
        raise InputError(f"{name} must be another file than the input, got {path!r}")


def _is_standard_input(path: str) -> bool:
    """Whether a file is what the shell has put into the standard input."""
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(sys.stdin.fileno()))
    except (OSError, ValueError, AttributeError):  # no such file, or no standard input of its own
        return False
