"""scikit-learn's door: a density estimator that learns rows in their order."""

from typing import Any

import numpy as np

from driftlaw._rng import as_generator
from driftlaw._validate import Array, require
from driftlaw.law import PredictiveLaw
from driftlaw.live import make_predictor

_base = require("sklearn.base", "sklearn")
_checks = require("sklearn.utils.validation", "sklearn")


class LawDensity(_base.DensityMixin, _base.BaseEstimator):  # type: ignore[misc, name-defined]
    """Density of the next row, learnt from rows in the order in which they come.

    Parameters
    ----------
    predictor : str
        A name of `driftlaw.live.PREDICTORS` whose law has a density (not ``window``).
    options : dict, optional
        Keyword arguments of the predictor.
    random_state : int, optional
        Seed of predictors that draw.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(5.0, 1.0, size=(50, 1))
    >>> model = LawDensity(predictor="ewma").fit(X)
    >>> model.score_samples([[5.0], [9.0]]).round(0)
    array([-1., -9.])
    """

    def __init__(
        self,
        predictor: str = "adaptive",
        options: dict[str, Any] | None = None,
        random_state: int | None = None,
    ) -> None:
        self.predictor = predictor
        self.options = options
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "LawDensity":
        """Learn the rows of X (n, d), forgetting all before."""
        rows = _checks.validate_data(self, X, dtype=np.float64)
        seed = 0 if self.random_state is None else self.random_state
        self.predictor_ = make_predictor(self.predictor, rows.shape[1], self.options or {}, seed)
        return self._learn(rows)

    def partial_fit(self, X: Any, y: Any = None) -> "LawDensity":
        """Learn the rows of X (n, d) after those before."""
        if not hasattr(self, "predictor_"):
            return self.fit(X)
        return self._learn(_checks.validate_data(self, X, dtype=np.float64, reset=False))

    def score_samples(self, X: Any) -> Array:
        """Log-density (n,) of the rows of X (n, d) under the law of the next row."""
        rows = self._rows(X)
        return np.asarray(self.predict_law().logpdf(rows))

    def score(self, X: Any, y: Any = None) -> float:
        """Sum of the log-densities of the rows of X."""
        return float(self.score_samples(X).sum())

    def sample(self, n_samples: int = 1, random_state: int | None = None) -> Array:
        """Draw rows (n, d) from the law of the next row."""
        _checks.check_is_fitted(self)
        return self.predict_law().sample(n_samples, as_generator(random_state))

    def predict_law(self) -> PredictiveLaw:
        """Return the law of the next row."""
        _checks.check_is_fitted(self)
        law: PredictiveLaw = self.predictor_.predict()
        return law

    def _learn(self, rows: Array) -> "LawDensity":
        for row in rows:
            self.predictor_.learn_one(row)
        return self

    def _rows(self, X: Any) -> Array:
        _checks.check_is_fitted(self)
        return np.asarray(_checks.validate_data(self, X, dtype=np.float64, reset=False))
