"""`Adaptive` as its users see it."""

import gc
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from driftlaw import Adaptive, QuasiBayes, load
from driftlaw._validate import Array
from driftlaw.errors import InputError, SavedStateError
from driftlaw.law import MixtureLaw, SampleLaw
from driftlaw.predictor import storage
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.pool import window_weights


def two_blobs(n: int, dim: int = 2, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(np.where(rng.random((n, 1)) < 0.4, 5.0, 0.0), 1.0, (n, dim)))


def learnt(points: Array, false_alarm_rate: float = 0.001) -> Adaptive:
    p = Adaptive(points.shape[1], false_alarm_rate=false_alarm_rate)
    p.learn_many(points)
    return p


def assert_moved(law: MixtureLaw, moved: MixtureLaw, factor: float, shift: float) -> None:
    np.testing.assert_array_equal(moved.weights, law.weights)
    np.testing.assert_array_equal(moved.means, factor * law.means + shift)
    np.testing.assert_array_equal(moved.scales, factor * law.scales)
    np.testing.assert_array_equal(moved.df, law.df)


class TestFirstObservations:
    @pytest.mark.parametrize("dim", [1, 2, 5])
    def test_before_any_the_law_is_a_standard_student(self, dim: int) -> None:
        law = Adaptive(dim).predict()
        assert isinstance(law, MixtureLaw)
        np.testing.assert_array_equal(law.mean(), np.zeros(dim))
        np.testing.assert_allclose(law.quantile(0.9)[0], stats.t.ppf(0.9, 3), rtol=1e-9)

    @pytest.mark.parametrize("dim", [1, 2, 5])
    def test_soon_wide_then_right(self, dim: int) -> None:
        points = np.random.default_rng(0).normal(300.0, 2.0, (100, dim))
        p = Adaptive(dim)
        for n, z in enumerate(points, 1):
            p.learn_one(z)
            law = p.predict()
            assert np.isfinite(law.mean()).all()
            if n == 1:
                np.testing.assert_allclose(law.mean(), z, rtol=1e-12)
            if n >= 10:  # within two standard deviations, later one; nearly the right width
                low, high = law.interval(0.9)
                assert (np.abs(law.mean() - 300.0) < (4.0 if n < 60 else 2.0)).all()
                assert (high - low > 0.4 * 3.29 * 2.0).all()
                assert (high - low < 2.5 * 3.29 * 2.0).all()

    @pytest.mark.parametrize("dim", [1, 2])
    def test_a_constant_stream_and_its_end(self, dim: int) -> None:
        p = Adaptive(dim)
        p.learn_many(np.full((50, dim), 7.0))
        np.testing.assert_allclose(p.predict().mean(), 7.0, rtol=1e-6)
        p.learn_many(np.random.default_rng(0).normal(0.0, 1.0, (150, dim)))
        low, high = p.predict().interval(0.9)
        assert (low < -1.0).all()
        assert (low > -4.0).all()
        assert (high > 1.0).all()
        assert (high < 4.0).all()


