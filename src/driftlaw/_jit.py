"""The only module that imports Numba: how a kernel is compiled is chosen here, once.

A kernel takes and returns scalars, arrays and NamedTuples. Fast-math is limited to the flags that
let loops vectorise (sums may be re-associated, signed zeros ignored); kernels never see NaN, the
doors reject it. Infinities keep their meaning: ``-inf`` is the log-density outside a support.
"""

import hashlib
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba import types
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.typing.templates import infer, infer_global, make_overload_template

# Numba brings no types: below, mypy is told so wherever its methods are called.
F = TypeVar("F", bound=Callable[..., Any])

_FLAGS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "no_cfunc_wrapper": True,
    "error_model": "numpy",
    "fastmath": {"reassoc", "contract", "nsz", "nnan"},
    "_nrt": True,  # this and the next would be the caller's where nothing is said
    "forceinline": False,
}
KERNEL_ROOMS = (
    "_jit.py",
    "_xoshiro.py",
    "geometry",
    "inference",
    "law",
    "predictor",
    "risk",
    "transport",
)
_PACKAGE = Path(__file__).parent
_LEAN = _FLAGS | {"_nrt": False, "forceinline": True}


class _NoEnvironment:
    """Stands in for the code generator where there is no machine code to tell where it runs."""

    def set_env(self, *_arguments: Any) -> None:
        """Leave everything as it is."""


class _PartLibrary(JITCodeLibrary):  # type: ignore[misc] # Numba has no types
    """Code that is only linked into its callers: neither optimised nor made executable itself."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, _name: str) -> int:
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> _NoEnvironment:
        return _NoEnvironment()


class _PartCompiler(Compiler):  # type: ignore[misc] # Numba has no types
    """Numba's compiler, but into a `_PartLibrary`."""

    def define_pipelines(self) -> Any:
        state = self.state
        library: Any = _PartLibrary  # untyped, like all of Numba within
        state.library = library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()


_AS_PART: dict[str, Any] = {
    "cache": False,
    "nopython": True,
    "no_cpython_wrapper": True,
    "pipeline_class": _PartCompiler,
}


class _PartsByTypes(dict[Any, Any]):
    """Parts that have been compiled, by the types of their arguments alone.

    Numba's key has the caller's flags too, but a part has flags of its own: it would be compiled
    once more for each kind of caller.
    """

    def __getitem__(self, key: Any) -> Any:
        _context, positional, named, _flags = key
        return super().__getitem__((positional, named))

    def __setitem__(self, key: Any, part: Any) -> None:
        _context, positional, named, _flags = key
        super().__setitem__((positional, named), part)


def _offer(door: Any, choose: Callable[..., Any], flags: dict[str, Any]) -> None:
    """Let kernels that call ``door`` take in what ``choose`` returns for the arguments' types.

    As `numba.extending.overload` does, but for `_PartsByTypes`.
    """
    template: Any = make_overload_template(door, choose, flags | _AS_PART, False, "never")
    template._impl_cache = _PartsByTypes()
    infer(template)
    infer_global(door, types.Function(template))


def kernel(function: F) -> F:
    """Compile ``function``; its signature stays visible to the type checker.

    Other kernels take it in as a part that is compiled anew with them, never from the cache:
    whether a call is inlined, and with it the last bit of a sum, would otherwise depend on what
    had been compiled before.
    """
    return _with_door(function, _FLAGS)


def _with_door(function: F, flags: dict[str, Any]) -> F:
    """Compile on its own where Python calls it, and as a part where another kernel does."""
    whole = _cached(function, flags)
    if whole is function:
        return function  # compilation is switched off

    @wraps(function)
    def door(*arguments: Any) -> Any:
        return whole(*arguments)

    door.py_func = function  # type: ignore[attr-defined] # as Numba's own dispatchers have it
    door.stats = whole.stats  # type: ignore[attr-defined] # likewise
    _offer(door, lambda *_arguments: function, flags)
    return cast("F", door)


def _cached(function: F, flags: dict[str, Any]) -> Any:
    """Compile a ``function`` that is kept between processes; only read where none may write."""
    try:
        whole = numba.njit(**flags)(function)
    except RuntimeError:
        whole = numba.njit(**flags | {"cache": False})(function)
        whole._cache = cast("Any", _OnlyRead)(function)
    if whole is not function:
        _find_by_content(whole._cache, Path(function.__code__.co_filename))
    return whole


