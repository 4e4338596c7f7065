"""`QuasiBayes` that restarts when its losses say that the stream has changed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from driftlaw import Constant, QuasiBayes, load
from driftlaw._validate import Array
from driftlaw.errors import InputError, SavedStateError
from driftlaw.predictor import storage
from driftlaw.predictor.restart import surprise


def quasi(**options: Any) -> QuasiBayes:
    settings: dict[str, Any] = {
        "schedule": Constant(1.0),
        "kernel": "adaptive",
        "n_iterations": 60,
        "rng": 0,
    }
    return QuasiBayes(1, 10.0, **(settings | {"restart": "adaptive"} | options))


def jump(n_before: int, n_after: int) -> Array:
    rng = np.random.default_rng(4)
    means = np.repeat([-5.0, 5.0], [n_before, n_after])
    return np.asarray(rng.normal(means, 1.0)[:, None])


def test_a_jump_restarts_and_nothing_else_does() -> None:
    history = quasi().learn_many(jump(120, 60))
    restarts = np.flatnonzero(history.is_restart)
    assert len(restarts) == 1
    assert 120 <= restarts[0] < 135
    assert history.age[restarts[0]] == 0
    assert history.rate[restarts[0]] == 0.0
    assert history.age[-1] == len(history.age) - 1 - restarts[0]


def test_restarts_of_a_stationary_stream_are_as_rare_as_set() -> None:
    rate, n = 0.02, 800
    points = np.random.default_rng(1).normal(size=(n, 1))
    history = quasi(false_alarm_rate=rate).learn_many(points)
    assert history.is_restart.sum() <= stats.poisson.ppf(1 - 1e-3, rate * n)


def test_an_alarm_that_cannot_ring_is_vanilla() -> None:
    points = jump(40, 20)
    watched, vanilla = quasi(false_alarm_rate=1e-300), quasi(restart=None)
    for p in (watched, vanilla):
        p.learn_many(points)
    np.testing.assert_array_equal(
        watched.configurations().centers, vanilla.configurations().centers
    )


def test_many_is_one_by_one_and_a_saved_one_goes_on(tmp_path: Path) -> None:
    points = jump(60, 40)
    loop, many, saved = quasi(), quasi(), quasi()
    infos = [loop.learn_one(z) for z in points]
    history = many.learn_many(points)
    assert [info.is_restart for info in infos] == history.is_restart.tolist()
    assert [info.age for info in infos] == history.age.tolist()
    assert history.is_restart.any()
    saved.learn_many(points[:55])
    saved.save(tmp_path / "p")
    again = load(tmp_path / "p")
    again.learn_many(points[55:])
    for p in (many, again):
        assert isinstance(p, QuasiBayes)
        np.testing.assert_array_equal(p.configurations().centers, loop.configurations().centers)
        assert p.predict().to_dict() == loop.predict().to_dict()


def test_a_damaged_watch_is_refused(tmp_path: Path) -> None:
    p = quasi()
    p.learn_many(jump(20, 0))
    p.save(tmp_path / "p")
    saved = storage.read(tmp_path / "p")
    for change in (np.nan, -1.5):
        arrays = {k: v.copy() for k, v in saved.arrays.items()}
        arrays["watch"][...] = change
        storage.write(tmp_path / "q", storage.Saved("QuasiBayes", saved.config, arrays))
        with pytest.raises(SavedStateError, match="watch must"):
            load(tmp_path / "q")


def test_the_surprise_is_the_mean_loss_of_the_draws() -> None:
    k, centers = np.array([1, 2]), np.array([[[1.0], [99.0]], [[4.0], [-1.0]]])
    assert surprise(k, centers, np.array([0.0])) == (1.0 + 1.0) / 2
    assert surprise(k, centers, np.array([5.0])) == (16.0 + 1.0) / 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"restart": "often"}, "restart must be"),
        ({"restart_every": 5}, "restart='adaptive' excludes"),
        ({"restart_at": (5,)}, "restart='adaptive' excludes"),
        ({"false_alarm_rate": 0.0}, "false_alarm_rate must"),
        ({"false_alarm_rate": 1.0}, "false_alarm_rate must"),
        ({"false_alarm_rate": np.nan}, "false_alarm_rate must"),
    ],
)
def test_bad_settings(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        quasi(**options)