class TestEquivariance:
    @pytest.mark.parametrize("dim", [1, 2, 5])
    @pytest.mark.parametrize("factor", [2.0**-40, 2.0**30])
    def test_rescaling_by_a_power_of_two_is_exact(self, dim: int, factor: float) -> None:
        points = two_blobs(80, dim)
        points[50:] += 9.0
        points[30] += 60.0
        p, scaled = Adaptive(dim), Adaptive(dim)
        for n, z in enumerate(points, 1):
            info, other = p.learn_one(z), scaled.learn_one(factor * z)
            if n >= 2:
                assert repr(info) == repr(other)
            if n in (2, 3, 6, 31, 52, 80):
                assert_moved(p.predict(), scaled.predict(), factor, 0.0)

    @pytest.mark.parametrize("seed", [2, 4, 5])
    @pytest.mark.parametrize(("factor", "shift"), [(1e-3, 0.0), (1.0, 1e6)])
    def test_rounding_tells_no_equals_apart(self, factor: float, shift: float, seed: int) -> None:
        """On the line two points in the middle are as good a medoid as each other."""
        rng = np.random.default_rng(seed)
        groups = np.where(rng.random(240) < 0.5, rng.normal(size=240), 3.0 + rng.normal(size=240))
        points, p, moved = np.exp(0.6 * groups)[:, None], Adaptive(1), Adaptive(1)
        for z in points:
            p.learn_one(z)
            moved.learn_one(factor * z + shift)
            law = p.predict()
            gap = (moved.predict().mean()[0] - shift) / factor - law.mean()[0]
            assert abs(gap) < 1e-7 * np.sqrt(law.cov()[0, 0])

    def test_translation_and_any_factor_up_to_rounding(self) -> None:
        points = two_blobs(120)
        points[60:] += 9.0
        p, moved = learnt(points), learnt(3.7 * points - 41.0)
        law, other = p.predict(), moved.predict()
        q = np.array([0.01, 0.1, 0.5, 0.9, 0.99])
        np.testing.assert_allclose(other.quantile(q), 3.7 * law.quantile(q) - 41.0, atol=1e-3)
        np.testing.assert_allclose(other.mean(), 3.7 * law.mean() - 41.0, atol=1e-3)


