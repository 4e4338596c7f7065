"""Predictors simple enough to be known: for tests of what surrounds a predictor."""

from collections import deque

import numpy as np

from driftlaw._validate import Array
from driftlaw.law import MixtureLaw, PredictiveLaw, SampleLaw
from driftlaw.streams import MixtureStream


class Window:
    """Empirical law of the last ``length`` observations; the origin before the first."""

    def __init__(self, dim: int, length: int) -> None:
        self._points: deque[Array] = deque([np.zeros(dim)], maxlen=length)
        self._n = 0

    def predict(self) -> PredictiveLaw:
        return SampleLaw(np.array(self._points))

    def learn_one(self, z: Array) -> int:
        if self._n == 0:
            self._points.clear()
        self._points.append(z)
        self._n += 1
        return self._n


class Oracle:
    """Knows the true law of every step."""

    def __init__(self, stream: MixtureStream) -> None:
        self._stream = stream
        self._t = 0

    def predict(self) -> PredictiveLaw:
        return self._stream.law_at(self._t)

    def learn_one(self, z: Array) -> None:
        self._t += 1


class Stubborn:
    """One normal law for ever."""

    def __init__(self, mean: Array, scale: float = 1.0) -> None:
        self._law = MixtureLaw([1.0], [mean], [scale])

    def predict(self) -> PredictiveLaw:
        return self._law

    def learn_one(self, z: Array) -> None:
        return None
