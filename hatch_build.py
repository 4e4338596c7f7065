"""How a wheel is built: the kernels are compiled and travel in it, so that no first use waits.

They serve where Numba, Python and the processor are those of the build; elsewhere, they are
compiled when they are first used. ``DRIFTLAW_COMPILE`` names the kinds of predictor to compile (see
``driftlaw compile --help``); ``none`` makes a wheel of source alone, for any machine.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_COMPILE = "from driftlaw.cli import app; app()"


class CompiledKernels(BuildHookInterface[Any]):
    """Compiles a copy of the package, and includes what Numba left beside its sources."""

    def dependencies(self) -> list[str]:
        """Return what the package itself needs: compiling is using it."""
        return list(self.metadata.core.dependencies)

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, unless the package is only linked to, and have the results included."""
        kinds = os.environ.get("DRIFTLAW_COMPILE", "").split()
        if version == "editable" or kinds == ["none"]:
            return
        self._folder = TemporaryDirectory()
        copy = Path(self._folder.name) / "driftlaw"
        source = Path(self.root) / "src" / "driftlaw"
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
        done = subprocess.run(
            [sys.executable, "-c", _COMPILE, "compile", "--no-progress", *kinds],
            env=_environment(copy.parent),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            self.app.display_warning(f"No kernel was compiled; first uses will:\n{done.stderr}")
            return
        for path in copy.rglob("*.nb[ci]"):
            build_data["force_include"][str(path)] = str(path.relative_to(copy.parent))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the copy."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def _environment(folder: Path) -> dict[str, str]:
    """Let the package be found in a folder and keep its kernels there."""
    ours = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    others = [path for path in (os.environ.get("PYTHONPATH"),) if path]
    return ours | {"PYTHONPATH": os.pathsep.join([str(folder), *others])}