class TestWhatItLearns:
    def test_two_centers_with_weights_and_identity(self) -> None:
        p = learnt(two_blobs(400))
        geometry = p.geometry()
        order = np.argsort(geometry.centers[:, 0])
        assert len(order) == 2
        # 400 points: standard errors of about 0.08 and 0.025
        np.testing.assert_allclose(geometry.centers[order], [[0, 0], [5, 5]], atol=0.4)
        np.testing.assert_allclose(geometry.weights[order], [0.6, 0.4], atol=0.15)
        assert (geometry.identities < 300).all()
        p.learn_many(two_blobs(20, seed=1))
        assert set(p.geometry().identities) == set(geometry.identities)

    def test_a_jump_restarts_and_is_reported(self) -> None:
        points = two_blobs(300)
        points[200:] += 30.0
        p = Adaptive(2)
        history = p.learn_many(points[:200])
        assert history.last_restart[-1] < 190
        before = history.memory[-1]
        history = p.learn_many(points[200:212])
        assert (history.last_restart[1:] >= 201).all()
        assert history.last_restart[5] == 201  # later a fit of what came since may lead
        assert history.restart_evidence[5] > 3.0
        assert history.memory[-1] < before
        assert history.p_value[0] < 0.01
        assert history.is_alarm.sum() == 1
        np.testing.assert_allclose(p.predict().mean(), 32.0, atol=3.0)

    def test_calm_geometries_stay_with_all_data_until_they_are_beaten(self) -> None:
        points = np.random.default_rng(5).standard_t(5, (300, 1))
        points[200:] += 30.0
        p, calm = Adaptive(1), m.BEAM * np.flatnonzero(m.IS_CALM)
        p.learn_many(points[:200])
        store = p._state.store
        np.testing.assert_array_equal(store.slot[calm, m.BORN], 0)
        np.testing.assert_allclose(store.mean[calm, 0, 0], points[:200].mean(), atol=0.1)
        p.learn_many(points[200:])
        np.testing.assert_allclose(store.slot[calm, m.BORN], 200, atol=2)
        np.testing.assert_allclose(store.mean[calm, 0, 0], points[200:].mean(), atol=0.15)

    def test_windows_are_judged_from_when_they_speak(self) -> None:
        points = two_blobs(40)
        early, later = learnt(points[:20]), learnt(points)
        for p, is_prior in ((early, True), (later, False)):
            weights = np.exp(p._state.pool[m.LENGTH :])
            assert np.allclose(weights, m.POOL_PRIOR[m.LENGTH :], rtol=1e-9) == is_prior

    @pytest.mark.parametrize("dim", [1, 2, 10])
    def test_at_rest_windows_mostly_begin_with_their_prior(self, dim: int) -> None:
        shares = []
        for seed in range(30):
            points = np.random.default_rng((seed, dim)).lognormal(0.0, 0.8, size=(20, dim))
            shares.append(learnt(points)._state.pool[m.KIND + 1])
        lost = np.log(m.KIND_PRIOR[1]) - np.array(shares)
        assert np.mean(lost > 0.1) < 0.25  # an axis of skewed geometries takes 0.05
        assert lost.max() < 2.0

    @pytest.mark.parametrize("dim", [1, 3])
    def test_windows_begin_with_less_by_what_ranks_say(self, dim: int) -> None:
        points = np.arange(20.0)[:, None] * np.ones(dim)
        squares = [12.0 * ((n + 0.5) / (n + 1.0) - 0.5) ** 2 for n in range(10, 20)]
        behind = 0.5 * (np.array(squares) - 1.0).sum() - 2.0 / np.sqrt(dim)
        pool = learnt(points)._state.pool
        prior = np.log(m.KIND_PRIOR[1] / m.KIND_PRIOR[0])
        assert pool[m.KIND + 1] - pool[m.KIND] == pytest.approx(prior - behind, rel=1e-9)
        assert np.exp(pool[m.KIND : m.LENGTH]).sum() == pytest.approx(1.0)

    def test_geometries_are_the_law_until_windows_speak(self) -> None:
        experts = Adaptive(2).learn_many(two_blobs(22)).experts
        np.testing.assert_array_equal(experts[: m.FIRST_JUDGED - 1, 0], 1.0)
        assert (experts[m.FIRST_JUDGED - 1 :, 1:].sum(axis=1) > 0.1).all()
        np.testing.assert_allclose(experts.sum(axis=1), 1.0)

    @pytest.mark.parametrize("dim", [1, 2])
    def test_a_climb_from_the_first_observation_is_followed(self, dim: int) -> None:
        """Windows of it are far off when they begin to speak, and their law was taken for true."""
        errors, spreads = np.zeros((6, 45)), np.zeros((6, 45))
        for seed in range(6):
            noise, p = np.random.default_rng((seed, dim)).normal(size=(45, dim)), Adaptive(dim)
            for t in range(45):
                law, level = p.predict(), np.full(dim, t / np.sqrt(dim))
                errors[seed, t] = np.linalg.norm(law.mean() - level)
                spreads[seed, t] = np.sqrt(np.trace(np.atleast_2d(law.cov())) / dim)
                p.learn_one(level + noise[t])
        before, after = spreads[:, 16:20].mean(), spreads[:, 20:24].mean()
        assert after < 1.2 * before  # with windows at their prior, and slow centers: 2.0, 1.6
        assert spreads[:, 35:].mean() < 1.6
        assert errors[:, 35:].mean() < 0.8

    def test_windows_describe_what_no_few_centers_do(self) -> None:
        rng = np.random.default_rng(0)
        skewed, mixed = learnt(rng.lognormal(0.0, 0.8, size=(300, 1))), learnt(two_blobs(300))
        assert skewed.learn_one([1.0]).experts[0] < 0.1
        assert mixed.learn_one(two_blobs(1)[0]).experts[0] > 0.9

    def test_values_that_come_again_are_points_of_the_windows_too(self) -> None:
        rng = np.random.default_rng(1)
        points = np.where(rng.random(400) < 0.7, 0.0, rng.lognormal(0.0, 0.8, 400))[:, None]
        p = learnt(points)
        law = p.predict()
        assert law.cdf([[-0.01], [0.01]]) == pytest.approx([0.0, (points == 0).mean()], abs=0.03)
        assert law.w1(SampleLaw(points)) < 0.1 * points.std()

    @pytest.mark.parametrize("seed", [0, 1, 3])
    def test_geometries_do_not_come_back_where_the_law_has_an_atom(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        points = np.where(rng.random(600) < 0.9, 0.0, rng.lognormal(3.0, 1.0, 600))[:, None]
        weights = Adaptive(1).learn_many(points).experts[:, 0]
        assert weights[100:].max() < 0.03  # 0.09 to 0.26 where the share returns to one prior

    def test_a_point_weighs_what_all_windows_that_hold_it_give_to_it(self) -> None:
        points = np.random.default_rng(4).exponential(size=(700, 1))
        p = learnt(points)
        carried = [1e-12] * m.N_CARRIED
        judged = [[0.08, 0.1, 0.1, 0.01, 0.1, 0.2, *carried]]
        judged += [[0.02, 0.1, 1e-9, 0.09, 0.1, 0.1, *carried]]
        p._state.pool[m.LENGTH : m.WIDTH] = np.log(np.ravel(judged))
        p._state.pool[m.KIND : m.LENGTH] = np.log([0.04, 0.95, 0.01])
        p._state.axis[m.SIGN] = 0.0
        law, share = p.predict(), 0.95
        weights = {mean: law.weights[law.means[:, 0] == mean].sum() for mean in points[-640:, 0]}
        given = {5: [20, 40, 80, 160, 320, 640], 50: [80, 160, 320, 640], 600: [640]}
        squares = [0.01, 0.04, 0.01, 0.01, 0.04, 0.09]  # of 0.1, 0.2, 0.1, 0.1, 0.2, 0.3
        shares = dict(zip([20, 40, 80, 160, 320, 640], np.array(squares) / 0.2, strict=True))
        for age, windows in given.items():
            wanted = share * sum(shares[n] / n for n in windows)
            assert weights[points[-age, 0]] == pytest.approx(wanted, rel=0.03)

    @pytest.mark.parametrize("n_still", [3, 30, 350])
    @pytest.mark.parametrize("dim", [1, 2, 3, 10, 40])
    def test_what_stood_still_may_move(self, dim: int, n_still: int) -> None:
        noise = np.random.default_rng(13).normal(size=(60, dim))
        for moved in (np.full((60, dim), 3.0), 2.0 + noise, np.vstack((np.full(dim, 1e10), noise))):
            p = learnt(np.vstack((np.full((n_still, dim), 2.0), moved)))
            assert np.isfinite(p._state.lanes).all()
            assert np.isfinite(p._state.pool).all()
            gap = p.predict().mean() - moved[20:].mean(axis=0)
            assert np.abs(gap).max() < (2.0 if moved.max() < 1e9 else np.inf)

    def test_a_second_rare_value_is_no_change(self) -> None:
        points = np.zeros((600, 1))
        points[[100, 590, 597]] = 1.0
        assert 1.0 - learnt(points[:598]).predict().cdf([[0.5]])[0] < 0.03

    @pytest.mark.parametrize("dim", [1, 2])
    def test_values_that_recur_have_no_kernel(self, dim: int) -> None:
        points = np.clip(np.random.default_rng(11).normal(size=(300, dim)), -1.0, 1.0)
        p = learnt(points)
        p._state.pool[m.KIND : m.LENGTH] = np.log([1e-9, 1.0, 1e-9])
        law = p.predict()
        scales = np.linalg.norm(law.scales.reshape(len(law.means), -1, dim), axis=2)
        is_atom = np.abs(law.means) == 1.0
        assert np.all(law.weights @ is_atom > 0.2)
        assert scales[is_atom].max() < 0.001
        assert scales[~is_atom].min() > 10 * scales[is_atom].max()
        assert np.median(scales[~is_atom]) > 0.02

    def test_rare_values_among_zeros_have_a_density(self) -> None:
        rng = np.random.default_rng(1)
        z = np.where(rng.random(700) < 0.02, rng.normal(10.0, 1.0, 700), 0.0)
        p, scores = Adaptive(1), []
        for t, value in enumerate(z):
            if t > 200 and value != 0.0:
                scores.append(float(p.predict().logpdf([[value]])[0]))
            p.learn_one([value])
        assert len(scores) > 3
        assert min(scores) > -20.0  # a normal law of all values gives -25 to -52

    def test_equal_points_are_one_component_with_the_weight_of_all(self) -> None:
        counts = np.random.default_rng(13).poisson(2.0, size=(400, 1)).astype(float)
        p = learnt(counts)
        p._state.pool[m.KIND : m.LENGTH] = np.log([1e-9, 1.0, 1e-9])
        p._state.pool[m.LENGTH : m.WIDTH] = np.log(
            [*[1e-12] * 5, 0.5, *[1e-12] * m.N_CARRIED] * m.N_JUDGES
        )
        law = p.predict()
        values, seen = np.unique(counts, return_counts=True)
        np.testing.assert_array_equal(law.means[-len(values) :, 0], values)
        np.testing.assert_allclose(law.weights[-len(values) :], seen / 400, atol=1e-6)

    def test_a_level_that_drifts_is_followed_by_shorter_windows(self) -> None:
        rng, t = np.random.default_rng(12), np.arange(300)
        moving = rng.poisson(1.5 + 1.2 * np.sin(2 * np.pi * t / 300))[:, None].astype(float)
        still = rng.poisson(1.5, size=(300, 1)).astype(float)
        pools = [learnt(points)._state.pool for points in (moving, still)]
        means = [window_weights(pool)[: m.N_WINDOWS] @ m.WINDOWS for pool in pools]
        assert means[0] < 100
        assert means[1] > 500

    @pytest.mark.parametrize("dim", [1, 2, 5])
    def test_a_walk_without_noise_is_followed_at_its_full_step(self, dim: int) -> None:
        gaps, deviations = [], []
        for seed in range(4):
            points = np.random.default_rng((seed, dim)).normal(size=(250, dim)).cumsum(axis=0)
            p = learnt(points[:100])
            for z in points[100:]:
                p.learn_one(z)
                if p.n_seen % 5 == 0:
                    law = p.predict()
                    gaps.append(np.abs(law.mean() - z).mean())
                    deviations.append(np.sqrt(np.diag(law.cov())).mean())
        assert np.mean(gaps) < 0.025  # 0.02, 0.02, 0.01; walks of at most 5 a step 0.03, 0.06, 0.02
        assert np.mean(deviations) < 1.08  # 1.03, 1.07, 1.05; 1.09, 1.15, 1.11

    def test_kernels_in_the_law_are_as_wide_as_their_group(self) -> None:
        rng = np.random.default_rng(7)
        near = rng.random(500) < 0.8
        points = np.where(near, 1.0, 8.0) * rng.lognormal(0.0, 0.3, 500)
        p = learnt(points[:, None])
        p._state.pool[m.KIND : m.LENGTH] = np.log([1e-9, 1.0, 1e-9])
        law = p.predict()
        where = np.searchsorted(np.sort(points), law.means[-500:, 0])
        assert len(set(where.tolist())) == 500
        scales, is_near = law.scales[-500:], law.means[-500:, 0] < 2.5
        assert 0.5 < np.median(scales[is_near]) / (0.1 * points[near].std()) < 2.0
        # the far one is eight times as wide and may have two centers
        assert np.median(scales[~is_near]) > 2.5 * np.median(scales[is_near])

    @pytest.mark.parametrize("is_count", [False, True])
    def test_one_stray_gets_little_of_the_next_law(self, is_count: bool) -> None:
        rng, t = np.random.default_rng(5), np.arange(200)
        level = 5.0 + 4.0 * np.sin(2 * np.pi * t / 300)
        noisy = rng.poisson(level) if is_count else rng.normal(level, np.sqrt(level))
        p = learnt(noisy[:, None].astype(float))
        p.learn_one([500.0])
        assert p.predict().cdf([[90.0]])[0] > 0.9
        for z in (502.0, 497.0, 501.0, 499.0):  # but it is followed when others confirm it
            p.learn_one([z])
        assert p.predict().cdf([[90.0]])[0] < 0.5

    def test_the_alarm_rings_after_a_change(self) -> None:
        points = np.random.default_rng(3).normal(size=(300, 1))
        points[200:] = 20.0 + 4.0 * points[200:]
        history = learnt(points[:200], false_alarm_rate=0.002).learn_many(points[200:])
        assert history.is_alarm[:40].any()
        first = int(np.argmax(history.is_alarm))
        is_run = history.evidence[first] >= np.log(1000.0)
        assert is_run or history.restart_evidence[first] >= np.log(26.0)
        assert history.last_alarm[first] == 201 + first

    def test_alarms_are_as_rare_as_set_where_still_and_moving_lanes_take_turns(self) -> None:
        noise, x = np.random.default_rng(3).normal(size=4000), np.zeros((4000, 1))
        for t in range(1, 4000):
            x[t] = 0.5 * x[t - 1] + 0.75**0.5 * noise[t]
        # four are expected at the set rate, more than nine with a chance below one in a hundred
        assert Adaptive(1).learn_many(x).is_alarm.sum() <= 9

    @pytest.mark.parametrize("seed", range(4))
    def test_the_alarm_rings_for_a_jump_of_three_deviations(self, seed: int) -> None:
        points = np.random.default_rng(seed).normal(size=(240, 1))
        points[200:] += 3.0
        is_alarm = learnt(points[:200]).learn_many(points[200:]).is_alarm
        assert is_alarm[:30].sum() == 1

    @pytest.mark.parametrize("seed", [1, 3, 4])
    def test_strays_that_meant_nothing_make_the_next_one_mean_little(self, seed: int) -> None:
        rng, far = np.random.default_rng(seed), 30.0
        points = rng.normal(size=(300, 1))
        points += (rng.random((300, 1)) < 0.06) * rng.uniform(-60.0, 60.0, size=(300, 1))
        p = learnt(points)
        p.learn_one([far])
        below, above = p.predict().cdf([[far - 8.0], [far + 8.0]])
        assert above - below < 0.07  # 0.09 to 0.14 where every stray is as good a sign of change

    def test_an_outlier_moves_the_law_little(self) -> None:
        points = two_blobs(200)
        clean = learnt(points).predict()
        spoiled = points.copy()
        spoiled[[150, 170, 190]] = [[1e6, -1e6], [300.0, 0.0], [-50.0, 50.0]]
        law = learnt(spoiled).predict()
        q = np.array([0.1, 0.3, 0.7, 0.9])
        np.testing.assert_allclose(law.quantile(q), clean.quantile(q), atol=1.0)

    def test_observations_of_any_size_leave_it_working(self) -> None:
        points = two_blobs(60)
        points[20], points[40] = 1e100, [-1e50, 1e-300]
        p = Adaptive(2)
        for z in points:
            info = p.learn_one(z)
            assert 0 < info.p_value <= 1
            assert np.isfinite(p.predict().scales).all()
        p.learn_many(two_blobs(150, seed=1))  # by then no window for fits holds them
        for i in range(2):
            marginal = p.predict().marginal(i)
            assert marginal.cdf(20.0) - marginal.cdf(-20.0) > 0.95

    @pytest.mark.parametrize("exponent", [-155, -200, -310])
    def test_so_do_skewed_ones_too_small_to_be_squared(self, exponent: int) -> None:
        skewed = np.exp(np.random.default_rng(1).normal(size=(60, 1)))
        p = learnt(skewed * 10.0**exponent)
        assert np.isfinite(p._state.pool).all()
        p.learn_many(skewed)
        assert 0.2 < p.predict().quantile(0.5)[0] < 3.0


class TestCalibration:
    def test_p_values_are_uniform_on_a_stationary_stream(self) -> None:
        history = learnt(two_blobs(150)).learn_many(two_blobs(1200, seed=1))
        p = history.p_value
        # Kolmogorov-Smirnov at level 1e-3, and the tail that matters by its binomial law
        assert stats.kstest(p, "uniform").pvalue > 1e-3
        assert (p < 0.02).sum() <= stats.binom.ppf(1 - 1e-3, len(p), 0.02)

    def test_few_values_ring_no_more_often_than_set(self) -> None:
        rate, counts = 0.001, np.random.default_rng(1).poisson(1.0, size=(2000, 1))
        history = Adaptive(1, false_alarm_rate=rate).learn_many(counts)
        assert history.is_alarm.sum() <= stats.poisson.ppf(1 - 1e-3, rate * len(counts))

    def test_alarms_on_a_stationary_stream_are_as_rare_as_set(self) -> None:
        rate, n = 0.01, 1500
        history = learnt(two_blobs(100, seed=5), false_alarm_rate=rate).learn_many(
            two_blobs(n, seed=6)
        )
        assert history.is_alarm.sum() <= stats.poisson.ppf(1 - 1e-3, rate * n)


class TestDoors:
    def test_state_has_one_size_for_ever(self, tmp_path: Path) -> None:
        p = Adaptive(2)
        p.save(tmp_path / "young")
        p.learn_many(two_blobs(1500))
        p.save(tmp_path / "old")
        young, old = (storage.read(tmp_path / name).arrays for name in ("young", "old"))
        assert {k: v.shape for k, v in young.items()} == {k: v.shape for k, v in old.items()}

    def test_memory_is_flat(self) -> None:
        p, held = learnt(two_blobs(400)), []
        tracemalloc.start()
        try:
            for seed in range(9):
                p.learn_many(two_blobs(350, seed=seed))
                gc.collect()
                held.append(tracemalloc.get_traced_memory()[0])
        finally:
            tracemalloc.stop()
        # the interpreter's own lists of what it may use again grow for a few rounds and then stand
        # still; what is kept of each observation would show in every round: they have 5 600 bytes
        assert np.diff(held).min() < 2800

    @pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, np.nan, "often"])
    def test_bad_rates(self, rate: object) -> None:
        with pytest.raises(InputError, match="false_alarm_rate must"):
            Adaptive(2, false_alarm_rate=rate)  # type: ignore[arg-type]

    def test_other_bad_options(self) -> None:
        with pytest.raises(InputError, match="dim must"):
            Adaptive(0)
        with pytest.raises(InputError, match="z must be at most"):
            Adaptive(1).learn_one(1e101)

    def test_the_generator_does_not_matter(self) -> None:
        points = two_blobs(30)
        laws = []
        for rng in (0, 1, None):
            p = Adaptive(2, rng=rng)
            p.learn_many(points)
            laws.append(p.predict().to_dict())
        assert laws[0] == laws[1] == laws[2]

    def test_settings_are_saved_and_damage_is_refused(self, tmp_path: Path) -> None:
        p = learnt(two_blobs(20), false_alarm_rate=0.05)
        p.save(tmp_path / "p")
        again = load(tmp_path / "p")
        assert isinstance(again, Adaptive)
        assert again.false_alarm_rate == 0.05
        with pytest.raises(InputError, match="schedule must be None"):
            load(tmp_path / "p", schedule=lambda _: 1.0)
        saved = storage.read(tmp_path / "p")
        for name, change in (("t", -1), ("store_slot", np.nan), ("watch", -1.5)):
            arrays = {k: v.copy() for k, v in saved.arrays.items()}
            arrays[name][...] = change
            storage.write(tmp_path / "q", storage.Saved("Adaptive", saved.config, arrays))
            with pytest.raises(SavedStateError, match="do not fit"):
                load(tmp_path / "q")
        storage.write(tmp_path / "q", storage.Saved("Adaptive", {"dim": 3}, saved.arrays))
        with pytest.raises(SavedStateError, match="do not fit"):
            load(tmp_path / "q")

    def test_the_other_kind_still_loads(self, tmp_path: Path) -> None:
        QuasiBayes(dim=1, radius=1.0, rng=0).save(tmp_path / "q")
        assert isinstance(load(tmp_path / "q"), QuasiBayes)

    def test_weights_are_shown(self) -> None:
        info = learnt(two_blobs(50)).learn_one([0.0, 0.0])
        assert len(info.experts) == len(Adaptive.expert_names)
        assert info.experts.sum() == pytest.approx(1.0)
        assert info.lanes.sum() == pytest.approx(1.0)
        assert 1 <= info.memory <= 51
        assert 0.002 <= info.outlier_rate <= 0.2
