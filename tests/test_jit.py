"""Compiled code and its cache."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from driftlaw._jit import kernel, lean_kernel
from driftlaw._validate import Array

ROOT = Path(__file__).parents[1]
_CODE = """
from driftlaw.geometry import ConfigurationPrior, ball_prior
print(ConfigurationPrior(ball_prior(1, 2.0), max_centers=1).log_density([[0.0]]))
"""


def _run(code: str, places: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | places,
        capture_output=True,
        text=True,
        check=False,
    )


def _log_density(folder: Path) -> float:
    places = {"PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "cache")}
    return float(_run(_CODE, places).stdout)


def test_an_edit_of_a_callee_in_another_file_is_compiled(tmp_path: Path) -> None:
    package = tmp_path / "driftlaw"
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "driftlaw", package, ignore=without)
    before = _log_density(tmp_path)
    assert list((tmp_path / "cache").rglob("*.nbc"))
    callee = package / "geometry" / "location.py"
    text = callee.read_text()
    edited = text.replace("return -prior.log_volume if", "return 1.0 - prior.log_volume if")
    assert edited != text
    callee.write_text(edited)
    assert _log_density(tmp_path) == pytest.approx(before + 1.0)


@kernel
def _rest_of(x: Array) -> tuple[Array, float]:
    return x[1:], 1.0


@lean_kernel
def _second(x: Array) -> float:
    return float(_rest_of(x)[0][0])


@kernel
def _copied_rest(x: Array) -> tuple[Array, Array]:
    rest, _ = _rest_of(x.copy())
    return rest, np.zeros(x.shape[0]) - 1.0


def test_a_part_counts_references_whoever_asked_for_it_first() -> None:
    x = np.arange(5.0)
    assert _second(x) == 1.0
    held = [_copied_rest(x)[0] for _ in range(20)]
    assert all(rest.tolist() == [1.0, 2.0, 3.0, 4.0] for rest in held)


def test_without_a_folder_for_the_cache_everything_works(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    places = {
        "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator",
        "NUMBA_CACHE_DIR": str(tmp_path / "file" / "folder"),
    }
    code = f"{_CODE}\nfrom driftlaw.live import compile_ahead\ncompile_ahead()"
    done = _run(code, places)
    assert float(done.stdout) == pytest.approx(-np.log(4.0))
    assert "InputError: NUMBA_CACHE_DIR must name a folder" in done.stderr
