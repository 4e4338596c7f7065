"""The argument checks that laws need beside those every door uses."""

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array
from driftlaw.errors import InputError

_ROUNDING = 1e-9


def as_floats(name: str, value: ArrayLike) -> Array:
    """Return a new float array of any shape; nan and infinities are the caller's to judge."""
    try:
        raw = np.asarray(value)
    except ValueError as error:
        raise InputError(f"{name} must be an array, got {value!r}") from error
    if raw.dtype.kind not in "fiub":
        raise InputError(f"{name} must hold real numbers, got {value!r}")
    return np.array(raw, dtype=np.float64)


def saved_weights(value: ArrayLike) -> Array:
    """Return saved weights bit by bit, if they are those of a law: they sum to one."""
    weights = as_floats("weights", value)
    if not abs(weights.sum() - 1.0) <= _ROUNDING:
        raise InputError(f"weights must sum to one, got {weights.sum()}")
    return weights
