"""The paper's proposal: densities against SciPy and against sums over all labellings."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from driftlaw._validate import Array
from driftlaw.inference import paper
from driftlaw.inference.paper import Proposal
from tests import naive


def proposal(means: Array, scale: float, *, is_symmetric: bool) -> Proposal:
    """Return a proposal whose row for k = len(means) is ``means`` (k, d)."""
    k, d = means.shape
    table = np.zeros((k, k, d))
    table[k - 1] = means
    room = np.zeros((k, max(k, d + 1)))
    return Proposal(table, scale, is_symmetric, np.zeros((k, d)), room, np.zeros(2**k))


def test_neighbours_by_hand() -> None:
    assert [paper.n_neighbours(k, 4) for k in (1, 2, 3, 4)] == [2, 3, 3, 2]
    assert [paper.n_neighbours(k, 2) for k in (1, 2)] == [2, 2]
    assert paper.n_neighbours(1, 1) == 1


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_student_density_is_scipys(dim: int) -> None:
    rng = np.random.default_rng(dim)
    for _ in range(20):
        mean, center = rng.normal(size=(2, dim))
        expected = stats.multivariate_t.logpdf(center, mean, 0.3**2 * np.eye(dim), df=3)
        assert paper.log_q_student(center, mean, 0.3) == pytest.approx(float(expected))


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 2**32))
def test_symmetric_density_averages_over_labellings(k: int, dim: int, seed: int) -> None:
    means, centers = np.random.default_rng(seed).normal(size=(2, k, dim))
    found = paper.log_q_all(proposal(means, 0.4, is_symmetric=True), centers, k)
    assert found == pytest.approx(naive.log_labellings(centers, means, 0.4), rel=1e-9)


def test_symmetric_density_does_not_see_the_order() -> None:
    means, centers = np.random.default_rng(0).normal(size=(2, 4, 2))
    symmetric = proposal(means, 0.2, is_symmetric=True)
    values = [
        paper.log_q_all(symmetric, centers[list(order)], 4)
        for order in itertools.permutations(range(4))
    ]
    np.testing.assert_allclose(values, values[0], rtol=1e-12)


def test_plain_density_is_one_labelling() -> None:
    means, centers = np.random.default_rng(1).normal(size=(2, 3, 2))
    plain = proposal(means, 0.5, is_symmetric=False)
    expected = sum(
        float(stats.multivariate_t.logpdf(c, m, 0.25 * np.eye(2), df=3))
        for c, m in zip(centers, means, strict=True)
    )
    assert paper.log_q_all(plain, centers, 3) == pytest.approx(expected)
    assert paper.log_q_all(plain, centers[::-1].copy(), 3) != pytest.approx(expected)


def test_far_away_the_density_is_small_but_never_lost() -> None:
    means = np.array([[0.0], [1e6]])
    found = paper.log_q_all(proposal(means, 1e-3, is_symmetric=True), means[::-1].copy(), 2)
    assert found == pytest.approx(2 * paper.log_q_student(means[0], means[0], 1e-3) - math.log(2))
