"""The few argument checks that every public door uses; each message names argument, rule, value."""

import warnings
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftlaw.errors import InputError, MissingExtraError

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]


def check_positive(name: str, value: float) -> float:
    """Return ``value`` as a float if it is finite and > 0."""
    number = _as_float(name, value)
    if not (number > 0 and np.isfinite(number)):
        raise InputError(f"{name} must be finite and > 0, got {value!r}")
    return number


def check_nonnegative(name: str, value: float) -> float:
    """Return ``value`` as a float if it is finite and >= 0."""
    number = _as_float(name, value)
    if not (number >= 0 and np.isfinite(number)):
        raise InputError(f"{name} must be finite and >= 0, got {value!r}")
    return number


def check_fraction(name: str, value: float) -> float:
    """Return ``value`` as a float if 0 <= value <= 1."""
    number = _as_float(name, value)
    if not 0 <= number <= 1:
        raise InputError(f"{name} must be in [0, 1], got {value!r}")
    return number


def check_count(name: str, value: int, *, least: int = 1) -> int:
    """Return ``value`` as an int if it is a whole number >= ``least``."""
    whole = not isinstance(value, bool | np.bool_) and isinstance(value, int | np.integer)
    if not whole or value < least:
        raise InputError(f"{name} must be a whole number >= {least}, got {value!r}")
    return int(value)


def check_choice(name: str, value: str, choices: tuple[str, ...]) -> str:
    """Return ``value`` if it is one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{name} must be one of {', '.join(choices)}, got {value!r}")
    return value


def check_point(name: str, value: ArrayLike, dim: int) -> Array:
    """Return one finite point as a float array of shape (dim,); a scalar will do when dim is 1."""
    point = check_finite(name, value)
    if dim == 1 and point.ndim == 0:
        point = point.reshape(1)
    if point.shape != (dim,):
        raise InputError(f"{name} must be ({dim},), got {point.shape}")
    return point


def check_points(name: str, value: ArrayLike, dim: int | None = None) -> Array:
    """Return finite points as a float array (n, dim), n >= 1; (n,) will do if dim is 1 or free."""
    points = check_finite(name, value)
    if points.ndim == 1 and dim in (None, 1):
        points = points[:, None]
    wanted = f"(n, {'d' if dim is None else dim})"
    if points.ndim != 2 or points.shape[1] == 0 or dim not in (None, points.shape[1]):
        raise InputError(f"{name} must be {wanted}, got {points.shape}")
    if len(points) == 0:
        raise InputError(f"{name} must be {wanted} with n >= 1, got {points.shape}")
    return points


def check_weights(name: str, value: ArrayLike | None, n: int) -> Array:
    """Return n non-negative weights that sum to one (uniform for None)."""
    if value is None:
        return np.full(n, 1.0 / n)
    weights = check_finite(name, value)
    if weights.shape != (n,):
        raise InputError(f"{name} must be ({n},), got {weights.shape}")
    if (weights < 0).any() or not weights.any():
        raise InputError(f"{name} must be >= 0 with a positive sum, got {weights}")
    if weights.max() > 1e300:  # the sum of such could leave the range of floating point
        weights = weights / weights.max()
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def require(module: str, extra: str) -> Any:
    """Import an optional dependency, or say which extra brings it."""
    try:
        with warnings.catch_warnings():
            # what a foreign package warns of while it compiles is not our caller's concern
            warnings.simplefilter("ignore")
            return import_module(module)
    except ImportError as error:
        raise MissingExtraError(
            f"{module} is needed here and is not installed: pip install 'driftlaw[{extra}]'"
        ) from error


def _as_float(name: str, value: float) -> float:
    if isinstance(value, str | bytes | bool | np.bool_):  # float() would take them
        raise InputError(f"{name} must be a number, got {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} must be a number, got {value!r}") from error


def check_finite(name: str, value: ArrayLike) -> Array:
    """Return a new float array of finite numbers, of any shape."""
    try:
        raw = np.asarray(value)
    except ValueError as error:  # ragged
        raise InputError(f"{name} must be an array of real numbers, got {value!r}") from error
    if raw.dtype.kind not in "fiub":
        raise InputError(f"{name} must hold real numbers, got {value!r}")
    if np.ma.is_masked(value):
        raise InputError(f"{name} must hold no masked values, got {value!r}")
    array = np.array(raw, dtype=np.float64, order="C")  # another order would compile anew
    if not np.isfinite(array).all():
        bad = ~np.isfinite(array)
        raise InputError(f"{name} must be finite, got {array[bad][0]} at {_first(bad)}")
    return array


def _first(mask: NDArray[np.bool_]) -> str:
    index = tuple(int(i) for i in np.argwhere(mask)[0])
    return f"index {index[0] if len(index) == 1 else index}" if index else "the only value"
