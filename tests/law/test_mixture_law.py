"""Mixture laws against SciPy's distributions and closed forms."""

import numpy as np
import pytest
from scipy import stats

from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.law import MixtureLaw, PredictiveLaw

WEIGHTS = np.array([0.2, 0.5, 0.3])
MEANS = np.array([[-1.0, 0.0], [0.5, 2.0], [3.0, -1.0]])
FACTORS = np.array([[[1.0, 0.0], [0.5, 0.7]], [[0.4, 0.0], [-0.3, 0.9]], [[2.0, 0.0], [0.0, 0.5]]])


@pytest.fixture
def points() -> Array:
    return np.random.default_rng(0).normal(size=(25, 2)) * 3


def test_isotropic_normals_against_scipy(points: Array) -> None:
    scales = np.array([0.3, 1.0, 2.0])
    law = MixtureLaw(WEIGHTS, MEANS, scales)
    parts = [
        stats.multivariate_normal(m, s**2 * np.eye(2)) for m, s in zip(MEANS, scales, strict=True)
    ]
    np.testing.assert_allclose(
        law.pdf(points), WEIGHTS @ [p.pdf(points) for p in parts], rtol=1e-10
    )
    np.testing.assert_allclose(law.cdf(points), WEIGHTS @ [p.cdf(points) for p in parts], atol=1e-6)


def test_full_normals_against_scipy(points: Array) -> None:
    law = MixtureLaw(WEIGHTS, MEANS, FACTORS)
    parts = [stats.multivariate_normal(m, f @ f.T) for m, f in zip(MEANS, FACTORS, strict=True)]
    np.testing.assert_allclose(
        law.pdf(points), WEIGHTS @ [p.pdf(points) for p in parts], rtol=1e-10
    )
    np.testing.assert_allclose(law.cdf(points), WEIGHTS @ [p.cdf(points) for p in parts], atol=1e-6)


def test_diagonal_factors_have_a_product_cdf(points: Array) -> None:
    factors = np.array([np.diag(d) for d in ([1.0, 0.5], [0.3, 2.0], [1.0, 1.0])])
    law = MixtureLaw(WEIGHTS, MEANS, factors)
    columns = [stats.norm.cdf(points[:, None, i], MEANS[:, i], factors[:, i, i]) for i in range(2)]
    np.testing.assert_allclose(law.cdf(points), (columns[0] * columns[1]) @ WEIGHTS, rtol=1e-12)


def test_students_against_scipy(points: Array) -> None:
    df = np.array([2.5, np.inf, 6.0])
    law = MixtureLaw(WEIGHTS, MEANS, FACTORS, df)
    parts = [
        stats.multivariate_t(m, f @ f.T, df=nu) for m, f, nu in zip(MEANS, FACTORS, df, strict=True)
    ]
    np.testing.assert_allclose(
        law.pdf(points), WEIGHTS @ [p.pdf(points) for p in parts], rtol=1e-10
    )
    line = law.project([1.0, 2.0])
    unit = np.array([1.0, 2.0]) / np.sqrt(5)
    scales = np.linalg.norm(FACTORS.transpose(0, 2, 1) @ unit, axis=1)
    x = np.linspace(-30, 30, 41)
    expected = stats.t.cdf(x[:, None], df, MEANS @ unit, scales) @ WEIGHTS
    np.testing.assert_allclose(line.cdf(x), expected, rtol=1e-10)


def test_covariance_of_students_by_hand() -> None:
    law = MixtureLaw([0.5, 0.5], [[-1.0], [1.0]], [2.0, 1.0], [4.0, np.inf])
    assert law.cov()[0, 0] == pytest.approx(1 + 0.5 * 4 * (4 / 2) + 0.5)
    with pytest.raises(InputError, match=r"cov needs df > 2, got 1\.5"):
        MixtureLaw([1.0], [[0.0]], [1.0], 1.5).cov()


@pytest.mark.parametrize("df", [np.inf, 1.2, 3.0, 200.0])
def test_quantiles_hold_far_into_both_tails(df: float) -> None:
    law = MixtureLaw(WEIGHTS, MEANS[:, :1], [0.01, 1.0, 5.0], df)
    least = 1e-300 if np.isinf(df) else 1e-100
    q = np.array([least, 1e-30, 1e-9, 0.01, 0.5, 0.9, 1 - 1e-9, 1 - 2**-52])
    x = law.quantile(q)[:, 0]
    assert (np.diff(x) > 0).all()
    np.testing.assert_allclose(law.cdf(x[:6]), q[:6], rtol=1e-9)
    mirrored = MixtureLaw(WEIGHTS, -MEANS[:, :1], [0.01, 1.0, 5.0], df)
    np.testing.assert_allclose(mirrored.cdf(-x[6:]), 1 - q[6:], rtol=1e-9)
    assert law.quantile(1e-300)[0] <= x[0]
    np.testing.assert_array_equal(law.quantile([0.0, 1.0])[:, 0], [-np.inf, np.inf])


