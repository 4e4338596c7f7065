"""Gross readings: at the start, in windows, and units that fall."""

from pathlib import Path

import numpy as np
import pytest

from driftlaw import Adaptive, load
from driftlaw._validate import Array
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.gross import begin_again_inplace, without_gross
from driftlaw.predictor.adaptive.refit import leader
from driftlaw.predictor.adaptive.state import Store, new_state
from driftlaw.predictor.adaptive.world import learn_world_inplace


def noise(n: int, dim: int = 1, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=(n, dim))


def learnt_world(points: Array) -> Store:
    store = new_state(points.shape[1]).store
    for z in points:
        learn_world_inplace(store, z)
    return store


def assert_standard(p: Adaptive, width: float) -> None:
    """Check intervals and the mean against the standard normal law."""
    law = p.predict()
    low, high = (np.ravel(side) for side in law.interval(0.9))
    np.testing.assert_allclose(high - low, 3.29, atol=width)
    np.testing.assert_allclose(law.mean(), 0.0, atol=0.5)


class TestTheStart:
    @pytest.mark.parametrize("dim", [1, 3])
    @pytest.mark.parametrize("first", [-9999.0, 1e6, 1e12])
    def test_a_gross_first_reading_is_soon_forgotten(self, first: float, dim: int) -> None:
        points = noise(300, dim)
        points[0] = first
        p = Adaptive(dim)
        p.learn_many(points[:6])
        assert (np.abs(p.predict().mean()) < 3.0).all()
        p.learn_many(points[6:40])
        assert_standard(p, 2.0)
        p.learn_many(points[40:])
        assert_standard(p, 0.6)

    @pytest.mark.parametrize(("which", "n"), [([0, 1], 11), ([0, 12], 40)])
    def test_so_are_two(self, which: list[int], n: int) -> None:
        points = noise(n, 1)
        points[which, 0] = [1e7, -9999.0]
        p = Adaptive(1)
        p.learn_many(points)
        assert abs(p.predict().mean()[0]) < 3.0

    @pytest.mark.parametrize("dim", [1, 3, 5])
    @pytest.mark.parametrize("first", [1e9, 1e30, 1e100])
    def test_it_leaves_a_state_that_can_be_loaded(
        self, first: float, dim: int, tmp_path: Path
    ) -> None:
        points = 60.0 + 10.0 * noise(40, dim)
        points[0] = first
        p = Adaptive(dim)
        for z in points:
            p.learn_one(z)
            assert np.isfinite(p._state.store.factor).all()
        p.save(tmp_path / "p")
        law = load(tmp_path / "p").predict()
        assert law.to_dict() == p.predict().to_dict()

    def test_units_begin_again_without_it(self) -> None:
        points = noise(20, 2)
        points[[0, 3]] = [[1e9, 0.0], [0.0, -1e7]]
        store = learnt_world(points)
        assert begin_again_inplace(store, points) == 16  # that have come since
        kept = np.delete(points, [0, 3], axis=0)
        np.testing.assert_allclose(store.lines[m.WORLD_MEAN], kept.mean(axis=0), rtol=1e-12)
        cov = np.cov(kept.T, bias=True)
        np.testing.assert_allclose(store.squares[m.WORLD_COV], cov, rtol=1e-12)
        factor = store.squares[m.WORLD_FACTOR]
        np.testing.assert_allclose(factor @ factor.T, cov, rtol=1e-12)

    def test_twenty_deviations_are_not_gross(self) -> None:
        points = noise(20, 2)
        points[3, 1] = 20.0
        store, before = learnt_world(points), learnt_world(points)
        assert begin_again_inplace(store, points) == 20
        np.testing.assert_array_equal(store.squares, before.squares)

    @pytest.mark.parametrize("n_gross", [0, 3])
    def test_they_stay_as_they_are_if_none_is_gross_or_many_are(self, n_gross: int) -> None:
        points = noise(20, 2)
        points[:n_gross] += 1e6
        store, before = learnt_world(points), learnt_world(points)
        begin_again_inplace(store, points)
        np.testing.assert_array_equal(store.squares, before.squares)
        np.testing.assert_array_equal(store.lines, before.lines)

    def test_values_that_are_mostly_equal_have_no_gross_ones(self) -> None:
        points = np.zeros((20, 1))
        points[5] = 3.0
        store, before = learnt_world(points), learnt_world(points)
        begin_again_inplace(store, points)
        np.testing.assert_array_equal(store.squares, before.squares)


class TestLater:
    @pytest.mark.parametrize("factor", [1e3, 1e6])
    def test_units_that_fall_are_followed(self, factor: float) -> None:
        p = Adaptive(1)
        p.learn_many(factor * noise(300))
        for part in np.split(noise(500, seed=1), [100, 150, 200, 300]):
            p.learn_many(part)
            if len(part) == 100 and p.n_seen == 400:
                continue  # the windows still hold large ones
            low, high = p.predict().quantile([0.05, 0.95])[:, 0]
            assert high - low == pytest.approx(3.29, abs=1.0)

    def test_one_gross_reading_is_not_in_the_mean(self) -> None:
        points = noise(400)
        points[300] = 1e12
        p = Adaptive(1)
        p.learn_many(points)
        p._state.pool[m.KIND : m.LENGTH] = np.log([0.01, 0.99, 1e-9])  # windows lead
        assert_standard(p, 0.6)


