"""An endless stream: time per update and memory of `Adaptive` over 10⁵ observations.

Run ``python -m benchmarks.endurance [N_OBSERVATIONS]``; it prints a Markdown table, one row for
each tenth of the stream: the time of an update beside that of a predictor that has seen little, on
the same observations. The stream drifts, jumps now and then and has gross outliers, so that
every part of the predictor is at work all the time.
"""

import resource
import sys
from time import process_time

import numpy as np

from driftlaw import Adaptive
from driftlaw._validate import Array

_TENTHS, _JUDGED, _ROUNDS = 10, 500, 10


def stream(n: int, rng: np.random.Generator) -> Array:
    """Two drifting clusters (n, 2) with jumps every 500 observations or so and outliers."""
    level = np.cumsum(8.0 * rng.normal(size=n) * (rng.random(n) < 1 / 500))
    drift = 5.0 * np.sin(np.arange(n) / 300.0)
    blob = np.where(rng.random(n) < 0.4, 4.0, 0.0)
    points = rng.normal(size=(n, 2)) + (level + drift)[:, None] + blob[:, None]
    points[rng.random(n) < 0.01] += 50.0
    return np.asarray(points)


def spent(p: Adaptive, points: Array) -> float:
    """Processor time per update in milliseconds."""
    begin = process_time()
    p.learn_many(points)
    return 1e3 * (process_time() - begin) / len(points)


def main(n: int) -> None:
    """Print the table."""
    points, old = stream(n, np.random.default_rng(0)), Adaptive(2)
    old.learn_many(points[:_JUDGED])  # compiled by now
    print("| observations | ms per update | of a young predictor | peak memory, MB |")
    print("|---|---|---|---|")
    for part in np.array_split(points[_JUDGED:], _TENTHS):
        old.learn_many(part[: -2 * _JUDGED])
        young = Adaptive(2)
        young.learn_many(part[-3 * _JUDGED : -2 * _JUDGED])
        # in turn, so that a busy moment of the machine hurts both
        rounds = np.array_split(part[-2 * _JUDGED :], _ROUNDS)
        times = np.array([(spent(old, batch), spent(young, batch)) for batch in rounds])
        ours, reference = np.median(times, axis=0)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"| {old.n_seen} | {ours:.3f} | {reference:.3f} | {peak:.1f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
