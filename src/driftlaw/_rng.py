"""Random generators at the doors: a seed or a Generator comes in (SPEC 7), a Generator goes on."""

import numpy as np
from numpy.typing import NDArray

from driftlaw.errors import InputError

RngLike = int | np.random.SeedSequence | np.random.Generator | None


def as_generator(rng: RngLike) -> np.random.Generator:
    """Return a Generator: a new one from a seed (or from the system), a given one as it is."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise InputError(f"rng must be a seed >= 0 or a numpy Generator, got {rng!r}") from error


def compiled_states(rng: np.random.Generator, n: int) -> NDArray[np.uint64]:
    """Draw the states (n, 4) of n independent generators for compiled code."""
    return rng.integers(1, 2**64, size=(n, 4), dtype=np.uint64, endpoint=False)


def as_seed(rng: RngLike) -> np.random.SeedSequence:
    """Return a seed to be stored: what starts from it can be started again and be the same.

    A Generator gives its next draw, so two calls with one Generator give two seeds.
    """
    if isinstance(rng, np.random.SeedSequence):
        return rng
    if isinstance(rng, np.random.Generator):
        return np.random.SeedSequence(int(rng.integers(2**63)))
    try:
        return np.random.SeedSequence(rng)
    except (TypeError, ValueError) as error:
        raise InputError(f"rng must be a seed >= 0 or a numpy Generator, got {rng!r}") from error


def child_seed(seed: np.random.SeedSequence, *key: int) -> np.random.SeedSequence:
    """Return the child of ``seed`` under ``key``: a pure function, unlike ``seed.spawn``."""
    return np.random.SeedSequence(
        seed.entropy, spawn_key=(*seed.spawn_key, *key), pool_size=seed.pool_size
    )
