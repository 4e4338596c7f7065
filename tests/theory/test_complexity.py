import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from driftlaw.errors import InputError
from driftlaw.geometry import log_count_prior
from driftlaw.theory import (
    ClusterPrior,
    ball_fraction,
    comparator_complexity,
    complexity_order,
    complexity_sharper,
    localization_sharper,
    log_prior_mass,
)


def _prior(**values: Any) -> ClusterPrior:
    start = {"dim": 2, "n_centers": 2, "max_centers": 4, "support_radius": 10.0}
    return ClusterPrior(**(start | values))


def test_count_prior_is_the_one_of_the_learner() -> None:
    for k in (1, 2, 3, 4):
        mass = _prior(n_centers=k, eta=0.3).log_count_mass
        assert mass == pytest.approx(log_count_prior(4, 0.3)[k - 1])


def test_inside_mass_by_hand() -> None:
    # q(2) for max 2, η=0 is 1/2. Ball of radius 1 in R^4: π²/2; support (100π)²:
    # 1/2 · (π²/2) / (10⁴ π²) = 2.5e-5
    mass = log_prior_mass(_prior(max_centers=2, eta=0.0), 1.0)
    assert math.exp(mass.log_value) == pytest.approx(2.5e-5)
    assert mass.method == "inside"
    assert mass.log_low == mass.log_value == mass.log_high
    # the paper's order misses log Γ(3) - 2 log Γ(2) = log 2 here
    prior = _prior(max_centers=2, eta=0.0)
    gap = comparator_complexity(prior, 1.0) - complexity_order(prior, 1.0)
    assert gap == pytest.approx(math.log(2))


def test_lens_on_the_line_and_in_the_plane() -> None:
    # [0.5, 1.5] ∩ [-1, 1] has length 0.5 of 2
    assert ball_fraction(0.5, 1, 1.0, 1.0) == pytest.approx(0.25)
    # two unit discs with centres 1 apart: 2π/3 - √3/2
    lens = (2 * math.pi / 3 - math.sqrt(3) / 2) / math.pi
    assert ball_fraction(1.0, 2, 1.0, 1.0) == pytest.approx(lens)
    # two unit balls in space, centres 1 apart: 5π/12 of 4π/3
    assert ball_fraction(1.0, 3, 1.0, 1.0) == pytest.approx(5 / 16)


@settings(max_examples=60)
@given(st.integers(1, 6), st.floats(0.01, 2.5), st.just(0.0) | st.floats(1e-6, 1.0))
def test_lens_against_an_integral_over_shells(dim: int, radius: float, norm: float) -> None:
    """Volume within the support at distance s from c: the sphere's share below a cosine."""
    from scipy.special import betainc

    def share(s: float) -> float:
        if norm == 0 or s == 0:
            return float(s <= 1)
        cosine = np.clip((1 - norm**2 - s**2) / (2 * norm * s), -1, 1)
        if dim == 1:
            return 0.5 * (float(norm + s <= 1) + float(abs(norm - s) <= 1))
        half = 0.5 * float(betainc((dim - 1) / 2, 0.5, 1 - cosine**2))
        return 1 - half if cosine > 0 else half

    edges = [s for s in (1 - norm, 1 + norm) if 0 < s < radius]
    integral = quad(lambda s: dim * s ** (dim - 1) * share(s), 0, radius, points=edges or None)[0]
    assert ball_fraction(radius, dim, norm, 1.0) == pytest.approx(integral, abs=1e-6)


