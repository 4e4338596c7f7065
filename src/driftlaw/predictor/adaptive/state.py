"""The state of `Adaptive`: arrays of fixed size, saved and read back as they are."""

from math import lgamma, log, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import Array, IntArray
from driftlaw.predictor.adaptive import model as m


class Store(NamedTuple):
    """Geometries, the stream's own units, scratch.

    A geometry is a row of ``slot`` with the centers in the same row of the other arrays.
    """

    slot: Array  # (N_SLOTS, SLOT_SIZE)
    center: Array  # (N_SLOTS, MAX_CENTERS, CENTER_SIZE)
    mean: Array  # (N_SLOTS, MAX_CENTERS, d)
    velocity: Array  # (N_SLOTS, MAX_CENTERS, d)
    shape: Array  # (N_SLOTS, MAX_CENTERS, d, d) kernels
    factor: Array  # (N_SLOTS, MAX_CENTERS, d, d) Cholesky factors of the shrunk kernels
    work: Array  # (WORK_SIZE,)
    lines: Array  # (N_LINES, d)
    squares: Array  # (N_SQUARES, d, d)
    constants: Array  # (N_TAILS + 1,) log constants of the Student densities; the broad law's


class Parts(NamedTuple):
    """Components of a finite mixture; only the first rows count."""

    weights: Array  # (rows,)
    means: Array  # (rows, d)
    scales: Array  # (rows, d, d)
    df: Array  # (rows,)


class State(NamedTuple):
    """Everything that `Adaptive` knows."""

    t: IntArray  # (1,) observations so far
    store: Store
    lanes: Array  # (N_LANES,) log weights
    past: Array  # (PAST, d) ring of observations
    pool: Array  # (POOL_SIZE,) log weights of geometries and windows, of lengths, of widths
    watch: Array  # (SCORES + N_RANKED,) see `model`
    parts: Parts  # scratch for the law of the geometries


def new_state(dim: int) -> State:
    """Return the state before any observation."""
    n, k = m.N_SLOTS, m.MAX_CENTERS
    store = Store(
        np.zeros((n, m.SLOT_SIZE)),
        np.zeros((n, k, m.CENTER_SIZE)),
        np.zeros((n, k, dim)),
        np.zeros((n, k, dim)),
        np.zeros((n, k, dim, dim)),
        np.zeros((n, k, dim, dim)),
        np.zeros(m.WORK_SIZE),
        np.zeros((m.N_LINES, dim)),
        np.zeros((m.N_SQUARES, dim, dim)),
        np.array([_log_constant(nu, dim) for nu in (*m.DF.tolist(), m.BROAD_DF)]),
    )
    store.slot[:, m.LOG_WEIGHT] = m.EMPTY
    store.work[m.NEAR] = 1.0
    watch = np.zeros(m.SCORES + m.N_RANKED)
    watch[m.P_VALUE] = 1.0
    return State(
        np.zeros(1, dtype=np.int64),
        store,
        np.log(m.LANE_PRIOR),
        np.zeros((m.PAST, dim)),
        np.log(m.POOL_PRIOR),
        watch,
        new_parts(dim, m.ROWS),
    )


def new_parts(dim: int, rows: int) -> Parts:
    """Return room for ``rows`` components."""
    return Parts(np.zeros(rows), np.zeros((rows, dim)), np.zeros((rows, dim, dim)), np.zeros(rows))


def with_own_scratch(state: State) -> State:
    """Return the same state with scratch of its own, for those who must leave no trace."""
    store = state.store
    return state._replace(store=store._replace(work=store.work.copy(), lines=store.lines.copy()))


def saved_arrays(state: State) -> dict[str, NDArray[np.generic]]:
    """Return what changes, by name; scratch for laws and the fixed table are left out."""
    store = {f"store_{name}": array for name, array in state.store._asdict().items()}
    del store["store_constants"]
    rest = state._asdict()
    for name in ("store", "parts"):
        del rest[name]
    return {**store, **rest}


def restore(state: State, arrays: dict[str, NDArray[np.generic]]) -> None:
    """Fill a new state with saved arrays; ValueError or KeyError where they do not fit."""
    for name, target in saved_arrays(state).items():
        given = arrays[name]
        if given.shape != target.shape or given.dtype != target.dtype:
            raise ValueError(f"{name} must be {target.shape} {target.dtype}, got {given.shape}")
        if not np.isfinite(given).all():
            raise ValueError(f"{name} must be finite")
        target[...] = given
    _check_counts(state)


def _check_counts(state: State) -> None:
    """Refuse counts that no run can reach: compiled code trusts them."""
    k, weight = state.store.slot[:, m.N_CENTERS], state.store.slot[:, m.LOG_WEIGHT]
    least = np.where(weight > m.DEAD, 1, 0)
    if not ((k >= least) & (k <= m.MAX_CENTERS) & (k == np.floor(k))).all():
        raise ValueError(f"numbers of centers must be whole, at most {m.MAX_CENTERS}")
    for name, count in (("t", float(state.t[0])), ("scores", float(state.watch[m.N_SCORES]))):
        if not (count >= 0 and count.is_integer()):
            raise ValueError(f"{name} must be a count, got {count}")


def _log_constant(nu: float, dim: int) -> float:
    """Log of the constant of the standard Student density in ``dim`` dimensions."""
    return lgamma((nu + dim) / 2) - lgamma(nu / 2) - dim / 2 * log(nu * pi)
