"""Run by the tests of resuming: children that are killed at a moment, and taken up again.

Arguments: the folder, «file» or «pipe», the output's name, and the number of rounds. Prints how
many children were killed before one came to its end.
"""

import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from driftlaw.live import RunSettings, Target, run_stream
from driftlaw.tables import Recorder, TableSpec


def _work(folder: Path, kind: str, output: str) -> None:
    if kind == "pipe":
        os.dup2(os.open(folder / "in.csv", os.O_RDONLY), 0)
    spec = TableSpec(path="-" if kind == "pipe" else str(folder / "in.csv"))
    settings = RunSettings(predictor="ewma", transform="diff", missing="hold-last")
    target = Target(output=str(folder / output), checkpoint=str(folder / "state"), every="7")
    run_stream(spec, settings, target)


def _die_at(moment: int) -> None:
    """Kill this process at the n-th write, flush to disk or rename, before or after it."""
    count = 0

    def deadly(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            if count == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            result = function(*arguments, **options)
            count += 1
            if count == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return call

    os.fsync = deadly(os.fsync)
    Path.replace = deadly(Path.replace)  # type: ignore[method-assign]
    Recorder.write = deadly(Recorder.write)  # type: ignore[method-assign]


def _seconds_elsewhere() -> float:
    """Run to the end elsewhere; the time that it takes."""
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copy(Path(sys.argv[1]) / "in.csv", scratch)
        start = time.perf_counter()
        _work(Path(scratch), "file", sys.argv[3])
        return time.perf_counter() - start


def _child(moment: int | None) -> int:
    folder, kind, output = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    pid = os.fork()
    if pid == 0:
        if moment is not None:
            _die_at(moment)
        _work(folder, kind, output)
        os._exit(0)
    return pid


def main() -> None:
    """Kill every child but the last; the last one must come to its end."""
    seconds = min(_seconds_elsewhere() for _ in range(4))  # the first one imports
    rounds, n_killed = int(sys.argv[4]), 0
    chance = random.Random(rounds)
    for round_number in range(rounds):
        by_clock = round_number % 3 == 2
        pid = _child(None if by_clock else chance.randint(1, 40))
        if by_clock:
            time.sleep(chance.uniform(0.03, 0.12) * seconds)
            os.kill(pid, signal.SIGKILL)
        status = os.waitpid(pid, 0)[1]
        n_killed += os.WIFSIGNALED(status)
        if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
            sys.exit(f"round {round_number} failed")
    sys.stdout.write(f"{n_killed}\n")
    sys.stdout.flush()
    if os.waitpid(_child(None), 0)[1]:
        sys.exit("the last round failed")


if __name__ == "__main__":
    main()
