"""Skewed laws on the line: the axis, densities and laws against SciPy, what they buy."""

from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats

from driftlaw import Adaptive, load
from driftlaw._validate import Array
from driftlaw.errors import SavedStateError
from driftlaw.predictor import storage
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.axis import find_axis, from_logarithms, height, skewness
from driftlaw.predictor.adaptive.mixture import geometry_parts_inplace
from driftlaw.predictor.adaptive.refit import best_geometry, leader
from driftlaw.predictor.adaptive.score import stray_rate
from driftlaw.predictor.adaptive.skewed import (
    kind_weights,
    lanes_in_law,
    learn_skewed_inplace,
    skewed_log_density,
)
from driftlaw.predictor.adaptive.state import State, new_state

LEVELS = (np.arange(50) + 0.5) / 50


def latencies(seed: int, n: int = 400) -> tuple[Array, Array]:
    """Lognormal values (n, 1) whose median rises from 1 to 3 and falls again, and the medians."""
    medians = 3.0 ** (np.sin(np.pi * np.arange(n) / 300) ** 2)
    noise = np.random.default_rng(seed).lognormal(0.0, 0.5, n)
    return (medians * noise)[:, None], medians


def learnt(points: Array) -> Adaptive:
    p = Adaptive(1)
    p.learn_many(points)
    return p


@pytest.fixture(scope="module")
def skewed() -> Adaptive:
    """Return a predictor whose skewed geometries lead."""
    p = learnt(latencies(0)[0])
    assert p._state.axis[m.SIGN] == 1.0
    assert kind_weights(p._state)[2] > 0.5
    return p


def parts(state: State, lanes: Array) -> tuple[Array, Array, Array, Array]:
    n = geometry_parts_inplace(state.skewed, lanes, state.parts)
    weights, means, scales, df = (a[:n].copy() for a in state.parts)
    return weights, means[:, 0], scales[:, 0, 0], df


class TestAxis:
    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_the_logarithm_of_a_lognormal_law_is_found(self, sign: float) -> None:
        values = sign * (70.0 + 2.0 * np.random.default_rng(0).lognormal(0.0, 0.6, 600))
        axis = find_axis(values)
        assert axis is not None
        assert axis.sign == sign
        assert axis.origin == pytest.approx(70.0, abs=0.5)
        assert axis.unit == pytest.approx(2.0, abs=0.5)
        logs = np.log((sign * values - axis.origin) / axis.unit)
        assert abs(skewness(logs)) < 0.05
        assert skewness(sign * values) > 0.8

    def test_it_moves_with_the_values(self) -> None:
        values = np.random.default_rng(1).gamma(2.0, size=300)
        axis, moved = find_axis(values), find_axis(-8.0 * values + 3.0)
        assert axis is not None
        assert moved is not None
        assert moved.sign == -axis.sign
        assert moved.origin == pytest.approx(8.0 * axis.origin - 3.0, rel=1e-9)
        assert moved.unit == pytest.approx(8.0 * axis.unit, rel=1e-9)

    @pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
    def test_the_heaviest_tails_do_not_turn_it_round(self, power: float) -> None:
        for seed in range(20):
            axis = find_axis(np.random.default_rng(seed).pareto(power, 320))
            assert axis is not None
            assert axis.sign == 1.0

    def test_a_level_that_moves_is_no_skewness(self) -> None:
        rng = np.random.default_rng(2)
        level = 40.0 * (np.arange(600) / 600) ** 4  # values alone would be skewed to the right
        assert stats.skew(level) > 1.0
        assert find_axis(level + rng.normal(size=600)) is None

    @pytest.mark.parametrize("seed", range(20))
    @pytest.mark.parametrize("n", [20, 100, 600])
    def test_symmetric_laws_have_none(self, seed: int, n: int) -> None:
        rng = np.random.default_rng((seed, n))
        found = [find_axis(v) for v in (rng.normal(size=n), rng.standard_t(3, n), rng.random(n))]
        assert found.count(None) >= 2

    @pytest.mark.parametrize("values", [np.ones(100), np.zeros(3), np.arange(2) % 2])
    def test_few_and_equal_values_have_none(self, values: Array) -> None:
        assert find_axis(values.astype(float)) is None

    def test_heights_and_logarithms_are_inverse(self, skewed: Adaptive) -> None:
        axis, values = skewed._state.axis, np.array([0.5, 1.0, 7.0])
        logs = np.log([height(axis, z) for z in values])
        np.testing.assert_allclose(from_logarithms(axis, logs), values, rtol=1e-12)


