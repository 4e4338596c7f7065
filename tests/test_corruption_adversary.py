"""The two adversaries do what they say, and a predictor that trusts them suffers for it."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from driftlaw.corruption import (
    Adversary,
    CorruptedStream,
    PhantomCluster,
    Policy,
    SparseOutliers,
    ToMidpoint,
    two_centers,
)
from driftlaw.evaluate import W1, columns, prequential
from driftlaw.streams import Stream, smooth_drift
from tests.reference_predictors import Window


def mean_error(stream: Stream) -> float:
    """Mean over every fifth step: between two of them a window of 40 hardly changes."""
    records = prequential(Window(stream.dim, 40), stream, [W1()], warmup=100, every=5)
    return float(columns(records)["w1"].mean())


@cache
def clean_error(seed: int, step: float) -> float:
    return mean_error(smooth_drift(n_steps=160, step=step, rng=seed))


def errors(policy: Policy, seed: int, step: float) -> tuple[float, float]:
    """Mean error of the window on the clean stream and under attack."""
    clean = smooth_drift(n_steps=160, step=step, rng=seed)
    hurt = CorruptedStream(clean, Adversary(policy, amplitude=2.0), rng=0)
    return clean_error(seed, step), mean_error(hurt)


@pytest.mark.parametrize("policy", [ToMidpoint(), PhantomCluster()])
def test_adversaries_hurt_where_nothing_else_does(policy: Policy) -> None:
    for seed in range(4):
        clean, hurt = errors(policy, seed, step=0.0)
        assert hurt > 1.5 * clean


@pytest.mark.parametrize("policy", [ToMidpoint(), PhantomCluster()])
def test_adversaries_hurt_under_drift(policy: Policy) -> None:
    """Paired t-test over 16 worlds: the window's lag can cancel part of a push along the drift."""
    growth = [hurt - clean for clean, hurt in (errors(policy, s, 0.03) for s in range(16))]
    assert stats.ttest_1samp(growth, 0.0, alternative="greater").pvalue < 1e-3


@pytest.mark.parametrize("policy", [ToMidpoint(), PhantomCluster()])
def test_a_larger_budget_hurts_more(policy: Policy) -> None:
    clean = smooth_drift(n_steps=160, step=0.0, rng=0)
    found = [
        mean_error(CorruptedStream(clean, Adversary(policy, amplitude=2.0, budget=b), rng=0))
        for b in (0, 60, None)
    ]
    assert found[0] == mean_error(clean)
    assert found[0] < found[1] < found[2]


def test_an_adversary_who_looks_hurts_more_than_one_who_does_not() -> None:
    clean = smooth_drift(n_steps=160, rng=0)
    blind = CorruptedStream(clean, SparseOutliers(1.0, 2.0), rng=0)
    seeing = CorruptedStream(clean, Adversary(ToMidpoint(), 2.0), rng=0)
    assert mean_error(seeing) > mean_error(blind)


def test_the_phantom_stands_where_no_cluster_is() -> None:
    clean = smooth_drift(n_steps=300, step=0.0, rng=0)
    stream = CorruptedStream(clean, Adversary(PhantomCluster(), 3.0), rng=0)
    moved = np.array([step.observed for step in stream if step.corrupted and step.t > 50])
    phantom = moved.mean(axis=0)
    centers = clean.centers_at(0)
    assert np.linalg.norm(centers - phantom, axis=1).min() == pytest.approx(3.0, abs=0.4)
    assert np.linalg.norm(moved - phantom, axis=1).mean() < 0.7  # they land close together
    assert 0.3 < len(moved) / 249 < 0.7  # one cluster of the two


def test_the_midpoint_is_approached_and_never_passed() -> None:
    clean = smooth_drift(n_steps=100, step=0.0, variance=0.01, rng=0)
    stream = CorruptedStream(clean, Adversary(ToMidpoint(), 50.0), rng=0)
    late = np.array([step.observed for step in stream if step.t > 30])
    assert np.abs(late).max() < 0.2  # the middle of the two clusters is the origin


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 200), dim=st.integers(1, 4))
def test_two_centers_agree_with_kmeans_on_separated_clusters(seed: int, dim: int) -> None:
    from sklearn.cluster import KMeans

    rng = np.random.default_rng(seed)
    places = np.zeros((2, dim))
    places[1, 0] = 8.0
    points = places[rng.integers(2, size=40)] + rng.standard_normal((40, dim)) * 0.5
    points[:2] = places  # both clusters exist
    expected = KMeans(2, n_init=3, random_state=0).fit(points).cluster_centers_
    order = np.argsort(-expected[:, 0])
    np.testing.assert_allclose(two_centers(points), expected[order], atol=1e-9)


def test_equal_points_have_one_center() -> None:
    assert (two_centers(np.ones((5, 2))) == 1.0).all()
