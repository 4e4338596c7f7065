"""Points that are carried along with a level, against exact smoothing and SciPy's densities."""

import numpy as np
import pytest
from scipy import stats

from driftlaw import Adaptive
from driftlaw._validate import Array
from driftlaw.law import SampleLaw
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.carried import may_carry, score_carried_inplace
from driftlaw.predictor.adaptive.carry import carry, follow, noise_of
from driftlaw.predictor.adaptive.density import set_near_inplace
from driftlaw.predictor.adaptive.pool import window_weights
from driftlaw.predictor.adaptive.ranks import largest_ties
from driftlaw.predictor.adaptive.state import State, Store
from driftlaw.predictor.adaptive.windows import window_scatter
from driftlaw.predictor.adaptive.world import set_broad_inplace

_ENDLESS = 1e9  # noise under which nothing is cut, and nothing jumps


def smoothed(n: int, gain: float) -> tuple[Array, Array]:
    """Oracle: how a walk's levels given all of n points are made of these, and their variances."""
    differences = np.diff(np.eye(n), axis=0)
    precision = np.eye(n) + differences.T @ differences * (1.0 - gain) / gain**2
    made_of: Array = np.linalg.inv(precision).astype(float)
    return made_of, np.diag(made_of)


def learnt(points: Array) -> State:
    p = Adaptive(points.shape[1])
    p.learn_many(points)
    return p._state


def in_law(points: Array) -> dict[str, float]:
    """Weights of the experts after the points."""
    info = Adaptive(points.shape[1]).learn_many(points).last()
    return dict(zip(Adaptive.expert_names, info.experts.tolist(), strict=True))


class TestCarry:
    @pytest.mark.parametrize("gain", m.GAINS.tolist())
    @pytest.mark.parametrize(("n", "dim"), [(20, 1), (150, 3)])
    def test_levels_are_those_of_exact_smoothing(self, n: int, dim: int, gain: float) -> None:
        points = np.random.default_rng(n).normal(size=(n, dim)).cumsum(axis=0)
        made_of, variances = smoothed(n, gain)
        found = carry(points, gain, np.full(dim, _ENDLESS))
        left = (points - made_of @ points) / np.sqrt(1.0 - variances)[:, None]
        np.testing.assert_allclose(found.points, (made_of @ points)[-1] + left, rtol=1e-8)
        np.testing.assert_array_equal(found.starts, np.eye(n)[0])

    def test_points_around_a_walk_become_its_noise(self) -> None:
        rng, deviations = np.random.default_rng(1), []
        for _ in range(20):
            walk = (0.1 / np.sqrt(0.9) * rng.normal(size=(320, 1))).cumsum(axis=0)
            points = walk + rng.gamma(2.0, size=(320, 1)) / np.sqrt(2.0)
            moved = carry(points, 0.1, noise_of(points)).points
            deviations.append(moved.std())
            assert stats.skew(moved[:, 0]) > 0.5  # 1.4 without a limit of points
        assert np.mean(deviations) == pytest.approx(1.0, abs=4.0 * np.std(deviations) / 20**0.5)

    def test_other_units_and_places_change_nothing(self) -> None:
        points = np.random.default_rng(2).normal(size=(90, 2)).cumsum(axis=0)
        found = carry(points, 0.1, noise_of(points)).points
        units = np.array([1e6, 1e-3])
        other = carry(units * points - 7.0, 0.1, noise_of(units * points - 7.0)).points
        np.testing.assert_allclose(other, units * found - 7.0, rtol=1e-9)

    @pytest.mark.parametrize("gain", m.GAINS.tolist())
    @pytest.mark.parametrize("dim", [1, 4])
    def test_a_jump_begins_anew(self, dim: int, gain: float) -> None:
        for seed in range(5):
            points = np.random.default_rng(seed).normal(size=(200, dim))
            points[120:, 0] += 8.0
            starts = np.flatnonzero(follow(points, gain, noise_of(points)).starts)
            assert abs(starts - 120).min() <= 1
            moved = carry(points, gain, noise_of(points)).points
            assert 70 <= len(moved) <= 81  # those before are left out, for there are enough
            young = carry(points[:140], gain, noise_of(points[:140])).points
            assert len(young) == 140
            assert np.abs(np.median(young[:110], axis=0) - np.eye(dim)[0] * 8.0).max() < 1.3

    def test_one_gross_point_moves_hardly_any_other(self) -> None:
        points = np.random.default_rng(3).normal(size=(200, 1))
        usual = carry(points, 0.1, noise_of(points)).points
        points[150] = 1e9
        found = carry(points, 0.1, noise_of(points)).points
        assert len(found) == 200
        assert np.abs(np.delete(found - usual, 150)).max() < 0.7
        assert found[150, 0] > 1e8

    def test_what_stands_still_is_finite(self) -> None:
        points = np.zeros((50, 2))
        points[30, 0] = 3.0
        found = carry(points, 0.3, noise_of(points)).points
        np.testing.assert_array_equal(np.delete(found, 30, axis=0), 0.0)
        assert 3.0 <= found[30, 0] < 3.5