class TestLaw:
    @pytest.mark.parametrize("z", [0.4, 2.0, 9.0])
    def test_density_is_that_of_blurred_laws_of_the_logarithm(
        self, skewed: Adaptive, z: float
    ) -> None:
        state = skewed._state
        x, raw = state.skewed, state.store
        weights, means, scales, df = parts(state, state.skewed_lanes)
        slope = z * 1.0 - state.axis[m.ORIGIN]
        blur = m.POOL_BLUR**2 * raw.work[m.NEAR] * raw.squares[m.WORLD_COV, 0, 0]
        wide = np.sqrt(scales**2 + blur / slope**2)
        logs = stats.t.logpdf(np.log(slope / state.axis[m.UNIT]), df, means, wide)
        explained = 1.0 - stray_rate(x, best_geometry(x, state.skewed_lanes))
        wanted = np.log(explained) + special.logsumexp(logs, b=weights) - np.log(slope)
        wanted += np.log(raw.squares[m.WORLD_FACTOR, 0, 0])  # per unit of the stream's volume
        assert skewed_log_density(state, z) == pytest.approx(wanted, rel=1e-9)
        assert x.work[m.NEAR] == 1.0

    def test_beyond_the_origin_there_is_none(self, skewed: Adaptive) -> None:
        assert skewed_log_density(skewed._state, skewed._state.axis[m.ORIGIN] - 1e-9) == -690.0

    def test_the_grid_is_as_good_as_the_law(self, skewed: Adaptive) -> None:
        state = skewed._state
        weights, means, scales, df = parts(state, lanes_in_law(state))
        kinds = state.pool[m.KIND : m.LENGTH].copy()
        try:
            state.pool[m.KIND : m.LENGTH] = np.log([1e-12, 1e-12, 1.0])
            share = kind_weights(state)[2]
            law = skewed.predict()
        finally:
            state.pool[m.KIND : m.LENGTH] = kinds
        assert share > 0.9  # the level moves, so that lanes that do lead
        is_grid = np.arange(len(law.weights)) >= len(law.weights) - 160
        assert law.weights[is_grid].sum() == pytest.approx(
            share, abs=0.01
        )  # lighter ones are left out
        grid = np.array([0.3, 0.8, 1.5, 2.5, 4.0, 8.0])
        standard = (grid[:, None] - law.means[is_grid, 0]) / law.scales[is_grid]
        found = stats.norm.cdf(standard) @ law.weights[is_grid] / law.weights[is_grid].sum()
        logs = np.log([height(state.axis, z) for z in grid])
        wanted = stats.t.cdf((logs[:, None] - means) / scales, df) @ weights
        np.testing.assert_allclose(found, wanted, atol=0.01)

    def test_lanes_that_stand_still_hand_over_to_windows(self) -> None:
        state = learnt(np.random.default_rng(3).lognormal(0.0, 0.5, (500, 1)))._state
        assert state.axis[m.SIGN] == 1.0
        kept, lanes = np.exp(lanes_in_law(state) - state.skewed_lanes), np.exp(state.skewed_lanes)
        np.testing.assert_allclose(kept[~m.IS_STILL], lanes[~m.IS_STILL].sum() ** 3)
        since = state.skewed.slot[leader(state.skewed, 0), m.SINCE]
        assert since < 100
        assert kept[0] == pytest.approx(20.0 / (520.0 - since))
        given = np.exp(state.pool[m.KIND : m.LENGTH])
        weights = kind_weights(state)
        assert weights.sum() == pytest.approx(given.sum(), rel=1e-12)
        assert weights[0] == given[0]
        assert weights[2] < 0.3 * given[2]

    def test_without_an_axis_there_are_but_the_others(self) -> None:
        state = learnt(np.random.default_rng(4).normal(size=(300, 1)))._state
        assert state.axis[m.SIGN] == 0.0
        given, weights = np.exp(state.pool[m.KIND : m.LENGTH]), kind_weights(state)
        np.testing.assert_allclose(weights, [given[0] + given[2], given[1], 0.0])
        # both were judged alike
        assert given[2] / given[0] == pytest.approx(m.KIND_PRIOR[2] / m.KIND_PRIOR[0], rel=1e-6)


