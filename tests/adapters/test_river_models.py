"""River's own conformance battery, and what the scores mean."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from river import checks
from river import metrics as river_metrics

from driftlaw.adapters import LawAnomaly, LawRegressor

metrics: Any = river_metrics  # without types of its own
Labelled = tuple[dict[str, float], bool]


class _Stream:
    """Two features that wander, one row in forty far out: what River's own file would offer."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self) -> Iterator[Labelled]:
        rng, level = np.random.default_rng(0), np.zeros(2)
        for t in range(self.n):
            level = level + rng.normal(0.0, 0.05, 2)
            is_odd = t % 40 == 39
            a, b = level + rng.normal(size=2) + 7.0 * is_odd
            yield {"a": float(a), "b": float(b)}, is_odd


@pytest.mark.parametrize("predictor", ["ewma", "kde"])
def test_detector_passes_rivers_checks(predictor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def streams(_model: Any, scale: int = 1) -> Iterator[_Stream]:
        yield _Stream(120 * min(scale, 3))

    monkeypatch.setattr(checks, "_yield_datasets", streams)  # River's own is fetched from a server
    model = LawAnomaly(predictor=predictor)
    n_checks = sum(1 for _ in checks.yield_checks(model))
    assert n_checks > 20
    checks.check_estimator(model)


def test_regressor_passes_rivers_checks() -> None:
    checks.check_estimator(LawRegressor(predictor="ewma"))


def test_adaptive_detects_and_predicts_in_rivers_loop() -> None:
    detector, auc = LawAnomaly(), metrics.ROCAUC()
    for x, y in _Stream(160):
        auc.update(y, detector.score_one(x))
        detector.learn_one(x)
    assert auc.get() > 0.9
    model, error = LawRegressor(), metrics.MAE()
    for t in range(80):
        target = 5.0 + 0.1 * t
        error.update(target, model.predict_one({}))
        model.learn_one({}, target)
    assert error.get() < 0.5
    assert model.predict_law().dim == 1


def test_absent_and_new_features() -> None:
    detector = LawAnomaly(predictor="ewma")
    assert detector.score_one({"a": 1.0}) == 0.0
    for x, _ in _Stream(60):
        detector.learn_one(x)
    before = detector.predict_law().quantile(0.5)
    assert detector.score_one({"c": 1e9}) == 0.0
    assert detector.score_one({"a": float(before[0]), "c": 1e9}) == pytest.approx(0.0, abs=1e-6)
    detector.learn_one({"a": 0.0})
    assert abs(detector.predict_law().quantile(0.5)[1] - before[1]) < 1e-9
