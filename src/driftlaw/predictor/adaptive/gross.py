"""Gross readings: among the first observations, and in windows.

A sensor that starts with -9999, or a feed that sends 1e12 once, says nothing of the stream's units.
Later on the running scatter bounds what one observation does to it; the first ones make it.
"""

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import Array
from driftlaw.predictor.adaptive.model import DEVIATION, WORLD_COV, WORLD_MEAN
from driftlaw.predictor.adaptive.state import Store
from driftlaw.predictor.adaptive.world import factorise_world_inplace

LOOKED_BACK = (5, 10, 20)  # observations after which gross ones among them are left out
_GROSS = 100.0  # deviations beyond which a reading is nothing that the stream does …
_LONE = 2  # … if no more than so many of what is kept are such …
_SINGLE = 20  # … and one of the latest
_FEW = 5  # among the first, one of so many


def begin_again_inplace(x: Store, points: Array) -> int:
    """Mean and scatter of the first points (n, d) without gross ones, where these are few.

    Returns how many points have come since the last of those, n if there was none.
    """
    gaps = np.abs(points - np.median(points, axis=0))
    most = _GROSS * DEVIATION * np.median(gaps, axis=0)
    is_gross = np.asarray(((gaps > most) & (most > 0.0)).any(axis=1))
    if not 0 < is_gross.sum() <= min(len(points) // _FEW, _LONE):
        return len(points)
    kept = points[~is_gross]
    x.lines[WORLD_MEAN] = kept.mean(axis=0)
    x.squares[WORLD_COV] = np.atleast_2d(np.cov(kept, rowvar=False, ddof=0))
    factorise_world_inplace(x)
    return int(np.argmax(is_gross[::-1]))


def without_gross(x: Store, points: Array) -> NDArray[np.bool_]:
    """Say which of the points (n, d), oldest first, are no lone gross readings.

    What is far out and comes again, however seldom, is a part of the law.
    """
    most = _GROSS * np.sqrt(np.diagonal(x.squares[WORLD_COV]))
    is_gross = (np.abs(points - x.lines[WORLD_MEAN]) > most).any(axis=1)
    are_lone = is_gross.sum() <= _LONE and is_gross[-_SINGLE:].sum() <= 1
    return ~is_gross if are_lone else np.ones(len(points), np.bool_)