@pytest.mark.parametrize(("k", "dim", "norm", "radius"), [(2, 1, 1.0, 0.8), (3, 2, 0.7, 0.9)])
def test_convolution_against_sampling(k: int, dim: int, norm: float, radius: float) -> None:
    """Share of 4·10⁵ draws of the k-ball that stay in the support; 3.3 standard errors: 10⁻³."""
    rng = np.random.default_rng(0)
    n, size = 400_000, k * dim
    step = rng.normal(size=(n, size))
    step *= radius * rng.random((n, 1)) ** (1 / size) / np.linalg.norm(step, axis=1, keepdims=True)
    centers = step.reshape(n, k, dim)
    centers[:, :, 0] += norm
    share = (np.linalg.norm(centers, axis=2) <= 1).all(axis=1).mean()
    prior = _prior(dim=dim, n_centers=k, max_centers=k, support_radius=1.0, oracle_norm=norm)
    mass = log_prior_mass(prior, radius)
    free = log_prior_mass(_prior(dim=dim, n_centers=k, max_centers=k, support_radius=1e6), radius)
    expected = math.exp(mass.log_value - free.log_value - size * math.log(1e6))
    error = math.sqrt(share * (1 - share) / n)
    assert mass.method == "convolution"
    assert share == pytest.approx(expected, abs=3.3 * error)
    assert mass.log_low <= mass.log_value <= mass.log_high <= mass.log_low + 0.02


def test_convolution_agrees_with_the_closed_form_where_both_exist() -> None:
    """Just outside the inner radius almost nothing is cut off."""
    prior = _prior(support_radius=1.0, oracle_norm=0.5, n_centers=3)
    inside, outside = log_prior_mass(prior, 0.5), log_prior_mass(prior, 0.5 + 1e-9)
    assert (inside.method, outside.method) == ("inside", "convolution")
    assert outside.log_value == pytest.approx(inside.log_value, abs=1e-4)
    assert outside.log_low <= inside.log_value <= outside.log_high


@settings(max_examples=30)
@given(st.floats(0.05, 3.0), st.floats(0.0, 1.0), st.integers(1, 3), st.integers(1, 3))
def test_complexity_falls_with_the_radius_and_rises_with_the_norm(
    radius: float, norm: float, k: int, dim: int
) -> None:
    at: dict[str, Any] = {"dim": dim, "n_centers": k, "support_radius": 1.0}
    here = log_prior_mass(_prior(**at, oracle_norm=norm), radius)
    wider = log_prior_mass(_prior(**at, oracle_norm=norm), radius * 1.1)
    central = log_prior_mass(_prior(**at, oracle_norm=norm / 2), radius)
    assert here.log_low <= wider.log_high + 1e-12
    assert here.log_low <= central.log_high + 1e-12
    assert comparator_complexity(_prior(**at, oracle_norm=norm), radius) >= -1e-12


def test_relabelled_balls_save_log_factorial_only_while_disjoint() -> None:
    prior = _prior(n_centers=3, separation=1.0)
    # disjoint while √2·1 >= 2r, r <= 0.7071
    saved = comparator_complexity(prior, 0.7) - complexity_sharper(prior, 0.7)
    assert saved == pytest.approx(math.log(6))
    assert comparator_complexity(prior, 0.71) == complexity_sharper(prior, 0.71)


def test_localization_is_the_mean_square_of_one_centre_on_the_ball() -> None:
    rng = np.random.default_rng(1)
    n, k, dim, radius = 200_000, 2, 3, 0.4
    step = rng.normal(size=(n, k * dim))
    step *= radius * rng.random((n, 1)) ** (1 / 6) / np.linalg.norm(step, axis=1, keepdims=True)
    squares = (step[:, :dim] ** 2).sum(axis=1)
    prior = _prior(dim=dim, n_centers=k, support_radius=1.0)
    error = squares.std() / math.sqrt(n)
    assert squares.mean() == pytest.approx(localization_sharper(prior, radius), abs=3.3 * error)
    assert localization_sharper(prior, 1.1) == math.inf


def test_inputs_outside_the_assumptions() -> None:
    with pytest.raises(InputError, match="max_centers"):
        _prior(n_centers=5)
    with pytest.raises(InputError, match="support"):
        _prior(oracle_norm=11.0)
    with pytest.raises(InputError, match="radius"):
        log_prior_mass(_prior(), 0.0)
    with pytest.raises(InputError, match="eta"):
        _prior(eta=math.nan)
