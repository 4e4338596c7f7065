"""A bank is what separate predictors are, on any number of threads."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from driftlaw import PredictorBank, QuasiBayes
from driftlaw._validate import Array
from driftlaw.errors import InputError

SETTINGS: dict[str, Any] = {"n_iterations": 40, "restart_every": 17, "n_chains": 2}
M, N = 5, 30


def _batches() -> Array:
    return np.random.default_rng(0).normal(size=(M, N, 2))


def _bytes(predictor: QuasiBayes, path: Path) -> bytes:
    predictor.save(path)
    return path.read_bytes()


CASES: list[tuple[int, dict[str, Any]]] = [
    *((n_threads, SETTINGS) for n_threads in (1, 2, 3, 8)),
    (2, {"n_iterations": 40}),  # windows that grow
    (2, {"n_iterations": 40, "max_history": 20}),
    (2, {"n_iterations": 40, "sampler": "paper"}),  # side by side only where nothing is carried on
    (2, {"n_iterations": 40, "restart": "adaptive"}),
]


@pytest.mark.parametrize(("n_threads", "settings"), CASES)
def test_a_bank_equals_separate_predictors(
    n_threads: int, settings: dict[str, Any], tmp_path: Path
) -> None:
    bank = PredictorBank(M, 2, 4.0, rng=7, **settings)
    seeds = np.random.default_rng(7).spawn(M)
    alone = [QuasiBayes(2, 4.0, rng=seed, **settings) for seed in seeds]
    histories = bank.learn_many(_batches()[:, :-2], n_threads=n_threads)
    bank.learn_one(_batches()[:, -2], n_threads=n_threads)
    bank[2].learn_one(_batches()[2, -2])  # one more than the others
    bank.learn_one(_batches()[:, -1], n_threads=n_threads)
    for i, predictor in enumerate(alone):
        own = predictor.learn_many(_batches()[i, :-2])
        for column, expected in zip(histories[i], own, strict=True):
            np.testing.assert_array_equal(column, expected)
        for row in _batches()[i, [-2, -2, -1] if i == 2 else [-2, -1]]:
            predictor.learn_one(row)
        assert _bytes(bank[i], tmp_path / "state") == _bytes(predictor, tmp_path / "state")
    assert [law.to_dict() for law in bank.predict()] == [p.predict().to_dict() for p in alone]


def test_a_copy_goes_its_own_way(tmp_path: Path) -> None:
    bank = PredictorBank(M, 2, 4.0, rng=7, **SETTINGS)
    bank.learn_many(_batches()[:, :3])
    twin = copy.deepcopy(bank)
    for own in (bank, twin):
        own.learn_many(_batches()[:, 3:9])
    for first, second in zip(bank, twin, strict=True):
        assert _bytes(first, tmp_path / "state") == _bytes(second, tmp_path / "state")


def test_short_windows_go_side_by_side() -> None:
    bank = PredictorBank(M, 2, 4.0, rng=7, **SETTINGS)
    bank.learn_many(_batches())
    shared = {id(predictor._state.window.points.base) for predictor in bank}
    assert len(shared) == 1


def test_chains_share_out_threads(tmp_path: Path) -> None:
    first, second = (QuasiBayes(2, 4.0, rng=1, **SETTINGS) for _ in range(2))
    first.learn_many(_batches()[0])
    second.learn_many(_batches()[0], n_threads=2)
    assert _bytes(first, tmp_path / "state") == _bytes(second, tmp_path / "state")


@pytest.mark.parametrize("shape", [(M, 2), (M - 1, N, 2), (M, N, 3), (M, 0, 2)])
def test_only_batches_that_fit_are_learnt(shape: tuple[int, ...]) -> None:
    bank = PredictorBank(M, 2, 4.0, rng=7, **SETTINGS)
    with pytest.raises(InputError, match=rf"Z must be \({M}, n, 2\), got"):
        bank.learn_many(np.zeros(shape))
    bad = np.zeros((M, 3, 2))
    bad[-1, -1] = np.nan
    with pytest.raises(InputError, match=r"Z must be finite, got nan at index \(4, 2, 0\)"):
        bank.learn_many(bad)
    with pytest.raises(InputError, match="Z must be an array"):
        bank.learn_many([[[0.0, 0.0]], [[0.0, 0.0], [1.0, 1.0]]])
    with pytest.raises(InputError, match=rf"z must be \({M}, 2\), got \(3, 2\)"):
        bank.learn_one(np.zeros((3, 2)))
    bad[-1, -1] = 1e30
    with pytest.raises(InputError, match="Z must lie within"):
        bank.learn_many(bad)
    assert {predictor.n_seen for predictor in bank} == {0}
