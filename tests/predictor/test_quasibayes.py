"""`QuasiBayes`: restarts, schedules, invariances, what it tells about an update."""

import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from driftlaw import Constant, Power, QuasiBayes, SqrtLog, load
from driftlaw._validate import Array, check_points
from driftlaw.errors import InputError

SAMPLERS = pytest.mark.parametrize("sampler", ["local", "paper", "paper-symmetric"])
SMALL = {"radius": 4.0, "n_iterations": 40, "n_configurations": 8}
quasi = partial(QuasiBayes, **SMALL)  # type: ignore[arg-type]


def stream(dim: int, n: int, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(np.where(rng.random((n, 1)) < 0.5, -1.5, 1.5), 0.5, (n, dim)))


def assert_same(a: QuasiBayes, b: QuasiBayes) -> None:
    for x, y in zip(a.configurations(), b.configurations(), strict=True):
        np.testing.assert_array_equal(x, y)
    assert a.predict().to_dict() == b.predict().to_dict()


@SAMPLERS
@pytest.mark.parametrize("rule", [{"restart_every": 10**9}, {"restart_at": (10**6, 10**9)}])
def test_a_restart_that_never_fires_is_vanilla(sampler: str, rule: dict[str, Any]) -> None:
    plain, ruled = (quasi(dim=2, sampler=sampler, rng=0, **r) for r in ({}, rule))
    for part in np.split(stream(2, 60), 4):
        plain.learn_many(part)
        ruled.learn_many(part)
        assert_same(plain, ruled)


@SAMPLERS
def test_restart_every_is_restart_at_its_multiples(sampler: str) -> None:
    every = quasi(dim=2, sampler=sampler, rng=0, restart_every=7)
    at = quasi(dim=2, sampler=sampler, rng=0, restart_at=tuple(range(7, 70, 7)))
    for z in stream(2, 30):
        assert repr(every.learn_one(z)) == repr(at.learn_one(z))
        assert_same(every, at)


def test_ages_rates_and_restarts_are_as_stated() -> None:
    history = quasi(dim=1, restart_every=4, schedule=Power(2.0, 0.5), rng=0).learn_many(
        stream(1, 10)
    )
    ages = [1, 2, 3, 0, 1, 2, 3, 0, 1, 2]
    assert history.t.tolist() == list(range(1, 11))
    assert history.age.tolist() == ages
    rates = [2.0 / math.sqrt(a) if a else 0.0 for a in ages]
    np.testing.assert_allclose(history.rate, rates, rtol=1e-14)
    assert history.is_restart.tolist() == [a == 0 for a in ages]
    history = quasi(dim=1, restart_at=(2, 3, 7), rng=0).learn_many(stream(1, 9))
    assert history.age.tolist() == [1, 0, 0, 1, 2, 3, 0, 1, 2]


@pytest.mark.parametrize("first", [1, 3])
def test_only_the_current_segment_is_in_the_score(first: int) -> None:
    """What came before a restart changes nothing but the random numbers."""
    far, near = np.full((first, 1), 3.5), np.full((30, 1), -2.0)
    p = quasi(dim=1, restart_at=(first,), schedule=Constant(5.0), kernel="adaptive", rng=0)
    history = p.learn_many(np.concatenate([far, near]))
    assert history.age[-1] == 30
    found = p.configurations()
    for c, loss in zip(found.each(), p._state.records.loss[0], strict=True):
        assert loss == pytest.approx(30 * ((c + 2.0) ** 2).min(), abs=1e-9)
        assert abs(c + 2.0).min() < 1.0  # sd of the nearest centre: 1 / sqrt(2 * 5 * 30) = 0.06


@SAMPLERS
def test_a_fresh_segment_predicts_from_the_prior(sampler: str) -> None:
    """Exact prior draws right after a restart; two tests of level 5e-4."""
    p = quasi(
        dim=1,
        sampler=sampler,
        restart_every=6,
        n_iterations=2000,
        n_configurations=1500,
        eta=0.5,
        schedule=lambda age: 3.0 / age,  # has no value at age 0
        rng=1,
    )
    assert p.learn_many(stream(1, 6)).is_restart[-1]
    found = p.configurations()
    q = np.exp(-0.5 * np.arange(1, 5))
    counts = np.bincount(found.k, minlength=5)[1:]
    assert stats.chisquare(counts, q / q.sum() * 1500).pvalue > 5e-4
    centers = found.centers[np.isfinite(found.centers)]
    assert stats.kstest(centers, stats.uniform(-8, 16).cdf).pvalue > 5e-4
    x = np.linspace(-8, 8, 33)
    np.testing.assert_allclose(p.predict().cdf(x), (x + 8) / 16, atol=1e-12)


