"""Groups of points: found where noise along other axes hides them, whatever the units."""

import numpy as np
import pytest

from driftlaw._validate import Array, IntArray
from driftlaw.predictor.adaptive.groups import find_groups
from driftlaw.predictor.adaptive.split import stretched
from driftlaw.predictor.adaptive.state import new_state
from driftlaw.predictor.adaptive.world import learn_world_inplace

_SEEDS = range(12)


def _apart(dim: int, n: int, seed: int) -> tuple[Array, Array]:
    """Return noise of unit deviation with two groups seven apart along the first axis."""
    rng = np.random.default_rng(seed)
    which = rng.random(n) < 0.5
    points = rng.normal(size=(n, dim))
    points[:, 0] += np.where(which, 3.5, -3.5)
    return points, which.astype(float)


def _labels(points: Array, most: int = 2) -> IntArray:
    state = new_state(points.shape[1])
    for z in points:
        learn_world_inplace(state.store, z)
    return find_groups(state.store, points, most)


def _agreement(labels: IntArray, which: Array) -> float:
    """Share of points on which two groups are the same, whatever they are called; 0 without two."""
    if set(labels.tolist()) != {0, 1}:
        return 0.0
    share = float((labels == which).mean())
    return max(share, 1.0 - share)


class TestFindGroups:
    @pytest.mark.parametrize(("dim", "n"), [(1, 20), (2, 20), (3, 30), (5, 40), (8, 60)])
    def test_two_groups_are_found_among_noise_along_other_axes(self, dim: int, n: int) -> None:
        # In units of the stream's scatter alone: 7 of 12 in five dimensions, 4 in eight.
        found = [
            _agreement(_labels(p)[1], which) for p, which in (_apart(dim, n, s) for s in _SEEDS)
        ]
        assert np.mean(np.array(found) > 0.95) >= 0.9

    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_any_change_of_units_and_axes_leaves_them(self, seed: int) -> None:
        points, _ = _apart(4, 40, seed)
        mixed = points @ np.random.default_rng((seed, 1)).normal(size=(4, 4)) * 1e3 + 50.0
        here, there = _labels(points)[1], _labels(mixed)[1]
        assert _agreement(here, there.astype(float)) >= 0.95

    def test_groups_are_counted_without_gaps(self) -> None:
        points, _ = _apart(3, 30, 0)
        points[7] = 400.0
        for k, labels in enumerate(_labels(points, 4), 1):
            known = np.unique(labels[labels >= 0])
            assert known.tolist() == list(range(len(known)))
            assert len(known) <= k

    @pytest.mark.parametrize("dim", [1, 2, 5])
    def test_equal_points_are_one_group_and_a_gross_one_is_none(self, dim: int) -> None:
        points = np.full((30, dim), 7.0)
        assert not _labels(points, 4).any()
        points[3] = 1e90
        for labels in _labels(points, 4)[1:]:
            assert labels[3] == -1
            assert (np.delete(labels, 3) == 0).all()


class TestStretched:
    def test_the_axis_of_two_groups_has_the_length_of_what_they_leave(self) -> None:
        points, which = _apart(4, 200, 3)
        state = new_state(4)
        for z in points:
            learn_world_inplace(state.store, z)
        rows = stretched(state.store, points)
        is_one = which == 1.0
        axis = rows[is_one].mean(axis=0) - rows[~is_one].mean(axis=0)
        along = rows @ (axis / np.linalg.norm(axis))
        within = 0.5 * (along[is_one].var() + along[~is_one].var())
        assert within == pytest.approx(1.0, abs=0.15)  # before: 1 / (1 + 3.5²)
        assert np.linalg.norm(axis) == pytest.approx(7.0, rel=0.1)

    def test_of_noise_no_axis_is_made_much_longer(self) -> None:
        points = np.random.default_rng(0).normal(size=(400, 3))
        state = new_state(3)
        for z in points:
            learn_world_inplace(state.store, z)
        spread = np.linalg.eigvalsh(np.cov(stretched(state.store, points), rowvar=False))
        assert spread[-1] < 1.1 / (1.0 - 2.0 / np.pi)  # what two halves of a normal law leave
