"""`driftlaw run` against a loop over the library that asks the same of every law."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.report import Ratio
from driftlaw import Adaptive
from driftlaw.live import RunSettings, Target, run_stream, summarise, warm_up
from driftlaw.live.record import record_levels
from driftlaw.tables import TableSpec

N = 300


def test_run_against_a_loop(compare: Callable[..., Ratio], tmp_path: Path) -> None:
    """Reading, checking, records, sketch and output may cost half of what the laws do."""
    values = np.random.default_rng(0).normal(size=N).cumsum()
    path = tmp_path / "in.csv"
    path.write_text("x\n" + "".join(f"{v}\n" for v in values))
    warm_up("adaptive", 1, {})
    levels = record_levels(RunSettings())

    def loop() -> None:
        predictor = Adaptive(1)
        for value in values:
            summarise(predictor.predict(), np.array([value]), levels)
            predictor.learn_one(value)

    def run() -> None:
        target = Target(output=str(tmp_path / "out.csv"))
        run_stream(TableSpec(path=str(path)), RunSettings(), target)

    compare(
        "driftlaw run, 300 rows",
        run,
        loop,
        reference_name="predict, summarise, learn in a loop",
        at_most=1.5,
        n_rounds=5,
    )
