"""The wrapper keeps amplitude and budget, counts right, and leaves the clean stream alone."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from driftlaw.corruption import (
    Adversary,
    Bursts,
    CorruptedStream,
    Corruption,
    CorruptionLedger,
    Past,
    PhantomCluster,
    SparseOutliers,
    ToMidpoint,
    UniformNoise,
    paper_smooth,
)
from driftlaw.errors import InputError
from driftlaw.law import SampleLaw
from driftlaw.streams import Step, Stream, smooth_drift, stationary
from tests.memory_growth import kept_bytes

FALSE_ALARM = 1e-3


@dataclass(frozen=True)
class Listed:
    """A stream of given points."""

    points: Any

    @property
    def dim(self) -> int:
        return int(self.points.shape[1])

    @property
    def n_steps(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Step]:
        for t, point in enumerate(self.points):
            yield Step(t, point, point, False)

    def law_at(self, t: int) -> SampleLaw:
        return SampleLaw(self.points[t : t + 1])


def greedy(past: Past, clean: np.ndarray) -> np.ndarray:
    """Ask for far more than is allowed, and try to change the rules."""
    past.left = 10**6
    past.amplitude = 1e9
    return np.full_like(clean, 1e300)


MODELS: dict[str, Callable[[float, int], Corruption]] = {
    "uniform": lambda delta, _: UniformNoise(delta, 0.7),
    "sparse": lambda delta, _: SparseOutliers(0.5, delta),
    "bursts": lambda delta, _: Bursts(0.2, 3, delta),
    "midpoint": lambda delta, budget: Adversary(ToMidpoint(), delta, budget, memory=4),
    "phantom": lambda delta, budget: Adversary(PhantomCluster(), delta, budget),
    "greedy": lambda delta, budget: Adversary(greedy, delta, budget, memory=0),
}
POINTS = st.integers(1, 3).flatmap(
    lambda dim: arrays(
        float,
        st.tuples(st.integers(1, 25), st.just(dim)),
        elements=st.floats(-1e18, 1e18) | st.floats(-5, 5),
    )
)


@pytest.mark.parametrize("name", sorted(MODELS))
@settings(max_examples=30, deadline=None)
@given(points=POINTS, delta=st.floats(0, 1e6), budget=st.integers(0, 20), seed=st.integers(0, 99))
def test_amplitude_and_budget_are_never_exceeded(
    name: str, points: np.ndarray, delta: float, budget: int, seed: int
) -> None:
    model = MODELS[name](delta, budget)
    stream = CorruptedStream(Listed(points), model, seed)
    steps = list(stream)
    lengths = np.array([np.linalg.norm(step.observed - step.clean) for step in steps])
    assert (lengths <= stream.amplitude).all()
    moved = [bool((step.observed != step.clean).any()) for step in steps]
    assert [step.corrupted for step in steps] == moved
    if model.budget is not None:
        assert sum(moved) <= budget
    assert np.array_equal([step.clean for step in steps], points)


def test_a_greedy_adversary_gets_exactly_what_it_may_have() -> None:
    stream = CorruptedStream(stationary(n_steps=50, rng=0), Adversary(greedy, 2.0, 7), rng=0)
    steps = list(stream)
    assert [step.t for step in steps if step.corrupted] == list(range(7))
    for step in steps[:7]:
        np.testing.assert_allclose(step.observed - step.clean, np.sqrt(2.0))


@pytest.mark.parametrize("name", sorted(MODELS))
def test_clean_points_and_laws_are_those_below(name: str) -> None:
    below = smooth_drift(n_steps=30, rng=3)
    above = CorruptedStream(below, MODELS[name](1.0, 10), rng=5)
    assert isinstance(above, Stream)
    assert (above.dim, above.n_steps) == (2, 30)
    assert above.law_at(7).to_dict() == below.law_at(7).to_dict()
    for step, clean in zip(above, below, strict=True):
        assert (step.clean == clean.clean).all()
        assert step.t == clean.t


@pytest.mark.parametrize("name", sorted(MODELS))
def test_iterating_twice_gives_the_same_corruption(name: str) -> None:
    stream = CorruptedStream(smooth_drift(n_steps=40, rng=3), MODELS[name](1.0, 10), rng=5)
    one, two = list(stream), list(stream)
    assert all((a.observed == b.observed).all() for a, b in zip(one, two, strict=True))


@pytest.mark.parametrize("name", sorted(MODELS))
@settings(max_examples=25, deadline=None)
@given(data=st.data(), seed=st.integers(0, 99))
def test_corruption_is_causal(name: str, data: st.DataObject, seed: int) -> None:
    """A changed future leaves every corruption before the change as it was."""
    finite = st.floats(-5, 5)
    points = data.draw(arrays(float, (20, 2), elements=finite))
    change = data.draw(st.integers(0, 20))
    future = data.draw(arrays(float, (20 - change, 2), elements=finite))
    changed = np.concatenate((points[:change], future))
    model = MODELS[name](1.5, 9)
    one, two = (list(CorruptedStream(Listed(p), model, seed)) for p in (points, changed))
    for a, b in zip(one[:change], two[:change], strict=True):
        assert np.array_equal(a.observed, b.observed)


def test_the_causality_test_notices_one_who_knows_the_future() -> None:
    """A policy told the next point in secret is found out by the same comparison."""

    def run(points: np.ndarray) -> list[Step]:
        def clairvoyant(past: Past, clean: np.ndarray) -> np.ndarray:
            return np.asarray(points[min(past.t + 1, len(points) - 1)])

        return list(CorruptedStream(Listed(points), Adversary(clairvoyant, 1.0), 0))

    points = np.ones((5, 1))
    changed = np.array([[1.0], [1.0], [1.0], [-1.0], [1.0]])
    assert (run(points)[2].observed != run(changed)[2].observed).all()


def test_a_policy_sees_the_past_and_the_current_point_only() -> None:
    seen = []

    def spy(past: Past, clean: np.ndarray) -> np.ndarray:
        seen.append((past.t, past.clean.copy(), past.offsets.copy(), past.left, clean.copy()))
        with pytest.raises(ValueError, match="read-only"):
            past.clean[:] = 0.0
        clean += 100.0  # a copy: the stream must not feel it
        return np.array([3.0]) if past.t % 2 else np.array([0.0])

    points = np.arange(6.0)[:, None]
    steps = list(CorruptedStream(Listed(points), Adversary(spy, 1.0, 2, memory=3), 0))
    assert np.array_equal([step.clean for step in steps], points)
    assert [step.observed[0] for step in steps] == [0.0, 2.0, 2.0, 4.0, 4.0, 5.0]
    assert [call[0] for call in seen] == [0, 1, 2, 3]  # not asked once the budget is spent
    assert [call[3] for call in seen] == [2, 2, 1, 1]
    assert [call[1].ravel().tolist() for call in seen] == [[], [0], [0, 1], [0, 1, 2]]
    assert seen[3][2].ravel().tolist() == [0.0, 1.0, 0.0]


@settings(deadline=None)
@given(values=st.lists(st.floats(-9, 9), max_size=30), memory=st.integers(0, 7))
def test_past_is_the_last_steps(values: list[float], memory: int) -> None:
    past = Past(dim=1, memory=memory, amplitude=1.0, left=None)
    for value in values:
        past.add(np.array([value]), np.array([-value]))
    expected = values[max(0, len(values) - memory) :] if memory else []
    assert past.clean.ravel().tolist() == expected
    assert past.offsets.ravel().tolist() == [-value for value in expected]
    assert past.t == len(values)


@settings(deadline=None)
@given(
    flags=st.lists(st.booleans(), max_size=40),
    memory=st.none() | st.integers(1, 10),
    data=st.data(),
)
def test_ledger_counts_as_a_naive_sum(
    flags: list[bool], memory: int | None, data: st.DataObject
) -> None:
    ledger = CorruptionLedger(memory)
    for t, flag in enumerate(flags):
        ledger.add(Step(t, np.zeros(1), np.zeros(1), flag))
    n = len(flags)
    oldest = 0 if memory is None else max(0, n - memory)
    t = data.draw(st.integers(oldest, n))
    tau = data.draw(st.integers(oldest, t))
    assert ledger.total() == sum(flags)
    assert ledger.total(t) == sum(flags[:t])
    assert ledger.since(tau, t) == sum(flags[tau:t])
    assert ledger.since(tau) == sum(flags[tau:])
    if oldest > 0:
        with pytest.raises(InputError, match="t must be in"):
            ledger.total(oldest - 1)


def test_ledger_refuses_a_gap_and_the_future() -> None:
    ledger = CorruptionLedger()
    with pytest.raises(InputError, match="next step"):
        ledger.add(Step(3, np.zeros(1), np.zeros(1), True))
    with pytest.raises(InputError, match="t must be in"):
        ledger.total(1)


def test_uniform_noise_is_uniform_in_its_box() -> None:
    stream = CorruptedStream(stationary(dim=3, n_steps=1500, rng=0), UniformNoise(0.5, 0.3), rng=1)
    steps = list(stream)
    offsets = np.array([s.observed - s.clean for s in steps if s.corrupted])
    share = len(offsets) / 1500
    assert abs(share - 0.3) < stats.norm.isf(FALSE_ALARM / 2) * np.sqrt(0.21 / 1500)
    p_value = stats.kstest(offsets.ravel() + 0.5, "uniform").pvalue
    assert p_value > FALSE_ALARM
    assert stream.amplitude == pytest.approx(0.5 * np.sqrt(3))


def test_outliers_have_one_length_and_no_favourite_direction() -> None:
    stream = CorruptedStream(stationary(n_steps=1500, rng=0), SparseOutliers(0.2, 8.0), rng=1)
    offsets = np.array([s.observed - s.clean for s in stream if s.corrupted])
    np.testing.assert_allclose(np.linalg.norm(offsets, axis=1), 8.0)
    angles = np.arctan2(offsets[:, 1], offsets[:, 0]) / (2 * np.pi) + 0.5
    assert stats.kstest(angles, "uniform").pvalue > FALSE_ALARM
    assert abs(len(offsets) / 1500 - 0.2) < 3.3 * np.sqrt(0.16 / 1500)


def test_bursts_hold_one_offset_for_their_length() -> None:
    stream = CorruptedStream(stationary(n_steps=2000, rng=0), Bursts(0.05, 7, 2.0), rng=1)
    offsets = np.array([s.observed - s.clean for s in stream])
    # Within a burst offsets differ by rounding, and by what the wrapper shortens for its sake.
    changes = 1 + np.flatnonzero(np.abs(np.diff(offsets, axis=0)).max(axis=1) > 1e-6)
    runs = np.split(offsets, changes)
    bursts = [len(run) for run in runs if run.any()]
    assert len(bursts) > 20
    assert all(n == 7 for n in bursts[:-1])
    n_trials = 2000 - sum(bursts) + len(bursts)  # a burst may begin at any step outside one
    assert abs(len(bursts) / n_trials - 0.05) < 3.3 * np.sqrt(0.05 * 0.95 / n_trials)


def test_corruption_stacks() -> None:
    below = CorruptedStream(stationary(n_steps=50, rng=0), UniformNoise(0.5), rng=1)
    stream = CorruptedStream(below, Adversary(greedy, 1.0, 10), rng=2)
    assert stream.amplitude == pytest.approx(1.0 + 0.5 * np.sqrt(2))
    lengths = [np.linalg.norm(step.observed - step.clean) for step in stream]
    assert max(lengths) <= stream.amplitude
    assert stream.ledger().total() == 50


def test_the_papers_stream() -> None:
    stream = paper_smooth(rng=0)
    assert (stream.dim, stream.n_steps) == (2, 500)
    assert stream.amplitude == pytest.approx(np.sqrt(2))
    ledger = stream.ledger()
    assert (ledger.total(500), ledger.since(490, 500)) == (500, 10)
    assert paper_smooth(eps=0.0, rng=0).ledger(50).total() == 0
    # Sweeps over the noise share the clean stream.
    one, two = (next(iter(paper_smooth(eps=eps, rng=0))) for eps in (0.5, 2.0))
    assert (one.clean == two.clean).all()


def test_an_endless_corrupted_stream_leaves_nothing_behind() -> None:
    attack = Adversary(greedy, 2.0, memory=64)
    stream = CorruptedStream(smooth_drift(n_steps=None, rng=0), attack, rng=0)
    ledger = CorruptionLedger(memory=50)

    def counted(kept: list[Step] | None) -> Iterator[Step]:
        for step in stream:
            ledger.add(step)
            if kept is not None:
                kept.append(step)
            yield step

    assert kept_bytes(counted(None), 400, n_before=80) < 50_000
    ledger = CorruptionLedger(memory=50)
    assert kept_bytes(counted([]), 400, n_before=80) > 80_000  # the control


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: UniformNoise(-1.0), "eps must be"),
        (lambda: UniformNoise(1.0, 1.1), "probability must be"),
        (lambda: SparseOutliers(0.1, np.inf), "amplitude must be"),
        (lambda: Bursts(0.1, 0), "length must be"),
        (lambda: Adversary(ToMidpoint(), np.nan), "amplitude must be"),
        (lambda: Adversary(ToMidpoint(), 1.0, -1), "budget must be"),
        (lambda: Adversary(ToMidpoint(), 1.0, memory=-1), "memory must be"),
        (lambda: PhantomCluster(0), "every must be"),
        (lambda: CorruptionLedger(0), "memory must be"),
    ],
)
def test_bad_arguments_are_named(make: Callable[[], object], word: str) -> None:
    with pytest.raises(InputError, match=word):
        make()


@pytest.mark.parametrize("bad", [[np.nan, 0.0], [1.0], [np.inf, 0.0]])
def test_a_policy_that_returns_nonsense_is_named(bad: list[float]) -> None:
    attack = Adversary(lambda past, clean: np.array(bad), 1.0)
    with pytest.raises(InputError, match="offset must be"):
        next(iter(CorruptedStream(stationary(rng=0), attack, rng=0)))


@pytest.mark.parametrize(
    ("stream", "corruption", "name"),
    [(3, SparseOutliers(0.1, 1.0), "stream"), (stationary(rng=0), 3, "corruption")],
)
def test_what_is_no_stream_or_no_corruption_is_refused_at_birth(
    stream: Any, corruption: Any, name: str
) -> None:
    with pytest.raises(InputError, match=f"{name} must be a {name}, got 3"):
        CorruptedStream(stream, corruption)
