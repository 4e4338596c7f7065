"""Every planted fault is caught by a check that the right sampler passes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.referee import no_alarm
from tests.statistical.planted_faults import FAULTS

ROOT = Path(__file__).parents[2]
STALE = [name for name in FAULTS if name.startswith("stale")]
NONE = [name for name in FAULTS if name.startswith("none")]
PLANTED = [name for name in FAULTS if name not in NONE + STALE]  # of chains whose caches are right


@pytest.fixture(scope="module")
def seen() -> dict[str, Any]:
    """Return what the check saw of every fault, in a process of its own without compilation."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.statistical.planted_faults"],
        cwd=ROOT,
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("none", NONE)
def test_the_right_sampler_passes(seen: dict[str, Any], none: str) -> None:
    assert no_alarm(seen[none]["pvalues"])
    assert seen[none]["cache_error"] < 1e-9


@pytest.mark.parametrize("fault", PLANTED)
def test_the_fault_is_caught(seen: dict[str, Any], fault: str) -> None:
    assert not no_alarm(seen[fault]["pvalues"])


@pytest.mark.parametrize("fault", STALE)
def test_a_stale_cache_differs_from_the_recomputed_loss(seen: dict[str, Any], fault: str) -> None:
    assert seen[fault]["cache_error"] > 0.01
