"""What every law promises, asked of every law class."""

import copy
import json
import pickle
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

from driftlaw.errors import InputError, SavedStateError
from driftlaw.law import GibbsLaw, MixtureLaw, PredictiveLaw, SampleLaw, law_from_dict, w1

NAN = np.nan
FACTORS = [[[1.0, 0.0], [0.5, 0.7]], [[0.4, 0.0], [-0.3, 0.9]]]

BUILDERS: dict[str, Callable[[], PredictiveLaw]] = {
    "normal 1-d": lambda: MixtureLaw([0.2, 0.5, 0.3], [[-1.0], [0.5], [3.0]], [0.3, 1.0, 0.6]),
    "student 1-d": lambda: MixtureLaw([0.4, 0.6], [-1.0, 2.0], [0.5, 1.0], [4.5, np.inf]),
    "sample 1-d": lambda: SampleLaw([3.0, -1.0, 0.5, 0.5], [0.1, 0.4, 0.3, 0.2]),
    "gibbs 1-d": lambda: GibbsLaw(
        [2, 3, 1],
        [[[-1.0], [1.0], [NAN]], [[2.0], [-2.5], [0.2]], [[0.5], [NAN], [NAN]]],
        rate=0.8,
        ball_center=[0.3],
        ball_radius=3.5,
        cell_weights=[[1.0, 3.0, NAN], [0.2, 0.5, 0.3], [1.0, NAN, NAN]],
    ),
    "uniform 1-d": lambda: GibbsLaw([1], [[[0.0]]], 0.0, [1.0], 2.0),
    "normal 2-d": lambda: MixtureLaw([0.3, 0.7], [[-1.0, 0.0], [2.0, 1.0]], [0.5, 0.8]),
    "normal 2-d, full": lambda: MixtureLaw([0.3, 0.7], [[-1.0, 0.0], [2.0, 1.0]], FACTORS),
    "student 2-d": lambda: MixtureLaw([0.3, 0.7], [[-1.0, 0.0], [2.0, 1.0]], FACTORS, 5.0),
    "sample 2-d": lambda: SampleLaw([[0.0, 1.0], [2.0, -1.0], [1.0, 0.0]], [0.5, 0.2, 0.3]),
    "gibbs 2-d": lambda: GibbsLaw(
        [1, 2],
        [[[0.5, 0.5], [NAN, NAN]], [[-1.5, 0.0], [1.0, 1.0]]],
        rate=0.7,
        ball_center=[0.0, 0.0],
        ball_radius=3.0,
    ),
    "normal 3-d": lambda: MixtureLaw([0.3, 0.7], [[-1.0, 0, 1], [2.0, 1, 0]], [0.5, 0.8]),
}
LAWS = pytest.mark.parametrize("law", [build() for build in BUILDERS.values()], ids=list(BUILDERS))
ON_LINE = pytest.mark.parametrize(
    "law", [build() for name, build in BUILDERS.items() if "1-d" in name]
)
IN_PLANE = pytest.mark.parametrize(
    "law", [build() for name, build in BUILDERS.items() if "2-d" in name and "sample" not in name]
)

N = 40_000
Z = 4.5  # two-sided level 7e-6 for each number: below 1e-3 for the whole battery


def has_density(law: PredictiveLaw) -> bool:
    return not isinstance(law, SampleLaw)


def own_error(law: PredictiveLaw) -> float:
    """Relative variance of a law's own Monte-Carlo answers beside that of N points."""
    return N / 4096 if isinstance(law, GibbsLaw) and law.dim > 1 else 0.0


@LAWS
def test_sample_has_the_stated_mean_and_cov(law: PredictiveLaw) -> None:
    x = law.sample(N, rng=1)
    assert x.shape == (N, law.dim)
    inflation = np.sqrt((1 + own_error(law)) / N)
    assert (abs(x.mean(axis=0) - law.mean()) <= Z * x.std(axis=0) * inflation).all()
    gaps = x - law.mean()
    products = gaps[:, :, None] * gaps[:, None, :]
    error = Z * products.std(axis=0) * inflation
    assert (abs(products.mean(axis=0) - law.cov()) <= error + 1e-12).all()


@LAWS
def test_sample_has_the_stated_quantiles(law: PredictiveLaw) -> None:
    x = law.sample(N, rng=2)
    levels = np.array([0.05, 0.3, 0.62, 0.95])
    inflation = np.sqrt((1 + own_error(law)) / N)
    for q, row in zip(levels, law.quantile(levels), strict=True):
        error = Z * np.sqrt(q * (1 - q)) * inflation
        assert ((x <= row).mean(axis=0) >= q - error).all()
        assert ((x < row).mean(axis=0) <= q + error).all()


@LAWS
def test_sample_has_the_stated_joint_cdf(law: PredictiveLaw) -> None:
    x = law.sample(N, rng=3)
    points = law.sample(20, rng=4) + 0.1
    found = law.cdf(points)
    shares = (x[None] <= points[:, None]).all(axis=2).mean(axis=1)
    error = Z * np.sqrt(found * (1 - found) * (1 + own_error(law)) / N)
    assert (abs(found - shares) <= error + 1e-3 * (law.dim > 1)).all()


