"""`Adaptive`: the predictor that needs no tuning."""

import os
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._rng import RngLike, as_generator
from driftlaw._validate import Array, check_count, check_point, check_points, check_positive
from driftlaw.errors import InputError, SavedStateError
from driftlaw.law import MixtureLaw
from driftlaw.predictor import storage
from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.assembly import predictive_law
from driftlaw.predictor.adaptive.info import (
    AdaptiveHistory,
    AdaptiveInfo,
    new_history,
    read_history,
)
from driftlaw.predictor.adaptive.loop import advance_inplace
from driftlaw.predictor.adaptive.refit import best_geometry
from driftlaw.predictor.adaptive.score import weigh_inplace
from driftlaw.predictor.adaptive.state import new_state, restore, saved_arrays, with_own_scratch

_LARGEST = 1e100  # squares of larger observations would leave the range of floating point


class Geometry(NamedTuple):
    """The leading configuration of centers, one step ahead."""

    centers: Array  # (k, dim)
    velocities: Array  # (k, dim) per observation
    weights: Array  # (k,)
    identities: Array  # (k,) time of birth, which stays with a center


class Adaptive:
    r"""Quasi-Bayesian tracking of drifting centers at many time scales; nothing to tune.

    .. math:: \hat p_{t+1} = \sum_e w_{t,e}\, \hat p_{t+1,e}, \qquad
              \hat\rho(c) \propto \pi(c) \prod_s \Big[(1-\epsilon) \sum_j \pi_j\,
              t_\nu(z_s; c_j, (1+P_j) \sigma^2 C_j) + \epsilon\, b(z_s)\Big]

    Centers have position and velocity; weights, kernel scales, shapes and tails have memories of
    their own; a beam of geometries tells outliers from changes; a pool weighs the resulting laws
    and empirical windows by a proper score with fixed share. ``docs/adaptive.md`` has the
    mathematics.

    Parameters
    ----------
    dim : int
        Dimension of an observation.
    false_alarm_rate : float
        Alarms per observation that are accepted while nothing changes, in (0, 1).
    rng : seed or numpy Generator
        Accepted, as by the other predictors, and not used: the method is deterministic.

    Notes
    -----
    Translating the stream translates the law; rescaling rescales it from the second observation
    on. Before the first the law is a standard Student-t with 3 degrees of freedom at the origin;
    after it, one centred there whose unit is still the caller's. Observations above 1e100 in
    absolute value are refused, differences below some 1e-150 are taken for none.

    Examples
    --------
    >>> import numpy as np
    >>> p = Adaptive(dim=1)
    >>> for z in np.random.default_rng(0).normal(200.0, 10.0, size=(60, 1)):
    ...     info = p.learn_one(z)
    >>> bool(abs(p.predict().mean()[0] - 200.0) < 5.0), info.is_alarm
    (True, False)
    """

    expert_names: ClassVar[tuple[str, ...]] = m.EXPERTS

    def __init__(self, dim: int, *, false_alarm_rate: float = 0.001, rng: RngLike = None) -> None:
        rate = check_positive("false_alarm_rate", false_alarm_rate)
        if rate >= 1:
            raise InputError(f"false_alarm_rate must be < 1, got {false_alarm_rate!r}")
        as_generator(rng)
        self._rate = rate
        self._state = new_state(check_count("dim", dim))

    def __repr__(self) -> str:
        return (
            f"<Adaptive after {self.n_seen} observations: dim={self.dim}, "
            f"false_alarm_rate={self._rate}>"
        )

    @property
    def dim(self) -> int:
        """Dimension of an observation."""
        return int(self._state.past.shape[1])

    @property
    def n_seen(self) -> int:
        """Observations learnt so far."""
        return int(self._state.t[0])

    @property
    def false_alarm_rate(self) -> float:
        """Alarms per observation that are accepted while nothing changes."""
        return self._rate

    def predict(self) -> MixtureLaw:
        """Return the law of the next observation; pure, two calls give one answer."""
        return predictive_law(self._state)

    def learn_one(self, z: ArrayLike) -> AdaptiveInfo:
        """Learn one observation (dim,); on bad input raise `InputError` and change nothing."""
        return self._learn("z", check_point("z", z, self.dim)[None]).last()

    def learn_many(self, Z: ArrayLike) -> AdaptiveHistory:
        """Learn the rows of Z (n, dim), the same as `learn_one` on each, with less around it."""
        return self._learn("Z", check_points("Z", Z, self.dim))

    def _learn(self, name: str, batch: Array) -> AdaptiveHistory:
        largest = np.abs(batch).max()
        if largest > _LARGEST:
            raise InputError(f"{name} must be at most {_LARGEST} in size, got {largest}")
        t, rows = self.n_seen, new_history(len(batch))
        advance_inplace(self._state, np.ascontiguousarray(batch), self._rate, rows)
        return read_history(rows, t)

    def geometry(self) -> Geometry:
        """Return the leading centers with velocities, weights and identities."""
        x = with_own_scratch(self._state).store
        s = best_geometry(x, self._state.lanes)
        k = int(x.slot[s, m.N_CENTERS])
        weigh_inplace(x, s)
        return Geometry(
            x.mean[s, :k].copy(),
            x.velocity[s, :k].copy(),
            x.work[m.PI : m.PI + k].copy(),
            x.center[s, :k, m.IDENTITY] + 1.0,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to ``path``, atomically; `driftlaw.load` resumes bit for bit."""
        storage.write(path, self.to_saved())

    def to_saved(self) -> storage.Saved:
        """Return what `save` writes."""
        config = {"dim": self.dim, "false_alarm_rate": self._rate}
        return storage.Saved("Adaptive", config, saved_arrays(self._state))

    @classmethod
    def from_saved(cls, saved: storage.Saved) -> "Adaptive":
        """Rebuild a predictor from what `driftlaw.load` read."""
        try:
            predictor = cls(**saved.config)
            restore(predictor._state, saved.arrays)
        except (KeyError, ValueError, TypeError, MemoryError) as error:
            raise SavedStateError(f"saved arrays do not fit the settings: {error}") from error
        return predictor
