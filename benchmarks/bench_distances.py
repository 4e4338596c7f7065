"""Distances: noise-free against sampled, ours against a sort and against POT."""

from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.report import Ratio
from driftlaw._validate import require
from driftlaw.law import MixtureLaw, sampled_w1
from driftlaw.transport import sliced_w1, w1

Compare = Callable[..., Ratio]


def smooth_truth() -> MixtureLaw:
    """Two components of the paper's smooth stream."""
    return MixtureLaw([0.5, 0.5], [[-2.5, 0.0], [2.5, 0.0]], np.sqrt([0.2, 0.2]))


def predicted(n_components: int = 40) -> MixtureLaw:
    """Components around the true centers, as a predictor with many draws would give."""
    rng = np.random.default_rng(0)
    means = smooth_truth().means[rng.integers(2, size=n_components)]
    means = means + 0.5 * rng.standard_normal((n_components, 2))
    return MixtureLaw(rng.dirichlet(np.ones(n_components)), means, np.full(n_components, 0.45))


def test_noise_free_against_the_papers_estimator(compare: Compare) -> None:
    """Sliced W1 at 64 directions without noise, against 500 samples and 100 directions."""
    law, truth = predicted(), smooth_truth()
    rng = np.random.default_rng(0)
    compare(
        "sliced W1, noise-free, 64 directions",
        lambda: law.w1(truth),
        lambda: sampled_w1(law, truth, n_samples=500, n_directions=100, rng=rng),
        reference_name="500 samples, 100 directions",
        at_most=1.0,
    )


@pytest.mark.parametrize("n", [1_000, 10_000, 100_000])
def test_line_against_a_sort(compare: Compare, n: int) -> None:
    """W1 of two samples, against sorting both."""
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=n), rng.normal(size=n)
    compare(
        f"W1 on the line, n={n}",
        lambda: w1(x, y),
        lambda: (np.sort(x), np.sort(y)),
        reference_name="two sorts",
        at_most=1.5,
    )


def test_sliced_against_pot(compare: Compare) -> None:
    """Samples of the paper's size: 500 points a side, 100 directions."""
    ot = require("ot", "transport")
    rng = np.random.default_rng(0)
    x, y = predicted().sample(500, rng), smooth_truth().sample(500, rng)
    compare(
        "sliced W1 of samples, 500 x 100",
        lambda: sliced_w1(x, y, n_directions=100, rng=rng),
        lambda: ot.sliced_wasserstein_distance(x, y, n_projections=100, p=1),
        reference_name="POT",
        at_most=1 / 3,
    )


def test_building_a_law(compare: Compare) -> None:
    """A mixture of 40 components from arrays known to be right, against checking them all."""
    law = predicted()
    arrays = law.weights, law.means, law.scales, law.df
    compare(
        "MixtureLaw.unchecked, 40 components",
        lambda: MixtureLaw.unchecked(*arrays),
        lambda: MixtureLaw(*arrays),
        reference_name="MixtureLaw",
    )
