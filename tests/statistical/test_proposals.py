"""Draws follow the densities that the acceptance ratio uses: E_q[f / q] = ∫ f, and KS."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from driftlaw._validate import Array
from driftlaw.geometry import ball_prior
from driftlaw.inference import moves, paper
from driftlaw.inference.moves import Arrival
from driftlaw.inference.paper import Proposal
from tests.referee import FALSE_ALARM, counts_pvalue, mean_pvalue, no_alarm, random_state

DIMS = [1, 2, 3]
N = 6000
RADIUS, HALF = 2.0, 0.7


def _arrival(dim: int) -> tuple[Arrival, Array]:
    anchors = np.random.default_rng(dim).normal(0.0, 0.8, size=(4, dim))
    return Arrival(ball_prior(dim, RADIUS), np.ascontiguousarray(anchors.T), 4, HALF), anchors


def _arrivals(arrival: Arrival, dim: int) -> Array:
    state, out = random_state(dim), np.empty((N, dim))
    for row in out:
        moves.draw_arrival_inplace(arrival, state, row)
    return out


def _arrival_pvalues(dim: int, stated: Arrival) -> list[float]:
    """Compare arrivals with the density that ``stated`` claims for them."""
    arrival, anchors = _arrival(dim)
    draws = _arrivals(arrival, dim)
    unit = float(np.exp(ball_prior(dim, 1.0).log_volume))

    def pvalue(inside: Callable[[Array], bool], volume: float) -> float:
        ratios = [np.exp(-moves.log_q_arrival(stated, x)) if inside(x) else 0.0 for x in draws]
        return mean_pvalue(np.array(ratios), volume)

    balls = [  # within the ball
        pvalue(lambda x, r=r: bool(x @ x <= r * r), unit * r**dim)  # type: ignore[misc]
        for r in (0.5 * RADIUS, RADIUS)
    ]
    cubes = [  # also where they stand out of the ball
        pvalue(lambda x, a=a: bool(abs(x - a).max() <= HALF), (2 * HALF) ** dim)  # type: ignore[misc]
        for a in anchors
    ]
    return balls + cubes


@pytest.mark.parametrize("dim", DIMS)
def test_arrivals_follow_their_density(dim: int) -> None:
    assert no_alarm(_arrival_pvalues(dim, _arrival(dim)[0]))


@pytest.mark.parametrize("dim", DIMS)
def test_the_check_sees_a_wrong_density(dim: int) -> None:
    arrival, _ = _arrival(dim)
    assert not no_alarm(_arrival_pvalues(dim, arrival._replace(half_width=1.2 * HALF)))
    assert not no_alarm(_arrival_pvalues(dim, arrival._replace(n_anchors=2)))


def test_arrivals_on_the_line_by_their_distribution_function() -> None:
    arrival, anchors = _arrival(1)

    draws = _arrivals(arrival, 1)[:, 0]
    cubes = [stats.uniform.cdf(draws, a - HALF, 2 * HALF) for a in anchors[:, 0]]
    whole = stats.uniform.cdf(draws, -RADIUS, 2 * RADIUS)
    ranks = 0.5 * whole + 0.5 * np.mean(cubes, axis=0)
    assert stats.kstest(ranks, "uniform").pvalue > FALSE_ALARM


@pytest.mark.parametrize("dim", DIMS)
def test_walks_are_normal_steps(dim: int) -> None:
    state, here, out = random_state(dim), np.arange(1.0, dim + 1.0), np.empty((N, dim))
    for row in out:
        moves.draw_walk_inplace(state, here, 0.3, row)
    steps = (out - here) / 0.3
    pvalues = [float(stats.kstest(column, "norm").pvalue) for column in steps.T]
    pvalues.append(float(stats.kstest((steps**2).sum(axis=1), stats.chi2(dim).cdf).pvalue))
    assert no_alarm(pvalues)


@pytest.mark.parametrize("dim", DIMS)
def test_student_draws_follow_their_law(dim: int) -> None:
    state, mean, out = random_state(dim), np.arange(-1.0, dim - 1.0), np.empty((N, dim))
    for row in out:
        paper.draw_student_inplace(state, mean, 0.4, row)
    unit = (out - mean) / 0.4
    pvalues = [float(stats.kstest(column, stats.t(3).cdf).pvalue) for column in unit.T]
    radius = (unit**2).sum(axis=1) / dim
    pvalues.append(float(stats.kstest(radius, stats.f(dim, 3).cdf).pvalue))
    assert no_alarm(pvalues)


def _proposal(*, is_symmetric: bool) -> tuple[Proposal, Array]:
    means = np.array([[-0.5, 0.0], [0.4, 0.3], [0.0, -0.6]])
    table = np.zeros((3, 3, 2))
    table[2] = means
    room = np.zeros((3, 3)), np.zeros(8)
    return Proposal(table, 0.5, is_symmetric, np.zeros((3, 2)), *room), means


@pytest.mark.parametrize("is_symmetric", [False, True])
def test_whole_configurations_follow_their_density(is_symmetric: bool) -> None:
    proposal, _ = _proposal(is_symmetric=is_symmetric)
    state, rng = random_state(7), np.random.default_rng(0)
    out, log_q = np.empty((N, 3, 2)), np.empty(N)
    for i, row in enumerate(out):
        paper.draw_all_inplace(proposal, state, 3, row)
        log_q[i] = paper.log_q_all(proposal, row, 3)
    pvalues = []
    for _ in range(4):  # f: independent normal laws around places of our choice, of integral 1
        places = rng.normal(0.0, 0.4, size=(3, 2))
        log_f = np.asarray(stats.norm.logpdf(out, places, 0.5)).sum(axis=(1, 2))
        pvalues.append(mean_pvalue(np.exp(log_f - log_q), 1.0))
    assert no_alarm(pvalues)


def test_labels_are_drawn_only_when_symmetric() -> None:
    for is_symmetric in (False, True):
        proposal, means = _proposal(is_symmetric=is_symmetric)
        narrow = proposal._replace(scale=1e-3)
        state, row, counts = random_state(1), np.empty((3, 2)), np.zeros((3, 3))
        for _ in range(1500):
            paper.draw_all_inplace(narrow, state, 3, row)
            for j in range(3):
                counts[j, int(np.argmin(((means - row[j]) ** 2).sum(axis=1)))] += 1
        if is_symmetric:
            assert no_alarm([counts_pvalue(row, np.ones(3)) for row in counts])
        else:
            assert np.trace(counts) == counts.sum()
