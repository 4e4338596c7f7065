"""Workloads shared by benchmarks and tests: a sampler at a given window, and its port to C."""

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import Array
from driftlaw.geometry import ball_prior, log_count_prior
from driftlaw.inference import Plan, SamplerState, Sizes, Target
from driftlaw.inference.chain import Chain
from driftlaw.inference.long import lengthen_inplace, summarise_inplace
from driftlaw.inference.rjmcmc import Record
from driftlaw.inference.tree import plant_many_inplace

_SOURCE = Path(__file__).with_name("local_sampler.c")
C_FLAGS = ("-std=gnu11", "-O3", "-march=native", "-ffast-math", "-fPIC")
_INT_SIZES = (
    "d",
    "capacity",
    "max_centers",
    "n_burn",
    "n_kept",
    "n_configurations",
    "anchor_room",
)
_NUMBERS = ("rate", "radius", "log_volume")
_ARRAYS = (
    *("log_counts", "ball_center", "points", "n", "k", "centers", "numbers", "distances"),
    *("nearest", "random", "trial_center", "trial_distances", "trial_nearest", "anchors"),
    *("kept_k", "kept_centers", "kept_loss", "kept_counts", "trace_k", "trace_loss", "tally"),
)

SIZES = Sizes(
    dim=2,
    max_centers=4,
    n_chains=1,
    n_kept=150,
    n_configurations=10,
    n_burn=50,
    sampler="local",
)


class _CSampler(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in _INT_SIZES),
        *((name, ctypes.c_double) for name in _NUMBERS),
        *((name, ctypes.c_void_p) for name in _ARRAYS),
    )


def two_groups(n: int, dim: int = 2) -> Array:
    """Return n observations (n, dim) from two groups, three units apart."""
    rng = np.random.default_rng(7)
    signs = rng.choice([-1.5, 1.5], size=(n, 1))
    return np.asarray(rng.normal(signs, 0.7, size=(n, dim)))


def sampler_at(
    n: int, *, sizes: Sizes = SIZES, rate: float | None = None
) -> tuple[SamplerState, Target]:
    """Return a warm sampler whose window holds n observations, and its target.

    The default rate is that of the schedule 0.5 / sqrt(n).
    """
    points = two_groups(n, sizes.dim)
    prior = ball_prior(sizes.dim, 10.0)
    rate = 0.5 / np.sqrt(n) if rate is None else rate
    target = Target(rate, log_count_prior(sizes.max_centers, 0.1), prior)
    state = SamplerState(sizes, np.random.default_rng(3))
    state.sample(target._replace(rate=0.0))
    state.advance(points, Plan(np.full(n, rate), np.zeros(n, dtype=np.int64)), target)
    return state, target


def compiler() -> str | None:
    """Return the path of a C compiler, if there is one."""
    return shutil.which("gcc") or shutil.which("cc")


def build_c_port(folder: Path) -> ctypes.CDLL:
    """Compile the C port into ``folder`` and load it.

    Linking is a step of its own, without fast-math: otherwise loading the library would let the
    whole process flush subnormal numbers to zero.
    """
    gcc, unlinked, library = compiler(), folder / "local_sampler.o", folder / "local_sampler.so"
    if gcc is None:
        raise FileNotFoundError("no C compiler: neither gcc nor cc is on the path")
    subprocess.run([gcc, *C_FLAGS, "-c", _SOURCE, "-o", unlinked], check=True)
    subprocess.run([gcc, "-shared", unlinked, "-o", library, "-lm"], check=True)
    port = ctypes.CDLL(str(library))
    port.run_local.argtypes = (ctypes.POINTER(_CSampler), ctypes.c_int64)
    port.run_local.restype = None
    return port


