"""How often the intervals of `Adaptive` hold the next return, on whole recorded series.

Run ``python -m benchmarks.calibration FOLDER``, the folder being that of the daily prices; it
prints a Markdown table. Every return after the first 250 counts, each coordinate by its marginal.
± is the standard error over blocks of 250 returns; *each* is the range over the coordinates.
"""

import argparse
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.real import series
from driftlaw import Adaptive
from driftlaw._validate import Array

_NAMES = ("spy_close", "spy_ohlcv", "etf5")
_FIRST, _BLOCK = 250, 250
_TAILS = (0.1, 0.05, 0.01)  # of the intervals of 80, 90 and 98 %


def levels(points: Array) -> Array:
    """Probabilities (n, d) of less than each coordinate, told before it; NaN for the first."""
    p, found = Adaptive(points.shape[1]), np.full(points.shape, np.nan)
    for t, z in enumerate(points):
        if t >= _FIRST:
            law = p.predict()
            found[t] = [float(np.ravel(law.marginal(i).cdf([z[[i]]]))[0]) for i in range(len(z))]
        p.learn_one(z)
    return found[_FIRST:]


def _share(is_in: NDArray[np.bool_]) -> str:
    blocks = [block.mean() for block in np.array_split(is_in, len(is_in) // _BLOCK)]
    return f"{100 * is_in.mean():.1f} ± {100 * np.std(blocks, ddof=1) / len(blocks) ** 0.5:.1f}"


def row(name: str, found: Array) -> str:
    """Return one row of the table."""
    cells = [name, str(len(found))]
    cells += [_share((found >= tail) & (found <= 1.0 - tail)) for tail in _TAILS]
    each = ((found >= _TAILS[1]) & (found <= 1.0 - _TAILS[1])).mean(axis=0)
    cells.append(f"{100 * each.min():.1f} to {100 * each.max():.1f}" if len(each) > 1 else "–")
    cells += [_share(found < _TAILS[1]), _share(found > 1.0 - _TAILS[1])]
    return "| " + " | ".join(cells) + " |"


def _judge(name: str, folder: Path) -> Array:
    return levels(series(name, folder))


def main(given: Sequence[str] | None = None) -> None:
    """Print the table, a row as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibration", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the CSV files lie")
    folder = parser.parse_args(given).folder
    print("| returns | number | 80 % hold | 90 % hold | 98 % hold | 90 %, each | below | above |")
    print("|---" * 8 + "|")
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        results = pool.map(partial(_judge, folder=folder), _NAMES)
        for name, found in zip(_NAMES, results, strict=True):
            print(row(name, found), flush=True)


if __name__ == "__main__":
    main()
