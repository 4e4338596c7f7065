r"""The stream of a moving mixture: centres, weights and scales each on a path of their own."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._rng import RngLike, as_seed
from driftlaw._validate import Array, check_count
from driftlaw.errors import InputError
from driftlaw.law import MixtureLaw
from driftlaw.streams.base import Step
from driftlaw.streams.paths import PathLike, as_path


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MixtureStream:
    r"""Independent draws :math:`x_t \sim p_t^* = \sum_j w_{j,t}\, N(c_{j,t}, \Sigma_{j,t})`.

    Student-t components where ``df`` is finite. A component of weight 0 does not exist at t.

    Parameters
    ----------
    centers : path or array (K, d)
    weights : path or array (K,); one number, the default, for equal weights
    scales : path or array
        Standard deviations, one number (1 by default) or (K,), or lower Cholesky factors
        (K, d, d).
    df : number or (K,), > 1 so that W1 exists
    n_steps : None for an endless stream
    rng : seed of the draws
        Paths that wander have seeds of their own: the law of every step is fixed at birth, and
        another ``rng`` gives other draws from the same laws (``dataclasses.replace``).

    Notes
    -----
    Paper: [eq:total-regret], whose :math:`p_t^*` is ``law_at(t - 1)``. Iterating holds one point.

    Examples
    --------
    >>> stream = MixtureStream(centers=[[0.0], [5.0]], scales=0.1, n_steps=3, rng=0)
    >>> [step.t for step in stream], stream.law_at(2).mean()
    ([0, 1, 2], array([2.5]))
    """

    centers: PathLike
    weights: PathLike = 1.0
    scales: PathLike = 1.0
    df: ArrayLike = np.inf
    n_steps: int | None = None
    rng: RngLike = None
    n_components: int = field(init=False)
    dim: int = field(init=False)

    def __post_init__(self) -> None:
        if self.n_steps is not None:
            check_count("n_steps", self.n_steps)
        object.__setattr__(self, "rng", as_seed(self.rng))
        for name in ("centers", "weights", "scales"):
            object.__setattr__(self, name, as_path(getattr(self, name)))
        centers = self.centers_at(0)
        if centers.ndim != 2:
            raise InputError(f"centers must be (K, d) at every t, got {centers.shape}")
        object.__setattr__(self, "n_components", len(centers))
        object.__setattr__(self, "dim", centers.shape[1])
        self.law_at(0)

    def centers_at(self, t: int) -> Array:
        """Return the centres (K, d) at ``t``, also of components that do not live."""
        return as_path(self.centers)(t)

    def weights_at(self, t: int) -> Array:
        """Return the weights (K,) at ``t``, 0 for components that do not live."""
        weights = as_path(self.weights)(t)
        if weights.ndim == 0:
            return np.full(self.n_components, 1.0 / self.n_components)
        if weights.shape != (self.n_components,):
            raise InputError(f"weights must be ({self.n_components},), got {weights.shape} at {t=}")
        return weights

    def scales_at(self, t: int) -> Array:
        """Return the standard deviations (K,) or Cholesky factors (K, d, d) at ``t``."""
        scales = as_path(self.scales)(t)
        return np.full(self.n_components, scales) if scales.ndim == 0 else scales

    def law_at(self, t: int) -> MixtureLaw:
        """Return the law of step ``t``, for every t >= 0 (also past ``n_steps``)."""
        check_count("t", t, least=0)
        centers, weights, scales = self.centers_at(t), self.weights_at(t), self.scales_at(t)
        df = np.asarray(self.df, dtype=np.float64)
        living = weights > 0
        if living.all():
            return MixtureLaw(weights, centers, scales, df)
        df = df if df.ndim == 0 else df[living]
        return MixtureLaw(weights[living], centers[living], scales[living], df)

    def __iter__(self) -> Iterator[Step]:
        rng = np.random.default_rng(as_seed(self.rng))
        for t in count() if self.n_steps is None else range(self.n_steps):
            point = self.law_at(t).sample(1, rng)[0]
            point.setflags(write=False)
            yield Step(t, point, point, False)
