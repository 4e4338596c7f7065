"""A million observations through one `QuasiBayes` that never forgets: time and memory.

Run ``python -m benchmarks.long_history [N_OBSERVATIONS] [MAX_HISTORY]``; it prints a Markdown
table. Two clusters in the plane, learnt in batches of 2000 with the default settings. *Arrays* is
what the predictor holds, *grown* how much resident memory has grown since all kernels were loaded,
both over the size of the data.
"""

import sys
from pathlib import Path
from time import process_time
from typing import Any

from benchmarks.workloads import separated
from driftlaw import QuasiBayes

_BATCH, _WARM = 2000, 10_000
_SHARES = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


def held_bytes(record: Any) -> int:
    """Bytes of all arrays of a record, and of the records in it."""
    return sum(held_bytes(own) if isinstance(own, tuple) else own.nbytes for own in record)


def resident_bytes() -> int:
    """Resident memory of this process."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    (line,) = (line for line in lines if line.startswith("VmRSS"))
    return 1024 * int(line.split()[1])


def main(n: int, max_history: int | None) -> None:
    """Print the table."""
    points = separated(n)
    settings: dict[str, Any] = {"dim": 2, "radius": 8.0, "max_history": max_history}
    QuasiBayes(rng=0, **settings).learn_many(points[:_WARM])  # compiled and loaded by now
    start, predictor = resident_bytes(), QuasiBayes(rng=1, **settings)
    print("| observations | µs per update | arrays over data | grown over data |")
    print("|---|---|---|---|")
    seen, begin = 0, process_time()
    for until in (int(share * n) for share in _SHARES):
        for a in range(seen, until, _BATCH):
            predictor.learn_many(points[a : min(a + _BATCH, until)])
        spent, state = process_time() - begin, predictor._state
        data = points[:until].nbytes
        arrays = held_bytes((state.window, state.chains, state.records)) / data
        grown = (resident_bytes() - start) / data
        print(f"| {until} | {1e6 * spent / (until - seen):.0f} | {arrays:.2f} | {grown:.2f} |")
        sys.stdout.flush()
        seen, begin = until, process_time()


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    main(given[0] if given else 1_000_000, given[1] if len(given) > 1 else None)
