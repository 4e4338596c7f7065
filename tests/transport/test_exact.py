"""Exact couplings: closed forms, brute force over permutations, and each other."""

from itertools import permutations

import numpy as np
import pytest
from scipy.linalg import sqrtm

from driftlaw import _validate
from driftlaw._validate import Array
from driftlaw.errors import InputError, MissingExtraError
from driftlaw.transport import exact, w1, w1_exact, w2_exact, w2_gaussian, w2_squared_coupling


def test_uniform_couplings_are_best_permutations() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(5, 2)), rng.normal(size=(5, 2))
    gaps = np.linalg.norm(x[:, None] - y, axis=2)
    orders = [list(p) for p in permutations(range(5))]
    best_1 = min(gaps[range(5), p].mean() for p in orders)
    best_2 = min((gaps[range(5), p] ** 2).mean() for p in orders)
    assert w1_exact(x, y) == pytest.approx(best_1)
    assert w2_exact(x, y) == pytest.approx(np.sqrt(best_2))
    uniform = np.ones(5)
    assert w2_squared_coupling(x, uniform, y, uniform) == pytest.approx(best_2)


def test_coupling_splits_mass() -> None:
    """A third must travel from 0 to 3, squared 9: [eq:ot-coupling-min] by hand."""
    found = w2_squared_coupling([[0.0], [3.0]], [2, 1], [[0.0], [3.0]], [1, 2])
    assert found == pytest.approx(3.0)


def test_on_the_line_the_programme_is_the_integral() -> None:
    rng = np.random.default_rng(1)
    x, y, p, q = rng.normal(size=7), rng.normal(size=9), rng.random(7), rng.random(9)
    assert w1_exact(x, y, p, q) == pytest.approx(w1(x, y, p, q))


def test_translation_in_w2() -> None:
    x = np.random.default_rng(2).normal(size=(6, 3))
    assert w2_exact(x, x + np.array([1.0, 2.0, 2.0])) == pytest.approx(3.0)
    assert w2_exact(x, x) == pytest.approx(0.0, abs=1e-12)


def _covariance(rng: np.random.Generator, d: int) -> Array:
    a = rng.normal(size=(d, d))
    return np.asarray(a @ a.T + 0.1 * np.eye(d))


@pytest.mark.parametrize("d", [1, 2, 4])
def test_gaussian_w2_against_the_trace_formula(d: int) -> None:
    rng = np.random.default_rng(d)
    a, b = _covariance(rng, d), _covariance(rng, d)
    m, n = rng.normal(size=d), rng.normal(size=d)
    root = np.real(sqrtm(a))
    trace = np.trace(a + b - 2 * np.real(sqrtm(root @ b @ root)))
    assert w2_gaussian(m, a, n, b) ** 2 == pytest.approx(np.sum((m - n) ** 2) + trace, rel=1e-7)
    assert w2_gaussian(m, a, m, a) == pytest.approx(0.0, abs=1e-13)


def test_gaussian_w2_with_equal_covariances_is_the_gap_of_means() -> None:
    cov = _covariance(np.random.default_rng(3), 3)
    assert w2_gaussian([0, 0, 0], cov, [2, 1, 2], cov) == pytest.approx(3.0)


def test_gaussian_w2_takes_singular_covariances() -> None:
    assert w2_gaussian([0, 0], np.zeros((2, 2)), [0, 0], np.diag([4.0, 0.0])) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("cov", "message"),
    [
        ([[1.0, 2.0], [0.0, 1.0]], "cov_a must be a symmetric"),
        ([[1.0, 2.0], [2.0, 1.0]], "cov_a must have eigenvalues >= 0"),
        ([[1.0]], r"cov_b must be \(1, 1\)"),
    ],
)
def test_bad_covariances_are_named(cov: list[list[float]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        w2_gaussian([0.0] * len(cov), cov, [0.0, 0.0], np.eye(2))


def test_dimensions_must_agree() -> None:
    with pytest.raises(InputError, match=r"centers_b must be \(n, 1\)"):
        w2_squared_coupling([[0.0]], [1.0], [[0.0, 0.0]], [1.0])


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(module: str, extra: str) -> object:
        return _validate.require(module + "_absent", extra)

    monkeypatch.setattr(exact, "require", absent)
    with pytest.raises(MissingExtraError, match=r"driftlaw\[transport\]"):
        w1_exact([0.0], [1.0])
