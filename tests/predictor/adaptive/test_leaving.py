"""Centers that are visited no more: the odds of it, and what they do to weights and law."""

import numpy as np
import pytest

from driftlaw import Adaptive
from driftlaw._validate import Array
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.learning import learn_inplace
from driftlaw.predictor.adaptive.moves import SHIFT, apply_move_inplace
from driftlaw.predictor.adaptive.refit import best_geometry
from driftlaw.predictor.adaptive.score import score_inplace
from driftlaw.predictor.adaptive.world import set_broad_inplace
from tests.predictor.adaptive.planted import blobs, planted

_CORNERS = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])


def _groups(n: int, shares: list[float], seed: int) -> Array:
    rng = np.random.default_rng(seed)
    return np.asarray(_CORNERS[rng.choice(3, n, p=shares)] + rng.normal(0.0, 0.6, (n, 2)))


def _share_at(p: Adaptive, corner: int) -> float:
    """Part of the next law that is nearer to a corner than half of the way to the others."""
    gaps = np.linalg.norm(p.predict().sample(4000, rng=0) - _CORNERS[corner], axis=1)
    return float((gaps < 3.0).mean())


class TestOdds:
    @pytest.mark.parametrize("dim", [1, 3])
    @pytest.mark.parametrize("place", [-4.0, 0.0, 4.0])
    @pytest.mark.parametrize("gone", [[0.0, 0.0], [0.3, 0.0], [2.0, 5.0]])
    def test_they_follow_bayes_rule(self, dim: int, place: float, gone: list[float]) -> None:
        x, z = planted(blobs(dim)).store, np.full(dim, place)
        x.slot[0, m.MEMORY : m.MEMORY + m.N_WEIGHTS] = np.eye(m.N_WEIGHTS)[2]
        x.center[0, :2, m.COUNT + 2] = [30.0, 12.0]
        x.slot[0, m.MOVES] = 1.5
        set_broad_inplace(x, z)

        def likelihood(j: int, odds: float) -> float:
            x.center[0, :2, m.GONE] = gone
            x.center[0, j, m.GONE] = odds
            return float(np.exp(score_inplace(x, 0, z, True)))

        ratios = [likelihood(j, 1e12) / likelihood(j, 0.0) for j in range(2)]
        x.center[0, :2, m.GONE] = gone
        score_inplace(x, 0, z, True)
        learn_inplace(x, 0, 2, z, 40)
        leaving = m.LEAVING * (1.0 + m.LEAVING_GAIN * 1.5)
        most = 44.0 / (44.0 - np.array([31.0, 13.0]))  # if it is another's, whatever is doubted
        wanted = (np.array(gone) + leaving) * np.minimum(ratios, most)
        np.testing.assert_allclose(x.center[0, :2, m.GONE], wanted, rtol=1e-6)

    @pytest.mark.parametrize("odds", [[900.0, 1e-3], [900.0, 1e-4], [100.0, 1e-4]])
    def test_what_comes_back_does_not_speak_against_those_that_stayed(
        self, odds: list[float]
    ) -> None:
        """At the place of a center that was doubted a point says only that it is there."""
        x, z = planted(blobs(2)).store, np.full(2, -4.0)
        first = int(np.argmin(np.abs(x.mean[0, :2, 0] + 4.0)))
        x.center[0, [first, 1 - first], m.GONE] = odds
        set_broad_inplace(x, z)
        score_inplace(x, 0, z, True)
        learn_inplace(x, 0, 2, z, 40)
        after = x.center[0, [first, 1 - first], m.GONE]
        assert after[0] < 0.1 * odds[0]
        assert after[1] < 4.0 * (odds[1] + m.LEAVING)

    def test_what_shifts_to_a_point_is_there(self) -> None:
        x = planted(blobs(2)).store
        x.center[0, :2, m.GONE] = [0.5, 500.0]
        row = np.array([0.0, 0.0, SHIFT, 1.0])
        apply_move_inplace(x, 0, row, 2, np.full(2, 20.0), 40)
        np.testing.assert_array_equal(x.center[0, :2, m.GONE], [0.5, 0.0])

    def test_a_lone_center_stays(self) -> None:
        p = Adaptive(1)
        points = np.concatenate((np.zeros(100), np.full(40, 50.0))) + 0.1 * np.arange(140)
        p.learn_many(points[:, None])
        lone = p._state.store.slot[:, m.N_CENTERS] == 1.0
        assert lone.any()
        assert (p._state.store.center[lone, 0, m.GONE] == 0.0).all()

    def test_groups_that_stay_are_hardly_doubted(self) -> None:
        doubts = []
        for seed in range(3):
            p = Adaptive(2)
            for t, z in enumerate(_groups(400, [0.4, 0.35, 0.25], seed)):
                p.learn_one(z)
                if t >= 100:
                    x = p._state.store
                    s = best_geometry(x, p._state.lanes)
                    odds = x.center[s, : int(x.slot[s, m.N_CENTERS]), m.GONE]
                    doubts.append((odds / (1.0 + odds)).max())
        assert 0.0 < np.mean(doubts) < 0.01


class TestLaw:
    @pytest.mark.parametrize("seed", range(4))
    def test_a_group_that_left_leaves_the_law(self, seed: int) -> None:
        p = Adaptive(2)
        p.learn_many(_groups(200, [0.4, 0.35, 0.25], seed))
        assert _share_at(p, 2) > 0.12
        p.learn_many(_groups(60, [0.55, 0.45, 0.0], seed + 10))
        assert _share_at(p, 2) < 0.02

    def test_without_odds_it_would_stay(self) -> None:
        """What the test above looks at comes from the odds: undone at each step, it stays."""
        p = Adaptive(2)
        p.learn_many(_groups(200, [0.4, 0.35, 0.25], 0))
        for z in _groups(60, [0.55, 0.45, 0.0], 10):
            p.learn_one(z)
            p._state.store.center[:, :, m.GONE] = 0.0
        assert _share_at(p, 2) > 0.05

    @pytest.mark.parametrize("seed", range(4))
    def test_what_comes_back_is_known_again(self, seed: int) -> None:
        """After an absence that is doubted, and not yet certain, it is the same center."""
        p = Adaptive(2)
        p.learn_many(_groups(200, [0.4, 0.35, 0.25], seed))
        before = p.geometry().identities
        p.learn_many(_groups(22, [0.55, 0.45, 0.0], seed + 10))
        p.learn_many(_groups(2, [0.0, 0.0, 1.0], seed + 20))
        g = p.geometry()
        nearest = np.linalg.norm(g.centers - _CORNERS[2], axis=1).argmin()
        assert g.identities[nearest] in before
        assert _share_at(p, 2) > 0.12
