"""Streams on a lattice: how `Adaptive` finds its step, and what it makes of it."""

import numpy as np
import pytest
from scipy import stats

from driftlaw import Adaptive
from driftlaw._validate import Array
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.grain import gather_parts_inplace, lattice_step, spread_recent
from driftlaw.predictor.adaptive.state import Parts, new_state

RNG = np.random.default_rng(4)
COUNTS = RNG.poisson(5.0, 320).astype(float)
LATTICES: dict[str, tuple[Array, float]] = {
    "counts": (COUNTS, 1.0),
    "few counts": (COUNTS[:12], 1.0),
    "large counts, few of them twice": (RNG.poisson(50.0, 20).astype(float), 1.0),
    "even counts": (2.0 * COUNTS + 1.0, 2.0),
    "rounded readings": (np.round(20.0 + RNG.normal(size=320), 1), 0.1),
    "rounded readings in single precision": (
        np.round(1000.0 + RNG.normal(size=320), 1).astype(np.float32).astype(float),
        0.1,
    ),
    "two values": (np.where(RNG.random(320) < 0.4, -3.0, 4.0), 7.0),
    "counts with strays": (np.where(RNG.random(320) < 0.05, 9.0 * RNG.random(320), COUNTS), 1.0),
    "counts with one huge stray": (np.where(np.arange(320) == 9, 1e15, COUNTS), 1.0),
    "two values and a stray": (np.where(np.arange(320) == 9, 0.3, RNG.random(320) < 0.4), 1.0),
}
OTHERS: dict[str, Array] = {
    "continuous": RNG.normal(size=320),
    "three of them": RNG.normal(size=3),
    "returns, some of them nil": np.where(RNG.random(320) < 0.05, 0.0, RNG.normal(size=320)),
    "every other one is nil": np.where(RNG.random(320) < 0.6, 0.0, RNG.lognormal(size=320)),
    "a fine lattice": RNG.poisson(2500.0, 640).astype(float),
    "two values that came again among others": np.clip(RNG.normal(size=320), -1.0, 1.0),
    "few values": np.array([0.0, 0.0, 1.3, 0.0, 2.6, 0.0]),
    "constant": np.full(320, 7.0),
    "one": np.array([7.0]),
    "constant but for a stray": np.where(np.arange(320) == 200, 1e6, 7.0),
    "constant but for strays": np.where(RNG.random(320) < 0.1, 1e6, 7.0),
}


class TestStep:
    @pytest.mark.parametrize("kind", LATTICES)
    def test_of_a_lattice(self, kind: str) -> None:
        values, step = LATTICES[kind]
        assert lattice_step(values) == pytest.approx(step, rel=1e-3)
        assert lattice_step(2.0**-30 * values) == 2.0**-30 * lattice_step(values)

    @pytest.mark.parametrize("kind", OTHERS)
    def test_there_is_none(self, kind: str) -> None:
        assert lattice_step(OTHERS[kind]) == 0.0