class TestScores:
    @staticmethod
    def _scored(state: State, z: Array, like: float) -> tuple[Array, Array]:
        x, latest = state.store, state.past[state.t[0] - m.KERNEL_WINDOW : state.t[0]]
        scatter, scores = window_scatter(latest, x), np.empty(m.N_CARRIED)
        set_near_inplace(x, scatter)
        set_broad_inplace(x, z)
        score_carried_inplace(state, z, scatter, like, scores, np.zeros((m.N_GAINS, m.CARRIED)))
        return scores, np.tril(scatter) + np.tril(scatter, -1).T

    @staticmethod
    def _guarded(log_density: float, x: Store) -> float:
        broad = x.work[m.BROAD]
        return float(np.log((1 - m.POOL_STRAYS) * np.exp(log_density) + m.POOL_STRAYS * broad))

    @pytest.mark.parametrize("dim", [1, 3])
    def test_values_are_a_kernel_density_estimate(self, dim: int) -> None:
        points = np.random.default_rng(4).normal(size=(200, dim)).cumsum(axis=0)
        state = learnt(points)
        z = points[-1] + 0.3
        state.axis[m.SIGN] = 0.0
        scores, scatter = self._scored(state, z, -3.0)
        x = state.store
        near = x.work[m.NEAR] * x.squares[m.WORLD_COV]
        kernel = m.WIDTHS[0] ** 2 * scatter + m.POOL_BLUR**2 * near
        for g, gain in enumerate(m.GAINS):
            moved = carry(points, gain, noise_of(points)).points
            each = [stats.multivariate_normal(y, kernel).pdf(z) for y in moved]
            volume = np.log(np.diag(x.squares[m.WORLD_FACTOR])).sum()
            wanted = self._guarded(np.log(np.mean(each)) + volume, x)
            for q in (g, m.N_GAINS + g):
                assert scores[q] == pytest.approx(wanted, rel=1e-9)

    def test_logarithms_are_judged_by_what_they_gain(self) -> None:
        rng = np.random.default_rng(5)
        points = np.exp(0.05 * rng.normal(size=(300, 1)).cumsum(axis=0))
        points *= rng.lognormal(0.0, 0.5, size=(300, 1))
        state = learnt(points)
        assert state.axis[m.SIGN] == 1.0
        z = 1.1 * points[-1]
        scores, scatter = self._scored(state, z, -3.0)
        x, origin, unit = state.store, state.axis[m.ORIGIN], state.axis[m.UNIT]
        logs, log = np.log((points - origin) / unit), np.log((z[0] - origin) / unit)
        blur = m.POOL_BLUR**2 * x.work[m.NEAR] * x.squares[m.WORLD_COV, 0, 0]
        slope = z[0] - origin
        width = np.sqrt(m.WIDTHS[0] ** 2 * scatter[0, 0] + blur) / slope

        def density(rows: Array) -> float:
            mean = stats.norm.pdf(log, rows, width).mean() / slope
            volume = x.squares[m.WORLD_FACTOR, 0, 0]
            return self._guarded(np.log(mean * volume), x)

        for g, gain in enumerate(m.GAINS):
            gained = density(carry(logs, gain, noise_of(logs)).points) - density(logs)
            assert scores[m.N_GAINS + g] == pytest.approx(-3.0 + gained, rel=1e-9)
        scores, _ = self._scored(state, np.array([origin - 1.0]), -3.0)
        nowhere = np.log(m.POOL_STRAYS * x.work[m.BROAD])  # beyond it there are no logarithms
        np.testing.assert_allclose(scores[m.N_GAINS :], nowhere, rtol=1e-9)


