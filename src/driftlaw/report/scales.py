"""What the charts of a run show: the range of the values, and the density predicted on it."""

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from driftlaw._validate import Array
from driftlaw.live.sketch import LEVELS
from driftlaw.report.page import pack, pack_shades

_N_HEAT, _N_GRID = 720, 90
_TELLING, _EARLY = 5, 60  # laws before which nothing is known, and before which they are wide
_NINE_TENTHS, _HALF = (np.flatnonzero(np.isin(LEVELS, q)) for q in ((0.05, 0.95), (0.25, 0.75)))
_HELD = 9  # values, of whose running median five in a row decide
_FAR, _ROOM = 5.0, 0.08  # what charts leave out, and leave free, in what is usually spanned


def usual_range(x: Array, quantiles: Array) -> Array:
    """Range (2,) that a chart of values (n,) and predicted quantiles (n, levels) shows.

    All of them but those far from wherever values usually are, have stayed for a while, or are
    expected now: a reading of 30000 among latencies of 20 would leave a flat line. Far is five
    times the middle nine tenths, and more than what is between all those places.
    """
    shown = np.concatenate((x, quantiles[_EARLY:, _NINE_TENTHS].ravel()))
    usual = np.quantile(shown, (0.05, 0.95))
    stayed = np.median(sliding_window_view(x, min(_HELD, len(x))), axis=1)
    places = np.concatenate((usual, stayed, _expected(quantiles[_TELLING:])))
    low, high = places.min(), places.max()
    if high > low:
        reach = max(_FAR * (usual[1] - usual[0]), high - low)
        shown = shown[(shown >= low - reach) & (shown <= high + reach)]
    low, high = min(low, shown.min()), max(high, shown.max())
    room = _ROOM * (high - low) or 1.0
    return np.array([low - room, high + room])


def _expected(quantiles: Array) -> Array:
    """Where the latest laws agree: tails may be thrown far for some steps, middles hardly."""
    if not len(quantiles):
        return np.empty(0)
    tails, middles = quantiles[-21:, _NINE_TENTHS], quantiles[-5:, _HALF]
    return np.concatenate((np.median(tails, axis=0), np.median(middles, axis=0)))


def heat(quantiles: Array, limits: Array) -> dict[str, Any]:
    """Predicted density on a grid, from quantiles (n, levels), in [0, 1]."""
    chosen = np.unique(np.linspace(0, len(quantiles) - 1, min(_N_HEAT, len(quantiles))).astype(int))
    grid = np.linspace(limits[0], limits[1], _N_GRID + 1)
    levels = np.concatenate(([0.0], LEVELS, [1.0]))
    density = np.empty((_N_GRID, len(chosen)))
    for column, row in enumerate(quantiles[chosen]):
        ends = row[0] - 3 * (row[1] - row[0]), row[-1] + 3 * (row[-1] - row[-2])
        nodes = np.maximum.accumulate(np.concatenate(([ends[0]], row, [ends[1]])))
        density[:, column] = np.diff(np.interp(grid, nodes, levels))
    top = np.quantile(density, 0.995) or 1.0
    shade = np.sqrt(np.clip(density / top, 0.0, 1.0))
    return {
        "rows": chosen.tolist(),
        "grid": pack((grid[:-1] + grid[1:]) / 2),
        "density": pack_shades(shade),
    }
