"""How close the kernels come to the machine: distances against C, an update against its peak.

An update of n points does, in its 200 proposals, about `_OPERATIONS` floating-point operations
for each point: two subtractions, two multiplications and one addition for the squared distance of
the proposed centre in the plane, three minima and one addition for the loss.
"""

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from benchmarks.report import Ratio
from benchmarks.workloads import C_FLAGS, compiler, kernel_runner, rewinder, sampler_at
from driftlaw._jit import lean_kernel
from driftlaw._validate import Array
from driftlaw.inference.rows import squared_distances_inplace

Compare = Callable[..., Ratio]

_OPERATIONS, _N_PROPOSALS, _PER_ROUND = 9, 200, 2 * 4 * 12
needs_c = pytest.mark.skipif(compiler() is None, reason="no C compiler on the path")


def _library(folder: Path) -> ctypes.CDLL:
    source, unlinked = Path(__file__).with_name("roofline.c"), folder / "roofline.o"
    library = folder / "roofline.so"
    gcc = str(compiler())
    subprocess.run([gcc, *C_FLAGS, "-c", source, "-o", unlinked], check=True)
    subprocess.run([gcc, "-shared", unlinked, "-o", library], check=True)
    found = ctypes.CDLL(str(library))
    found.distances.restype = None
    found.multiply_adds.restype = ctypes.c_double
    return found


@lean_kernel
def _distances_many(points: Array, center: Array, out: Array, times: int) -> None:
    for _ in range(times):
        squared_distances_inplace(points, points.shape[1], center, out)
        center[0] += 1e-9  # or the compiler would do it once


@needs_c
@pytest.mark.parametrize(("dim", "n"), [(2, 500), (2, 10_000), (5, 500), (5, 10_000)])
def test_distances_against_c(dim: int, n: int, compare: Compare, tmp_path: Path) -> None:
    rng, times = np.random.default_rng(0), 50
    points, center, out = rng.normal(size=(dim, n)), rng.normal(size=dim), np.empty(n)
    library = _library(tmp_path)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (points, center, out)]
    sizes = ctypes.c_int64(n), ctypes.c_int64(dim), ctypes.c_int64(times)

    def reference() -> None:
        library.distances(pointers[0], sizes[0], sizes[1], pointers[1], pointers[2], sizes[2])

    compare(
        f"distances to {n} points, d={dim}",
        lambda: _distances_many(points, center, out, times),
        reference,
        reference_name="C -O3 -march=native -ffast-math",
        at_most=1.3,
        n_rounds=100,
        round_seconds=0.002,
    )


@needs_c
@pytest.mark.parametrize("n", [100, 1000])
def test_update_against_peak(n: int, compare: Compare, tmp_path: Path) -> None:
    """Time of an update over the time of as many operations at the peak: 1 / the share reached."""
    state, target = sampler_at(n)
    run, rewind, library = kernel_runner(state, target), rewinder(state), _library(tmp_path)
    rounds = ctypes.c_int64(_OPERATIONS * _N_PROPOSALS * n // _PER_ROUND)

    def ours() -> None:
        rewind()
        run(1)

    compare(
        f"update, window {n}: {_OPERATIONS * _N_PROPOSALS * n} operations",
        ours,
        lambda: library.multiply_adds(rounds),
        reference_name="as many in registers",
        n_rounds=100,
        round_seconds=0.002,
    )
