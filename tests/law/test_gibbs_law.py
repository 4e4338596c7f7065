"""The Gibbs kernel: closed forms on the line, exact draws and normalisers above it."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats
from scipy.special import chndtr

from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.law import GibbsLaw, MixtureLaw, SampleLaw

NAN = np.nan
CENTERS = np.array([[[-1.0], [1.2], [NAN]], [[2.0], [-2.5], [0.2]]])
CELLS = np.array([[1.0, 3.0, NAN], [0.2, 0.5, 0.3]])
COUNTS = [2, 3]
NODES, SHARES = np.polynomial.legendre.leggauss(20)


def line_law(rate: float, weights: Array | None = CELLS) -> GibbsLaw:
    return GibbsLaw(COUNTS, CENTERS, rate, [0.3], 3.5, weights)


def potential(m: int, x: float, rate: float, weights: Array | None) -> float:
    """v_j exp(-rate min_j (x - c_j)^2), written out for one point."""
    centers = CENTERS[m, : COUNTS[m], 0]
    j = int(np.argmin(abs(centers - x)))
    v = 1.0 if weights is None else weights[m, j]
    return float(v * math.exp(-rate * (x - centers[j]) ** 2))


def integrate(m: int, rate: float, weights: Array | None, power: int, high: float = 3.8) -> float:
    centers = np.sort(CENTERS[m, : COUNTS[m], 0])
    cuts = np.concatenate((0.5 * (centers[1:] + centers[:-1]), centers))
    ends = np.unique(np.concatenate((np.linspace(-3.2, high, 30), cuts[cuts < high])))
    total = 0.0
    for a, b in pairwise(ends):  # inner nodes only: where two cells meet, the density jumps
        x = 0.5 * (a + b) + 0.5 * (b - a) * NODES
        values = [t**power * potential(m, t, rate, weights) for t in x]
        total += 0.5 * (b - a) * float(SHARES @ values)
    return total


@pytest.mark.parametrize("weights", [None, CELLS])
@pytest.mark.parametrize("rate", [0.0, 1e-9, 1e-4, 0.05, 1.0, 40.0])
def test_closed_forms_on_the_line(rate: float, weights: Array | None) -> None:
    law = line_law(rate, weights)
    masses = [integrate(m, rate, weights, 0) for m in range(2)]
    found = law.normalizers()
    np.testing.assert_allclose(found.value, masses, rtol=1e-9)
    np.testing.assert_array_equal(found.standard_error, 0)
    moments = [
        np.mean([integrate(m, rate, weights, p) / masses[m] for m in range(2)]) for p in (1, 2)
    ]
    assert law.mean()[0] == pytest.approx(moments[0], abs=1e-9)
    assert law.cov()[0, 0] == pytest.approx(moments[1] - moments[0] ** 2, rel=1e-8)
    for x in (-2.0, 0.1, 1.7):
        shares = [integrate(m, rate, weights, 0, x) / masses[m] for m in range(2)]
        assert law.cdf(x) == pytest.approx(np.mean(shares), abs=1e-10)
        density = np.mean([potential(m, x, rate, weights) / masses[m] for m in range(2)])
        assert law.pdf(x) == pytest.approx(density, rel=1e-9)


def test_outside_the_ball_there_is_nothing() -> None:
    law = line_law(1.0)
    assert law.pdf(3.9) == 0
    assert law.logpdf(-3.3) == -np.inf
    assert law.cdf(-3.3) == 0
    assert law.cdf(3.9) == 1
    np.testing.assert_allclose(law.quantile([0.0, 1.0])[:, 0], [-3.2, 3.8])


def test_small_rates_tend_to_the_uniform_law() -> None:
    uniform = line_law(0.0, None)
    assert line_law(1e-12, None).w1(uniform) < 1e-9
    assert uniform.cov()[0, 0] == pytest.approx(7**2 / 12)
    assert line_law(1e-6, None).cov()[0, 0] == pytest.approx(49 / 12, rel=1e-4)


def test_lower_tail_keeps_its_relative_accuracy() -> None:
    """One center, rate 40: P(X <= -1.9) is a normal's tail of more than eight deviations."""
    law = GibbsLaw([1], [[[0.0]]], 40.0, [0.0], 2.0)
    s = math.sqrt(1 / 80)
    expected = stats.norm.cdf(-1.0, scale=s) - stats.norm.cdf(-2.0, scale=s)
    assert law.cdf(-1.0) == pytest.approx(expected, rel=1e-9)


