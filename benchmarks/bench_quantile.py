"""Quantiles of a law with many components against normal cdfs at as many points."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import special

from benchmarks.report import Ratio
from driftlaw._validate import Array
from driftlaw.law import LineSummary, MixtureLaw

LEVELS = {
    "even": np.linspace(0.0005, 0.9995, 1000),
    "lower tail": np.geomspace(1e-12, 0.5, 1000),
}


def predicted(n_components: int = 1000) -> MixtureLaw:
    """Return a law as `Adaptive` predicts it from skew data: half near-atoms, a few Student-t."""
    rng = np.random.default_rng(0)
    k = np.arange(n_components)
    scales = np.where(k < n_components // 2, 0.0015, 0.15)
    df = np.where(k % 25 == 0, rng.choice([3.0, 8.0], n_components), np.inf)
    return MixtureLaw(np.ones(n_components), rng.lognormal(size=n_components), scales, df)


def in_scales(law: MixtureLaw, levels: Array) -> Array:
    """Distances of the quantiles from every component; the law's own cdf would wake BLAS."""
    return np.asarray((law.quantile(levels) - law.means[:, 0]) / law.scales)


@pytest.mark.parametrize("kind", list(LEVELS))
def test_many_quantiles_against_normal_cdfs(compare: Callable[..., Ratio], kind: str) -> None:
    """One thousand quantiles, against one normal cdf for each of them and each component."""
    law, levels = predicted(), LEVELS[kind]
    z = in_scales(law, levels)
    compare(
        f"1000 quantiles ({kind}), 1000 components",
        lambda: law.quantile(levels),
        lambda: special.ndtr(z),
        reference_name="SciPy's ndtr, 1000 x 1000",
        at_most=5.0,
    )


def test_an_interval_against_normal_cdfs(compare: Callable[..., Ratio]) -> None:
    """Both ends of an interval, against normal cdfs at twenty points."""
    law = predicted()
    z = in_scales(law, np.linspace(0.01, 0.99, 20))
    compare(
        "a central interval, 1000 components",
        law.interval,
        lambda: special.ndtr(z),
        reference_name="SciPy's ndtr, 20 x 1000",
        at_most=5.0,
    )


def test_a_summary_against_normal_cdfs(compare: Callable[..., Ratio]) -> None:
    """What a run asks of each law: thirty quantiles, a probability and a score."""
    law, levels = predicted(), np.linspace(0.01, 0.99, 30)
    z = in_scales(law, levels)

    def summarise() -> float:
        summary = LineSummary(law)
        summary.quantile(levels)
        return float(summary.cdf(1.0)[0]) + summary.crps(1.0)

    compare(
        "a summary, 1000 components",
        summarise,
        lambda: special.ndtr(z),
        reference_name="SciPy's ndtr, 30 x 1000",
        at_most=20.0,
    )
