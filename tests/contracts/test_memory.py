"""What predictors learn does not depend on where in memory their arrays lie, to the last bit."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from driftlaw import Adaptive, QuasiBayes
from driftlaw._validate import Array

N, STEP = 100, 10


def _arrays(record: Any) -> list[np.ndarray]:
    if isinstance(record, tuple):
        return [array for part in record for array in _arrays(part)]
    return [record] if isinstance(record, np.ndarray) else []


def _with(record: Any, moved: dict[int, np.ndarray]) -> Any:
    if isinstance(record, tuple):
        return type(record)(*(_with(part, moved) for part in record))
    return moved.get(id(record), record)


def _thrown(record: Any, rng: np.random.Generator, gap: int) -> Any:
    """Return the record with its arrays in one piece of memory, less than ``gap`` numbers apart."""
    arrays, moved, at = _arrays(record), {}, int(rng.integers(8))
    memory = np.full(sum(array.size + gap for array in arrays) + 8, 1e5)
    for i in rng.permutation(len(arrays)):
        at += int(rng.integers(gap))
        place = memory[at : at + arrays[i].size].view(arrays[i].dtype).reshape(arrays[i].shape)
        place[...] = arrays[i]
        moved[id(arrays[i])] = place
        at += arrays[i].size
    return _with(record, moved)


def _throw(p: Any, rng: np.random.Generator, gap: int) -> None:
    if isinstance(p, Adaptive):
        p._state = _thrown(p._state, rng, gap)
        return
    state = p._state
    state.reserve(state.n_window + STEP)
    own = (state.window, state.chains, state.records, state.sampler)
    record = _thrown(_AsTuple(*own), rng, gap)
    state.window, state.chains, state.records, state.sampler = record
    state._alone.forget()


class _AsTuple(tuple[Any, ...]):
    """A record as plain as NamedTuples are."""

    def __new__(cls, *parts: Any) -> "_AsTuple":
        return super().__new__(cls, parts)


def _all_that_is_known(p: Any) -> tuple[dict[str, bytes], str]:
    arrays = p.to_saved().arrays
    law = json.dumps(p.predict().to_dict(), default=lambda array: array.tolist())
    return {name: np.ascontiguousarray(array).tobytes() for name, array in arrays.items()}, law


def _points(dim: int, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    groups = 3.0 * rng.integers(0, 2, size=(N, 1)) + 0.03 * np.arange(N)[:, None]
    return np.clip(rng.normal(size=(N, dim)) + groups, -10.0, 10.0)


CASES: dict[str, Callable[[int], Any]] = {
    "adaptive": Adaptive,
    **{
        " ".join(map(str, settings.values())): partial(
            QuasiBayes, radius=6.0, rng=3, n_iterations=60, **settings
        )
        for settings in (
            {"sampler": "local", "kernel": "gibbs"},
            {"sampler": "local", "kernel": "gibbs", "max_history": 24},
            {"sampler": "local", "kernel": "adaptive", "max_centers": 6, "n_chains": 2},
            {"sampler": "paper", "kernel": "adaptive", "max_centers": 6},
        )
    },
}


@pytest.mark.parametrize("dim", [1, 2, 3, 5])
@pytest.mark.parametrize("case", CASES)
def test_where_arrays_lie_changes_nothing(case: str, dim: int) -> None:
    for seed in range(3):
        points, p = _points(dim, seed), CASES[case](dim)
        p.learn_many(points)
        for gap in (2, 40):
            rng, twin = np.random.default_rng(seed), CASES[case](dim)
            for start in range(0, N, STEP):
                _throw(twin, rng, gap)
                twin.learn_many(points[start : start + STEP])
            assert _all_that_is_known(twin) == _all_that_is_known(p)
