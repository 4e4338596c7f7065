"""An endless stream: time per update and memory of `Adaptive` over 10⁵ observations.

Run ``python -m benchmarks.endurance [N_OBSERVATIONS]``; it prints a Markdown table, one row for
each tenth of the stream. The stream drifts, jumps now and then and has gross outliers, so that
every part of the predictor is at work all the time.
"""

import resource
import sys
from time import process_time

import numpy as np

from driftlaw import Adaptive
from driftlaw._validate import Array

_TENTHS = 10


def stream(n: int, rng: np.random.Generator) -> Array:
    """Two drifting clusters (n, 2) with jumps every 500 observations or so and outliers."""
    level = np.cumsum(8.0 * rng.normal(size=n) * (rng.random(n) < 1 / 500))
    drift = 5.0 * np.sin(np.arange(n) / 300.0)
    blob = np.where(rng.random(n) < 0.4, 4.0, 0.0)
    points = rng.normal(size=(n, 2)) + (level + drift)[:, None] + blob[:, None]
    points[rng.random(n) < 0.01] += 50.0
    return np.asarray(points)


def main(n: int) -> None:
    """Print the table."""
    points, p = stream(n, np.random.default_rng(0)), Adaptive(2)
    p.learn_many(points[:200])  # compiled by now
    print("| observations | ms per update (processor time) | peak memory, MB |\n|---|---|---|")
    for part in np.array_split(points[200:], _TENTHS):
        begin = process_time()
        for batch in np.array_split(part, max(len(part) // 1000, 1)):
            p.learn_many(batch)
        spent = 1e3 * (process_time() - begin) / len(part)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"| {p.n_seen} | {spent:.3f} | {peak:.1f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
