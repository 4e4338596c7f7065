"""Compiling ahead of time: every kind of predictor is tried out, so that its kernels are cached."""

import gc
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from driftlaw._jit import cache_folder
from driftlaw._validate import check_count
from driftlaw.errors import InputError
from driftlaw.inference.engine import advance_inplace
from driftlaw.law import sliced_w1
from driftlaw.live.predictors import warm_up
from driftlaw.predictor import Adaptive, QuasiBayes

_FEW, _MANY = 30, 5000  # observations; with many a window on the line is a long one
_PAUSE = 0.05  # seconds between two looks at the processes


def _try_adaptive() -> None:
    for dim in (1, 2):
        warm_up("adaptive", dim, {})
        _try_out(Adaptive(dim, rng=0), _FEW)


def _try_short() -> None:
    for dim in (1, 2):
        _try_out(_quasi_bayes(dim), _FEW)
    _try_out(_quasi_bayes(1, kernel="adaptive", weights="occupancy", restart="adaptive"), _FEW)


def _try_long() -> None:
    _try_out(_quasi_bayes(1), _MANY)


def _try_bounded() -> None:
    _try_out(_quasi_bayes(1, max_history=16), _FEW)


def _try_paper() -> None:
    _try_out(_quasi_bayes(1, sampler="paper"), _FEW)


# Longest first: what comes last is what all others wait for.
_TRIALS: dict[str, Callable[[], None]] = {
    "adaptive": _try_adaptive,
    "quasibayes-long": _try_long,
    "quasibayes": _try_short,
    "quasibayes-bounded": _try_bounded,
    "quasibayes-paper": _try_paper,
}
KINDS = tuple(_TRIALS)


def _quasi_bayes(dim: int, **settings: Any) -> QuasiBayes:
    return QuasiBayes(dim, radius=3.0, n_iterations=20, rng=0, **settings)


def _try_out(predictor: Any, n: int) -> None:
    """Learn, predict, and ask the law what people ask."""
    Z = np.random.default_rng(0).normal(size=(n, predictor.dim))
    predictor.learn_many(Z)
    predictor.learn_one(Z[0])
    law = predictor.predict()
    law.logpdf(Z[:1])
    law.marginal(0).quantile(0.5)
    sliced_w1(law, law)
    sliced_w1(law.sample(2, rng=0), Z[:3])


def try_kind(kind: str) -> None:
    """Use a kind of predictor once; for a process that does nothing else."""
    gc.disable()  # the compiler's objects live as long as the process, which is short
    _TRIALS[kind]()


def compile_ahead(kinds: Sequence[str] = KINDS, *, n_workers: int = 1) -> Iterator[str]:
    """Compile what predictors of these kinds need into the cache; yield each kind that is done.

    Every kind is compiled in a process of its own, so many at a time as there are workers; they
    start with the first ``next`` and end with the iterator. What is in the cache already is only
    loaded.

    Parameters
    ----------
    kinds : some of `KINDS`
    n_workers : processes at a time
    """
    unknown = [kind for kind in kinds if kind not in _TRIALS]
    if unknown or not kinds:
        got = ", ".join(map(repr, unknown)) or "none"
        raise InputError(f"kinds must be among {', '.join(KINDS)}, got {got}")
    if kept_in() is None:
        raise InputError("NUMBA_CACHE_DIR must name a folder that may be written: no other may")
    return _compile([kind for kind in KINDS if kind in kinds], check_count("workers", n_workers))


def kept_in() -> Path | None:
    """Folder of what is compiled, or of most of it; None where no folder may be written."""
    return cache_folder(advance_inplace)


def _compile(waiting: list[str], n_workers: int) -> Iterator[str]:
    running: dict[str, subprocess.Popen[str]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < n_workers:
                kind = waiting.pop(0)
                running[kind] = _start(kind)
            time.sleep(_PAUSE)
            for done in [kind for kind, process in running.items() if process.poll() is not None]:
                _finish(done, running.pop(done))
                yield done
    finally:
        for process in running.values():
            process.kill()
            process.communicate()


def _start(kind: str) -> subprocess.Popen[str]:
    """Compile in a session of its own, where Ctrl-C does not reach it: that is for us to tell."""
    code = f"from driftlaw.live.ahead import try_kind; try_kind({kind!r})"
    command = [sys.executable, "-c", code]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)


def _finish(kind: str, process: subprocess.Popen[str]) -> None:
    _, complaint = process.communicate()
    if process.returncode:
        raise RuntimeError(f"{kind} could not be compiled:\n{complaint.strip()}")