class TestPredictor:
    def test_a_skewed_law_that_moves_is_told_better_than_without(self) -> None:
        errors: dict[bool, list[float]] = {True: [], False: []}
        noise = stats.lognorm.ppf(LEVELS, 0.5)
        for seed in range(4):
            points, medians = latencies(seed)
            for has_axis, errors_ in errors.items():
                p = Adaptive(1)
                for t, z in enumerate(points):
                    if t >= 100 and t % 8 == 0:
                        gaps = p.predict().quantile(LEVELS)[:, 0] - medians[t] * noise
                        errors_.append(float(np.abs(gaps).mean()))
                    p.learn_one(z)
                    p._state.axis[m.LOOK] = p._state.axis[m.LOOK] if has_axis else 1e9
        assert np.mean(errors[True]) < 0.97 * np.mean(errors[False])  # 0.951

    def test_reflection_reflects_the_law(self) -> None:
        points = latencies(5)[0]
        law, other = learnt(points).predict(), learnt(-points).predict()
        q = np.array([0.05, 0.5, 0.95])
        np.testing.assert_allclose(other.quantile(1 - q), -law.quantile(q), rtol=1e-6)

    @pytest.mark.parametrize("factor", [2.0**-40, 2.0**30])
    def test_rescaling_by_a_power_of_two_is_exact(self, factor: float) -> None:
        points = latencies(0)[0]
        law, other = learnt(points).predict(), learnt(factor * points).predict()
        np.testing.assert_array_equal(other.weights, law.weights)
        np.testing.assert_array_equal(other.means, factor * law.means)
        np.testing.assert_array_equal(other.scales, factor * law.scales)

    def test_translation_moves_the_law(self) -> None:
        points = latencies(0)[0]
        law, other = learnt(points).predict(), learnt(points - 50.0).predict()
        q = np.array([0.01, 0.1, 0.5, 0.9, 0.99])
        np.testing.assert_allclose(other.quantile(q), law.quantile(q) - 50.0, atol=1e-3)

    def test_a_value_beyond_the_origin_moves_it(self) -> None:
        p = learnt(latencies(0)[0])
        origin = float(p._state.axis[m.ORIGIN])
        p.learn_one([origin - 0.2])
        assert p._state.axis[m.SIGN] == 0.0 or p._state.axis[m.ORIGIN] < origin - 0.2
        assert np.isfinite(p.predict().quantile([0.01, 0.99])).all()

    @pytest.mark.parametrize("low", [-1e3, -1e12])
    def test_a_gross_reading_far_below_leaves_the_axis(self, low: float) -> None:
        p = learnt(latencies(0)[0])
        before = p._state.axis.copy()
        p.learn_one([low])
        assert p._state.skewed.work[m.AGE] == 401.0
        p.learn_many(latencies(0, n=450)[0][400:])
        assert p._state.axis[m.ORIGIN] == pytest.approx(before[m.ORIGIN], abs=1.0)
        assert kind_weights(p._state)[2] > 0.3

    def test_one_gross_reading_above_is_hardly_in_the_law(self) -> None:
        p = learnt(latencies(0)[0])
        p.learn_one([1e12])
        assert p.predict().quantile(0.9)[0] < 20.0
        p.learn_many(latencies(0, n=410)[0][400:])
        assert p.predict().quantile(0.999)[0] < 100.0

    def test_a_stray_far_up_is_not_believed_though_one_was_skipped(self) -> None:
        p = learnt(latencies(0)[0])
        p.learn_one([-1e6])
        p.learn_many(latencies(0, n=420)[0][400:])
        p.learn_one([1000.0])
        assert 1.0 - p.predict().cdf([[100.0]])[0] < 0.15  # 0.44 where its time was not counted

    def test_scales_are_positive_where_floats_are_coarse(self) -> None:
        p = learnt(1e15 + 3.0 * np.random.default_rng(0).lognormal(0.0, 0.6, (300, 1)))
        assert (p.predict().scales > 0.0).all()

    def test_an_axis_that_goes_leaves_the_odds_of_the_others(self) -> None:
        state = learnt(latencies(0)[0])._state
        before = np.exp(state.pool[m.KIND : m.LENGTH])
        state.store.lines[m.GRAIN] = 1.0  # as if on a lattice
        state.axis[m.LOOK] = 0.0
        learn_skewed_inplace(state, 1.0, 399)
        assert state.axis[m.SIGN] == 0.0
        after = np.exp(state.pool[m.KIND : m.LENGTH])
        assert after.sum() == pytest.approx(1.0)
        assert (after[0] + after[2]) / after[1] == pytest.approx(before[0] / before[1])
        assert after[2] / after[0] == pytest.approx(m.KIND_PRIOR[2] / m.KIND_PRIOR[0])

    def test_values_on_a_lattice_and_atoms_have_none(self) -> None:
        rng = np.random.default_rng(6)
        counts = rng.geometric(0.3, (400, 1)).astype(float)
        atoms = np.where(rng.random((400, 1)) < 0.5, 0.0, rng.lognormal(size=(400, 1)))
        for points in (counts, atoms):
            assert learnt(points)._state.axis[m.SIGN] == 0.0

    def test_in_space_there_is_none(self) -> None:
        p = Adaptive(2)
        p.learn_many(np.random.default_rng(7).lognormal(0.0, 0.5, (200, 2)))
        assert p._state.axis[m.SIGN] == 0.0
        assert p._state.skewed.slot.shape[0] == 0

    def test_a_saved_one_goes_on_bit_for_bit(self, tmp_path: Path) -> None:
        points = latencies(0, n=440)[0]
        p = learnt(points[:380])
        p.predict()
        p.save(tmp_path / "p")
        again = load(tmp_path / "p")
        assert isinstance(again, Adaptive)
        assert repr(p.learn_many(points[380:])) == repr(again.learn_many(points[380:]))
        np.testing.assert_array_equal(p.predict().means, again.predict().means)
        np.testing.assert_array_equal(p.predict().weights, again.predict().weights)

    @pytest.mark.parametrize(
        ("name", "at", "value"),
        [
            ("axis", m.SIGN, 0.5),
            ("axis", m.UNIT, 0.0),
            ("skewed_work", m.LIMIT, 6.0),
            ("skewed_slot", (0, m.N_CENTERS), 2.0),
        ],
    )
    def test_damage_is_refused(self, tmp_path: Path, name: str, at: object, value: float) -> None:
        learnt(latencies(0, n=30)[0]).save(tmp_path / "p")
        saved = storage.read(tmp_path / "p")
        arrays = {k: v.copy() for k, v in saved.arrays.items()}
        arrays[name][at] = value  # type: ignore[index]
        storage.write(tmp_path / "q", storage.Saved("Adaptive", saved.config, arrays))
        with pytest.raises(SavedStateError, match="do not fit"):
            load(tmp_path / "q")

    def test_all_lanes_have_one_center(self, skewed: Adaptive) -> None:
        slot = skewed._state.skewed.slot
        assert set(slot[slot[:, m.LOG_WEIGHT] > m.DEAD, m.N_CENTERS]) == {1.0}
        assert new_state(1).skewed.work[m.LIMIT] == 1.0