@ON_LINE
def test_cdf_rises_and_quantile_undoes_it(law: PredictiveLaw) -> None:
    low, high = law.interval(0.999)[:, 0]
    x = np.linspace(low - 1, high + 1, 301)
    values = law.cdf(x)
    assert (np.diff(values) >= 0).all()
    assert values[0] >= 0
    assert values[-1] <= 1
    if has_density(law):
        inside = np.linspace(low, high, 50)
        inside = inside[law.pdf(inside) > 1e-6]
        np.testing.assert_allclose(law.quantile(law.cdf(inside))[:, 0], inside, atol=1e-9)
    else:
        atoms = law.sample(10, rng=0)[:, 0]
        np.testing.assert_array_equal(law.quantile(law.cdf(atoms))[:, 0], atoms)


@LAWS
def test_probabilities_stay_between_zero_and_one(law: PredictiveLaw) -> None:
    for far in (1e3, 1e99):
        assert law.cdf(np.full(law.dim, far)) == pytest.approx(1.0, abs=1e-3)
        assert law.cdf(np.full(law.dim, far)) <= 1.0
        assert 0.0 <= law.cdf(np.full(law.dim, -far)) <= 1e-3


@ON_LINE
def test_density_is_the_slope_of_the_cdf_and_integrates_to_one(law: PredictiveLaw) -> None:
    if not has_density(law):
        with pytest.raises(InputError, match="no density"):
            law.pdf(0.0)
        return
    kinks = np.unique(law.quantile(np.linspace(0.001, 0.999, 200))[:, 0])
    low, high = law.quantile([0.0, 1.0])[:, 0]
    ends = np.concatenate(([low], kinks, [high]))
    total = sum(quad(law.pdf, a, b, epsabs=1e-9)[0] for a, b in pairwise(ends))
    assert total == pytest.approx(1, abs=2e-6)
    x = law.quantile(np.linspace(0.03, 0.97, 23))[:, 0]
    slope = (law.cdf(x + 1e-5) - law.cdf(x - 1e-5)) / 2e-5
    np.testing.assert_allclose(law.pdf(x), slope, rtol=1e-4, atol=1e-6)


@IN_PLANE
def test_density_in_the_plane_integrates_to_one(law: PredictiveLaw) -> None:
    low, high = law.interval(1 - 1e-4) + np.array([[-2.0], [2.0]])
    x, y = (np.linspace(low[i], high[i], 401) for i in range(2))
    grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
    total = law.pdf(grid).sum() * (x[1] - x[0]) * (y[1] - y[0])
    tolerance = 0.01
    if isinstance(law, GibbsLaw):
        found = law.normalizers()
        tolerance += Z * float(np.max(found.standard_error / found.value))
    assert total == pytest.approx(1, abs=tolerance)
    np.testing.assert_allclose(np.exp(law.logpdf(grid[::999])), law.pdf(grid[::999]), rtol=1e-12)


@LAWS
def test_projections_agree_with_the_law(law: PredictiveLaw) -> None:
    direction = np.arange(1.0, law.dim + 1)
    unit = direction / np.linalg.norm(direction)
    line = law.project(direction)
    assert line.dim == 1
    np.testing.assert_allclose(line.mean(), [law.mean() @ unit], atol=1e-12)
    np.testing.assert_allclose(line.cov(), [[unit @ law.cov() @ unit]], rtol=1e-9)
    assert law.project(5 * direction).w1(line) < 1e-9
    mirrored = law.project(-direction)
    np.testing.assert_allclose(mirrored.mean(), -line.mean(), atol=1e-12)
    assert mirrored.quantile(0.3)[0] == pytest.approx(-line.quantile(0.7)[0], abs=1e-9)


@LAWS
def test_marginals_agree_with_the_law(law: PredictiveLaw) -> None:
    for i in range(law.dim):
        line = law.marginal(i)
        np.testing.assert_allclose(line.quantile([0.2, 0.8])[:, 0], law.quantile([0.2, 0.8])[:, i])
        np.testing.assert_allclose(line.mean()[0], law.mean()[i])
        np.testing.assert_allclose(line.cov()[0, 0], law.cov()[i, i])
    np.testing.assert_array_equal(law.interval(0.6), law.quantile([0.2, 0.8]))


@LAWS
def test_distance_to_itself_is_zero_and_symmetric(law: PredictiveLaw) -> None:
    assert law.w1(law) == 0
    other = MixtureLaw([1.0], np.full((1, law.dim), 0.3), [1.1])
    there = law.w1(other)
    assert there > 0
    assert other.w1(law) == pytest.approx(there, rel=1e-9)
    again = law_from_dict(law.to_dict())
    assert law.w1(again) <= 1e-14


@ON_LINE
def test_distance_on_the_line_is_the_integral(law: PredictiveLaw) -> None:
    other = MixtureLaw([0.5, 0.5], [-0.5, 1.5], [0.4, 0.9])
    x = np.linspace(-60, 60, 600_001)
    gaps = abs(law.cdf(x) - other.cdf(x))
    brute = float((gaps[1:] + gaps[:-1]).sum() / 2 * (x[1] - x[0]))
    assert law.w1(other) == pytest.approx(brute, abs=3e-4)
    assert w1(law, other) == law.w1(other)