def c_runner(port: ctypes.CDLL, state: SamplerState, target: Target) -> Callable[[int], None]:
    """Return ``run(times)``: so many updates of the state's first chain by the C port."""
    arrays = _arrays(state, target)
    sizes = state.sizes
    ints = (
        *(sizes.dim, state.window.points.shape[1], sizes.max_centers, sizes.n_burn),
        *(sizes.n_kept, sizes.n_configurations, arrays["anchors"].shape[1]),
    )
    numbers = (target.rate, target.prior.radius, target.prior.log_volume)
    problem = _CSampler(*ints, *numbers, *(arrays[name].ctypes.data for name in _ARRAYS))

    def run(times: int, _keep_alive: dict[str, NDArray[np.generic]] = arrays) -> None:
        port.run_local(ctypes.byref(problem), times)

    return run


def _arrays(state: SamplerState, target: Target) -> dict[str, NDArray[np.generic]]:
    chains, records = state.chains, state.records
    arrays: dict[str, NDArray[np.generic]] = {
        "log_counts": target.log_counts,
        "ball_center": target.prior.center,
        "points": state.window.points,
        "n": state.window.n,
        "anchors": state.sampler.anchors,
        "trace_k": records.trace_k[0],
        "trace_loss": records.trace_loss[0],
        "tally": records.tally[0],
    }
    arrays |= {name: getattr(chains, name)[0] for name in Chain._fields}
    return arrays | {f"kept_{name}": getattr(records, name)[0] for name in Record._fields}


def kernel_runner(state: SamplerState, target: Target) -> Callable[[int], None]:
    """Return ``run(times)``: so many updates by the package's kernel, looping in compiled code."""
    return lambda times: state.sample(target, times)


def rewinder(state: SamplerState) -> Callable[[], None]:
    """Return a function that takes the chains back to where they are now, random numbers too."""
    names = ("k", "centers", "numbers", "distances", "nearest", "random")
    pairs = [(getattr(state.chains, name), getattr(state.chains, name).copy()) for name in names]

    def rewind() -> None:
        for own, saved in pairs:
            own[...] = saved

    return rewind


def separated(n: int) -> Array:
    """Return n observations (n, 2) of two clusters, six units and eight widths apart."""
    rng = np.random.default_rng(11)
    return rng.normal(np.where(rng.random((n, 1)) < 0.5, -3.0, 3.0), 0.7, (n, 2))


def broad(n: int) -> Array:
    """Return n observations (n, 5) of one wide cluster."""
    return np.random.default_rng(12).normal(0.0, 1.5, (n, 5))


def filled_sampler(points: Array, sizes: Sizes) -> tuple[SamplerState, Target]:
    """Return a settled sampler whose window was filled with ``points`` (n, d), and its target.

    The rate is that of the default schedule.
    """
    n = len(points)
    target = Target(0.0, log_count_prior(sizes.max_centers, 0.1), ball_prior(sizes.dim, 10.0))
    state = SamplerState(sizes, _rng())
    if sizes.max_history:
        lazy = SamplerState(replace(sizes, n_kept=1, n_burn=0, n_configurations=1), _rng())
        lazy.advance(points, Plan(np.zeros(n), np.zeros(n, dtype=np.int64)), target)
        state.window = lazy.window
        state.chains = lazy.chains
    else:
        _fill_inplace(state, points)
    state.sample(target)
    target = target._replace(rate=0.1 * np.sqrt(np.log(n) / n))
    state.sample(target, 50)
    return state, target


def _fill_inplace(state: SamplerState, points: Array) -> None:
    """Put points into the window's columns, and into its trees where it is long."""
    n = len(points)
    state._change_window(is_long=n >= state.sizes.long_from)
    state.reserve(n)
    window, m = state.window, min(n, state.sizes.long_from)
    window.points[:, :m], window.n[0] = points[:m].T, m
    if n >= state.sizes.long_from:
        lengthen_inplace(window)
        plant_many_inplace(window.tree, points[m:])
        window.n[1] = n
        summarise_inplace(window)


def _rng() -> np.random.Generator:
    return np.random.default_rng(3)