@SAMPLERS
@pytest.mark.parametrize("dim", [1, 2, 5])
def test_translation_moves_the_law(sampler: str, dim: int) -> None:
    """With common random numbers all is shifted, up to rounding.

    No burn-in: its adaptation asks whether two sums are equal, which rounding may answer
    otherwise in the shifted run.
    """
    shift = np.linspace(8.0, -3.0, dim)
    args = {"dim": dim, "sampler": sampler, "schedule": Constant(0.8), "restart_every": 12}
    mixed = {"kernel": "adaptive", "weights": "occupancy", "burn_in": 0.0}
    here, there = (
        quasi(center=center, rng=4, **args, **mixed)  # type: ignore[arg-type]
        for center in (None, shift)
    )
    for z in stream(dim, 25):
        a, b = here.learn_one(z), there.learn_one(z + shift)
        assert a.mean_loss == pytest.approx(b.mean_loss, abs=1e-9)
        one, other = here.configurations(), there.configurations()
        np.testing.assert_array_equal(one.k, other.k)
        np.testing.assert_allclose(one.centers + shift, other.centers, atol=1e-9)
        law, moved = here.predict(), there.predict()
        np.testing.assert_allclose(law.mean() + shift, moved.mean(), atol=1e-9)
        np.testing.assert_allclose(
            law.quantile([0.1, 0.9]) + shift, moved.quantile([0.1, 0.9]), atol=1e-7
        )


def test_translation_moves_the_gibbs_law() -> None:
    here, there = (
        quasi(dim=1, center=[c], schedule=Constant(0.8), burn_in=0.0, rng=4) for c in (0.0, 30.0)
    )
    levels = np.linspace(0.05, 0.95, 7)
    for z in stream(1, 12):
        np.testing.assert_allclose(
            here.predict().quantile(levels) + 30.0, there.predict().quantile(levels), atol=1e-7
        )
        here.learn_one(z)
        there.learn_one(z + 30.0)


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_configurations_are_padded_with_nan_and_inside_the_ball(dim: int) -> None:
    center = np.full(dim, 2.0)
    p = quasi(dim=dim, center=center, max_centers=3, n_chains=4, rng=0)
    for z in [None, *stream(dim, 6)]:
        if z is not None:
            p.learn_one(z)
        found = p.configurations()
        assert found.k.shape == (8,)
        assert found.centers.shape == (8, 3, dim)
        is_live = np.arange(3) < found.k[:, None]
        assert np.isfinite(found.centers[is_live]).all()
        assert np.isnan(found.centers[~is_live]).all()
        assert (np.linalg.norm(found.centers[is_live] - center, axis=1) <= 8.0 + 1e-12).all()
    found.centers[...], found.k[...] = 99.0, 1
    assert (p.configurations().centers != 99.0).all()


def test_points_outside_the_ball_are_learnt_and_reported() -> None:
    p = quasi(dim=2, center=[1.0, 0.0], kernel="gaussian", scale=1.0, rng=0)
    inside, outside = p.learn_one([8.9, 0.0]), p.learn_one([1.0, 8.1])
    assert (inside.is_outside, outside.is_outside) == (False, True)
    assert (outside.t, outside.age, p.n_seen) == (2, 2, 2)
    history = p.learn_many([[0.0, 0.0], [0.0, 1e6]])
    assert history.is_outside.tolist() == [False, True]
    assert history.mean_loss[-1] > 1e11  # it is in the score
    assert np.isfinite(p.predict().mean()).all()


@pytest.mark.parametrize(
    ("schedule", "rate"),
    [
        (SqrtLog(0.1), 0.1 * math.sqrt(math.log(5) / 5)),
        (Power(2.0, 0.5), 2.0 / math.sqrt(5)),
        (Constant(0.3), 0.3),
        (lambda age: age / 10, 0.5),
        (np.float32, 5.0),
    ],
)
def test_schedules(schedule: Any, rate: float) -> None:
    p = quasi(dim=1, schedule=schedule, rng=0)
    p.learn_many(stream(1, 4))
    assert p.learn_one(0.3).rate == pytest.approx(rate, rel=1e-12)


@pytest.mark.parametrize(
    ("late", "message"),
    [
        (-1.0, "schedule must give finite rates >= 0, got -1.0 at age 4"),
        (math.nan, "schedule must give finite rates >= 0, got nan at age 4"),
        (math.inf, "schedule must give finite rates >= 0, got inf at age 4"),
        (None, "schedule must give finite rates >= 0, got None at age 4"),
        ("0.5", "schedule must give finite rates >= 0, got '0.5' at age 4"),
        (True, "schedule must give finite rates >= 0, got True at age 4"),
        ("x", "schedule must give finite rates >= 0, got 'x' at age 4"),
    ],
)
def test_bad_rates_change_nothing(late: Any, message: str) -> None:
    def schedule(age: int) -> Any:
        return 0.5 if age < 4 else late

    p, twin = (quasi(dim=1, schedule=schedule, rng=0) for _ in range(2))
    points = stream(1, 6)
    p.learn_one(points[0])
    with pytest.raises(InputError, match=message):
        p.learn_many(points[1:])
    p.learn_many(points[1:3])
    twin.learn_many(points[:3])
    assert_same(p, twin)
    with pytest.raises(InputError, match=message):
        p.learn_one(points[3])
    assert_same(p, twin)
    assert p.n_seen == 3


