"""Metrics against their definitions written out, and calibration where the law is the truth."""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats

from driftlaw.errors import InputError
from driftlaw.evaluate import (
    CRPS,
    PIT,
    W1,
    Coverage,
    EnergyScore,
    Estimate,
    LogScore,
    MeanError,
    PaperW1,
    VariogramScore,
    columns,
    crps,
    prequential,
)
from driftlaw.law import MixtureLaw, SampleLaw
from driftlaw.streams import Step, heavy_tails, smooth_drift
from tests.reference_predictors import Oracle

FALSE_ALARM = 1e-3
LAW = MixtureLaw([0.4, 0.6], [[0.0, 0.0], [2.0, 1.0]], [0.5, 1.0])
TRUTH = MixtureLaw([0.5, 0.5], [[0.5, 0.0], [2.0, 2.0]], [0.5, 1.0])


def step_at(t: int, *values: float) -> Step:
    clean = np.array(values)
    return Step(t, clean + 100.0, clean, True)  # the observed point must not be judged by


def test_mean_error_and_log_score_by_hand() -> None:
    step = step_at(0, 1.0, 0.0)
    assert MeanError()(LAW, step, None) == pytest.approx(np.hypot(0.2, 0.6))
    density = sum(
        w * stats.multivariate_normal(m, s**2).pdf([1.0, 0.0])
        for w, m, s in zip(LAW.weights, LAW.means, LAW.scales, strict=True)
    )
    assert LogScore()(LAW, step, None) == pytest.approx(-np.log(density))


def test_crps_is_the_mean_over_coordinates() -> None:
    step = step_at(0, 1.0, -0.5)
    expected = [crps(LAW.marginal(i), x) for i, x in enumerate(step.clean)]
    assert CRPS()(LAW, step, None) == pytest.approx(np.mean(expected))


@pytest.mark.parametrize(("x", "expected"), [((0.0, 0.0), 1.0), ((0.0, 9.0), 0.5)])
def test_coverage_counts_coordinates(x: tuple[float, ...], expected: float) -> None:
    law = MixtureLaw([1.0], [[0.0, 0.0]], [1.0])
    assert Coverage(0.9)(law, step_at(0, *x), None) == expected


def test_coverage_ends_where_the_quantiles_are() -> None:
    law = MixtureLaw([1.0], [[0.0]], [1.0])
    edge = stats.norm.ppf(0.95)
    assert Coverage(0.9)(law, step_at(0, edge - 1e-9), None) == 1.0
    assert Coverage(0.9)(law, step_at(0, edge + 1e-9), None) == 0.0


def test_pit_is_the_cdf_of_its_coordinate() -> None:
    value = PIT(1)(LAW, step_at(0, 0.0, 0.3), None)
    expected = 0.4 * stats.norm.cdf(0.3 / 0.5) + 0.6 * stats.norm.cdf(0.3 - 1.0)
    assert value == pytest.approx(expected)


@pytest.mark.parametrize("make", [smooth_drift, heavy_tails])
def test_the_truth_is_calibrated(make: Any) -> None:
    stream = make(n_steps=500, rng=3)
    table = columns(prequential(Oracle(stream), stream, [PIT(0), PIT(1), Coverage(0.8)]))
    for name in ("pit_0", "pit_1"):
        assert stats.kstest(table[name], "uniform").pvalue > FALSE_ALARM
    # Two coordinates per step, at worst fully dependent.
    error = np.sqrt(0.8 * 0.2 / 500)
    assert abs(table["coverage_80"].mean() - 0.8) < stats.norm.isf(FALSE_ALARM / 2) * error


def test_paper_w1_is_the_mean_over_directions_of_sorted_samples() -> None:
    """Against SciPy's distance along each direction, replaying the metric's generator."""
    metric = PaperW1(n_samples=50, n_directions=7, rng=3)
    found = metric(LAW, step_at(4, 0.0, 0.0), TRUTH)
    seed = np.random.SeedSequence(3, spawn_key=(4,))
    rng = np.random.default_rng(seed)
    x, y = LAW.sample(50, rng), TRUTH.sample(50, rng)
    units = rng.standard_normal((7, 2))
    units /= np.linalg.norm(units, axis=1)[:, None]
    distances = [stats.wasserstein_distance(x @ unit, y @ unit) for unit in units]
    assert found.value == pytest.approx(np.mean(distances))
    assert found.standard_error == pytest.approx(np.std(distances, ddof=1) / np.sqrt(7))


