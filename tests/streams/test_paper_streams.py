"""The paper's two streams: every number of their description."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftlaw.errors import InputError
from driftlaw.streams import abrupt_shift, jump_times, smooth_drift, spread_centers, stationary


@pytest.mark.parametrize("seed", range(5))
def test_smooth_drift_as_printed(seed: int) -> None:
    stream = smooth_drift(rng=seed)
    assert (stream.dim, stream.n_steps, stream.n_components) == (2, 500, 2)
    law = stream.law_at(0)
    assert law.weights.tolist() == [0.5, 0.5]
    np.testing.assert_allclose(law.scales**2, 0.2)
    assert np.linalg.norm(law.means[0] - law.means[1]) == pytest.approx(5.0)
    steps = np.diff([stream.centers_at(t) for t in range(500)], axis=0)
    np.testing.assert_allclose(np.linalg.norm(steps, axis=2), 0.03)
    np.testing.assert_allclose(steps, np.broadcast_to(steps[0], steps.shape), atol=1e-12)
    assert np.linalg.norm(steps[0, 0] - steps[0, 1]) > 1e-4  # each centre has its own direction


@pytest.mark.parametrize(("n_steps", "n_jumps"), [(500, 2), (1000, 2), (2000, 3), (4000, 3)])
def test_abrupt_shift_as_printed(n_steps: int, n_jumps: int) -> None:
    stream = abrupt_shift(n_steps=n_steps, rng=0)
    law = stream.law_at(0)
    np.testing.assert_allclose(law.scales**2, 0.05)
    assert np.linalg.norm(law.means[0] - law.means[1]) == pytest.approx(2.5)
    steps = np.diff([stream.centers_at(t) for t in range(n_steps)], axis=0)
    times = 1 + np.flatnonzero(np.abs(steps).max(axis=(1, 2)) > 0)
    assert len(times) == n_jumps
    assert tuple(times) == jump_times(n_steps, 0.15)
    np.testing.assert_allclose(np.linalg.norm(steps[times - 1], axis=2), 7.0)
    np.testing.assert_allclose(steps[:, 0], steps[:, 1], atol=1e-12)
    blocks = np.diff([0, *times, n_steps])
    assert blocks.max() - blocks.min() <= 1


@settings(deadline=None)
@given(n_steps=st.integers(1, 10**5), exponent=st.floats(0, 1))
def test_jump_times_are_inside_and_increase(n_steps: int, exponent: float) -> None:
    if n_steps**exponent > 2000:
        return
    times = np.array(jump_times(n_steps, exponent))
    assert (np.diff(times) > 0).all()
    assert ((times > 0) & (times < n_steps)).all()
    assert len(times) == min(int(n_steps**exponent), n_steps - 1)


@settings(deadline=None)
@given(k=st.integers(1, 7), dim=st.integers(1, 5), separation=st.floats(0.1, 10))
def test_neighbours_are_separated_and_the_middle_is_the_origin(
    k: int, dim: int, separation: float
) -> None:
    centers = spread_centers(k, dim, separation)
    np.testing.assert_allclose(centers.mean(axis=0), 0.0, atol=1e-9)
    if k > 1:
        gaps = np.linalg.norm(centers[:, None] - centers, axis=2)
        gaps += np.diag(np.full(k, np.inf))
        np.testing.assert_allclose(gaps.min(axis=1), separation)


def test_the_drift_scale_alone_changes_with_the_step() -> None:
    """Sweeps over the step share their random numbers."""
    still, moving = smooth_drift(step=0.0, rng=4), smooth_drift(step=0.1, rng=4)
    for a, b in zip(still, moving, strict=True):
        shift = moving.centers_at(a.t) - still.centers_at(a.t)
        assert np.abs((b.clean - a.clean) - shift).max(axis=1).min() < 1e-9
        if a.t == 50:
            break


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: smooth_drift(variance=-1.0), "variance must be"),
        (lambda: stationary(dim=0), "dim must be"),
        (lambda: stationary(n_components=0), "n_components must be"),
        (lambda: stationary(separation=np.nan), "separation must be"),
        (lambda: abrupt_shift(exponent=1.5), "exponent must be"),
        (lambda: abrupt_shift(n_steps=0), "n_steps must be"),
    ],
)
def test_bad_arguments_are_named(make: object, word: str) -> None:
    assert callable(make)
    with pytest.raises(InputError, match=word):
        make()


@pytest.mark.parametrize(
    "options", [{"step": "a"}, {"step": float("nan")}, {"variance": 0.0}, {"variance": -1.0}]
)
def test_bad_values_are_named_at_birth(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(options))):
        smooth_drift(**options)