def test_a_schedule_that_raises_changes_nothing() -> None:
    p, twin = (quasi(dim=1, schedule=lambda age: 1 / (age - 3), rng=0) for _ in range(2))
    with pytest.raises(InputError, match=r"got -0\.5 at age 1"):
        p.learn_one(0.0)
    broken = quasi(dim=1, schedule=lambda age: 1 / (3 - age), rng=0)
    broken.learn_many(stream(1, 2))
    with pytest.raises(ZeroDivisionError):
        broken.learn_one(0.0)
    assert broken.n_seen == 2
    assert_same(p, twin)


@SAMPLERS
def test_acceptance_counts_every_proposal(sampler: str) -> None:
    p = quasi(dim=2, sampler=sampler, schedule=Constant(1.0), n_chains=2, rng=0)
    history = p.learn_many(stream(2, 12))
    assert (history.proposed.sum(axis=1) == 2 * 40).all()
    assert (history.accepted <= history.proposed).all()
    info = p.learn_one([0.0, 0.0])
    assert tuple(info.acceptance) == history.moves
    found = p.diagnostics()
    assert repr(found.acceptance) == repr(info.acceptance)
    records = p._state.records
    assert info.mean_k == pytest.approx(p.configurations().k.mean())
    assert info.mean_loss == pytest.approx(records.loss.mean())


def test_learning_helps() -> None:
    """One cluster at 2: the law comes near to it, from a prior that knows nothing."""
    points = np.random.default_rng(0).normal(2.0, 0.5, (60, 2))
    p = quasi(dim=2, kernel="adaptive", weights="occupancy", schedule=Constant(1.0), rng=0)
    p.learn_many(points)
    # Monte-Carlo error of the window's mean is 0.065 per coordinate, posterior spread the same
    np.testing.assert_allclose(p.predict().mean(), [2.0, 2.0], atol=0.4)


def test_repr_tells_settings_and_progress() -> None:
    p = quasi(dim=1, restart_every=5, rng=0)
    p.learn_one(0.0)
    assert repr(p).startswith("<QuasiBayes after 1 observations: dim=1, radius=4.0")
    assert "restart_every=5" in repr(p)


def test_the_order_of_memory_does_not_matter() -> None:
    """Arrays by columns, views and lists reach compiled code in one layout: one compilation."""
    points = stream(2, 8)
    views = [points, points.copy(order="F"), np.repeat(points, 2, axis=0)[::2], points.tolist()]
    for view in views:
        assert check_points("Z", view, 2).flags.c_contiguous
    found = [quasi(dim=2, rng=0) for _ in views]
    for p, view in zip(found, views, strict=True):
        p.learn_many(view)
        assert_same(p, found[0])


@pytest.mark.parametrize("far", [1e13, 1e155, -1e300])
def test_an_observation_too_far_to_be_weighed_is_refused(far: float) -> None:
    predictor, untouched = quasi(dim=2, rng=0), quasi(dim=2, rng=0)
    for each in (predictor, untouched):
        each.learn_many(stream(2, 20))
    with pytest.raises(InputError, match="z must lie within 1e\\+12 radii of center"):
        predictor.learn_one([far, 0.0])
    with pytest.raises(InputError, match="Z must lie within"):
        predictor.learn_many([[0.0, 0.0], [far, 0.0]])
    assert_same(predictor, untouched)


def test_the_furthest_observation_pins_its_center_to_the_edge(tmp_path: Path) -> None:
    predictor = quasi(dim=1, max_centers=1, n_iterations=400, rng=0, schedule=Constant(1.0))
    predictor.learn_many([*stream(1, 20)[:, 0], 4e11])
    assert predictor.configurations().centers.min() > 7.9  # the ball ends at 8
    predictor.save(tmp_path / "far.npz")
    assert_same(load(tmp_path / "far.npz"), predictor)  # type: ignore[arg-type]


def test_what_was_handed_out_to_be_saved_stays_as_it_was() -> None:
    predictor = QuasiBayes(dim=2, radius=5.0, rng=0)
    predictor.learn_many(np.zeros((3, 2)))
    saved = predictor.to_saved().arrays
    before = {name: array.copy() for name, array in saved.items()}
    predictor.learn_many(np.ones((30, 2)))
    for name, array in saved.items():
        np.testing.assert_array_equal(array, before[name], err_msg=name)