@LAWS
def test_json_brings_back_every_number(law: PredictiveLaw) -> None:
    again = PredictiveLaw.from_dict(json.loads(json.dumps(law.to_dict(), allow_nan=False)))
    assert type(again) is type(law)
    assert again.to_dict() == law.to_dict()
    x = law.sample(5, rng=0)
    np.testing.assert_array_equal(again.sample(5, rng=0), x)
    np.testing.assert_array_equal(again.cdf(x), law.cdf(x))
    np.testing.assert_array_equal(again.quantile(0.3), law.quantile(0.3))
    np.testing.assert_array_equal(again.cov(), law.cov())


@LAWS
def test_copies_and_pickles_are_the_same_law(law: PredictiveLaw) -> None:
    for again in (copy.deepcopy(law), pickle.loads(pickle.dumps(law))):
        assert again.to_dict() == law.to_dict()


@LAWS
def test_a_law_cannot_be_changed(law: PredictiveLaw) -> None:
    before = law.to_dict()
    for name in type(law).__slots__:
        with pytest.raises(AttributeError, match="fixed at birth"):
            setattr(law, name, 1)
        with pytest.raises(AttributeError, match="fixed at birth"):
            delattr(law, name)
        value = getattr(law, name)
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                value[...] = 0
    answers = [law.mean(), law.cov(), law.quantile(0.5), law.sample(3, rng=0)]
    for answer in answers:
        answer[...] = 77.0
    assert law.to_dict() == before
    assert (law.mean() != 77.0).all()


@LAWS
def test_sampling_follows_the_seed(law: PredictiveLaw) -> None:
    np.testing.assert_array_equal(law.sample(7, rng=3), law.sample(7, rng=3))
    generator = np.random.default_rng(3)
    first, second = law.sample(50, generator), law.sample(50, generator)
    np.testing.assert_array_equal(first, law.sample(50, rng=3))
    assert (first != second).any()


@LAWS
def test_shapes_of_answers(law: PredictiveLaw) -> None:
    point, many = np.full(law.dim, 0.2), np.full((4, law.dim), 0.2)
    doors = [law.cdf, law.pdf, law.logpdf] if has_density(law) else [law.cdf]
    for door in doors:
        assert isinstance(door(point), float)
        assert door(many).shape == (4,)
        np.testing.assert_allclose(door(many), door(point))
        if law.dim == 1:
            assert isinstance(door(0.2), float)
            assert door(np.full(4, 0.2)).shape == (4,)
    assert law.mean().shape == (law.dim,)
    assert law.cov().shape == (law.dim, law.dim)
    assert law.quantile(0.5).shape == (law.dim,)
    assert law.quantile([[0.1, 0.5, 0.9]]).shape == (1, 3, law.dim)
    assert law.interval().shape == (2, law.dim)


@LAWS
def test_bad_questions_are_named(law: PredictiveLaw) -> None:
    wrong = MixtureLaw([1.0], np.zeros((1, law.dim + 1)), [1.0])
    questions: list[tuple[str, Callable[[], object]]] = [
        ("n must be", lambda: law.sample(0)),
        ("x must be finite", lambda: law.cdf(np.full(law.dim, NAN))),
        ("x must be", lambda: law.cdf(np.zeros((2, law.dim + 1)))),
        (r"q must be in \[0, 1\]", lambda: law.quantile(1.5)),
        (r"q must be in \[0, 1\]", lambda: law.quantile([0.5, NAN])),
        (r"level must be in \[0, 1\]", lambda: law.interval(2.0)),
        ("i must be <", lambda: law.marginal(law.dim)),
        ("i must be", lambda: law.marginal(-1)),
        ("direction must not be zero", lambda: law.project(np.zeros(law.dim))),
        ("direction must be", lambda: law.project(np.zeros(law.dim + 1))),
        ("other must be a law with dim", lambda: law.w1(wrong)),
        ("rng must be", lambda: law.sample(3, rng=-1)),
    ]
    for message, question in questions:
        with pytest.raises(InputError, match=message):
            question()


@LAWS
def test_damaged_records_are_refused(law: PredictiveLaw) -> None:
    record = law.to_dict()
    for key in record:
        with pytest.raises(SavedStateError):
            law_from_dict({k: v for k, v in record.items() if k != key})
        if key not in {"cell_weights", "seed"}:
            with pytest.raises(SavedStateError):
                law_from_dict(record | {key: "nonsense"})
            with pytest.raises(SavedStateError):
                law_from_dict(record | {key: [[[[NAN]]]]})


@pytest.mark.parametrize("record", [{}, {"kind": "dice"}, {"kind": 3}, [], None, "mixture"])
def test_foreign_records_are_refused(record: object) -> None:
    with pytest.raises(SavedStateError, match="kind must be one of gibbs, mixture, sample"):
        law_from_dict(record)  # type: ignore[arg-type]
