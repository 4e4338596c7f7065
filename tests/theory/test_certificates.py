"""Measured regret against the bounds, in a world where every assumption holds and all is exact.

One centre on a grid of the line, points c* ± w with probability one half each: the loss risk is
(c - c*)² + w², so μ = 1; the predictive law of c is the law of c ± w, so L_K = 1 and the truth is
realised; posteriors and W1 are finite sums. The prior is uniform on the grid, so a comparator on
c* alone costs the logarithm of the number of grid points and no localization.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray

from driftlaw.schedules import Constant, Power, Schedule, SqrtLog
from driftlaw.theory import (
    ClusterPrior,
    Problem,
    Space,
    bound,
    comparator_complexity,
    gibbs,
    schedule_rates,
    sharper_bound,
)

GRID = np.arange(-8, 9) * 0.25  # centres in [-2, 2]
WIDTH = 0.5


@dataclass(frozen=True)
class _Run:
    total: float
    clean: float
    twin: float
    action: float
    corrupted: NDArray[np.bool_]


def _path(horizon: int, speed: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Index of c* on the grid: a step of one cell every ``speed`` rounds, within |c*| <= 1."""
    moves = np.where(np.arange(1, horizon) % speed == 0, rng.choice([-1, 1], horizon - 1), 0)
    place = [8]
    for move in moves:
        place.append(int(np.clip(place[-1] + move, 4, 12)))
    return np.array(place)


def _w1(
    posterior: NDArray[np.float64],
    other: NDArray[np.float64],
) -> float:
    """W1 of two mixtures of c ± w on the line, by their distribution functions on a common grid."""
    points = np.arange(-10, 11) * 0.25
    both = []
    for weights in (posterior, other):
        law = np.zeros(len(points))
        law[:17] += weights / 2  # c - 0.5
        law[4:] += weights / 2  # c + 0.5
        both.append(np.cumsum(law))
    return float(np.abs(both[0] - both[1])[:-1].sum() * 0.25)


def _run(schedule: Schedule, window: int, horizon: int, seed: int, n_corrupted: int) -> _Run:
    rng = np.random.default_rng(seed)
    place = _path(horizon, 40, rng)
    clean = GRID[place] + rng.choice([-WIDTH, WIDTH], horizon)
    marks = np.zeros(horizon, bool)
    marks[rng.choice(horizon, n_corrupted, replace=False)] = True
    seen = clean + np.where(marks, rng.choice([-0.25, 0.25], horizon), 0.0)
    rates = schedule_rates(schedule, window)
    prior = np.full(17, 1 / 17)
    sums = np.zeros(3)
    scores = np.zeros((2, 17))
    for t in range(horizon):
        if t % window == 0:
            scores[:] = 0
        dirty, pure = (gibbs(prior, rates[t % window] * score) for score in scores)
        truth = np.eye(17)[place[t]]
        sums += _w1(dirty, truth), _w1(pure, truth), _w1(dirty, pure)
        scores += (GRID - np.array([[seen[t]], [clean[t]]])) ** 2
    action = float(np.sum(np.diff(GRID[place]) ** 2))
    total, clean_regret, twin = (float(s) for s in sums)
    return _Run(total, clean_regret, twin, action, marks)


def _problem(run: _Run, schedule: Schedule, window: int, horizon: int) -> Problem:
    # C = log 17 with r → 0: a ball prior with the same mass, r chosen so that C(r) = log 17
    prior = ClusterPrior(dim=1, n_centers=1, max_centers=1, support_radius=17e-9)
    return Problem(
        horizon=horizon,
        restart_every=None if window == horizon else window,
        schedule=schedule,
        space=Space(
            diameter=5.0,  # predictive laws on [-2.5, 2.5]
            data_diameter=3.0,
            center_diameter=4.0,
            predictive_diameter=5.0,
            reach=3.5,
        ),
        prior=prior,
        local_radius=1e-9,
        amplitude=0.25,
        corrupted=run.corrupted,
        action=run.action,
        failure_probability=0.05,
    )


@pytest.mark.parametrize("schedule", [Power(0.2, 0.5), Constant(0.05), SqrtLog(0.3)])
@pytest.mark.parametrize("window", [12, 30, 200])
def test_measured_regret_is_below_ours_which_is_below_the_paper(
    schedule: Schedule, window: int
) -> None:
    """Six seeds: the bounds hold with probability 0.95, and are loose enough never to fail here."""
    horizon = 200
    for seed in range(6):
        run = _run(schedule, window, horizon, seed, n_corrupted=10)
        problem = _problem(run, schedule, window, horizon)
        ours, paper = sharper_bound(problem), bound(problem)
        assert run.total <= ours.total <= paper.total
        assert run.total <= run.clean + run.twin + 1e-9
        corruption = next(t.value for t in ours.terms if t.name == "corruption")
        assert run.twin <= corruption
        assert run.clean <= ours.total - corruption


def test_certificate_is_not_vacuous_on_a_long_quiet_stream() -> None:
    """The law stands still, no corruption: ours is below D·T and the regret below ours."""
    horizon, schedule = 20_000, Power(0.05, 0.5)
    run = _run(schedule, horizon, 400, 0, 0)
    problem = replace(
        _problem(run, schedule, 400, 400), horizon=horizon, corrupted=None, action=0.0
    )
    report = sharper_bound(problem)
    assert not report.is_vacuous
    assert report.total / horizon < 1.3


def test_complexity_of_the_grid_prior() -> None:
    run = _run(Constant(0.1), 5, 10, 0, 1)
    problem = _problem(run, Constant(0.1), 5, 10)
    assert comparator_complexity(problem.prior, 1e-9) == pytest.approx(math.log(17))