def _find_by_content(store: Any, source: Path) -> None:
    """Let a kernel be found by what it is made of, and beside its source if nowhere else.

    Installing changes the times of files; and who may not write beside the package, as in a
    container, may still read what a wheel or an administrator has put there.
    """
    file = store._cache_file
    if source.is_relative_to(_PACKAGE):
        file._source_stamp = _sources_digest()
    else:
        file._source_stamp = (file._source_stamp, _sources_digest())
    beside = str(source.parent / "__pycache__")
    own = None if isinstance(store, _OnlyRead) else file
    if own is None or beside != file._cache_path:
        other = IndexDataCacheFile(beside, store._impl.filename_base, file._source_stamp)
        store._cache_file = _AlsoBeside(own, other)


class _AlsoBeside:
    """Numba's files of a kernel, if there are any, and a second place that is only read."""

    def __init__(self, own: IndexDataCacheFile | None, beside: IndexDataCacheFile) -> None:
        self._own, self._beside = own, beside

    def load(self, key: Any) -> Any:
        found = None if self._own is None else self._own.load(key)
        if found is None:
            with suppress(OSError):
                found = self._beside.load(key)
        return found

    def save(self, key: Any, data: Any) -> None:
        if self._own is not None:
            self._own.save(key, data)

    def flush(self) -> None:
        if self._own is not None:
            self._own.flush()


class _Beside(CompileResultCacheImpl):  # type: ignore[misc] # Numba has no types
    """As Numba's, but it tells of the folder beside the source, whoever may write there."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._lineno, self._file = function.__code__.co_firstlineno, function.__code__.co_filename
        self._locator = self
        name = f"{Path(self._file).stem}.{function.__qualname__}"
        self._filename_base = self.get_filename_base(name, getattr(sys, "abiflags", ""))

    def get_cache_path(self) -> str:
        return str(Path(self._file).parent / "__pycache__")

    def get_source_stamp(self) -> str:
        return ""  # `_find_by_content` has a better one

    def get_disambiguator(self) -> str:
        return str(self._lineno)

    def ensure_cache_path(self) -> None:
        """Leave everything as it is."""


class _OnlyRead(FunctionCache):  # type: ignore[misc] # Numba has no types
    """Numba's cache of a kernel where no folder may be written."""

    _impl_class = _Beside

    @property
    def cache_path(self) -> None:
        """Folder in which new kernels are kept: there is none."""
        return None


def cache_folder(door: Any) -> Path | None:
    """Folder that holds what is compiled of a kernel and its neighbours; None if there is none."""
    if getattr(door, "stats", None) is None or door.stats.cache_path is None:
        return None
    place = Path(door.stats.cache_path)
    return place.parents[1] if place.name == "__pycache__" else place.parent


@cache
def _sources_digest() -> str:
    """Hash everything that kernels are made of: `KERNEL_ROOMS`.

    Numba looks whether the file of a kernel has changed, and not whether those of its callees
    have: after an edit or an upgrade it would go on with the old code.
    """
    digest = hashlib.sha256()
    for room in KERNEL_ROOMS:
        place = _PACKAGE / room
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def called_kernel(function: F) -> F:
    """Compile like `lean_kernel`, but leave it to the compiler whether to inline calls.

    For work of microseconds that several places ask for: a call costs little beside it, and
    copies of it would cost compile time.
    """
    return _with_door(function, _LEAN | {"forceinline": False})


def lean_kernel(function: F) -> F:
    """Compile a ``function`` that makes no array, not even a temporary one.

    Such code needs no reference counts: over small windows counting costs more than the
    arithmetic. Calls from other kernels are always inlined. A call of its own would hand over
    hundreds of numbers, a dozen for each array; and it would be bound to whichever copy of the
    function was loaded first, so that last bits could depend on what else had been compiled.

    For its callers it is compiled without being optimised: that is done once, for the kernel
    that Python calls and all that is inlined into it, instead of once more at every level. Only
    a call from Python compiles the function on its own.
    """
    return _with_door(function, _LEAN)


def kernel_of_record(function: F) -> F:
    """Let ``function(record, a, ...)`` be the static kernel ``_function`` of the record's class.

    The compiler makes the choice from the NamedTuple's type, so a new class that brings its own
    kernels plugs into compiled code at no cost per call. The decorated function itself serves
    classes that bring none.
    """
    name = f"_{function.__name__}"

    @wraps(function)
    def door(record: Any, *arguments: Any) -> Any:
        return getattr(type(record), name, function)(record, *arguments)

    def choose(record: Any, *_arguments: Any) -> Any:
        if not isinstance(record, types.NamedTuple | types.NamedUniTuple):
            return None
        own = getattr(record.instance_class, name, None)
        return function if own is None else own.py_func

    _offer(door, choose, _LEAN)
    return cast("F", door)
