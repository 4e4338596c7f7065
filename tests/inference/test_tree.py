"""Trees against the plain sum: any points, any centres."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftlaw._validate import Array
from driftlaw.inference.sizes import new_tree
from driftlaw.inference.tree import LEAF, Tree, grow_sizes_inplace, plant_many_inplace
from driftlaw.inference.treescore import loss_inplace
from tests.referee import sizes

P = 5
KINDS = ("normal", "far away", "duplicates", "collinear", "on a grid", "monotone", "all the same")


def _tree(points: Array) -> Tree:
    tree = new_tree(sizes(points.shape[1], P), len(points) // LEAF + 1)
    plant_many_inplace(tree, points)
    return tree


def _points(kind: str, n: int, dim: int, rng: np.random.Generator) -> Array:
    x = rng.normal(size=(n, dim))
    if kind == "far away":
        return np.asarray(x + 1e6)
    if kind == "duplicates":
        return x[rng.integers(0, min(n, 4), size=n)]
    if kind == "collinear":
        return np.asarray(x[:, :1] * np.arange(1.0, dim + 1.0))
    if kind == "on a grid":
        return np.asarray(np.round(x))
    if kind == "monotone":
        return np.sort(x, axis=0)
    return np.zeros((n, dim)) if kind == "all the same" else x


def _nearest(points: Array, centers: Array) -> Array:
    gaps = np.array([((points - c) ** 2).sum(axis=1) for c in centers])
    return np.asarray(gaps.min(axis=0))


@settings(max_examples=80)
@given(
    st.sampled_from(KINDS),
    st.integers(1, 10),
    st.sampled_from([1, LEAF - 1, LEAF, 3 * LEAF + 5, 1000, 3000]),
    st.integers(1, P),
    st.integers(0, 2**32),
)
def test_the_tree_gives_the_plain_sum(kind: str, dim: int, n: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = _points(kind, n, dim, rng)
    tree = _tree(points)
    centers = np.vstack(
        [points[rng.integers(0, n, size=P - 2)], points.mean(axis=0) + np.eye(2, dim)]
    )
    centers = centers[rng.permutation(P)] + 0.3 * rng.normal(size=(P, 1))
    before = _nearest(points, centers[:k])
    counts = np.empty(P)
    # distances of points that lie a million away carry the rounding of their coordinates
    scale = 1e-12 * (before.sum() + n) if kind != "far away" else 1e-8 * n
    assert loss_inplace(tree, centers, k, counts) == pytest.approx(before.sum(), abs=scale)
    assert loss_inplace(tree, centers, k, counts[:0]) == pytest.approx(before.sum(), abs=scale)
    gaps = np.array([((points - c) ** 2).sum(axis=1) for c in centers[:k]])
    least = gaps[:, :] - before
    sure, possible = (least <= -1e-9).sum(axis=1), (least <= 1e-7).sum(axis=1)
    assert (sure <= counts[:k]).all()
    assert (counts[:k] <= possible).all()
    assert counts.sum() >= n


def test_a_million_insertions() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(np.where(rng.random((10**6, 1)) < 0.5, -3.0, 3.0), 1.0, (10**6, 2))
    points[::10] = points[0]  # a tenth are duplicates
    tree, counts = _tree(points), np.empty(P)
    centers = rng.normal(size=(P, 2))
    gaps = np.array([((points - c) ** 2).sum(axis=1) for c in centers])
    assert loss_inplace(tree, centers, P, counts) == pytest.approx(
        gaps.min(axis=0).sum(), rel=1e-12
    )
    np.testing.assert_array_equal(counts, np.bincount(gaps.argmin(axis=0), minlength=P))
    assert loss_inplace(tree, centers, P, counts[:0]) == pytest.approx(
        gaps.min(axis=0).sum(), rel=1e-12
    )
    held = tree.blocks.nbytes + tree.nodes.nbytes
    assert held < 1.2 * points.nbytes


@pytest.mark.parametrize("n", [0, 1, LEAF, 5 * LEAF - 1, 40 * LEAF + 3])
def test_trees_follow_from_the_number_of_points(n: int) -> None:
    tree = _tree(np.random.default_rng(n).normal(size=(n, 3)))
    found = tree.sizes.copy()
    tree.sizes[:] = 0
    grow_sizes_inplace(tree.sizes, n)
    n_trees = tree.sizes[1]
    np.testing.assert_array_equal(tree.sizes[: 2 + n_trees], found[: 2 + n_trees])
    assert tree.sizes[2 : 2 + n_trees].sum() == n // LEAF
