"""Who takes part in a comparison, from the simplest to the most elaborate."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from driftlaw._validate import Array
from driftlaw.peers import BOCPD, EWMA, GARCH, KDE, RollingWindow, WindowMixture
from driftlaw.predictor import Adaptive, QuasiBayes
from driftlaw.schedules import Constant


class Contender(NamedTuple):
    """A predictor of the comparison.

    ``make(past, seed)`` builds it from the first observations (w, d), which it has yet to learn;
    all columns have been scaled to a spread of about one.
    """

    name: str
    description: str
    make: Callable[[Array, int], Any]
    is_for_one_column: bool = False


def _quasi_bayes(past: Array, seed: int) -> QuasiBayes:
    radius = max(2.0, float(np.linalg.norm(past, axis=1).max()))
    return QuasiBayes(
        past.shape[1],
        radius=radius,
        schedule=Constant(1.0),
        restart_every=100,
        kernel="adaptive",
        weights="occupancy",
        rng=seed,
    )


# In the order of simplicity: where nothing tells two apart, the earlier one is advised.
CONTENDERS = (
    Contender(
        "window 50", "the last 50 values as they are", lambda p, _: RollingWindow(p.shape[1], 50)
    ),
    Contender(
        "window 250", "the last 250 values as they are", lambda p, _: RollingWindow(p.shape[1], 250)
    ),
    Contender(
        "ewma", "one normal law, forgetting by half in 30 values", lambda p, _: EWMA(p.shape[1])
    ),
    Contender("kde", "kernel density of the last 100 values", lambda p, _: KDE(p.shape[1])),
    Contender(
        "mixture",
        "three normal laws fitted to the last 200 values, every 20",
        lambda p, _: WindowMixture(p.shape[1]),
    ),
    Contender(
        "garch",
        "Student-t law with GARCH(1, 1) variance, fitted every 100 values",
        lambda _p, _: GARCH(1),
        is_for_one_column=True,
    ),
    Contender("bocpd", "Bayesian change points, one in 100 values", lambda p, _: BOCPD(p.shape[1])),
    Contender("quasi-bayes", "the paper's predictor, restarted every 100 values", _quasi_bayes),
    Contender("adaptive", "driftlaw's own, nothing to tune", lambda p, _: Adaptive(p.shape[1])),
)
