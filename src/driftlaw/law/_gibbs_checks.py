"""Checks of a Gibbs law's arguments, and its padded arrays as plain lists and back."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftlaw._validate import Array, IntArray
from driftlaw.errors import InputError
from driftlaw.law._checks import as_floats


def check_centers(value: ArrayLike) -> Array:
    """Return the centers as a float array (M, p, d); NaN may stand beyond the counts."""
    centers = as_floats("centers", value)
    if centers.ndim != 3 or 0 in centers.shape:
        raise InputError(f"centers must be (M, p, d), got {centers.shape}")
    return centers


def check_counts(value: ArrayLike, n: int, most: int) -> IntArray:
    """Return n whole numbers between 1 and ``most``."""
    counts = np.array(value)
    if counts.shape != (n,) or counts.dtype.kind not in "iu":
        raise InputError(f"counts must be ({n},) whole numbers, got {value!r}")
    if not ((counts >= 1) & (counts <= most)).all():
        raise InputError(f"counts must be in 1 … {most}, got {value!r}")
    return counts.astype(np.int64)


def check_inside(centers: Array, middle: Array, radius: float) -> None:
    """Raise unless the centers (n, d) are finite and in the ball, up to rounding."""
    gaps = np.linalg.norm(centers - middle, axis=1)
    if not (gaps <= radius * (1 + 1e-9)).all():  # written so that nan fails too
        raise InputError(f"centers must lie in the ball of radius {radius}, got {gaps.max()} off")


def check_cell_weights(value: ArrayLike | None, is_used: NDArray[np.bool_]) -> Array | None:
    """Return the weights (M, p), or None; those in use must be >= 0 and not all 0 in a row."""
    if value is None:
        return None
    weights = as_floats("cell_weights", value)
    if weights.shape != is_used.shape:
        raise InputError(f"cell_weights must be {is_used.shape}, got {weights.shape}")
    used = np.where(is_used, weights, 0.0)
    if not (np.isfinite(used).all() and (used >= 0).all() and used.any(axis=1).all()):
        raise InputError(f"cell_weights must be >= 0, one > 0 in each row, got {value!r}")
    return weights


def unpad(padded: Array, counts: IntArray) -> list[Any]:
    """Rows of a padded array, each cut to its count."""
    return [row[:k].tolist() for row, k in zip(padded, counts, strict=True)]


def pad(name: str, rows: list[Any], most: int) -> Array:
    """Stack rows of unequal length into one array, NaN beyond their ends."""
    arrays = [as_floats(name, row) for row in rows]
    out = np.full((len(arrays), most, *arrays[0].shape[1:]), np.nan)
    for m, row in enumerate(arrays):
        if not (1 <= len(row) <= most and row.shape[1:] == out.shape[2:]):
            raise InputError(f"{name} must have 1 … {most} equal entries in a row, got {rows[m]!r}")
        out[m, : len(row)] = row
    return out
