"""Compiling ahead: afterwards a new process finds everything in the cache."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from driftlaw.cli import app
from driftlaw.errors import InputError
from driftlaw.live import compile_ahead

HABITS = """
import numpy as np
import driftlaw as dl
rng = np.random.default_rng(1)
for p in (
    dl.Adaptive(3, rng=0),
    dl.QuasiBayes(3, 3.0, rng=0, restart_every=10, kernel="gaussian", scale=0.3),
    dl.QuasiBayes(1, 3.0, rng=0, n_chains=2),
    dl.QuasiBayes(2, 3.0, rng=0, sampler="paper-symmetric"),
    dl.QuasiBayes(2, 3.0, rng=0, max_history=20),
):
    for z in rng.normal(size=(25, p.dim)):
        p.learn_one(z)
    law = p.predict()
    law.sample(10, rng=0)
    law.pdf(np.zeros((1, p.dim)))
    law.marginal(0).interval(0.9)
    dl.sliced_w1(law, law)
dl.QuasiBayes(2, 3.0, rng=0, n_iterations=20).learn_many(rng.normal(size=(4200, 2)))
from driftlaw.live import summarise
summarise(dl.law.MixtureLaw([1.0], [0.0], [1.0]), np.zeros(1), np.array([0.1, 0.9]))
"""
AHEAD = """
from driftlaw.live.ahead import KINDS, try_kind
for kind in KINDS:
    try_kind(kind)
"""
TELL = """
import gc
from numba.core.registry import CPUDispatcher
for kernel in gc.get_objects():
    if isinstance(kernel, CPUDispatcher) and kernel.py_func.__module__.startswith("driftlaw"):
        for signature in kernel.overloads:
            print(kernel.py_func.__module__, kernel.py_func.__qualname__, signature)
"""


def compiled_by(code: str) -> set[str]:
    """Return every kernel that Python calls, with the types that it was compiled for."""
    command = [sys.executable, "-c", code + TELL]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines())


def test_afterwards_nothing_is_left_to_compile() -> None:
    ahead = compiled_by(AHEAD)
    needed = compiled_by(HABITS)
    assert len(needed) > 10
    assert needed <= ahead


def test_the_command_tells_what_is_ready() -> None:
    result = CliRunner().invoke(app, ["compile", "quasibayes", "quasibayes", "--no-progress"])
    assert result.exit_code == 0, result.output
    assert re.fullmatch(r"\s*Ready in \d+ s: quasibayes\.\nKept in .+\n", result.stdout)
    assert Path(result.stdout.split()[-1]) == Path(os.environ["NUMBA_CACHE_DIR"])


def test_ctrl_c_stops_the_compiler_too(tmp_path: Path) -> None:
    # whoever runs the tests in the background has switched off interrupts for their processes
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    command = [sys.executable, "-c", heard + "from driftlaw.cli import app; app()", "compile"]
    with subprocess.Popen(
        [*command, "quasibayes-paper", "quasibayes", "--workers", "1", "--no-progress"],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        while not compilers(tmp_path):
            assert process.poll() is None
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err.strip()) == (130, "Stopped.")
    assert not out.strip()
    assert not compilers(tmp_path)


def compilers(cache: Path) -> list[str]:
    """Processes that compile into this cache."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_ours = str(cache).encode() in (folder / "environ").read_bytes()
            if is_ours and b"try_kind" in (folder / "cmdline").read_bytes():
                found.append(folder.name)
        except OSError:  # it has ended, or is another's
            continue
    return found


@pytest.mark.parametrize("kinds", [[], ["adaptive", "river"]])
def test_unknown_kinds_are_named(kinds: list[str]) -> None:
    with pytest.raises(InputError, match=r"kinds must be among adaptive.*got (none|'river')$"):
        compile_ahead(kinds)


def test_workers_are_counted_from_one() -> None:
    result = CliRunner().invoke(app, ["compile", "adaptive", "--workers", "0"])
    assert result.exit_code == 2
    assert "workers must be" in result.output
