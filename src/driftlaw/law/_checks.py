"""The argument check that laws need beside those every door uses."""

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array
from driftlaw.errors import InputError


def as_floats(name: str, value: ArrayLike) -> Array:
    """Return a new float array of any shape; nan and infinities are the caller's to judge."""
    try:
        raw = np.asarray(value)
    except ValueError as error:
        raise InputError(f"{name} must be an array, got {value!r}") from error
    if raw.dtype.kind not in "fiub":
        raise InputError(f"{name} must hold real numbers, got {value!r}")
    return np.array(raw, dtype=np.float64)
