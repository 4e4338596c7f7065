"""The compiled kernel and its port to C, written apart, walk the same chain."""

import ctypes
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.workloads import (
    SIZES,
    build_c_port,
    c_runner,
    compiler,
    kernel_runner,
    rewinder,
    sampler_at,
)

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C compiler on the path")


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return build_c_port(tmp_path_factory.mktemp("port"))


@pytest.mark.parametrize("n", [1, 10, 100])
@pytest.mark.parametrize(("dim", "max_centers"), [(1, 1), (2, 4), (3, 6)])
def test_same_chain(port: ctypes.CDLL, n: int, dim: int, max_centers: int) -> None:
    # fast-math differs in last bits only, and a decision that close is rarer than the test
    state, target = sampler_at(n, sizes=replace(SIZES, dim=dim, max_centers=max_centers))
    rewind = rewinder(state)
    kernel_runner(state, target)(2)
    ours = deepcopy(state.records)
    random = state.chains.random.copy()
    rewind()
    for field in state.records:
        field[...] = -1
    c_runner(port, state, target)(2)
    theirs = state.records
    np.testing.assert_array_equal(state.chains.random, random)
    np.testing.assert_array_equal(theirs.k, ours.k)
    np.testing.assert_array_equal(theirs.trace_k, ours.trace_k)
    np.testing.assert_array_equal(theirs.tally, ours.tally)
    np.testing.assert_array_equal(theirs.counts, ours.counts)
    np.testing.assert_allclose(theirs.trace_loss, ours.trace_loss, rtol=1e-9)
    live = np.arange(max_centers) < ours.k[..., None]
    np.testing.assert_allclose(theirs.centers[live], ours.centers[live], rtol=1e-9, atol=1e-9)
