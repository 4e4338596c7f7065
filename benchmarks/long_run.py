"""`driftlaw run` on a long file: memory as it grows, and time beside a plain loop on the same rows.

Run ``python -m benchmarks.long_run [N_ROWS] [PREDICTOR]``; it prints a Markdown table, one row for
each tenth of the file. After every 500 rows the run stands still while a loop over the library
(predict, summarise, learn) takes the same rows, so that a busy moment of the machine hurts both.
"""

import sys
import tempfile
from pathlib import Path
from time import process_time

import numpy as np
import psutil

from driftlaw._validate import Array
from driftlaw.live import (
    Outcome,
    RunSettings,
    Target,
    make_predictor,
    run_stream,
    summarise,
    warm_up,
)
from driftlaw.live.record import record_levels
from driftlaw.tables import TableSpec

_TENTHS, _BATCH = 10, 500


def stream(n: int) -> Array:
    """Drift, jumps every 500 values or so, two groups and gross outliers."""
    rng = np.random.default_rng(0)
    level = np.cumsum(8.0 * rng.normal(size=n) * (rng.random(n) < 1 / 500))
    values = rng.normal(size=n) + level + 4.0 * (rng.random(n) < 0.4)
    values[rng.random(n) < 0.01] += 50.0
    return np.asarray(values)


class Watch:
    """Times the run and the loop in turn, and prints a row for each tenth."""

    def __init__(self, values: Array, settings: RunSettings) -> None:
        self._values, self._levels = values, record_levels(settings)
        self._reference = make_predictor(settings.predictor, 1, settings.options)
        self._part = len(values) // _TENTHS
        self._spent = np.zeros(2)  # seconds of the run, of the loop
        self._since = process_time()

    def on_row(self, done: int) -> None:
        """Take the clock, and the loop's turn after each batch."""
        if done % _BATCH:
            return
        self._spent[0] += process_time() - self._since
        begin = process_time()
        for value in self._values[done - _BATCH : done]:
            summarise(self._reference.predict(), np.array([value]), self._levels)
            self._reference.learn_one(value)
        self._spent[1] += process_time() - begin
        if done % self._part < _BATCH:
            self._print(done)
        self._since = process_time()

    def _print(self, done: int) -> None:
        ours, loop = 1e3 * self._spent / self._part
        memory = psutil.Process().memory_info().rss / 2**20
        row = f"| {done} | {memory:.1f} | {ours:.2f} | {loop:.2f} | {ours / loop:.2f} |"
        print(row, flush=True)
        self._spent[:] = 0.0


def run(values: Array, settings: RunSettings, folder: Path) -> Outcome:
    """Run the values as a file through `driftlaw.live.run_stream`, with a checkpoint."""
    path = folder / "in.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("x\n")
        file.writelines(f"{value!r}\n" for value in values.tolist())
    target = Target(output=str(folder / "out.csv"), checkpoint=str(folder / "state"))
    watch = Watch(values, settings)
    return run_stream(TableSpec(path=str(path)), settings, target, on_row=watch.on_row)


def main(n: int, predictor: str) -> None:
    """Print the table."""
    settings = RunSettings(predictor=predictor)
    warm_up(predictor, 1, {})
    print("| rows | memory, MB | ms per row, run | ms per row, loop | ratio |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        outcome = run(stream(n), settings, Path(folder))
    print(f"\n{outcome.sketch.n} rows, {outcome.sketch.n_alarms} alarms")


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 100_000,
        sys.argv[2] if len(sys.argv) > 2 else "adaptive",
    )
