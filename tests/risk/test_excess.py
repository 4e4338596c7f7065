import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftlaw import risk as rk
from driftlaw import streams
from driftlaw.errors import InputError
from driftlaw.law import MixtureLaw

LAW = MixtureLaw([0.5, 0.5], [[-2.0, 0.0], [2.0, 1.0]], [0.5, 0.5])


@pytest.fixture(scope="module")
def best_three() -> rk.Oracle:
    return rk.oracle(LAW, 3)


def test_it_is_the_mean_gap_to_the_oracle(best_three: rk.Oracle) -> None:
    centers = np.full((3, 3, 2), np.nan)
    centers[0, 0] = [0.0, 0.0]
    centers[1, :2] = [[-2.0, 0.0], [2.0, 0.0]]
    centers[2] = [[-2.0, 0.0], [2.0, 1.0], [9.0, 9.0]]
    counts = np.array([1, 2, 3])
    found = rk.excess_risk(LAW, counts, centers)
    risks = [rk.population_risk(LAW, c[:k]).value for k, c in zip(counts, centers, strict=True)]
    best = best_three.risk.value
    assert found.value == pytest.approx(np.mean(risks) - best, rel=1e-5)
    given_best = rk.excess_risk(LAW, counts, centers, best=best_three)
    assert given_best.value == pytest.approx(found.value, rel=1e-5)


def test_the_oracle_itself_has_no_excess_and_wrong_centers_have_more() -> None:
    best = rk.oracle(LAW, 2)
    none = rk.excess_risk(LAW, [2], best.centers[None])
    assert abs(none.value) <= none.error + 1e-9
    near = rk.excess_risk(LAW, [2], best.centers[None] + 0.3)
    far = rk.excess_risk(LAW, [2], best.centers[None] + 3.0)
    assert 0.0 < near.value < far.value


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_it_is_never_negative_beyond_its_error(best_three: rk.Oracle, seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 4, 3)
    centers = LAW.sample(9, rng).reshape(3, 3, 2)
    found = rk.excess_risk(LAW, counts, centers, best=best_three)
    assert found.value >= -found.error - 1e-9


def test_a_configuration_better_than_a_bad_oracle_takes_its_place() -> None:
    bad = rk.Oracle(np.zeros((2, 2)), rk.population_risk(LAW, np.zeros((2, 2))))
    found = rk.excess_risk(LAW, [2], [[[-2.0, 0.0], [2.0, 1.0]]], best=bad)
    assert 0.0 <= found.value < 1e-3


def test_the_sum_leaves_out_the_first_step_and_follows_the_stream() -> None:
    stream = streams.smooth_drift(n_steps=6, step=0.5, rng=1)
    frozen = stream.law_at(0).means[None]
    found = rk.current_excess(stream, [([2], frozen)] * 6)
    assert found.steps.shape == (5,)
    want = [
        rk.population_risk(stream.law_at(t), frozen[0]).value
        - rk.oracle(stream.law_at(t), 2).risk.value
        for t in range(1, 6)
    ]
    np.testing.assert_allclose(found.steps, want, atol=1e-6)
    assert found.value == pytest.approx(sum(want), abs=1e-5)
    assert (np.diff(found.steps) > 0).all()


def test_following_the_oracle_costs_nothing_and_a_moving_law_is_matched() -> None:
    stream = streams.abrupt_shift(n_steps=12, jump=3.0, exponent=0.5, rng=2)
    path = rk.oracle_path(stream, 2)
    found = rk.current_excess(stream, [([2], centers[None]) for centers in path.centers])
    assert abs(found.value) <= found.error + 1e-6
    stale = rk.current_excess(stream, [([2], path.centers[:1])] * 12)
    assert stale.value > 1.0


@pytest.mark.parametrize(
    ("counts", "centers", "message"),
    [
        ([1], np.zeros((1, 2)), r"centers must be \(M, p, 2\), got \(1, 2\)"),
        ([1], np.zeros((1, 2, 3)), r"centers must be \(M, p, 2\), got \(1, 2, 3\)"),
        ([1, 1], np.zeros((1, 2, 2)), "counts must be"),
        ([1.0], np.zeros((1, 2, 2)), "counts must be"),
        ([0], np.zeros((1, 2, 2)), "counts must be in 1 … 2"),
        ([3], np.zeros((1, 2, 2)), "counts must be in 1 … 2"),
        ([2], np.array([[[0.0, 0.0], [np.nan, 0.0]]]), "centers must be finite"),
    ],
)
def test_bad_configurations_are_refused(counts: list[int], centers: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rk.excess_risk(LAW, counts, np.asarray(centers))


def test_a_sum_needs_two_steps() -> None:
    stream = streams.stationary(rng=0)
    with pytest.raises(InputError, match="at least 2 steps"):
        rk.current_excess(stream, [([1], np.zeros((1, 1, 2)))])
