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
