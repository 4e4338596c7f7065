"""Quantiles of mixtures on the line against slow bisection, far into the tails and alone."""

import numpy as np
import pytest
from scipy import special, stats

from driftlaw.law import MixtureLaw

LEVELS = np.array([1e-12, 1e-6, 0.003, 0.1, 0.31, 0.5, 0.77, 0.9, 0.999, 1 - 1e-6, 1 - 1e-12])


def _laws() -> dict[str, MixtureLaw]:
    rng = np.random.default_rng(11)
    k = 80
    weights, means = rng.dirichlet(np.full(k, 0.3)), rng.lognormal(size=k)
    df = np.where(np.arange(k) < 60, np.inf, rng.choice([1.3, 3.0, 8.0, 40.0], k))
    atoms = np.where(np.arange(k) % 2 == 0, 1e-3, 0.3)
    apart = 10.0 ** rng.uniform(-150, 150, k)
    return {
        "normal": MixtureLaw([1.0], [2.0], [3.0]),
        "heavy": MixtureLaw([1.0], [-1.0], [0.5], 1.1),
        "nearly normal": MixtureLaw([0.5, 0.5], [0.0, 1.0], [1.0, 2.0], [1e4, 1e7]),
        "near-atoms": MixtureLaw(weights, means, atoms),
        "near-atoms and tails": MixtureLaw(weights, means, atoms, df),
        "atoms alone": MixtureLaw(weights, means, np.full(k, 1e-9), df),
        "atoms narrower than numbers": MixtureLaw(weights, means, atoms**20, df),
        "an atom before a tail": MixtureLaw([0.5, 0.5], [-1.0, 0.0], [1e-30, 1.0], [np.inf, 3.0]),
        "a rare wide one": MixtureLaw([1 - 1e-9, 1e-9], [0.0, 0.0], [1.0, 1e6], [np.inf, 2.0]),
        "scales apart": MixtureLaw(weights, np.zeros(k), apart, df),
        "small": MixtureLaw(weights, 1e-150 * means, 1e-150 * atoms, df),
        "large": MixtureLaw(weights, 1e150 * means, 1e150 * atoms, df),
        "away from the origin": MixtureLaw(weights, means - 1e6, atoms, df),
        "with empty components": MixtureLaw(
            np.append(weights, 0), np.append(means, 99), 0.1 + 0 * np.append(means, 0)
        ),
    }


LAWS = _laws()


def _tail(law: MixtureLaw, x: float, sign: float) -> float:
    """P(X <= x), or P(X >= x) where ``sign`` is -1, in full relative accuracy."""
    with np.errstate(over="ignore"):
        z = sign * (x - law.means[:, 0]) / law.scales
    parts = np.where(np.isinf(law.df), special.ndtr(z), special.stdtr(law.df, z))
    return float(parts @ law.weights)


def _bisected(law: MixtureLaw, q: float) -> tuple[float, float]:
    """Neighbouring numbers between which the quantile lies: halving in the order of floats."""
    sign, level = (1.0, q) if q <= 0.5 else (-1.0, 1 - q)
    high = 0x7FE << 52  # 2**1023, and what stands between: as whole numbers floats have one order
    low = -high
    while high - low > 1:
        middle = (low + high) // 2
        is_below = _tail(law, _float_at(middle), sign) < level
        low, high = (middle, high) if is_below == (sign > 0) else (low, middle)
    return _float_at(low), _float_at(high)


def _float_at(place: int) -> float:
    magnitude = float(np.int64(abs(place)).view(np.float64))
    return magnitude if place >= 0 else -magnitude


@pytest.mark.parametrize("name", list(LAWS))
def test_against_bisection(name: str) -> None:
    """Either x is the root to 1e-12 of itself, or its level is right to 1e-12."""
    law = LAWS[name]
    for q, x in zip(LEVELS, law.quantile(LEVELS)[:, 0], strict=True):
        expected = _bisected(law, q)[0]
        sign, level = (1.0, q) if q <= 0.5 else (-1.0, 1 - q)
        is_near = abs(x - expected) <= 1e-12 * abs(expected)
        assert is_near or _tail(law, x, sign) == pytest.approx(level, rel=1e-12), (q, x, expected)


