"""Compiling ahead of time: every kind of predictor is tried out, so that its kernels are cached."""

import gc
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any

import numpy as np

from driftlaw._validate import check_count
from driftlaw.errors import InputError
from driftlaw.law import sliced_w1
from driftlaw.live.predictors import warm_up
from driftlaw.predictor import Adaptive, QuasiBayes

_FEW, _MANY = 30, 5000  # observations; with many a window on the line is a long one


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
    law.sample(2, rng=0)
    law.logpdf(Z[:1])
    law.marginal(0).quantile(0.5)
    sliced_w1(law, law)


def compile_ahead(kinds: Sequence[str] = KINDS, *, n_workers: int = 1) -> Iterator[str]:
    """Compile what predictors of these kinds need into the cache; yield each kind that is done.

    Every kind is compiled in a process of its own, so many at a time as there are workers. What
    is in the cache already is only loaded.

    Parameters
    ----------
    kinds : some of `KINDS`
    n_workers : processes at a time
    """
    unknown = [kind for kind in kinds if kind not in _TRIALS]
    if unknown or not kinds:
        got = ", ".join(unknown) or "none"
        raise InputError(f"kinds must be among {', '.join(KINDS)}, got {got}")
    check_count("workers", n_workers)
    return _compile(kinds, n_workers)


def _compile(kinds: Sequence[str], n_workers: int) -> Iterator[str]:
    with ProcessPoolExecutor(n_workers, mp_context=get_context("spawn")) as pool:
        done = {pool.submit(_try_kind, kind): kind for kind in KINDS if kind in kinds}
        for future in as_completed(done):
            future.result()
            yield done[future]


def _try_kind(kind: str) -> None:
    gc.disable()  # the process is short, and the compiler's objects live as long as it does
    _TRIALS[kind]()
