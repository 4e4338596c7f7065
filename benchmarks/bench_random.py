"""Random numbers for compiled code against NumPy's own generator."""

from collections.abc import Callable

import numpy as np

from benchmarks.report import Ratio
from driftlaw._rng import compiled_states
from driftlaw._xoshiro import fill_normal_inplace


def test_normals(compare: Callable[..., Ratio]) -> None:
    """One thousand standard normals: polar method on xoshiro256++, against NumPy's ziggurat."""
    rng = np.random.default_rng(0)
    state = compiled_states(rng, 1)[0]
    out = np.empty(1000)
    compare(
        "1000 normals, compiled",
        lambda: fill_normal_inplace(state, out),
        lambda: rng.standard_normal(out=out),
        reference_name="numpy Generator",
    )