class TestInTheLaw:
    @pytest.mark.parametrize("dim", [1, 2])
    def test_skewed_noise_around_a_walk_is_carried(self, dim: int) -> None:
        ours, windows, weights = [], [], []
        for seed in range(6):
            rng = np.random.default_rng((seed, dim))
            walk = (0.15 * rng.normal(size=(500, dim))).cumsum(axis=0)
            points = walk + rng.exponential(size=(500, dim))
            p = Adaptive(dim)
            p.learn_many(points[:400])
            truth = stats.expon.ppf((np.arange(400) + 0.5) / 400)[:, None]
            for t in range(400, 500):
                if t % 10 == 0:
                    law = SampleLaw(walk[t, :1] + truth)
                    ours.append(p.predict().marginal(0).w1(law))
                    sizes = (10, 20, 40, 80)
                    windows.append([SampleLaw(points[t - n : t, :1]).w1(law) for n in sizes])
                info = p.learn_one(points[t])
            weights.append(dict(zip(p.expert_names, info.experts, strict=True))["carried"])
        assert np.mean(weights) > 0.2  # on the line geometries of a logarithm have a part, too
        assert np.mean(ours) < 0.95 * np.mean(windows, axis=0).min()

    def test_a_law_at_rest_is_left_to_windows_that_stay(self) -> None:
        for seed in range(3):
            rng = np.random.default_rng(seed)
            for points in (rng.exponential(size=(400, 1)), rng.random((400, 2)) ** 3):
                assert in_law(points)["carried"] < 0.03

    def test_fine_structure_is_left_to_windows(self) -> None:
        rng, kinds = np.random.default_rng(10), []
        for _ in range(4):
            spikes = rng.random(600) < 0.1
            points = np.where(spikes, rng.lognormal(1.0, 1.0, 600), rng.normal(1.0, 0.05, 600))
            kinds.append(in_law(points[:, None])["geometry"])
        assert max(kinds) < 0.4  # no few centers have such tails

    def test_counts_and_atoms_are_not_moved(self) -> None:
        rng, t = np.random.default_rng(6), np.arange(400)
        counts = rng.poisson(20.0 + 15.0 * np.sin(t / 30.0)).astype(float)[:, None]
        walk = (0.15 * rng.normal(size=400)).cumsum() + rng.exponential(size=400)
        zeros = np.where(rng.random(400) < 0.6, 0.0, 3.0 + rng.exponential(size=400))
        for points in (counts, np.column_stack((zeros, walk))):
            state = learnt(points)
            assert not may_carry(state)
            assert window_weights(state.pool)[m.N_WINDOWS :].sum() < 1e-3
        assert may_carry(learnt(walk[:, None]))

    def test_ties_are_counted_on_the_worst_axis(self) -> None:
        values = np.random.default_rng(8).normal(size=(100, 2))
        assert abs(largest_ties(learnt(values))) < 1e-12
        values[:30, 1], values[30:50, 1] = 0.0, 1.0
        wanted = (30**3 - 30 + 20**3 - 20) / (100**3 - 100)
        assert largest_ties(learnt(values)) == pytest.approx(wanted)

    def test_spread_that_follows_the_level_is_told_from_spread_that_stays(self) -> None:
        rng = np.random.default_rng(9)
        walk = np.exp((0.05 * rng.normal(size=500)).cumsum())
        follows = walk * rng.lognormal(0.0, 0.5, size=500)
        stays = rng.gamma(2.0, size=500) - 0.03 * np.arange(500)
        for points, is_log in ((follows, True), (stays, False)):
            state = learnt(points[:, None])
            by_judge = np.exp(state.pool[m.LENGTH : m.WIDTH]).reshape(m.N_JUDGES, -1)
            pairs = by_judge[:, m.N_WINDOWS :].reshape(m.N_JUDGES, 2, m.N_GAINS).sum(axis=2)
            assert pairs.sum() > 0.3
            ranks_share = pairs[1, 1] / pairs[1].sum()
            assert ranks_share > 0.9 if is_log else ranks_share < 0.1

    def test_what_is_carried_beyond_the_origin_stays_on_its_side(self) -> None:
        rng = np.random.default_rng(7)
        points = np.exp(0.03 * rng.normal(size=(400, 1)).cumsum(axis=0))
        points *= rng.lognormal(0.0, 0.4, size=(400, 1))
        p = Adaptive(1)
        p.learn_many(points)
        state = p._state
        assert state.axis[m.SIGN] == 1.0
        state.pool[m.KIND : m.LENGTH] = np.log([1e-9, 1.0, 1e-9])
        logs_only = np.where(np.arange(m.N_LENGTHS) == m.N_WINDOWS + m.N_GAINS, 0.5, 1e-12)
        state.pool[m.LENGTH : m.WIDTH] = np.log(np.tile(logs_only, m.N_JUDGES))
        law = p.predict()
        assert law.means.min() > state.axis[m.ORIGIN]
        assert law.quantile(0.5)[0] == pytest.approx(np.median(points[-40:]), rel=0.5)