def test_quantile_inside_a_gap_between_components() -> None:
    """The cdf is flat at 0.5 over eighty standard deviations: hard for Newton, easy to check."""
    law = MixtureLaw([0.5, 0.5], [[-40.0], [40.0]], [1.0, 1.0])
    assert law.quantile(0.5)[0] == pytest.approx(0.0, abs=40)
    assert law.quantile([0.25])[0, 0] == pytest.approx(-40.0)
    assert law.quantile([0.75])[0, 0] == pytest.approx(40.0)


def test_components_without_weight_change_nothing() -> None:
    bare = MixtureLaw([1.0], [[0.0]], [1.0])
    padded = MixtureLaw([1.0, 0.0], [[0.0], [1e6]], [1.0, 1e-3])
    x = np.linspace(-3, 3, 7)
    np.testing.assert_allclose(padded.logpdf(x), bare.logpdf(x), rtol=1e-12)
    assert padded.logpdf(1e6) == pytest.approx(bare.logpdf(1e6))
    np.testing.assert_allclose(padded.quantile([0.1, 0.9]), bare.quantile([0.1, 0.9]))
    assert padded.w1(bare) < 1e-9


def test_logpdf_does_not_underflow() -> None:
    law = MixtureLaw([0.5, 0.5], [[0.0], [1.0]], [1.0, 1.0])
    assert law.logpdf(100.0) == pytest.approx(np.log(0.5) + stats.norm.logpdf(99), rel=1e-12)
    assert law.pdf(100.0) == 0


def test_weights_are_scaled_and_df_is_spread() -> None:
    law = MixtureLaw([2, 6], [[0.0], [1.0]], [1, 1], 5)
    np.testing.assert_array_equal(law.weights, [0.25, 0.75])
    np.testing.assert_array_equal(law.df, [5.0, 5.0])
    assert not law.is_normal


def test_the_callers_arrays_stay_the_callers() -> None:
    means = np.zeros((1, 2))
    law = MixtureLaw([1.0], means, [1.0])
    means[...] = 7
    np.testing.assert_array_equal(law.means, 0)


def test_unchecked_is_the_same_law() -> None:
    law = MixtureLaw(WEIGHTS, MEANS, FACTORS, [3.0, np.inf, 4.0])
    fast = MixtureLaw.unchecked(*(a.copy() for a in (law.weights, law.means, law.scales, law.df)))
    assert fast.to_dict() == law.to_dict()
    assert isinstance(fast, PredictiveLaw)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": [0.5]}, r"weights must be \(2,\)"),
        ({"weights": [-1.0, 2.0]}, "weights must be >= 0"),
        ({"means": [[0.0], [np.nan]]}, "means must be finite"),
        ({"means": []}, "means must be"),
        ({"scales": [1.0, 0.0]}, "scales must be finite, on the diagonal > 0"),
        ({"scales": [1.0, -1.0]}, "scales must be finite, on the diagonal > 0"),
        ({"scales": [1.0, np.inf]}, "scales must be finite"),
        ({"scales": [1.0]}, r"scales must be \(2,\) or \(2, 1, 1\)"),
        ({"scales": ["a", "b"]}, "scales must hold real numbers"),
        ({"scales": [[1.0], [1.0, 2.0]]}, "scales must be an array"),
        ({"df": 1.0}, "df must be > 1"),
        ({"df": np.nan}, "df must be > 1"),
        ({"df": [3.0, 3.0, 3.0]}, "df must be a number or"),
    ],
)
def test_bad_arguments_are_named(change: dict[str, object], message: str) -> None:
    good: dict[str, object] = {"weights": [0.5, 0.5], "means": [[0.0], [1.0]], "scales": [1.0, 1.0]}
    with pytest.raises(InputError, match=message):
        MixtureLaw(**(good | change))  # type: ignore[arg-type]


def test_factors_must_be_lower_triangular() -> None:
    with pytest.raises(InputError, match="lower triangular"):
        MixtureLaw([1.0], [[0.0, 0.0]], [[[1.0, 0.5], [0.0, 1.0]]])


@pytest.mark.parametrize("scales", [[1e-155, 1.0], [[[1e-155]], [[1.0]]]])
@pytest.mark.parametrize("df", [np.inf, 4.0])
def test_a_component_of_next_to_no_width_is_an_atom(scales: object, df: float) -> None:
    law = MixtureLaw([0.5, 0.5], [[0.0], [3.0]], scales, df=df)  # type: ignore[arg-type]
    assert law.quantile([0.25])[0, 0] == pytest.approx(0.0, abs=1e-3)
    assert law.quantile([0.75])[0, 0] == pytest.approx(3.0, abs=1e-3)
    alone = MixtureLaw([1.0], [[3.0]], [1.0], df=df)
    assert law.pdf([[3.0]])[0] == pytest.approx(0.5 * alone.pdf([[3.0]])[0])
    assert law.cdf(1.0) == pytest.approx(0.5 + 0.5 * alone.cdf(1.0))


@pytest.mark.parametrize("df", [3.0, np.inf])
def test_a_sum_of_many_weights_is_not_above_one(df: float) -> None:
    weights = np.random.default_rng(0).dirichlet(np.ones(900), size=20)
    for row in weights:
        law = MixtureLaw(row, np.linspace(0.0, 1.0, 900), np.full(900, 0.1), df)
        assert law.cdf(1e99) <= 1.0
        assert law.cdf([1e99, 2e99]).max() <= 1.0