@pytest.mark.parametrize("name", list(LAWS))
def test_a_level_is_answered_as_if_alone(name: str) -> None:
    law, rng = LAWS[name], np.random.default_rng(3)
    levels = np.concatenate((LEVELS, rng.random(50), 10.0 ** rng.uniform(-90, 0, 20)))
    together = law.quantile(levels)
    np.testing.assert_array_equal(together, [law.quantile(q) for q in levels])
    np.testing.assert_array_equal(together[::-1], law.quantile(levels[::-1]))


@pytest.mark.parametrize("name", list(LAWS))
def test_quantiles_rise_from_end_to_end(name: str) -> None:
    tail = 10.0 ** np.arange(-14, -2)
    levels = np.concatenate(([0.0], tail, np.linspace(0.01, 0.99, 300), 1 - tail[::-1], [1.0]))
    x = LAWS[name].quantile(levels)[:, 0]
    assert (np.diff(x) >= 0).all()
    assert np.isinf(x[[0, -1]]).all()
    assert np.isfinite(x[1:-1]).all()


def test_a_mirrored_law_has_mirrored_quantiles() -> None:
    law = LAWS["near-atoms and tails"]
    mirrored = MixtureLaw.unchecked(law.weights, -law.means, law.scales, law.df)
    levels = np.array([0.0, 2.0**-40, 0.125, 0.375])
    found = mirrored.quantile(1 - levels)
    np.testing.assert_allclose(found, -law.quantile(levels), rtol=1e-12)


@pytest.mark.parametrize("df", [1.0001, 1.5, 2.0, 7.3, 99.9, 100.0, 1e3, 1e5, 1e6, 1e8, 1e14])
def test_one_student_against_scipy(df: float) -> None:
    z = np.concatenate((-np.geomspace(1e-3, 30.0, 40), [-1.0, -1 - 1e-9, -1 + 1e-9]))
    levels = special.stdtr(df, z)
    z, levels = z[levels > 1e-90], levels[levels > 1e-90]
    found = MixtureLaw([1.0], [0.0], [1.0], df).quantile(levels)[:, 0]
    # half a unit in the last place of the level is this much of z
    blur = 1e-15 / (stats.t.pdf(z, df) / levels * abs(z))
    assert (abs(found - z) <= (1e-12 + 4 * blur) * abs(z)).all()


@pytest.mark.parametrize("df", [np.inf, 3.0, 1e200])
def test_what_can_hardly_be_written(df: float) -> None:
    law = MixtureLaw([0.5, 0.5], [0.0, 1e200], [1e-200, 1e199], df)
    low, high = law.quantile([0.25, 0.75])[:, 0]
    assert abs(low) < 1e-90
    assert high == pytest.approx(1e200)
    x = MixtureLaw([1.0], [0.0], [1e-300], df).quantile([5e-324, 1e-310, 1e-100, 0.1])[:, 0]
    assert np.isfinite(x).all()
    assert (np.diff(x) >= 0).all()


def test_every_marginal_is_its_own() -> None:
    rng = np.random.default_rng(2)
    law = MixtureLaw(
        np.ones(5), rng.normal(size=(5, 3)), np.full(5, 0.4), [2.0, 3.0, *[np.inf] * 3]
    )
    columns = [law.marginal(i).quantile(LEVELS)[:, 0] for i in range(3)]
    np.testing.assert_array_equal(law.quantile(LEVELS), np.column_stack(columns))


@pytest.mark.parametrize("scale", [1e-17, 1e-16, 1e-15])
def test_levels_keep_their_order_on_what_hardly_moves(scale: float) -> None:
    """Each asked alone, so that the order is that of the roots."""
    rng, levels = np.random.default_rng(6), np.linspace(0.001, 0.999, 60)
    for place in 10.0 ** rng.uniform(-2, 6, 50):
        scales = place * scale * 10.0 ** rng.uniform(-1, 1, 2)
        law = MixtureLaw(rng.dirichlet(np.ones(2)), place + scales * rng.normal(size=2), scales)
        alone = np.array([law.quantile(q)[0] for q in levels])
        assert (np.diff(alone) >= 0).all()


def test_levels_next_to_each_other_keep_their_order() -> None:
    steps = np.arange(-20, 21) * np.spacing(0.5)
    for law in LAWS.values():
        for level in (0.03, 0.25, 0.5, 0.9):
            assert (np.diff(law.quantile(level + steps)[:, 0]) >= 0).all()
            assert (np.diff(law.quantile(level - steps)[:, 0]) <= 0).all()