def test_one_wide_cell_is_a_normal() -> None:
    """With a ball of many deviations the kernel of one center is N(c, 1 / (2 rate))."""
    law = GibbsLaw([1], [[[0.5]]], 2.0, [0.0], 20.0)
    assert law.w1(MixtureLaw([1.0], [[0.5]], [0.5])) < 1e-9
    np.testing.assert_allclose(law.cov(), [[0.25]])


def test_an_atom_sample_and_a_gibbs_law_meet_on_the_line() -> None:
    law = line_law(1.0)
    points = law.quantile((np.arange(2000) + 0.5) / 2000)[:, 0]
    # The best 2000 atoms are within half a quantile step of the law: below range / 4000.
    assert law.w1(SampleLaw(points)) < 7 / 4000


@pytest.mark.parametrize("dim", [1, 2, 5])
@pytest.mark.parametrize("rate", [0.02, 0.3, 3.0])
def test_draws_of_one_center_have_the_right_radius(dim: int, rate: float) -> None:
    """|x - c|^2 2 rate is chi-square, cut at the ball: both envelopes, level 1e-3 in all."""
    law = GibbsLaw([1], np.zeros((1, 1, dim)), rate, np.zeros(dim), 2.0)
    squares = 2 * rate * (law.sample(4000, rng=7) ** 2).sum(axis=1)
    limit = stats.chi2.cdf(2 * rate * 4, dim)
    found = stats.kstest(stats.chi2.cdf(squares, dim) / limit, "uniform")
    assert found.pvalue > 1e-4


def grid_law(law: GibbsLaw) -> tuple[Array, Array]:
    """Density of every configuration on a fine grid of the plane, normalised by summation."""
    side = np.linspace(-3, 3, 601)
    grid = np.stack(np.meshgrid(side, side, indexing="ij"), axis=-1).reshape(-1, 2)
    inside = np.linalg.norm(grid - law.ball_center, axis=1) <= law.ball_radius
    density = np.zeros(len(grid))
    for m, k in enumerate(law.counts):
        squares = ((grid[:, None] - law.centers[m, :k]) ** 2).sum(axis=2)
        nearest = squares.argmin(axis=1)
        v = np.ones(k) if law.cell_weights is None else law.cell_weights[m, :k]
        values = inside * v[nearest] * np.exp(-law.rate * squares.min(axis=1))
        density += values / values.sum() / len(law.counts)
    return grid, density


@pytest.mark.parametrize("rate", [0.0, 0.2, 2.0])
def test_draws_in_the_plane_match_a_grid(rate: float) -> None:
    """Counts in 36 boxes against grid sums: chi-square at level 1e-3 over the three rates."""
    centers = np.array([[[-1.0, 0.5], [1.5, -0.5]], [[0.0, 1.0], [NAN, NAN]]])
    cells = np.array([[1.0, 4.0], [1.0, NAN]])
    law = GibbsLaw([2, 1], centers, rate, [0.0, 0.0], 2.5, cells)
    grid, density = grid_law(law)
    edges = np.linspace(-3, 3, 7)
    n = 20_000
    x = law.sample(n, rng=11)
    counts = np.histogramdd(x, [edges, edges])[0].ravel()
    # Grid points on an edge belong half to each side; shift the edges between grid points.
    shares = np.histogramdd(grid, [edges + 1e-9, edges + 1e-9], weights=density)[0].ravel()
    keep = shares * n > 20
    expected = shares[keep] / shares[keep].sum() * counts[keep].sum()
    # The grid of step 0.01 itself is off by up to 1 % of a box.
    found = float((((counts[keep] - expected) ** 2) / expected).sum())
    allowance = n * 0.01**2
    assert found < stats.chi2.ppf(1 - 3e-4, keep.sum() - 1) + allowance
    assert counts[~keep].sum() < 36 * 40


