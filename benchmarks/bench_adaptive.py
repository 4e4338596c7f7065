"""Updates of `Adaptive` against those of `QuasiBayes` with a window of 100 on average."""

from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.report import Ratio
from driftlaw import Adaptive, QuasiBayes
from driftlaw.predictor.adaptive.model import SIGN


@pytest.mark.parametrize("dim", [1, 2, 5, 10])
def test_update(compare: Callable[..., Ratio], dim: int) -> None:
    """Both have seen 200 observations of two blobs; QuasiBayes forgets every 200."""
    rng = np.random.default_rng(0)
    points = rng.normal(np.where(rng.random((200, 1)) < 0.4, 5.0, 0.0), 1.0, (200, dim))
    ours, reference = Adaptive(dim), QuasiBayes(dim, radius=10.0, restart_every=200, rng=0)
    ours.learn_many(points)
    reference.learn_many(points)
    compare(
        f"Adaptive, {dim}-d, per 200 updates",
        lambda: ours.learn_many(points),
        lambda: reference.learn_many(points),
        reference_name="QuasiBayes, window 1 … 200",
        at_most=25.0,
    )


def test_skewed_update(compare: Callable[..., Ratio]) -> None:
    """The same on 200 lognormal values, of which skewed geometries see the logarithm as well."""
    points = np.random.default_rng(0).lognormal(0.0, 0.5, (200, 1))
    ours, reference = Adaptive(1), QuasiBayes(1, radius=10.0, restart_every=200, rng=0)
    ours.learn_many(points)
    reference.learn_many(points)
    assert ours._state.axis[SIGN] != 0.0
    compare(
        "Adaptive, skewed, per 200 updates",
        lambda: ours.learn_many(points),
        lambda: reference.learn_many(points),
        reference_name="QuasiBayes, window 1 … 200",
        at_most=25.0,
    )
