"""One update of the default sampler against C, and what the doors add to it.

An update is 200 iterations in two dimensions with at most four centres. Before every measurement
the chain is taken back to the same place with the same random numbers, so that both sides do the
same work, on the same arrays.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchmarks.report import Ratio
from benchmarks.workloads import (
    build_c_port,
    c_runner,
    compiler,
    kernel_runner,
    rewinder,
    sampler_at,
    two_groups,
)
from driftlaw import Constant, QuasiBayes

Compare = Callable[..., Ratio]

_N_ROUNDS, _ROUND_SECONDS = 300, 0.002


@pytest.mark.parametrize(("n", "times"), [(10, 20), (100, 15), (500, 8), (1000, 5)])
@pytest.mark.skipif(compiler() is None, reason="no C compiler on the path")
def test_update_against_c(n: int, times: int, compare: Compare, tmp_path: Path) -> None:
    state, target = sampler_at(n)
    runners = kernel_runner(state, target), c_runner(build_c_port(tmp_path), state, target)
    runners[0](1)
    rewind = rewinder(state)

    def ours() -> None:
        rewind()
        runners[0](times)

    def reference() -> None:
        rewind()
        runners[1](times)

    compare(
        f"{times} updates, window {n}",
        ours,
        reference,
        reference_name="C -O3 -march=native -ffast-math",
        at_most=1.3,
        n_rounds=_N_ROUNDS,
        round_seconds=_ROUND_SECONDS,
    )


def _predictor(n: int) -> QuasiBayes:
    predictor = QuasiBayes(dim=2, radius=5.0, schedule=Constant(0.1), restart_every=n, rng=0)
    predictor.learn_many(two_groups(n))
    return predictor


def _kernel_alone(predictor: QuasiBayes, batch: np.ndarray) -> Callable[[], None]:
    """Return the compiled loop over ``batch`` with all its arguments made in advance."""
    from driftlaw.inference.alone import alone
    from driftlaw.inference.engine import Memory, advance_inplace
    from driftlaw.inference.sizes import new_history
    from driftlaw.predictor.restart import plan_steps

    n, state = len(batch), predictor._state
    plan = plan_steps(predictor.config, predictor.n_seen, state.n_window, n)
    history = new_history(state.sizes, 1, n)
    memory = alone(Memory(state.window, state.chains, state.records))
    arguments = (batch[None], plan, state.sampler, predictor._target, memory, history)
    return lambda: advance_inplace(*arguments)


@pytest.mark.parametrize("n", [20, 100])
def test_learn_many_against_kernel(n: int, compare: Compare) -> None:
    predictor, batch = _predictor(n), two_groups(n)
    rewind = rewinder(predictor._state)
    kernel = _kernel_alone(predictor, batch)

    def ours() -> None:
        rewind()
        predictor.learn_many(batch)

    def reference() -> None:
        rewind()
        kernel()

    compare(
        f"learn_many, {n} observations",
        ours,
        reference,
        reference_name="kernel alone",
        at_most=1.2,
        n_rounds=_N_ROUNDS,
        round_seconds=_ROUND_SECONDS,
    )


def test_learn_one_against_learn_many(compare: Compare) -> None:
    """What crossing into compiled code for each observation costs."""
    predictor, batch = _predictor(20), two_groups(20)
    rewind = rewinder(predictor._state)

    def one_by_one() -> None:
        rewind()
        for z in batch:
            predictor.learn_one(z)

    def at_once() -> None:
        rewind()
        predictor.learn_many(batch)

    compare(
        "learn_one, 20 times",
        one_by_one,
        at_once,
        reference_name="learn_many of 20",
        n_rounds=_N_ROUNDS,
        round_seconds=_ROUND_SECONDS,
    )


@pytest.mark.parametrize("kernel", ["gibbs", "adaptive"])
def test_predict_against_learn_one(kernel: str, compare: Compare) -> None:
    predictor = QuasiBayes(dim=2, radius=5.0, schedule=Constant(0.1), kernel=kernel, rng=0)
    batch = two_groups(10)
    predictor.learn_many(batch)
    rewind = rewinder(predictor._state)

    def learn() -> None:
        rewind()
        predictor._state.window.n[0] = 9
        predictor.learn_one(batch[9])

    compare(
        f"predict, {kernel}",
        predictor.predict,
        learn,
        reference_name="learn_one, window 10",
        n_rounds=_N_ROUNDS,
        round_seconds=_ROUND_SECONDS,
    )


def _python(code: str) -> Callable[[], object]:
    return lambda: subprocess.run([sys.executable, "-c", code], check=True)


_NO_PLOTS = "import sys; assert not {'matplotlib', 'plotly'} & set(sys.modules)"
_FIRST_LAW = (
    "import driftlaw as d; p = d.QuasiBayes(1, 1.0, rng=0); p.learn_one([0.0]); p.predict()"
)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("import driftlaw", "import driftlaw"),
        ("import driftlaw.QuasiBayes", "from driftlaw import QuasiBayes"),
        ("start, learn and predict, warm cache", _FIRST_LAW),
    ],
)
def test_import_against_numpy(name: str, code: str, compare: Compare) -> None:
    compare(
        name,
        _python(f"{code}; {_NO_PLOTS}"),
        _python("import numpy"),
        reference_name="import numpy",
        n_rounds=7,
    )
