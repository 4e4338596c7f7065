"""Compiled code and its cache."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_CODE = """
from driftlaw.geometry import ConfigurationPrior, ball_prior
print(ConfigurationPrior(ball_prior(1, 2.0), max_centers=1).log_density([[0.0]]))
"""


def _log_density(folder: Path) -> float:
    places = {"PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", _CODE],
        env=os.environ | places,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def test_an_edit_of_a_callee_in_another_file_is_compiled(tmp_path: Path) -> None:
    package = tmp_path / "driftlaw"
    shutil.copytree(ROOT / "src" / "driftlaw", package)
    before = _log_density(tmp_path)
    assert list((tmp_path / "cache").rglob("*.nbc"))
    callee = package / "geometry" / "location.py"
    text = callee.read_text()
    edited = text.replace("return -prior.log_volume if", "return 1.0 - prior.log_volume if")
    assert edited != text
    callee.write_text(edited)
    assert _log_density(tmp_path) == pytest.approx(before + 1.0)
