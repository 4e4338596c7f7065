"""The rolling window keeps exactly the last observations."""

import numpy as np
import pytest

from driftlaw.errors import InputError
from driftlaw.peers import RollingWindow


def test_it_is_the_law_of_the_last_observations() -> None:
    points = np.random.default_rng(0).normal(size=(9, 2))
    window = RollingWindow(2, size=4)
    for n, z in enumerate(points, start=1):
        window.learn_one(z)
        kept = points[max(0, n - 4) : n]
        np.testing.assert_allclose(window.predict().mean(), kept.mean(axis=0), atol=1e-12)
        assert window.predict().w1(window.predict()) == 0.0


def test_before_any_observation_it_is_a_point_at_the_origin() -> None:
    assert np.array_equal(RollingWindow(3, size=2).predict().mean(), np.zeros(3))


def test_it_keeps_a_copy_of_what_it_was_given() -> None:
    z = np.array([1.0])
    window = RollingWindow(1, size=2)
    window.learn_one(z)
    z[0] = 5.0
    assert window.predict().mean()[0] == 1.0


@pytest.mark.parametrize("z", [[np.nan], [1.0, 2.0], []])
def test_a_bad_observation_changes_nothing(z: list[float]) -> None:
    window = RollingWindow(1, size=2)
    window.learn_one([1.0])
    with pytest.raises(InputError, match="z must"):
        window.learn_one(z)
    assert window.predict().mean()[0] == 1.0


def test_the_size_is_checked() -> None:
    with pytest.raises(InputError, match="size"):
        RollingWindow(1, size=0)
