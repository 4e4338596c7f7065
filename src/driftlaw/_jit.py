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
_LEAN = _FLAGS | {"_nrt": False, "forceinline": True}


def kernel(function: F) -> F:
    """Compile ``function``; its signature stays visible to the type checker."""
    return cast("F", numba.njit(**_FLAGS)(function))


def lean_kernel(function: F) -> F:
    """Compile a ``function`` that makes no array, not even a temporary one.

    Such code needs no reference counts: over small windows counting costs more than the
    arithmetic. Calls from other kernels are always inlined. A call of its own would hand over
    hundreds of numbers, a dozen for each array; and it would be bound to whichever copy of the
    function was loaded first, so that last bits could depend on what else had been compiled.
    """
    return cast("F", numba.njit(**_LEAN)(function))


def woven_kernel(function: F) -> F:
    """Compile like `lean_kernel`, but into the code of each caller, never on its own for them.

    It saves the compile time of a function that only helps one or two others; woven into many
    places, or many levels deep, a function costs more time than it saves.
    """
    return cast("F", numba.njit(**_LEAN, inline="always")(function))


def kernel_of_record(function: F) -> F:
    """Let ``function(record, a, ...)`` be the static kernel ``_function`` of the record's class.

    The compiler makes the choice from the NamedTuple's type, so a new class that brings its own
    kernels plugs into compiled code at no cost per call. The decorated function itself is what
    runs when compilation is switched off.
    """

    def choose(record: Any, *_arguments: Any) -> Any:
        if not isinstance(record, types.NamedTuple):
            return None
        return getattr(record.instance_class, f"_{function.__name__}").py_func

    # Not cached: the entry would be taken for that of the static kernel, which Python can call.
    options = cast("Any", _LEAN | {"cache": False})
    overload(function, strict=False, jit_options=options)(choose)
    return function
