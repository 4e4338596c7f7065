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

_FLAGS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "no_cfunc_wrapper": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "nsz", "nnan"},
}


def kernel(function: F) -> F:
    """Compile ``function``; its signature stays visible to the type checker."""
    return cast("F", numba.njit(**_FLAGS)(function))


def lean_kernel(function: F) -> F:
    """Compile a ``function`` that makes no array, not even a temporary one.

    Such code needs no reference counts. In a chain of small functions over small windows counting
    costs more than the arithmetic, and most of the compile time.
    """
    return cast("F", numba.njit(**_FLAGS | {"_nrt": False})(function))


def kernel_of_record(function: F) -> F:
    """Let ``function(record, a, ...)`` call the static kernel ``_function`` of the record's class.

    The compiler makes the choice from the NamedTuple's type, so a new class that brings its own
    kernels plugs into compiled code at no cost per call. The decorated function itself is what
    runs when compilation is switched off.
    """
    n_arguments = function.__code__.co_argcount - 1

    def choose(record: Any, *_arguments: Any) -> Any:
        if not isinstance(record, types.NamedTuple):
            return None
        return _FORWARD[n_arguments](getattr(record.instance_class, f"_{function.__name__}"))

    overload(function, strict=False)(choose)
    return function


def _forward_one(chosen: Any) -> Any:
    def forward(record: Any, a: Any) -> Any:
        return chosen(record, a)

    return forward


def _forward_two(chosen: Any) -> Any:
    def forward(record: Any, a: Any, b: Any) -> Any:
        return chosen(record, a, b)

    return forward


def _forward_five(chosen: Any) -> Any:
    def forward(record: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
        return chosen(record, a, b, c, d, e)

    return forward


_FORWARD = {1: _forward_one, 2: _forward_two, 5: _forward_five}
