"""The static site: built without a complaint, every public name of the reference in it."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_site_builds_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    reference = (tmp_path / "api" / "index.html").read_text(encoding="utf-8")
    for name in ("Adaptive", "run_stream", "run_contest", "LawAnomaly", "LawDensity", "FrozenLaw"):
        assert f">{name}</span>" in reference or f"{name}</code>" in reference
    assert (tmp_path / "users" / "index.html").exists()
