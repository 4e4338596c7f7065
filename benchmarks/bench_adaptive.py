"""One update of `Adaptive` against one of `QuasiBayes` with a window of 100."""

from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.report import Ratio
from driftlaw import Adaptive, QuasiBayes


@pytest.mark.parametrize("dim", [1, 2, 5, 10])
def test_update(compare: Callable[..., Ratio], dim: int) -> None:
    """Both have seen 300 observations of two blobs; QuasiBayes forgets every 100."""
    rng = np.random.default_rng(0)
    points = rng.normal(np.where(rng.random((300, 1)) < 0.4, 5.0, 0.0), 1.0, (300, dim))
    ours, reference = Adaptive(dim), QuasiBayes(dim, radius=10.0, restart_every=100, rng=0)
    ours.learn_many(points)
    reference.learn_many(points)
    compare(
        f"Adaptive, {dim}-d, per 100 updates",
        lambda: ours.learn_many(points[:100]),
        lambda: reference.learn_many(points[:100]),
        reference_name="QuasiBayes, window 1 … 100",
        at_most=25.0,
    )
