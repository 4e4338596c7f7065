"""Long histories: what an update costs as the window grows, and what many streams cost together.

Windows are filled at once and the chain then settles; an update is 200 iterations in two
dimensions with at most four centres, at the rate of the default schedule. Occupancies are not
counted, since the default kernel and weights do not need them.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.report import Ratio
from benchmarks.workloads import SIZES, broad, filled_sampler, separated
from driftlaw import PredictorBank, QuasiBayes
from driftlaw._validate import Array

Compare = Callable[..., Ratio]

_TIMES = 10  # updates in one call


def _updates(points: Array, **changes: Any) -> Callable[[], None]:
    sizes = replace(SIZES, dim=points.shape[1], is_counting=False, **changes)
    state, target = filled_sampler(points, sizes)
    names = [name for name in state.chains._fields if "trial" not in name]
    pairs = [(getattr(state.chains, name), getattr(state.chains, name).copy()) for name in names]

    def run() -> None:
        for own, saved in pairs:
            own[...] = saved
        state.sample(target, _TIMES)

    return run


@pytest.mark.parametrize(("n", "at_most"), [(10_000, 3.0), (100_000, 3.0), (1_000_000, None)])
def test_two_separated_clusters(n: int, at_most: float | None, compare: Compare) -> None:
    compare(
        f"{_TIMES} updates, two clusters, d=2, window {n}",
        _updates(separated(n)),
        _updates(separated(1000)),
        reference_name="window 1000",
        at_most=at_most,
        n_rounds=40,
    )


@pytest.mark.parametrize("max_history", [0, 1000])
def test_one_broad_cluster(max_history: int, compare: Compare) -> None:
    """In five dimensions boxes are cut by many boundaries: the exact loss stays linear there."""
    name = "exact" if max_history == 0 else f"max_history={max_history}"
    compare(
        f"{_TIMES} updates, broad, d=5, window 100000, {name}",
        _updates(broad(100_000), max_history=max_history),
        _updates(broad(1000)),
        reference_name="window 1000",
        at_most=6.0,
        n_rounds=10,
    )


@pytest.mark.parametrize("n", [20_000, 100_000])
def test_trees_against_rows(n: int, compare: Compare) -> None:
    """The same window held in trees and in rows of distances to every centre."""
    compare(
        f"{_TIMES} updates, two clusters, d=2, window {n}, trees",
        _updates(separated(n)),
        _updates(separated(n), long_at=10**9),
        reference_name="rows",
        at_most=1.0,
        n_rounds=10,
    )


@pytest.mark.parametrize("n", [1, 20])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_bank_against_separate_predictors(n: int, n_threads: int, compare: Compare) -> None:
    settings: dict[str, Any] = {"dim": 2, "radius": 5.0, "restart_every": 50, "rng": 0}
    m = 200
    bank = PredictorBank(m, **settings)
    alone = [QuasiBayes(**settings) for _ in range(m)]
    batch = separated(m * n).reshape(m, n, 2)

    def separately() -> None:
        for predictor, rows in zip(alone, batch, strict=True):
            for z in rows:
                predictor.learn_one(z)

    compare(
        f"bank of {m}, {n} observations each, {n_threads} threads",
        lambda: bank.learn_many(batch, n_threads=n_threads),
        separately,
        reference_name="learn_one of each",
        n_rounds=5,
    )
