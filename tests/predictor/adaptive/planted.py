"""A state whose first geometry is fitted to given points, for the tests of kernels."""

import numpy as np

from driftlaw._validate import Array
from driftlaw.predictor.adaptive.groups import find_groups
from driftlaw.predictor.adaptive.plant import plant_inplace
from driftlaw.predictor.adaptive.state import State, new_state
from driftlaw.predictor.adaptive.world import learn_world_inplace


def planted(points: Array, n_centers: int = 2) -> State:
    """Return a state whose first geometry is fitted to the points."""
    state = new_state(points.shape[1])
    for z in points:
        learn_world_inplace(state.store, z)
    labels = find_groups(state.store, points, n_centers)[-1]
    plant_inplace(state.store, 0, points, labels, 2, len(points) - 1, False)
    return state


def blobs(dim: int, n: int = 40, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(np.where(np.arange(n)[:, None] % 2, 4.0, -4.0), 1.0, (n, dim)))
