"""What numbers depend on besides their cell: the code, the versions, the files of data."""

import hashlib
import platform
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from driftlaw.experiments.spec import digest_of

_PACKAGES = ("driftlaw", "numba", "numpy", "scipy")
# Rooms that only draw, print or gather, and those of other predictors: an edit there leaves every
# number of a figure as it is.
_SILENT = {
    *("adapters", "cli", "compare", "demo", "experiments", "live", "report", "tables"),
    *("theory", "viz", "__pycache__"),
}
_SILENT_PARTS = {"/predictor/adaptive", "/predictor/bank.py"}
_SPEAKING = ("cells.py", "contenders.py", "worlds.py")


def identity(data: dict[str, str]) -> dict[str, Any]:
    """Return what goes into the name of every cell beside the cell itself.

    Parameters
    ----------
    data : hashes of the files that the cell reads, by name
    """
    return {
        "code": code_digest(),
        "data": data,
        "python": platform.python_version(),
        "versions": {name: version(name) for name in _PACKAGES},
    }


def code_digest() -> str:
    """Hash the sources that numbers come from."""
    root = files("driftlaw")
    sources = [entry for entry in root.iterdir() if entry.name not in _SILENT]
    sources += [root / "experiments" / name for name in _SPEAKING]
    return digest_of(sorted(line for source in sources for line in _hashes(source, "")))


def _hashes(source: Traversable, place: str) -> list[str]:
    name = f"{place}/{source.name}"
    if name in _SILENT_PARTS:
        return []
    if source.is_dir():
        inside = (entry for entry in source.iterdir() if entry.name != "__pycache__")
        return [line for entry in inside for line in _hashes(entry, name)]
    return [f"{name} {hashlib.sha256(source.read_bytes()).hexdigest()}"]