class TestSpread:
    def test_values_are_spread_evenly_and_independently(self) -> None:
        n, state = 16_000, new_state(2)
        state.store.lines[m.GRAIN] = [1.0, 4.0]
        blocks = [spread_recent(state.store, state.past, t, 320) for t in range(320, n + 1, 320)]
        noise = np.concatenate(blocks) / [1.0, 4.0]
        for i in range(2):
            assert stats.kstest(noise[:, i], stats.uniform(-0.5, 1.0).cdf).pvalue > 1e-3
            lags = [np.corrcoef(noise[k:, i], noise[:-k, i])[0, 1] for k in range(1, 30)]
            assert np.abs(lags).max() < 4.2 / n**0.5  # 29 normal numbers, level 1e-3
        assert abs(np.corrcoef(noise[:, 0], noise[:, 1])[0, 1]) < 3.3 / n**0.5

    def test_a_point_has_one_place_for_ever(self) -> None:
        state = new_state(1)
        state.store.lines[m.GRAIN] = 1.0
        state.past[:, 0] = np.arange(m.PAST)
        short, long = (spread_recent(state.store, state.past, 300, n) for n in (10, 60))
        np.testing.assert_array_equal(short, long[-10:])
        assert (np.abs(short[:, 0] - np.arange(290, 300)) < 0.5).all()

    def test_the_law_has_the_spread_taken_off(self) -> None:
        state, scales = new_state(2), np.array([[[2.0, 0.0], [1.0, 1.0]], [[0.2, 0.0], [0.0, 3.0]]])
        parts = Parts(np.full(2, 0.5), np.zeros((2, 2)), scales.copy(), np.full(2, 8.0))
        state.store.lines[m.GRAIN] = [1.0, 0.0]
        gather_parts_inplace(state.store, parts, 2)
        variances = (parts.scales**2).sum(axis=2)
        np.testing.assert_allclose(variances[0], [4.0 - 1.0 / 12.0, 2.0])
        np.testing.assert_allclose(variances[1], [0.0, 9.0], atol=1e-6)
        np.testing.assert_array_equal(parts.scales[:, 1], scales[:, 1])


def drifting_counts(seed: int, n: int = 300) -> tuple[Array, Array]:
    rng, t = np.random.default_rng(seed), np.arange(n)
    means = 5.0 + 4.0 * np.sin(2.0 * np.pi * (t / 300.0 + rng.random()))
    return rng.poisson(means).astype(float)[:, None], means


class TestCounts:
    def test_drifting_counts_are_followed(self) -> None:
        ours, window = [], []
        for seed in range(3):
            counts, means = drifting_counts(seed)
            p = Adaptive(1)
            for t, z in enumerate(counts):
                if t >= 60 and t % 4 == 0:
                    ours.append(p.predict().mean()[0] - means[t])
                    window.append(counts[t - 20 : t].mean() - means[t])
                p.learn_one(z)
        # 1.10 times as far off as the window; 2.24 times when nothing is known of the lattice
        assert np.abs(ours).mean() < 1.5 * np.abs(window).mean()

    def test_units_do_not_matter(self) -> None:
        counts, _ = drifting_counts(1, n=120)
        p, scaled = Adaptive(1), Adaptive(1)
        history, other = p.learn_many(counts), scaled.learn_many(2.0**-20 * counts)
        np.testing.assert_array_equal(history.p_value, other.p_value)
        law, moved = p.predict(), scaled.predict()
        np.testing.assert_array_equal(2.0**-20 * law.means, moved.means)
        np.testing.assert_array_equal(law.weights, moved.weights)

    def test_windows_of_counts_are_counts(self) -> None:
        counts = np.random.default_rng(0).poisson(1.0, (400, 1)).astype(float)
        p = Adaptive(1)
        p.learn_many(counts)
        cdf = p.predict().cdf(np.array([[-0.01], [0.01], [0.99], [1.01]]))
        np.testing.assert_allclose(np.diff(cdf), [np.exp(-1), 0.0, np.exp(-1)], atol=0.08)

    def test_strays_leave_the_lattice_as_it_is(self) -> None:
        counts, _ = drifting_counts(2)
        p, spoiled = Adaptive(1), Adaptive(1)
        p.learn_many(counts)
        counts[[50, 150, 250]] = [[1e6], [-300.3], [5e4]]
        spoiled.learn_many(counts)
        levels = np.array([0.1, 0.5, 0.9])
        np.testing.assert_allclose(
            p.predict().quantile(levels), spoiled.predict().quantile(levels), atol=1.0
        )

    def test_p_values_are_uniform_and_a_jump_rings(self) -> None:
        counts = np.random.default_rng(6).poisson(1.5, (900, 1)).astype(float)
        counts[800:] += 6.0
        history = Adaptive(1).learn_many(counts)
        assert stats.kstest(history.p_value[100:800], "uniform").pvalue > 1e-3
        assert history.is_alarm[800:810].any()
        assert history.is_alarm[:800].sum() <= stats.poisson.ppf(1 - 1e-3, 0.8)
