"""A restored state is checked before it runs: compiled code trusts its counts and numbers."""

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import Array
from driftlaw.inference import SamplerState
from driftlaw.inference.chain import BLOCK
from driftlaw.predictor.adaptive.model import N_SCORES


def check_restored(state: SamplerState) -> None:
    """Raise ValueError where a sampler's arrays hold what no run can reach."""
    most = state.sizes.max_centers
    for name, k in (("chain_k", state.chains.k), ("record_k", state.records.k)):
        if not ((k >= 1) & (k <= most)).all():
            raise ValueError(f"{name} must be in 1 … {most}, got {k.min()} … {k.max()}")
    if not state.chains.random.any(axis=1).all():
        raise ValueError("chain_random must not be all zero: such a generator stands still")
    for name, array in state.arrays().items():
        if not np.isfinite(array).all():
            raise ValueError(f"{name} must be finite")
    bounded = (
        ("chain_distances", state.chains.distances, 0),
        ("record_loss", state.records.loss, 0),
        ("length of blocks", state.chains.numbers[:, BLOCK], 1),
    )
    for name, array, least in bounded:
        if (array < least).any():
            raise ValueError(f"{name} must be >= {least}, got {array.min()}")


def read_progress(progress: NDArray[np.generic], n_window: int) -> tuple[int, float]:
    """Return the number of observations and the rate; ValueError if they cannot be."""
    t, rate = (float(x) for x in progress.tolist())
    if not (t.is_integer() and n_window <= t < 2**53 and 0 <= rate < np.inf):
        raise ValueError(f"progress must be a count >= {n_window} and a rate, got {t}, {rate}")
    return int(t), rate


def restore_watch_inplace(watch: Array, saved: NDArray[np.generic]) -> None:
    """Fill the watch over adaptive restarts; ValueError where no run can have left it so."""
    if saved.shape != watch.shape or saved.dtype != watch.dtype:
        raise ValueError(f"watch must be {watch.shape} {watch.dtype}, got {saved.shape}")
    count = float(saved[N_SCORES])
    if not (np.isfinite(saved).all() and count >= 0 and count.is_integer()):
        raise ValueError("watch must be finite, with a count of scores")
    watch[...] = saved
