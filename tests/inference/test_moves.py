"""Moves of the local sampler: probabilities and densities against oracles."""

import math

import numpy as np
import pytest
from scipy import stats

from driftlaw._validate import Array
from driftlaw.geometry import BallPrior, ball_prior
from driftlaw.inference import moves
from driftlaw.inference.moves import BIRTH, DEATH, JUMP, MOVE_NAMES, WALK, Arrival
from tests import naive
from tests.referee import FALSE_ALARM, counts_pvalue, random_state

DIMS = [1, 2, 3]


def _arrival(dim: int, half_width: float = 0.8) -> tuple[Arrival, Array]:
    anchors = np.random.default_rng(dim).normal(size=(5, dim))
    prior = ball_prior(dim, 3.0)
    room = np.zeros((dim, 8))
    room[:, :5] = anchors.T
    return Arrival(prior, room, 5, half_width), anchors


@pytest.mark.parametrize("max_centers", [1, 2, 3, 5])
def test_probabilities_sum_to_one_within_bounds(max_centers: int) -> None:
    for k in range(1, max_centers + 1):
        shares = [moves.move_probability(m, k, max_centers) for m in range(len(MOVE_NAMES))]
        assert sum(shares) == pytest.approx(1.0)
        assert min(shares) >= 0.0
        assert (shares[BIRTH] == 0.0) == (k == max_centers)
        assert (shares[DEATH] == 0.0) == (k == 1)
        assert shares[WALK] > 0.0
        assert shares[JUMP] > 0.0


@pytest.mark.parametrize(("k", "max_centers"), [(1, 1), (1, 3), (2, 3), (3, 3), (1, 2), (2, 2)])
def test_moves_are_drawn_with_their_probabilities(k: int, max_centers: int) -> None:
    state = random_state(10 * k + max_centers)
    counts = np.bincount([moves.draw_move(state, k, max_centers) for _ in range(5000)], minlength=4)
    shares = np.array([moves.move_probability(m, k, max_centers) for m in range(4)])
    assert not counts[shares == 0.0].any()
    assert counts_pvalue(counts[shares > 0.0], shares[shares > 0.0]) > FALSE_ALARM


@pytest.mark.parametrize("dim", DIMS)
def test_arrival_density_is_the_stated_mixture(dim: int) -> None:
    arrival, anchors = _arrival(dim)
    prior: BallPrior = arrival.prior
    for center in naive.uniform_ball(np.random.default_rng(0), 50, dim, 3.0):
        expected = naive.log_arrival(center, anchors, 0.8, -prior.log_volume)
        assert moves.log_q_arrival(arrival, center) == pytest.approx(expected, rel=1e-12)


def test_arrival_density_outside_the_ball() -> None:
    prior = ball_prior(1, 1.0)
    arrival = Arrival(prior, np.array([[0.9, -5.0]]), 2, 0.5)
    assert moves.log_q_arrival(arrival, np.array([1.2])) == pytest.approx(math.log(0.25))
    assert moves.log_q_arrival(arrival, np.array([2.0])) == -math.inf
    both = math.log(0.5 * 0.5 + 0.25)
    assert moves.log_q_arrival(arrival, np.array([0.8])) == pytest.approx(both)


@pytest.mark.parametrize("dim", DIMS)
def test_walk_density_is_scipys_and_symmetric(dim: int) -> None:
    rng = np.random.default_rng(dim)
    for _ in range(20):
        here, there = rng.normal(size=(2, dim))
        expected = float(stats.multivariate_normal(here, 0.7**2 * np.eye(dim)).logpdf(there))
        assert moves.log_q_walk(here, there, 0.7) == pytest.approx(expected)
        assert moves.log_q_walk(there, here, 0.7) == moves.log_q_walk(here, there, 0.7)


def test_birth_and_death_by_hand() -> None:
    arrival, _ = _arrival(2)
    center = np.array([0.3, -0.2])
    log_q = moves.log_q_arrival(arrival, center)
    # of three: at one centre every resizing is a birth, at three a death, at two half and half
    assert moves.log_q_birth(arrival, center, 1, 3) == pytest.approx(log_q + math.log(0.3 / 2))
    assert moves.log_q_birth(arrival, center, 2, 3) == pytest.approx(log_q + math.log(0.15 / 3))
    assert moves.log_q_death(2, 3) == pytest.approx(math.log(0.15 / 2))
    assert moves.log_q_death(3, 3) == pytest.approx(math.log(0.3 / 3))
    assert moves.log_q_death(2, 2) == pytest.approx(math.log(0.3 / 2))
