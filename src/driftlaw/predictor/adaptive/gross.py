"""Gross readings: among the first observations, and in windows.

A sensor that starts with -9999, or a feed that sends 1e12 once, says nothing of the stream's units.
Later on the running scatter bounds what one observation does to it; the first ones make it.
"""

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import Array
from driftlaw.predictor.adaptive.model import WORLD_COV, WORLD_MEAN
from driftlaw.predictor.adaptive.state import Store
from driftlaw.predictor.adaptive.world import factorise_world_inplace

LOOKED_BACK = (5, 10, 20)  # observations after which gross ones among them are left out
_GROSS = 100.0  # deviations beyond which a reading is nothing that the stream does …
_MOST_KEPT = 0.05  # … if it is one of few: of all that are kept, and of the latest
_LATEST = 20
_DEVIATION = 1.4826  # of a normal law, in medians of the distances to its median
_MOST = 0.2  # share of the first observations that may be gross


def begin_again_inplace(x: Store, points: Array) -> None:
    """Mean and scatter of the first points (n, d) without gross ones, where these are few."""
    gaps = np.abs(points - np.median(points, axis=0))
    most = _GROSS * _DEVIATION * np.median(gaps, axis=0)
    kept = points[~((gaps > most) & (most > 0.0)).any(axis=1)]
    if (1.0 - _MOST) * len(points) <= len(kept) < len(points):
        x.lines[WORLD_MEAN] = kept.mean(axis=0)
        x.squares[WORLD_COV] = np.atleast_2d(np.cov(kept, rowvar=False, ddof=0))
        factorise_world_inplace(x)


def without_gross(x: Store, points: Array) -> NDArray[np.bool_]:
    """Say which of the points (n, d), oldest first, are not gross; all if many were, or of late."""
    most = _GROSS * np.sqrt(np.diagonal(x.squares[WORLD_COV]))
    is_gross = (np.abs(points - x.lines[WORLD_MEAN]) > most).any(axis=1)
    are_few = is_gross.mean() <= _MOST_KEPT and is_gross[-_LATEST:].mean() <= _MOST_KEPT
    return ~is_gross if are_few else np.ones(len(points), np.bool_)
