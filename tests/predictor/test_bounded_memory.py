"""`max_history`: bounded memory, a bound on the error that holds, exactness until it is reached."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from driftlaw import Constant, QuasiBayes, load
from driftlaw._validate import Array
from driftlaw.errors import InputError
from tests import naive

CAP, N = 64, 500
_make = partial(
    QuasiBayes, radius=5.0, schedule=Constant(0.02), n_iterations=40, n_configurations=4, rng=3
)


def _stream(dim: int, n: int = N, spread: float = 1.0) -> Array:
    rng = np.random.default_rng(dim)
    return rng.normal(np.where(rng.random((n, 1)) < 0.5, -2.0, 2.0), spread, (n, dim))


@pytest.mark.parametrize("dim", [1, 2, 5])
def test_the_bound_holds(dim: int) -> None:
    predictor = _make(dim, max_history=CAP)
    Z = _stream(dim)
    for end in range(20, N + 1, 20):
        info = predictor.learn_many(Z[end - 20 : end]).last()
        records = predictor._state.records
        k = records.k[0, -1]
        true_loss = naive.loss(Z[:end], records.centers[0, -1, :k])
        error = records.loss[0, -1] - true_loss
        assert -1e-9 * true_loss <= error <= info.loss_error + 1e-9 * true_loss
        assert info.loss_error == 0.0 or end >= CAP
        assert records.counts[0, -1].sum() >= info.age == end
        assert predictor._state.window.n[0] <= CAP
    assert info.loss_error < records.loss[0, -1]  # which is all that is known for sure


def test_small_clusters_are_exact() -> None:
    predictor, Z = _make(2, max_history=CAP), _stream(2, spread=1e-3)
    info = predictor.learn_many(Z).last()
    assert info.loss_error < 0.05 * N  # a bound of twice the distance would be 2 · 500 · 2.8


def test_new_centres_come_from_what_is_held_however_little() -> None:
    predictor, Z = _make(2, max_history=16), _stream(2, 30)  # fewer columns than anchors
    predictor.learn_many(Z)
    window, anchors = predictor._state.window, predictor._state.sampler.anchors
    held = window.points[:, : window.n[0]]
    assert window.n[0] < 16
    assert all((held == anchor[:, None]).all(axis=0).any() for anchor in anchors.T)


def test_until_it_is_reached_nothing_changes() -> None:
    bounded, exact, Z = _make(2, max_history=CAP), _make(2), _stream(2, CAP - 1)
    for predictor in (bounded, exact):
        predictor.learn_many(Z)
    for name, array in exact._state.arrays().items():
        np.testing.assert_array_equal(array, bounded._state.arrays()[name], err_msg=name)


def test_memory_is_bounded_and_resumes(tmp_path: Path) -> None:
    predictor, Z = _make(2, max_history=CAP), _stream(2)
    held = set()
    for rows in np.split(Z, 5):
        predictor.learn_many(rows)
        state = predictor._state
        held.add(
            sum(a.nbytes for part in (state.window, state.chains, state.records) for a in part)
        )
    assert len(held) == 1
    predictor.save(tmp_path / "state")
    again = load(tmp_path / "state")
    assert isinstance(again, QuasiBayes)
    for other in (predictor, again):
        other.learn_many(Z[:100])
    for name, array in predictor._state.arrays().items():
        np.testing.assert_array_equal(array, again._state.arrays()[name], err_msg=name)


@pytest.mark.parametrize("cap", [0, 15, -3, 2.5])
def test_a_cap_must_hold_some_points(cap: int) -> None:
    with pytest.raises(InputError, match="max_history must be"):
        _make(2, max_history=cap)


def test_the_paper_holds_all() -> None:
    with pytest.raises(InputError, match="max_history must be None with sampler 'paper'"):
        _make(2, max_history=CAP, sampler="paper")
