"""Configurations: a number of centres k and the centres, padded to a common size."""

from typing import NamedTuple

import numpy as np

from driftlaw._validate import Array, IntArray


class Configurations(NamedTuple):
    """M configurations side by side.

    Attributes
    ----------
    k : (M,) int array
        Number of centres of each configuration.
    centers : (M, max_centers, dim) array
        Centres; NaN beyond the k-th. Their order carries no meaning.
    """

    k: IntArray
    centers: Array

    def __len__(self) -> int:
        """Return the number of configurations M."""
        return len(self.k)

    def each(self) -> list[Array]:
        """Return the configurations one by one, as arrays (k, dim)."""
        return [c[:k] for k, c in zip(self.k, self.centers, strict=True)]


def padded(k: IntArray, centers: Array) -> Configurations:
    """Copy raw sampler output and put NaN into the slots beyond k."""
    slots = np.arange(centers.shape[1])
    return Configurations(k.copy(), np.where((slots < k[:, None])[..., None], centers, np.nan))
