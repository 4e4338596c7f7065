"""The empirical law."""

from typing import Any

import numpy as np
import pytest

from driftlaw.errors import InputError, SavedStateError
from driftlaw.law import MixtureLaw, PredictiveLaw, SampleLaw


def test_moments_are_those_of_numpy() -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(20, 3)), rng.random(20)
    law = SampleLaw(x, w)
    np.testing.assert_allclose(law.mean(), np.average(x, axis=0, weights=w))
    np.testing.assert_allclose(law.cov(), np.cov(x.T, aweights=w, ddof=0))


def test_weights_are_replication() -> None:
    law = SampleLaw([[0.0], [1.0], [4.0]], [1, 2, 3])
    replicated = SampleLaw(np.repeat([0.0, 1.0, 4.0], [1, 2, 3]))
    q = np.linspace(0, 1, 31)
    np.testing.assert_array_equal(law.quantile(q), replicated.quantile(q))
    x = np.linspace(-1, 5, 13)
    np.testing.assert_allclose(law.cdf(x), replicated.cdf(x))
    assert law.w1(replicated) < 1e-14


def test_quantiles_are_numpys_inverted_cdf() -> None:
    x = np.random.default_rng(1).normal(size=11)
    q = np.random.default_rng(2).random(100)
    expected = np.quantile(x, q, method="inverted_cdf")
    np.testing.assert_array_equal(SampleLaw(x).quantile(q)[:, 0], expected)


@pytest.mark.parametrize("n", [3, 7, 10, 49])
def test_levels_reached_up_to_rounding_count(n: int) -> None:
    """i/n may fall short of the running sum of 1/n by rounding; the quantile must not jump."""
    law = SampleLaw(np.arange(n, dtype=float))
    found = law.quantile(np.arange(1, n + 1) / n)[:, 0]
    np.testing.assert_array_equal(found, np.arange(n))


def test_there_is_no_density() -> None:
    law = SampleLaw([[0.0, 1.0]])
    for door in (law.pdf, law.logpdf):
        with pytest.raises(InputError, match="empirical law has no density"):
            door([0.0, 1.0])


def test_draws_are_points_in_the_stated_shares() -> None:
    law = SampleLaw([[0.0], [1.0], [2.0]], [0.5, 0.0, 0.5])
    x = law.sample(10_000, rng=0)[:, 0]
    assert set(x) == {0.0, 2.0}
    assert (x == 0).mean() == pytest.approx(0.5, abs=3.3 * 0.005)  # level 1e-3


def test_distance_to_its_smoothed_law_falls_with_the_kernel() -> None:
    x = np.random.default_rng(3).normal(size=(15, 2))
    distances = [
        SampleLaw(x).w1(MixtureLaw(np.ones(15), x, np.full(15, s))) for s in (1.0, 0.1, 0.001)
    ]
    # Moving each point by N(0, s^2) along a line costs at most s sqrt(2/pi).
    assert all(d <= s * 0.8 for d, s in zip(distances, (1.0, 0.1, 0.001), strict=True))
    assert distances == sorted(distances, reverse=True)


def test_bad_points_are_named() -> None:
    with pytest.raises(InputError, match="points must be finite"):
        SampleLaw([[np.inf]])
    with pytest.raises(InputError, match="points must be"):
        SampleLaw(np.zeros((0, 2)))
    with pytest.raises(InputError, match=r"weights must be \(2,\)"):
        SampleLaw([0.0, 1.0], [1.0])


@pytest.mark.parametrize(
    "record",
    [
        {"kind": "sample", "points": [[0.0], [1.0]], "weights": [1.0, 1.0]},
        {
            "kind": "mixture",
            "weights": [1.0, 1.0],
            "means": [[0.0], [1.0]],
            "scales": [1.0, 1.0],
            "df": [None, None],
        },
    ],
)
def test_saved_weights_of_another_mass_are_refused(record: dict[str, Any]) -> None:
    with pytest.raises(SavedStateError, match="weights must sum to one"):
        PredictiveLaw.from_dict(record)


def test_a_law_says_what_it_is() -> None:
    assert repr(SampleLaw([[0.0, 1.0], [1.0, 2.0]])) == "<SampleLaw in 2-d with 2 points>"
    with pytest.raises(InputError, match="got <SampleLaw in 2-d with 1 points>"):
        SampleLaw([[0.0]]).w1(SampleLaw([[0.0, 1.0]]))


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_a_direction_may_have_any_length(size: float) -> None:
    law = SampleLaw([[3.0, 4.0], [0.0, 0.0]])
    assert law.project([0.6 * size, 0.8 * size]).mean() == pytest.approx([2.5])