def test_paper_w1_has_a_floor_where_w1_has_none() -> None:
    """Equal laws: the shares of two clusters differ by chance, and move mass from one to the other.

    That alone costs E|N(0, 0.5 / 500)| times the separation times the mean of |cos|; what the
    clusters add inside is small. So the floor grows along the paper's smooth stream.
    """
    stream = smooth_drift(rng=0)
    for t in (0, 300):
        law = stream.law_at(t)
        separation = np.linalg.norm(law.means[0] - law.means[1])
        shares = separation * (2 / np.pi) * np.sqrt(2 / np.pi) * np.sqrt(0.5 / 500)
        found = [PaperW1()(law, step_at(s, 0.0, 0.0), law).value for s in range(100)]
        error = np.std(found) / np.sqrt(100)
        assert shares - 3.3 * error < np.mean(found) < shares + 0.05 + 3.3 * error
        assert W1()(law, step_at(0, 0.0, 0.0), law) == 0.0


def test_paper_w1_comes_near_w1_with_many_samples() -> None:
    metric = PaperW1(n_samples=20_000, n_directions=400)
    found = metric(LAW, step_at(0, 0.0, 0.0), TRUTH)
    exact = W1()(LAW, step_at(0, 0.0, 0.0), TRUTH)
    assert abs(found.value - exact) < 4 * found.standard_error + 0.02


def test_sampled_metrics_depend_on_the_step_and_not_on_the_order() -> None:
    for metric in (PaperW1(50, 5), EnergyScore(50), VariogramScore(n_samples=10)):
        law = MixtureLaw(LAW.weights, LAW.means, LAW.scales, 4.0)
        one, other = (metric(law, step_at(t, 0.0, 1.0), TRUTH) for t in (3, 4))
        assert metric(law, step_at(3, 0.0, 1.0), TRUTH) == one
        assert one.value != other.value


def test_variogram_score_agrees_with_its_definition() -> None:
    """For a law with atoms both terms of the score are sums."""
    points = np.random.default_rng(1).normal(size=(40, 3))
    x = np.array([0.3, -1.0, 2.0])
    found = VariogramScore(n_samples=200, n_batches=40)(SampleLaw(points), step_at(0, *x), None)
    gaps = np.abs(points[:, :, None] - points[:, None, :]) ** 0.5
    expected = ((np.abs(x[:, None] - x) ** 0.5 - gaps.mean(axis=0)) ** 2).sum()
    assert abs(found.value - expected) < 3.6 * found.standard_error
    assert found.standard_error < 0.05 * expected


def test_variogram_score_of_a_batch_is_fair() -> None:
    """Squares of single draws, less half the squared gap between two of them, in loops."""
    law, x, power = MixtureLaw([1.0], [[0.0, 1.0, 3.0]], [1.0]), np.array([0.3, -1.0, 2.0]), 0.7
    found = VariogramScore(power, n_samples=4, n_batches=2, rng=5)(law, step_at(6, *x), None)
    draws = law.sample(8, np.random.default_rng(np.random.SeedSequence(5, spawn_key=(6,))))
    scores = []
    for batch in (draws[:4], draws[4:]):
        gaps = [np.abs(row[:, None] - row) ** power for row in batch]
        errors = [((gap - np.abs(x[:, None] - x) ** power) ** 2).sum() for gap in gaps]
        pairs = [((a - b) ** 2).sum() / 2 for a, b in itertools.combinations(gaps, 2)]
        scores.append(np.mean(errors) - np.mean(pairs))
    assert found.value == pytest.approx(np.mean(scores))
    assert found.standard_error == pytest.approx(abs(scores[0] - scores[1]) / 2)


def test_without_a_truth_the_distance_is_unknown() -> None:
    assert np.isnan(W1()(LAW, step_at(0, 0.0, 0.0), None))
    assert np.isnan(PaperW1()(LAW, step_at(0, 0.0, 0.0), None)).all()


def test_energy_metric_is_the_score_of_the_clean_point() -> None:
    law = SampleLaw([[0.0, 0.0], [0.0, 2.0]])
    assert EnergyScore()(law, step_at(0, 0.0, 1.0), None) == Estimate(0.5, 0.0)


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: PaperW1(n_samples=0), "n_samples must be"),
        (lambda: PaperW1(n_directions=1), "n_directions must be"),
        (lambda: EnergyScore(n_samples=1), "n_samples must be"),
        (lambda: VariogramScore(power=0.0), "power must be"),
        (lambda: VariogramScore(n_batches=1), "n_batches must be"),
        (lambda: Coverage(1.2), "level must be"),
        (lambda: PIT(-1), "coordinate must be"),
    ],
)
def test_bad_arguments_are_named(make: Any, word: str) -> None:
    with pytest.raises(InputError, match=word):
        make()