@pytest.mark.parametrize("dim", [2, 5])
@pytest.mark.parametrize("rate", [0.05, 0.5, 5.0])
def test_normalizers_of_one_center_match_the_noncentral_chi_square(dim: int, rate: float) -> None:
    center = np.full(dim, 0.4)
    law = GibbsLaw([1], center[None, None], rate, np.zeros(dim), 1.5)
    inside = chndtr(2 * rate * 1.5**2, dim, 2 * rate * center @ center)
    exact = (math.pi / rate) ** (dim / 2) * inside
    value, error = law.normalizers()
    assert abs(value[0] - exact) <= 4 * error[0] + 1e-12 * exact
    assert error[0] < 0.05 * exact


def test_uniform_normalizer_is_the_volume_without_error() -> None:
    law = GibbsLaw([1, 2], np.zeros((2, 2, 3)), 0.0, np.zeros(3), 2.0)
    value, error = law.normalizers()
    np.testing.assert_allclose(value, 4 / 3 * math.pi * 8, rtol=1e-12)
    np.testing.assert_allclose(error, 0, atol=1e-12)


def test_relabelling_centers_changes_nothing() -> None:
    order = [2, 0, 1]
    moved = CENTERS.copy()
    moved[1] = CENTERS[1, order]
    weights = CELLS.copy()
    weights[1] = CELLS[1, order]
    assert line_law(0.7).w1(GibbsLaw(COUNTS, moved, 0.7, [0.3], 3.5, weights)) < 1e-12


def test_translation_moves_the_law() -> None:
    law = line_law(0.7)
    moved = GibbsLaw(COUNTS, CENTERS + 5, 0.7, [5.3], 3.5, CELLS)
    assert law.w1(moved) == pytest.approx(5)
    np.testing.assert_allclose(moved.sample(20, rng=0), law.sample(20, rng=0) + 5)


def test_internal_answers_follow_the_seed() -> None:
    def law(seed: int) -> GibbsLaw:
        return GibbsLaw([1], np.zeros((1, 1, 2)), 1.0, np.zeros(2), 2.0, seed=seed)

    np.testing.assert_array_equal(law(1).mean(), law(1).mean())
    assert (law(1).mean() != law(2).mean()).all()


def test_unchecked_is_the_same_law() -> None:
    law = line_law(0.7)
    ball = np.array([0.3]), 3.5
    fast = GibbsLaw.unchecked(
        np.array(COUNTS), CENTERS.copy(), 0.7, ball, cell_weights=CELLS.copy(), seed=0
    )
    assert fast.to_dict() == law.to_dict()
    np.testing.assert_array_equal(fast.sample(5, rng=0), law.sample(5, rng=0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"counts": [1]}, r"counts must be \(2,\)"),
        ({"counts": [0, 1]}, "counts must be in 1 … 3"),
        ({"counts": [4, 1]}, "counts must be in 1 … 3"),
        ({"counts": [1.5, 1]}, "counts must be"),
        ({"counts": [3, 3]}, "centers must lie in the ball"),
        ({"centers": np.zeros((2, 3))}, r"centers must be \(M, p, d\)"),
        ({"centers": np.full((2, 3, 1), 9.0)}, "centers must lie in the ball"),
        ({"rate": -1.0}, "rate must be finite and >= 0"),
        ({"rate": NAN}, "rate must be finite and >= 0"),
        ({"ball_radius": 0.0}, "ball_radius must be finite and > 0"),
        ({"ball_center": [0.0, 0.0]}, r"ball_center must be \(1,\)"),
        ({"cell_weights": np.zeros((2, 3))}, "cell_weights must be >= 0, one > 0"),
        ({"cell_weights": -CELLS}, "cell_weights must be >= 0"),
        ({"cell_weights": [1.0]}, r"cell_weights must be \(2, 3\)"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_bad_arguments_are_named(change: dict[str, object], message: str) -> None:
    good: dict[str, object] = {
        "counts": COUNTS,
        "centers": CENTERS,
        "rate": 1.0,
        "ball_center": [0.3],
        "ball_radius": 3.5,
    }
    with pytest.raises(InputError, match=message):
        GibbsLaw(**(good | change))  # type: ignore[arg-type]
