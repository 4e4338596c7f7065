"""Whom `Adaptive` meets in the contest: the package's peers, and on returns what is used there.

A rival is made for a dimension. Windows, half-lives and hazards cover what one would try; the best
of them is chosen after the result is seen, which favours them.
"""

from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

import numpy as np

from driftlaw import Adaptive
from driftlaw._validate import Array
from driftlaw.law import MixtureLaw, PredictiveLaw, SampleLaw
from driftlaw.peers import BOCPD, EWMA, GARCH, KDE, RollingWindow, WindowMixture

OURS = "ours"
WINDOW = "roll"

_SIZES = (10, 20, 40, 80, 160, 320, 640)
_KERNEL_SIZES = (40, 160)
_HALF_LIVES = (5, 10, 20, 40, 80, 160, 320)
_RUNS = (50, 250)
_DECAY = 0.94
_N_RESIDUALS, _FIRST_RESIDUAL = 500, 20


class Predictor(Protocol):
    """What every rival is."""

    def predict(self) -> PredictiveLaw:
        """Return the law of the next observation."""

    def learn_one(self, z: Array) -> Any:
        """Take in one observation (dim,)."""


class RiskMetrics:
    """Normal law of mean zero; its covariance is a mean of outer products with decay 0.94."""

    def __init__(self, dim: int) -> None:
        self._mass, self._second = 0.0, np.zeros((dim, dim))

    def predict(self) -> MixtureLaw:
        """Return the law; a standard normal one before any observation."""
        dim = len(self._second)
        if self._mass == 0.0:
            return MixtureLaw([1.0], np.zeros((1, dim)), [1.0])
        cov = self._second / self._mass
        floor = max(1e-12 * float(np.trace(cov)), 1e-300)
        factor = np.linalg.cholesky(cov + floor * np.eye(dim))
        return MixtureLaw([1.0], np.zeros((1, dim)), factor[:, 0] if dim == 1 else factor[None])

    def learn_one(self, z: Array) -> None:
        """Take in one observation (dim,)."""
        self._mass = _DECAY * self._mass + 1.0
        self._second = _DECAY * self._second + np.outer(z, z)


class FilteredHistory:
    """Past rows of residuals, scaled by a GARCH forecast of each coordinate."""

    def __init__(self, dim: int) -> None:
        self._forecasts = [GARCH(1) for _ in range(dim)]
        self._residuals: deque[Array] = deque(maxlen=_N_RESIDUALS)
        self._t = 0

    def predict(self) -> PredictiveLaw:
        """Return the law; before the first residual that of a point where the forecast is."""
        center, scale = self._forecast()
        rows = np.array(self._residuals) if self._residuals else np.zeros((1, len(center)))
        return SampleLaw(center + scale * rows)

    def learn_one(self, z: Array) -> None:
        """Take in one observation (dim,)."""
        center, scale = self._forecast()
        if self._t >= _FIRST_RESIDUAL:
            self._residuals.append((z - center) / scale)
        for forecast, value in zip(self._forecasts, z, strict=True):
            forecast.learn_one(value)
        self._t += 1

    def _forecast(self) -> tuple[Array, Array]:
        laws = [forecast.predict() for forecast in self._forecasts]
        return (
            np.array([law.mean()[0] for law in laws]),
            np.array([np.sqrt(law.cov()[0, 0]) for law in laws]),
        )


Rivals = Mapping[str, Callable[[int], Predictor]]


def rivals(dim: int, *, is_returns: bool = False, with_mixtures: bool = False) -> Rivals:
    """Return ours and all that meet it in this dimension, by name."""
    made: dict[str, Callable[[int], Predictor]] = {OURS: Adaptive}
    made |= {f"{WINDOW}{size}": partial(RollingWindow, size=size) for size in _SIZES}
    made |= {f"kde{size}": partial(KDE, size=size) for size in _KERNEL_SIZES}
    made |= {f"ewma{life}": partial(EWMA, half_life=float(life)) for life in _HALF_LIVES}
    made |= {f"bocpd{run}": partial(BOCPD, hazard=1.0 / run) for run in _RUNS}
    if is_returns:
        made |= {"riskmetrics": RiskMetrics, "garch_fhs": FilteredHistory}
    if is_returns and dim == 1:
        made["garch_t"] = GARCH
    if with_mixtures:
        made |= {f"gmm{size}": partial(WindowMixture, size=size) for size in (50, 100, 200)}
    return made
