"""A wheel carries its kernels: what is installed from it compiles nothing at first use."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
_BUILD = ["-m", "hatchling", "build", "--target", "wheel", "--directory"]
_USE = """
import driftlaw, driftlaw.inference.engine as engine
p = driftlaw.QuasiBayes(2, radius=3.0, rng=0)
p.learn_one([0.1, 0.2])
print(driftlaw.__file__, p.predict().mean().tolist())
print(sum(engine.advance_inplace.stats.cache_hits.values()))
"""


# how Numba finds out whether a folder may be written
_NO_FOLDER = """
import tempfile
def refuse(*arguments, **options):
    raise PermissionError(13, "read-only file system")
tempfile.TemporaryFile = refuse
"""


def _run(arguments: list[str], **places: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | places,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _built(folder: Path, kinds: str) -> Path:
    _run([*_BUILD, str(folder)], DRIFTLAW_COMPILE=kinds)
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_first_use_reads_kernels_beside_the_package_and_compiles_nothing(tmp_path: Path) -> None:
    wheel, site, others = _built(tmp_path, "quasibayes"), tmp_path / "site", tmp_path / "others"
    assert "none-any" not in wheel.name
    zipfile.ZipFile(wheel).extractall(site)
    said = _run(["-c", _USE], PYTHONPATH=str(site), NUMBA_CACHE_DIR=str(others)).splitlines()
    assert said[0].startswith(str(site))
    assert int(said[1]) > 0
    assert not list(others.rglob("*.nbc"))
    said = _run(["-c", _NO_FOLDER + _USE], PYTHONPATH=str(site)).splitlines()
    assert said[0].startswith(str(site))
    assert int(said[1]) > 0


def test_a_wheel_of_source_alone_is_for_any_machine(tmp_path: Path) -> None:
    wheel = _built(tmp_path, "none")
    assert wheel.name.endswith("py3-none-any.whl")
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if "__pycache__" in name]


def test_what_cannot_be_compiled_is_said_and_left_to_first_use(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, *_BUILD, str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"DRIFTLAW_COMPILE": "sundials"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "No kernel was compiled" in done.stdout + done.stderr
    assert "sundials" in done.stdout + done.stderr
    assert list(tmp_path.glob("*-py3-none-any.whl"))
