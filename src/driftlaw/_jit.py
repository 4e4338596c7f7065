"""The only module that imports Numba: how a kernel is compiled is chosen here, once.

A kernel takes and returns scalars, arrays and NamedTuples. Fast-math is limited to the flags that
let loops vectorise (sums may be re-associated, signed zeros ignored); kernels never see NaN, the
doors reject it. Infinities keep their meaning: ``-inf`` is the log-density outside a support.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba import types
from numba.extending import overload

F = TypeVar("F", bound=Callable[..., Any])

_FAST_MATH = {"reassoc", "contract", "nsz", "nnan"}


def kernel(function: F) -> F:
    """Compile ``function``; its signature stays visible to the type checker."""
    compiled = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=_FAST_MATH)
    return cast("F", compiled(function))


def method_kernel(function: F) -> F:
    """Make ``function(record, ...)`` call the static kernel of that name on the record's class.

    The choice is made by the compiler from the NamedTuple's type, so a new class that brings its
    own kernels plugs into code compiled for it, at no cost per call and with a working cache.
    """
    name = function.__name__

    def choose(record: Any, *args: Any) -> Any:  # noqa: ARG001 (numba matches argument names)
        if not isinstance(record, types.NamedTuple):
            return None
        chosen = getattr(record.instance_class, name)
        return _ARITIES[len(args)](chosen)

    overload(function, strict=False)(choose)
    return function


def _one(chosen: Any) -> Any:
    return lambda record, a: chosen(record, a)


def _two(chosen: Any) -> Any:
    return lambda record, a, b: chosen(record, a, b)


_ARITIES = {1: _one, 2: _two}
