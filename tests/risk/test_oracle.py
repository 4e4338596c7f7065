from itertools import permutations

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import stats

from driftlaw import risk as rk
from driftlaw import streams
from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.law import MixtureLaw, SampleLaw

FOUR = MixtureLaw(
    [0.1, 0.2, 0.3, 0.4], [[0.0, 0.0], [4.0, 1.0], [-3.0, 4.0], [1.0, -5.0]], [0.5, 1.0, 0.7, 0.9]
)


def fitted_inertia(points: Array, k: int) -> float:
    cluster = pytest.importorskip("sklearn.cluster")
    fit = cluster.KMeans(k, n_init=4, random_state=0).fit(points)
    return float(fit.inertia_) / len(points)


@pytest.mark.parametrize(
    ("law", "k"),
    [
        (MixtureLaw([0.3, 0.7], [[-2.0], [3.0]], [1.0, 0.5]), 3),
        (MixtureLaw([0.5, 0.5], [[-2.5, 0.0], [2.5, 0.0]], [0.45, 0.45]), 2),
        (FOUR, 4),
        (FOUR, 3),
        (FOUR, 6),
        (MixtureLaw([0.5, 0.5], [[0.0] * 4, [3.0] * 4], [1.0, 1.0]), 3),
        (MixtureLaw([0.5, 0.5], [[0.0, 0.0], [9.0, 0.0]], [1.0, 1.0], 6.0), 3),
    ],
)
def test_its_risk_agrees_with_the_inertia_of_a_large_sample(law: MixtureLaw, k: int) -> None:
    found = rk.oracle(law, k)
    points = law.sample(10_000, 0)
    inertia = fitted_inertia(points, k)
    losses = ((points[:, None] - found.centers) ** 2).sum(axis=2).min(axis=1)
    standard_error = losses.std() / np.sqrt(len(losses))
    # inertia is fitted to its sample, so it lies below by about the number of coordinates over n
    optimism = 2 * k * law.dim * found.risk.value / len(points)
    level = stats.norm.isf(0.5e-3 / 7)
    assert abs(found.risk.value - inertia) <= level * standard_error + optimism + found.risk.error


def test_halves_of_a_normal_are_known() -> None:
    best = rk.oracle(MixtureLaw([1.0], [[5.0]], [2.0]), 2)
    half = 2.0 * np.sqrt(2 / np.pi)
    np.testing.assert_allclose(best.centers.ravel(), [5 - half, 5 + half], atol=1e-6)
    assert best.risk.value == pytest.approx(4.0 * (1 - 2 / np.pi), abs=1e-12)


def test_the_quantiser_of_a_normal_with_four_levels_is_the_tabulated_one() -> None:
    best = rk.oracle(MixtureLaw([1.0], [[0.0]], [1.0]), 4)
    # Max's table of optimal quantisers of the normal law
    np.testing.assert_allclose(best.centers.ravel(), [-1.510, -0.4528, 0.4528, 1.510], atol=5e-4)
    assert best.risk.value == pytest.approx(0.1175, abs=5e-5)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_no_planted_configuration_is_better(k: int) -> None:
    best = rk.oracle(FOUR, k)
    rng = np.random.default_rng(k)
    for scale in (0.01, 0.1, 1.0, 5.0):
        for _ in range(5):
            planted = best.centers + scale * rng.normal(size=best.centers.shape)
            other = rk.population_risk(FOUR, planted)
            assert other.value > best.risk.value - other.error - best.risk.error
            if scale >= 0.1:
                assert other.value > best.risk.value


def test_every_center_is_the_mean_of_its_cell() -> None:
    best = rk.oracle(FOUR, 3)
    points = FOUR.sample(400_000, 1)
    owners = ((points[:, None] - best.centers) ** 2).sum(axis=2).argmin(axis=1)
    for j, center in enumerate(best.centers):
        cell = points[owners == j]
        z = (cell.mean(axis=0) - center) / (cell.std(axis=0) / np.sqrt(len(cell)))
        assert np.abs(z).max() <= stats.norm.isf(0.5e-3 / 6)


def test_an_empirical_law_is_solved_on_its_points() -> None:
    points = np.concatenate([np.zeros((5, 2)), np.full((3, 2), 4.0)])
    best = rk.oracle(SampleLaw(points), 2)
    assert best.centers.tolist() == [[0.0, 0.0], [4.0, 4.0]]
    assert best.risk == (0.0, 0.0)
    more = rk.oracle(SampleLaw(points), 3)
    assert more.risk.value == 0.0


def test_two_calls_give_one_answer() -> None:
    a, b = rk.oracle(FOUR, 5), rk.oracle(FOUR, 5)
    np.testing.assert_array_equal(a.centers, b.centers)


@pytest.mark.parametrize("k", [2, 3])
def test_labels_stay_in_order_along_a_stream(k: int) -> None:
    stream = streams.smooth_drift(n_steps=15, step=0.2, rng=3)
    path = rk.oracle_path(stream, k)
    assert path.centers.shape == (15, k, 2)
    assert (path.errors <= 1e-5 * path.values).all()
    if k == 2:
        moves = np.linalg.norm(np.diff(path.centers, axis=0), axis=2)
        assert moves.max() <= 0.25
    for t in (0, 7, 14):
        assert path.values[t] <= rk.oracle(stream.law_at(t), k).risk.value * (1 + 1e-6)


def test_labels_follow_the_start_also_when_a_fresh_start_wins() -> None:
    # all in one component, in the order right, left, top, bottom: a start that leads nowhere good
    start = np.array([[1.3, -5.0], [0.7, -5.1], [1.0, -4.6], [1.1, -5.4]])
    found = rk.oracle(FOUR, 4, start=start).centers
    costs = [((start - found[list(order)]) ** 2).sum() for order in permutations(range(4))]
    assert ((start - found) ** 2).sum() == pytest.approx(min(costs))
    assert not np.array_equal(found, rk.oracle(FOUR, 4).centers)


def test_a_jump_of_the_law_is_followed() -> None:
    stream = streams.abrupt_shift(n_steps=40, jump=50.0, rng=0)
    path = rk.oracle_path(stream, 2)
    np.testing.assert_allclose(path.values, path.values[0], rtol=1e-6)
    offsets = path.centers - path.centers.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(offsets, np.broadcast_to(offsets[0], offsets.shape), atol=1e-4)


@pytest.mark.parametrize(
    ("k", "start", "message"),
    [
        (0, None, "k must be a whole number >= 1, got 0"),
        (101, None, "k must be <= 100, got 101"),
        (10**9, None, "k must be <= 100"),
        (2, [[0.0, 0.0]], r"start must be \(2, 2\), got \(1, 2\)"),
    ],
)
def test_bad_arguments_are_refused(k: int, start: ArrayLike | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rk.oracle(FOUR, k, start=start)
    with pytest.raises(InputError, match="law must be a MixtureLaw or a SampleLaw, got list"):
        rk.oracle([[0.0, 0.0]], 1)  # type: ignore[arg-type]


def test_horizons_are_checked() -> None:
    endless = streams.smooth_drift(n_steps=None, rng=0)
    with pytest.raises(InputError, match="n_steps must be given for an endless stream"):
        rk.oracle_path(endless, 2)
    assert len(rk.oracle_path(endless, 2, n_steps=2).values) == 2
    with pytest.raises(InputError, match="n_steps must be <= 5"):
        rk.oracle_path(streams.smooth_drift(n_steps=5, rng=0), 2, n_steps=6)
