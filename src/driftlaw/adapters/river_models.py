"""River's doors: an anomaly detector and a regressor on top of any predictor."""

from typing import Any

import numpy as np

from driftlaw._validate import Array, require
from driftlaw.law import PredictiveLaw
from driftlaw.live import make_predictor
from driftlaw.live.record import line_of, sides

_base = require("river.base", "river")  # an extra: for mypy its classes are of no type


class LawAnomaly(_base.AnomalyDetector):  # type: ignore[misc, name-defined]
    """Anomaly detector: how far out a row lies under the law predicted for it.

    The score is one minus the two-sided tail probability, over all features (Bonferroni), in
    [0, 1]. Features are those of the first row that is learnt; later ones are ignored, and one
    that is absent counts as its own predicted median. A value that is not finite is scored 1.

    Parameters
    ----------
    predictor : str
        A name of `driftlaw.live.PREDICTORS`.
    seed : int

    Examples
    --------
    >>> detector = LawAnomaly(predictor="ewma")
    >>> for value in (1.0, 1.1, 0.9, 1.0, 1.05):
    ...     detector.learn_one({"x": value})
    >>> detector.score_one({"x": 1.0}) < 0.9 < detector.score_one({"x": 9.0})
    True
    """

    def __init__(self, predictor: str = "adaptive", seed: int = 0) -> None:
        self.predictor = predictor
        self.seed = seed
        self._names: tuple[str, ...] = ()
        self._model: Any = None

    def learn_one(self, x: dict[Any, float]) -> None:
        """Learn one row; one without features says nothing."""
        if not x:
            return
        if self._model is None:
            self._names = tuple(sorted(x, key=str))
            self._model = make_predictor(self.predictor, len(self._names), {}, self.seed)
        self._model.learn_one(self._point(x))

    def score_one(self, x: dict[Any, float]) -> float:
        """Score one row, 0 for nothing unusual to 1; 0 before anything was learnt."""
        if self._model is None:
            return 0.0
        law = self._model.predict()
        tails = [_tail(law.marginal(i), x[name]) for i, name in enumerate(self._names) if name in x]
        return 1.0 - min(1.0, len(tails) * min(tails)) if tails else 0.0

    def predict_law(self) -> PredictiveLaw:
        """Return the law of the next row, features in sorted order."""
        law: PredictiveLaw = self._model.predict()
        return law

    def _point(self, x: dict[Any, float]) -> Array:
        if all(name in x for name in self._names):
            return np.array([float(x[name]) for name in self._names])
        medians = self._model.predict().quantile(0.5)
        return np.array([float(x.get(n, m)) for n, m in zip(self._names, medians, strict=True)])

    @classmethod
    def _unit_test_params(cls) -> Any:
        yield {"predictor": "ewma"}
        yield {"predictor": "adaptive"}


class LawRegressor(_base.Regressor):  # type: ignore[misc, name-defined]
    """Regressor that predicts the target from its own past; the features are ignored.

    It brings the law of the target into River's pipelines and metrics, as the baseline that a
    model with features should beat.

    Parameters
    ----------
    predictor : str
        A name of `driftlaw.live.PREDICTORS`.
    seed : int

    Examples
    --------
    >>> model = LawRegressor(predictor="ewma")
    >>> for y in (2.0, 2.0, 2.0):
    ...     model.learn_one({}, y)
    >>> round(model.predict_one({}), 6)
    2.0
    """

    def __init__(self, predictor: str = "adaptive", seed: int = 0) -> None:
        self.predictor = predictor
        self.seed = seed
        self._model = make_predictor(predictor, 1, {}, seed)

    def learn_one(self, x: dict[Any, Any], y: float) -> None:
        """Learn one target."""
        self._model.learn_one([float(y)])

    def predict_one(self, x: dict[Any, Any]) -> float:
        """Predict the mean of the next target."""
        return float(self._model.predict().mean()[0])

    def predict_law(self) -> PredictiveLaw:
        """Return the law of the next target."""
        law: PredictiveLaw = self._model.predict()
        return law

    @classmethod
    def _unit_test_params(cls) -> Any:
        yield {"predictor": "ewma"}
        yield {"predictor": "adaptive"}


def _tail(law: PredictiveLaw, value: float) -> float:
    """Two-sided tail probability of a value under a law of dim 1."""
    if not np.isfinite(value):
        return 0.0
    return 2.0 * min(sides(line_of(law), float(value)))
