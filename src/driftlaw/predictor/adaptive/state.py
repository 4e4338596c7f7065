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
    twice_ranks: IntArray  # (PAST, d) of each among them: its equals, and twice the lower ones
    pool: Array  # (POOL_SIZE,) log weights: kinds of experts, lengths for each judge, widths
    watch: Array  # (SCORES + N_RANKED,) see `model`
    skewed: Store  # geometries of a logarithm, of one center each; on the line
    skewed_lanes: Array  # (N_LANES,) log weights
    axis: Array  # (N_AXIS,) what the logarithm is taken of
    parts: Parts  # scratch for the law of geometries


def new_state(dim: int) -> State:
    """Return the state before any observation."""
    watch = np.zeros(m.SCORES + m.N_RANKED)
    watch[m.P_VALUE] = 1.0
    return State(
        np.zeros(1, dtype=np.int64),
        _new_store(dim, m.N_SLOTS, m.MAX_CENTERS),
        np.log(m.LANE_PRIOR),
        np.zeros((m.PAST, dim)),
        np.zeros((m.PAST, dim), dtype=np.int64),
        np.log(m.POOL_PRIOR),
        watch,
        _new_store(1, m.N_SLOTS if dim == 1 else 0, 1),
        np.log(m.SKEWED_PRIOR),
        np.array([0.0, 0.0, 1.0, m.FIRST_JUDGED]),
        new_parts(dim, m.ROWS),
    )


def _new_store(dim: int, n: int, k: int) -> Store:
    """Return room for n geometries of at most k centers."""
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
    store.work[m.NEAR], store.work[m.LIMIT] = 1.0, k
    return store


def new_parts(dim: int, rows: int) -> Parts:
    """Return room for ``rows`` components."""
    return Parts(np.zeros(rows), np.zeros((rows, dim)), np.zeros((rows, dim, dim)), np.zeros(rows))


def with_own_scratch(state: State) -> State:
    """Return the same state with scratch of its own, for those who must leave no trace."""
    stores = (state.store, state.skewed)
    own = [x._replace(work=x.work.copy(), lines=x.lines.copy()) for x in stores]
    return state._replace(store=own[0], skewed=own[1])


def saved_arrays(state: State) -> dict[str, NDArray[np.generic]]:
    """Return what changes, by name, without scratch, the fixed table and what the past tells."""
    rest = state._asdict()
    del rest["parts"], rest["twice_ranks"]
    stores = {name: rest.pop(name)._asdict() for name in ("store", "skewed")}
    for arrays in stores.values():
        del arrays["constants"]
    named = {f"{name}_{key}": a for name, arrays in stores.items() for key, a in arrays.items()}
    return {**named, **rest}


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
    past = state.past[: state.t[0]]
    for values, twice in zip(past.T, state.twice_ranks.T, strict=True):
        ordered = np.sort(values)
        sides = [np.searchsorted(ordered, values, side) for side in ("left", "right")]
        twice[: len(values)] = np.sum(sides, axis=0)


def _check_counts(state: State) -> None:
    """Refuse counts that no run can reach: compiled code trusts them."""
    for store in (state.store, state.skewed):
        most, k = store.center.shape[1], store.slot[:, m.N_CENTERS]
        least = np.where(store.slot[:, m.LOG_WEIGHT] > m.DEAD, 1, 0)
        if not ((k >= least) & (k <= most) & (k == np.floor(k))).all():
            raise ValueError(f"numbers of centers must be whole, at most {most}")
        if store.work[m.LIMIT] != most:
            raise ValueError(f"the limit of centers must be {most}, got {store.work[m.LIMIT]}")
    if state.axis[m.SIGN] not in (-1.0, 0.0, 1.0) or state.axis[m.UNIT] <= 0.0:
        raise ValueError(f"the axis must have a sign and a unit, got {state.axis.tolist()}")
    if state.axis[m.SIGN] != 0.0 and state.store.mean.shape[2] > 1:
        raise ValueError("only streams on the line have an axis")
    for name, count in (("t", float(state.t[0])), ("scores", float(state.watch[m.N_SCORES]))):
        if not (count >= 0 and count.is_integer()):
            raise ValueError(f"{name} must be a count, got {count}")


def _log_constant(nu: float, dim: int) -> float:
    """Log of the constant of the standard Student density in ``dim`` dimensions."""
    return lgamma((nu + dim) / 2) - lgamma(nu / 2) - dim / 2 * log(nu * pi)
