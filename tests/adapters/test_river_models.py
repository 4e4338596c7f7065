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


class Stream:
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


def use_streams(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    """Let River's checks take our rows: its own are fetched from a server."""

    def streams(_model: Any, scale: int = 1) -> Iterator[Stream]:
        yield Stream(n * min(scale, 3))

    monkeypatch.setattr(checks, "_yield_datasets", streams)


# `adaptive` on fewer rows here; python -m benchmarks.conformance takes all of them
@pytest.mark.parametrize(("predictor", "n"), [("ewma", 60), ("kde", 60), ("adaptive", 41)])
def test_detector_passes_rivers_checks(
    predictor: str, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_streams(monkeypatch, n)
    model = LawAnomaly(predictor=predictor)
    assert sum(1 for _ in checks.yield_checks(model)) > 20
    checks.check_estimator(model)


def test_regressor_passes_rivers_checks() -> None:
    checks.check_estimator(LawRegressor(predictor="ewma"))


def test_adaptive_regressor_passes_rivers_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    use_streams(monkeypatch, 30)
    checks.check_estimator(LawRegressor())


def test_adaptive_detects_and_predicts_in_rivers_loop() -> None:
    detector, auc = LawAnomaly(), metrics.ROCAUC()
    for x, y in Stream(160):
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
    for x, _ in Stream(60):
        detector.learn_one(x)
    before = detector.predict_law().quantile(0.5)
    assert detector.score_one({"c": 1e9}) == 0.0
    assert detector.score_one({"a": float(before[0]), "c": 1e9}) == pytest.approx(0.0, abs=1e-6)
    detector.learn_one({"a": 0.0})
    assert abs(detector.predict_law().quantile(0.5)[1] - before[1]) < 1e-9


@pytest.mark.parametrize("predictor", ["adaptive", "ewma", "window"])
def test_scores_of_what_lies_out_of_all_bounds(predictor: str) -> None:
    detector = LawAnomaly(predictor=predictor)
    for x, _ in Stream(30):
        detector.learn_one(x)
    for value in (np.inf, -np.inf, np.nan):
        assert detector.score_one({"a": value, "b": 0.0}) == 1.0
    for value in (0.0, 3.0, 1e9, -1e30, 1e99, 1e300):
        assert 0.0 <= detector.score_one({"a": value}) <= 1.0
    assert detector.score_one({"a": 1e99}) == pytest.approx(1.0)