def groups(n: int, k: int, dim: int, seed: int) -> Array:
    """Return points (n, dim) of k groups, 8 deviations apart along the first axis."""
    rng = np.random.default_rng((seed, k, dim))
    points = rng.normal(size=(n, dim))
    points[:, 0] += 8.0 * rng.integers(k, size=n)
    return points


def mass_beyond(p: Adaptive, value: float) -> float:
    """Weight that the law of the first coordinate has beyond a value."""
    return 1.0 - float(np.ravel(p.predict().marginal(0).cdf([[value]]))[0])


class TestAmongGroups:
    """A point that nobody explains may be a group's first; the next observations tell."""

    @pytest.mark.parametrize("dim", [1, 2, 5])
    @pytest.mark.parametrize("k", [2, 3])
    def test_one_gross_reading_is_hardly_believed(self, k: int, dim: int) -> None:
        masses = []
        for seed in range(3):
            points = groups(180, k, dim, seed)
            points[150] = 900.0
            p = Adaptive(dim)
            p.learn_many(points[:151])
            masses.append([mass_beyond(p, 450.0)])
            for z in points[151:]:
                p.learn_one(z)
                masses[-1].append(mass_beyond(p, 450.0))
        at_once, soon, later = np.median(masses, axis=0)[[0, 5, 25]]
        assert at_once < 0.05  # so that no interval of 90 % reaches it
        assert soon < 0.01
        assert later < 0.005

    @pytest.mark.parametrize("dim", [1, 5])
    def test_nor_is_another_one_right_after_it(self, dim: int) -> None:
        masses = []
        for seed in range(5):
            points = groups(152, 2, dim, seed)
            points[150:] = [[900.0], [-700.0]]
            p = Adaptive(dim)
            p.learn_many(points)
            masses.append(mass_beyond(p, 450.0) + 1.0 - mass_beyond(p, -350.0))
        assert np.median(masses) < 0.09

    @pytest.mark.parametrize("dim", [1, 2])
    def test_what_comes_again_is_believed(self, dim: int) -> None:
        points = groups(160, 2, dim, 0)
        points[150::3] += 60.0  # a third group is born, four points of it
        p = Adaptive(dim)
        p.learn_many(points)
        assert mass_beyond(p, 40.0) > 0.1

    def test_a_shift_of_all_is_followed_after_two_points(self) -> None:
        points = groups(152, 2, 1, 1)
        points[150:] += 60.0
        p = Adaptive(1)
        p.learn_many(points[:151])
        assert mass_beyond(p, 40.0) < 0.1
        p.learn_many(points[151:])
        assert mass_beyond(p, 40.0) > 0.7


class TestThatComeAgain:
    @pytest.mark.parametrize("which", [[40, 58, 200], [58, 120], [30, 120], [12, 58, 200]])
    @pytest.mark.parametrize("size", [300.0, 3e4])
    def test_the_law_stays_where_all_others_are(self, which: list[int], size: float) -> None:
        for seed in range(3):
            points = 20.0 + 3.0 * noise(which[-1] + 5, 1, seed)
            points[which] = size
            p = Adaptive(1)
            p.learn_many(points[: which[-1]])
            for z in points[which[-1] :]:
                p.learn_one(z)
                below, above = p.predict().cdf([[8.0], [32.0]])
                assert above - below > 0.9

    @pytest.mark.parametrize("dim", [1, 3])
    def test_geometries_without_moves_are_not_of_them(self, dim: int) -> None:
        points = noise(80, dim)
        points[[12, 40, 58]] = 1e4
        p = Adaptive(dim)
        p.learn_many(points)
        store = p._state.store
        for lane in np.flatnonzero(m.IS_CALM).tolist():
            center: Array = store.mean[leader(store, lane)][0]
            assert np.abs(center).max() < 1.0

    def test_what_came_before_three_in_a_row_has_narrow_kernels(self) -> None:
        for seed in range(3):
            points = 20.0 + 3.0 * noise(104, 1, seed)
            points[100:103] = 3e4
            p = Adaptive(1)
            p.learn_many(points)
            assert p.predict().quantile(0.02)[0] > 5.0  # not thousands below
            law = p.predict()
            assert law.weights[(law.means[:, 0] < 40.0) & (law.scales > 10.0)].sum() < 0.01


class TestWindows:
    STORE = learnt_world(noise(200, 2))

    def test_lone_ones_are_left_out(self) -> None:
        points = noise(200, 2)
        points[[7, 60, 190]] = [[500.0, 0.0], [0.0, 50.0], [0.0, -1e9]]
        kept = without_gross(self.STORE, points)
        np.testing.assert_array_equal(np.flatnonzero(~kept), [7, 190])

    @pytest.mark.parametrize("which", [[3, 50, 100], [188, 199]])
    def test_none_is_if_they_come_again_or_of_late(self, which: list[int]) -> None:
        points = noise(200, 2)
        points[which] += 1e5
        assert without_gross(self.STORE, points).all()

    def test_rare_events_far_out_are_a_part_of_the_law(self) -> None:
        rng = np.random.default_rng(3)
        points = np.where(rng.random(800) < 0.02, 3e4, rng.lognormal(3.0, 0.5, 800))[:, None]
        p, masses = Adaptive(1), []
        p.learn_many(points[:400])
        for z in points[400:]:
            p.learn_one(z)
            if p.n_seen % 20 == 0:
                masses.append(1.0 - p.predict().cdf([[2e4]])[0])
        # a window of 400 to 640 holds 8 to 13 of them, give or take 3.5
        assert min(masses) > 0.005
        assert max(masses) < 0.045
