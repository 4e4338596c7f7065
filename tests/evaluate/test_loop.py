"""The loop: predict, judge, learn, in this order and nothing else."""

import itertools
from typing import Any

import numpy as np
import pytest

from driftlaw.corruption import paper_smooth
from driftlaw.errors import InputError
from driftlaw.evaluate import W1, Estimate, MeanError, Record, columns, prequential
from driftlaw.law import MixtureLaw, PredictiveLaw
from driftlaw.streams import Step, smooth_drift
from tests.memory_growth import kept_bytes
from tests.reference_predictors import Oracle, Stubborn, Window


class Spy:
    """Writes down what is done to it."""

    def __init__(self, diary: list[Any]) -> None:
        self.diary = diary

    def predict(self) -> PredictiveLaw:
        self.diary.append("predict")
        return MixtureLaw([1.0], [[0.0, 0.0]], [1.0])

    def learn_one(self, z: np.ndarray) -> str:
        self.diary.append(("learn", z))
        return f"learnt {len(self.diary)}"


def test_the_order_is_predict_judge_learn() -> None:
    diary: list[Any] = []
    stream = paper_smooth(n_steps=4, rng=0)

    def judge(law: PredictiveLaw, step: Step, truth: PredictiveLaw | None) -> float:
        assert truth is not None
        assert truth.to_dict() == stream.law_at(step.t).to_dict()
        diary.append(("judge", step.t))
        return 1.0

    records = list(prequential(Spy(diary), stream, [judge]))
    expected: list[Any] = []
    for step in stream:
        expected += ["predict", ("judge", step.t), ("learn", step.observed)]
    assert len(diary) == len(expected)
    for found, wanted in zip(diary, expected, strict=True):
        if wanted[0] == "learn":
            assert found[0] == "learn"
            assert np.array_equal(found[1], wanted[1])  # what was observed, not what was clean
        else:
            assert found == wanted
    assert [record.info for record in records] == ["learnt 3", "learnt 6", "learnt 9", "learnt 12"]


def test_a_point_cannot_reach_the_law_that_is_judged_by_it() -> None:
    """The last point, changed, changes no value but its own step's."""
    points = np.random.default_rng(0).normal(size=(12, 2))
    changed = points.copy()
    changed[-1] += 50.0
    one, two = (
        columns(prequential(Window(2, 5), data, [MeanError()]))["mean_error"]
        for data in (points, changed)
    )
    assert (one[:-1] == two[:-1]).all()
    assert one[-1] != two[-1]


def test_nothing_happens_before_the_first_record_is_asked_for() -> None:
    diary: list[Any] = []
    records = prequential(Spy(diary), itertools.repeat(np.zeros(2)), [])
    assert diary == []
    record = next(records)
    assert isinstance(record, Record)
    assert [entry if isinstance(entry, str) else entry[0] for entry in diary] == [
        "predict",
        "learn",
    ]


@pytest.mark.parametrize("data", [[[1.0], [2.0]], [1.0, 2.0], np.array([[1.0], [2.0]])])
def test_plain_points_are_a_stream(data: Any) -> None:
    records = list(prequential(Stubborn(np.zeros(1)), data, [MeanError()]))
    assert [record.t for record in records] == [0, 1]
    assert [record.values["mean_error"] for record in records] == [1.0, 2.0]
    assert all(record.truth is None and not record.step.corrupted for record in records)


def test_warmup_is_learnt_and_not_judged() -> None:
    diary: list[Any] = []
    records = list(prequential(Spy(diary), smooth_drift(n_steps=5, rng=0), [W1()], warmup=3))
    assert [record.t for record in records] == [3, 4]
    assert diary.count("predict") == 2
    assert sum(entry[0] == "learn" for entry in diary) == 5


def test_every_judges_some_steps_and_learns_all() -> None:
    diary: list[Any] = []
    stream = smooth_drift(n_steps=10, rng=0)
    records = list(prequential(Spy(diary), stream, [W1()], warmup=2, every=3))
    assert [record.t for record in records] == [2, 5, 8]
    assert diary.count("predict") == 3
    assert sum(entry[0] == "learn" for entry in diary) == 10


def test_the_oracle_has_no_error() -> None:
    stream = smooth_drift(n_steps=20, rng=0)
    assert (columns(prequential(Oracle(stream), stream, [W1()]))["w1"] < 1e-12).all()


def test_names_come_from_the_mapping_the_metric_or_the_function() -> None:
    def ones(law: PredictiveLaw, step: Step, truth: PredictiveLaw | None) -> float:
        return 1.0

    def pair(law: PredictiveLaw, step: Step, truth: PredictiveLaw | None) -> Estimate:
        return Estimate(2.0, 0.5)

    listed = next(prequential(Stubborn(np.zeros(1)), [0.0], [MeanError(), ones, pair]))
    assert listed.values == {"mean_error": 0.0, "ones": 1.0, "pair": 2.0, "pair_se": 0.5}
    mapped = next(prequential(Stubborn(np.zeros(1)), [0.0], {"a": ones, "b": ones}))
    assert mapped.values == {"a": 1.0, "b": 1.0}


def test_the_truth_is_asked_for_only_where_a_metric_needs_it() -> None:
    class Counting:
        n_asked = 0

        def __iter__(self) -> Any:
            return iter(smooth_drift(n_steps=3, rng=0))

        def law_at(self, t: int) -> PredictiveLaw:
            self.n_asked += 1
            return smooth_drift(n_steps=3, rng=0).law_at(t)

    stream = Counting()
    list(prequential(Stubborn(np.zeros(2)), stream, [MeanError()]))
    assert stream.n_asked == 0
    list(prequential(Stubborn(np.zeros(2)), stream, [MeanError(), W1()]))
    assert stream.n_asked == 3


def test_an_endless_run_leaves_nothing_behind() -> None:
    stream = smooth_drift(n_steps=None, rng=0)
    records = prequential(Window(2, 10), stream, [MeanError()])
    assert kept_bytes(records, 400, n_before=100) < 60_000
    kept = []
    records = prequential(Window(2, 10), stream, [MeanError()])

    def keeping() -> Any:
        for record in records:
            kept.append(record)
            yield record

    assert kept_bytes(keeping(), 400, n_before=100) > 200_000  # the control


@pytest.mark.parametrize(
    ("metrics", "stream", "word"),
    [
        ([W1()], [[0.0]], "'w1' needs a stream with law_at"),
        ([MeanError(), MeanError()], [[0.0]], "different names"),
        ([object()], [[0.0]], "metrics must be named"),
    ],
)
def test_bad_metrics_are_refused_at_once(metrics: Any, stream: Any, word: str) -> None:
    with pytest.raises(InputError, match=word):
        prequential(Stubborn(np.zeros(1)), stream, metrics)


@pytest.mark.parametrize("bad", [[np.nan], [[1.0, 2.0]], "x", []])
def test_bad_points_are_refused_before_they_are_learnt(bad: Any) -> None:
    diary: list[Any] = []
    with pytest.raises(InputError, match="point must"):
        list(prequential(Spy(diary), [bad]))
    assert diary == []


def test_every_must_be_a_count() -> None:
    with pytest.raises(InputError, match="every must be"):
        prequential(Stubborn(np.zeros(1)), [[0.0]], every=0)


def test_warmup_must_be_a_count() -> None:
    with pytest.raises(InputError, match="warmup must be"):
        prequential(Stubborn(np.zeros(1)), [[0.0]], warmup=-1)
