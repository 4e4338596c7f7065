import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg

from driftlaw import datasets, streams
from driftlaw import risk as rk
from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.law import MixtureLaw, SampleLaw

pytest.importorskip("ot")


def bures(a: Array, b: Array) -> float:
    root = linalg.sqrtm(a)
    return float(np.trace(a + b - 2 * np.real(linalg.sqrtm(root @ b @ root))))


@pytest.mark.parametrize(("dim", "step"), [(1, 0.03), (2, 0.03), (3, 0.2)])
def test_the_smooth_stream_has_its_closed_form(dim: int, step: float) -> None:
    stream = streams.smooth_drift(dim=dim, step=step, n_steps=120, rng=5)
    action = rk.transport_action(stream)
    assert action.steps.shape == (119,)
    assert action.value == pytest.approx(119 * step**2, rel=1e-9)


def test_the_papers_smooth_stream_is_a_bound_and_says_so() -> None:
    action = rk.transport_action(streams.smooth_drift(rng=0))
    assert action.value == pytest.approx(499 * 0.03**2, rel=1e-9)
    assert not action.is_exact


@pytest.mark.parametrize(("n_steps", "jumps"), [(500, 2), (1000, 2), (2000, 3)])
def test_the_abrupt_stream_spends_its_jumps_exactly(n_steps: int, jumps: int) -> None:
    stream = streams.abrupt_shift(n_steps=n_steps, jump=7.0, rng=1)
    action = rk.transport_action(stream)
    assert len(streams.jump_times(n_steps, 0.15)) == jumps
    assert action.value == pytest.approx(jumps * 49.0, rel=1e-9)
    assert action.is_exact
    assert (action.steps > 1e-9).sum() == jumps


def test_a_stationary_stream_has_none() -> None:
    assert rk.transport_action(streams.stationary(n_steps=50, rng=0))[:2] == (0.0, True)


def test_growth_exponents_are_one_for_steady_drift_and_a_for_jumps() -> None:
    smooth = rk.action_exponent(
        lambda T: streams.smooth_drift(step=0.1, n_steps=T, rng=0), [64, 128, 256, 512]
    )
    assert smooth.exponent == pytest.approx(1.0, abs=0.01)
    assert smooth.constant == pytest.approx(0.01, rel=0.06)
    abrupt = rk.action_exponent(
        lambda T: streams.abrupt_shift(exponent=0.5, jump=2.0, n_steps=T, rng=0),
        [64, 144, 256, 576],
    )
    assert abrupt.exponent == pytest.approx(0.5, abs=1e-6)
    assert abrupt.constant == pytest.approx(4.0, rel=1e-6)
    assert abrupt.standard_error < 1e-6


def test_single_normals_equal_the_formula_of_bures() -> None:
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(2, 3, 6))
    covs = noise @ noise.transpose(0, 2, 1)
    means = rng.normal(size=(2, 3))
    factors = np.linalg.cholesky(covs)
    p, q = (MixtureLaw([1.0], means[i : i + 1], factors[i : i + 1]) for i in range(2))
    want = ((means[0] - means[1]) ** 2).sum() + bures(covs[0], covs[1])
    cost = rk.w2_squared(p, q)
    assert cost.value == pytest.approx(want, rel=1e-7)
    assert cost.is_exact
    p, q = (MixtureLaw([1.0], means[i : i + 1], factors[i : i + 1], 4.0) for i in range(2))
    heavy = ((means[0] - means[1]) ** 2).sum() + 2.0 * bures(covs[0], covs[1])
    cost = rk.w2_squared(p, q)
    assert cost.value == pytest.approx(heavy, rel=1e-7)
    assert cost.is_exact


def test_empirical_laws_on_the_line_equal_sorted_matching() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=15), rng.normal(2.0, 3.0, size=15)
    want = ((np.sort(x) - np.sort(y)) ** 2).mean()
    cost = rk.w2_squared(SampleLaw(x), SampleLaw(y))
    assert cost.value == pytest.approx(want)
    assert cost.is_exact


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_the_bound_lies_above_the_distance_of_large_samples_on_the_line(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, q = (
        MixtureLaw(rng.dirichlet([1, 1]), rng.normal(0, 2, (2, 1)), rng.uniform(0.2, 1.0, 2))
        for _ in range(2)
    )
    levels = (np.arange(4000) + 0.5) / 4000
    distance = float(((p.quantile(levels) - q.quantile(levels)) ** 2).mean())
    bound = rk.w2_squared(p, q)
    assert not bound.is_exact
    assert bound.value >= distance * (1 - 1e-6)
    assert bound.value >= float(((p.mean() - q.mean()) ** 2).sum()) - 1e-9


def test_components_of_other_shapes_pay_for_the_change() -> None:
    p = MixtureLaw([0.5, 0.5], [[0.0, 0.0], [9.0, 0.0]], [1.0, 1.0])
    q = MixtureLaw([0.5, 0.5], [[0.0, 0.0], [9.0, 0.0]], [1.0, 3.0])
    assert rk.w2_squared(p, q).value == pytest.approx(0.5 * 2 * 2.0**2)
    turned = MixtureLaw(
        [0.5, 0.5], [[0.0, 0.0], [9.0, 0.0]], np.array([np.eye(2), np.diag([3.0, 3.0])])
    )
    assert rk.w2_squared(p, turned).value == pytest.approx(4.0)


def test_weights_that_move_are_coupled() -> None:
    p = MixtureLaw([0.5, 0.5], [[0.0], [10.0]], [0.1, 0.1])
    q = MixtureLaw([0.4, 0.6], [[0.0], [10.0]], [0.1, 0.1])
    cost = rk.w2_squared(p, q)
    assert cost.value == pytest.approx(10.0)
    assert not cost.is_exact


def test_births_and_deaths_and_real_streams_have_an_action() -> None:
    action = rk.transport_action(streams.birth_death(block=5, n_steps=60, rng=0))
    assert action.value > 0
    x = np.arange(30.0)[:, None]
    real = datasets.DataStream(clean=x, window=5)
    action = rk.transport_action(real)
    assert action.value == pytest.approx(25.0)
    assert action.is_exact


def test_bad_arguments_are_refused() -> None:
    line, plane = MixtureLaw([1.0], [[0.0]], [1.0]), MixtureLaw([1.0], [[0.0, 0.0]], [1.0])
    with pytest.raises(InputError, match="same dim, got 1 and 2"):
        rk.w2_squared(line, plane)
    with pytest.raises(InputError, match=r"share one df, got \[5.0, inf\]"):
        rk.w2_squared(line, MixtureLaw([1.0], [[0.0]], [1.0], 5.0))
    with pytest.raises(InputError, match="q must be a MixtureLaw or a SampleLaw, got SampleLaw"):
        rk.w2_squared(line, SampleLaw([0.0, 1.0]))
    still = lambda T: streams.stationary(n_steps=T, rng=0)  # noqa: E731
    with pytest.raises(InputError, match="an action of 0 has no exponent"):
        rk.action_exponent(still, [5, 6, 7])
    with pytest.raises(InputError, match="at least 3 different numbers"):
        rk.action_exponent(still, [5, 6, 6])
