"""`QuasiBayes`: the paper's predictor, vanilla and restarted."""

import os
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._rng import RngLike, as_generator
from driftlaw._validate import Array, IntArray, check_count, check_point, check_points, require
from driftlaw.errors import InputError, SavedStateError
from driftlaw.geometry import Configurations, ball_prior, log_count_prior, padded
from driftlaw.inference import (
    Diagnostics,
    History,
    Plan,
    SamplerState,
    Sizes,
    Target,
    ess,
    move_names,
    rhat,
)
from driftlaw.law import PredictiveLaw
from driftlaw.predictor import storage
from driftlaw.predictor.config import QuasiBayesConfig
from driftlaw.predictor.kernels import Draws, predictive_law
from driftlaw.predictor.restart import new_watch, plan_step_inplace, plan_steps, surprise
from driftlaw.predictor.restored import check_restored, read_progress, restore_watch_inplace
from driftlaw.predictor.updates import UpdateHistory, UpdateInfo, acceptance, joined, pooled
from driftlaw.schedules import Schedule, SqrtLog

_FAR = 1e12  # in radii; further out a squared distance does not see a centre move


class QuasiBayes:
    r"""Online quasi-Bayesian prediction of the law of the next observation.

    .. math:: \hat\rho_{t+1}(dc) \propto \exp(-\lambda_a S(c))\, \pi(dc), \qquad
              \hat p_{t+1} = \int p(\cdot | c)\, \hat\rho_{t+1}(dc)

    with S the clustering loss of the observations since the last restart and a their number.

    Parameters
    ----------
    dim : int
        Dimension of an observation.
    radius : float
        The paper's R: centres are uniform on the ball of radius 2R.
    center : (dim,) array, optional
        Centre of that ball; the origin by default.
    max_centers, eta : int, float
        Prior on the number of centres, q(k) ∝ exp(-eta k) for k up to ``max_centers``.
    schedule : callable
        Learning rate by age; see :mod:`driftlaw.schedules`. It is asked from age 1 on: at age 0
        the rate is 0 and the prior predicts.
    restart_every : int, optional
        Forget all observations each time that so many are in the score; never by default.
    restart_at : tuple of int
        Instead: forget right after the observations of these numbers (the first one is 1).
    restart : {None, "adaptive"}
        Instead: forget when the losses of new observations under the current draws say that the
        stream has changed, by a Shiryaev-Roberts statistic of the ranks of these losses.
    false_alarm_rate : float
        Adaptive restarts per observation that are accepted while nothing changes, in (0, 1).
    sampler : {"local", "paper", "paper-symmetric"}
        Moves of one centre at a time; the proposal that the paper describes; the same with its
        density averaged over the labellings of the centres.
    kernel : {"gibbs", "adaptive", "gaussian"}
        p(x|c): ∝ exp(-rate · min_j ‖x - c_j‖²) on the prior's ball; Gaussians around the centres
        with a width learnt from the window's residuals, or with the given ``scale``.
    weights : {"uniform", "occupancy"}
        Mass of each centre: equal, or its share of the window's observations.
    n_iterations, burn_in, n_configurations, n_chains : int, float, int, int
        Proposals per update and chain; share of them discarded; configurations kept in all;
        independent chains.
    max_history : int, optional
        Most observations to hold. When they are reached, neighbours are merged into weighted
        micro-clusters, at most three quarters as many; the info then bounds the error of the loss.
        By default all observations of the segment are held and the loss is exact. For sampler
        ``"local"`` only.
    rng : seed or numpy Generator

    Notes
    -----
    Paper: [alg:vanilla-qb], [eq:vanilla-quasi-posterior], [eq:restart-posterior].

    Examples
    --------
    >>> import numpy as np
    >>> p = QuasiBayes(dim=1, radius=5.0, schedule=lambda age: 1.0, restart_every=50, rng=0,
    ...                kernel="adaptive", weights="occupancy")
    >>> for z in np.random.default_rng(0).normal(2.0, 1.0, size=(40, 1)):
    ...     info = p.learn_one(z)
    >>> info.age, bool(abs(p.predict().mean()[0] - 2.0) < 0.5)
    (40, True)
    """

    def __init__(  # noqa: PLR0913 - the paper's parameters, each by name
        self,
        dim: int,
        radius: float,
        *,
        center: ArrayLike | None = None,
        max_centers: int = 4,
        eta: float = 0.1,
        schedule: Schedule = SqrtLog(0.1),  # noqa: B008 - frozen
        restart_every: int | None = None,
        restart_at: tuple[int, ...] = (),
        restart: str | None = None,
        false_alarm_rate: float = 0.001,
        sampler: str = "local",
        kernel: str = "gibbs",
        scale: float | None = None,
        weights: str = "uniform",
        n_iterations: int = 200,
        burn_in: float = 0.25,
        n_configurations: int = 10,
        n_chains: int = 1,
        max_history: int | None = None,
        rng: RngLike = None,
    ) -> None:
        given = locals()  # all of the above: what is not a setting has a name of its own
        settings: dict[str, Any] = {f.name: given[f.name] for f in fields(QuasiBayesConfig)}
        self._set_up(QuasiBayesConfig(**settings), center, as_generator(rng))
        self._state.sample(self._target)

    def _set_up(
        self, config: QuasiBayesConfig, center: ArrayLike | None, rng: np.random.Generator
    ) -> None:
        self.config = config
        self._t, self._rate, self._watch = 0, 0.0, new_watch()
        self._prior = ball_prior(config.dim, 2.0 * config.radius, center)
        self._target = Target(0.0, log_count_prior(config.max_centers, config.eta), self._prior)
        sizes = Sizes(
            dim=config.dim,
            max_centers=config.max_centers,
            n_chains=config.n_chains,
            n_kept=config.n_kept,
            n_configurations=config.n_configurations // config.n_chains,
            n_burn=config.n_burn,
            sampler=config.sampler,
            is_counting=config.weights == "occupancy" or config.kernel == "adaptive",
            max_history=config.max_history or 0,
        )
        self._state = SamplerState(sizes, rng)

    def __repr__(self) -> str:
        settings = ", ".join(
            f"{f.name}={getattr(self.config, f.name)!r}" for f in fields(self.config)
        )
        return f"<QuasiBayes after {self._t} observations: {settings}>"

    @property
    def dim(self) -> int:
        """Dimension of an observation."""
        return self.config.dim

    @property
    def n_seen(self) -> int:
        """Observations learnt so far."""
        return self._t

    def predict(self) -> PredictiveLaw:
        """Return the law of the next observation; pure, two calls give one answer."""
        k, centers = self._draws()
        records = self._state.records
        draws = Draws(
            k,
            centers,
            records.loss.reshape(-1).copy(),
            records.counts.reshape(len(k), -1).copy(),
            self._state.n_window,
            self._rate,
        )
        return predictive_law(self.config, self._prior, draws)

    def learn_one(self, z: ArrayLike) -> UpdateInfo:
        """Learn one observation (dim,); on bad input raise `InputError` and change nothing."""
        return self._learn(self._near("z", check_point("z", z, self.dim)[None])).last()

    def learn_many(self, Z: ArrayLike, *, n_threads: int = 1) -> UpdateHistory:
        """Learn the rows of Z (n, dim) in one compiled loop; the same as `learn_one` on each.

        Chains may share out several threads, whose number changes nothing but the time.
        """
        n_threads = check_count("n_threads", n_threads)
        return self._learn(self._near("Z", check_points("Z", Z, self.dim)), n_threads)

    def _near(self, name: str, batch: Array) -> Array:
        """Return the batch if squared distances keep their precision beside a centre's moves."""
        far = np.abs(batch - self._prior.center).max()
        if far > _FAR * self.config.radius:
            raise InputError(f"{name} must lie within {_FAR:g} radii of center, got {far:g} away")
        return batch

    def _learn(self, batch: Array, n_threads: int = 1) -> UpdateHistory:
        # asks the schedule for every age that may come, before anything changes
        plan = plan_steps(self.config, self._t, self._state.n_window, len(batch))
        if self.config.restart is None:
            return self._follow(batch, plan, n_threads)
        return joined([self._learn_watched(z, n_threads) for z in batch])

    def _learn_watched(self, z: Array, n_threads: int) -> UpdateHistory:
        """Learn one observation, and forget all where its loss says that the stream changed."""
        loss = surprise(*self._draws(), z)
        age = self._state.n_window
        plan = plan_step_inplace(self.config, self._watch, age, loss)
        return self._follow(z[None], plan, n_threads)

    def _follow(self, batch: Array, plan: Plan, n_threads: int) -> UpdateHistory:
        return self._note(plan, self._state.advance(batch, plan, self._target, n_threads))

    def _note(self, plan: Plan, history: History) -> UpdateHistory:
        """Count the observations that the sampler has learnt; return what they did."""
        t, n = self._t, len(plan.rates)
        mean_k, mean_loss, loss_error, tally = pooled(history)
        self._t += n
        self._rate = float(plan.rates[-1])
        return UpdateHistory(
            np.arange(t + 1, t + n + 1),
            history.n_window,
            plan.rates,
            plan.restarts != 0,
            history.outside != 0,
            mean_k,
            mean_loss,
            loss_error,
            tally[..., 0],
            tally[..., 1],
            move_names(self.config.sampler),
        )

    def configurations(self) -> Configurations:
        """Return the kept posterior draws: k (M,) and centers (M, max_centers, dim)."""
        return padded(*self._draws())

    def _draws(self) -> tuple[IntArray, Array]:
        records, p = self._state.records, self.config.max_centers
        return records.k.reshape(-1).copy(), records.centers.reshape(-1, p, self.dim).copy()

    def diagnostics(self) -> Diagnostics:
        """Return acceptance, effective sample size and R-hat of the latest update."""
        r = self._state.records
        tally = r.tally.sum(axis=0)
        return Diagnostics(
            acceptance(move_names(self.config.sampler), tally[:, 0], tally[:, 1]),
            ess(r.trace_k),
            ess(r.trace_loss),
            rhat(r.trace_k),
            rhat(r.trace_loss),
        )

    def to_arviz(self) -> Any:
        """Return the traces of k and of the loss as ArviZ ``InferenceData``."""
        arviz = require("arviz", "arviz")
        r = self._state.records
        return arviz.from_dict(posterior={"k": r.trace_k.copy(), "loss": r.trace_loss.copy()})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to ``path``, atomically; `driftlaw.load` resumes bit for bit."""
        storage.write(path, self.to_saved())

    def to_saved(self) -> storage.Saved:
        """Return what `save` writes."""
        arrays = {name: array.copy() for name, array in self._state.arrays().items()}
        for k, rows in zip(self._state.chains.k[:, 0], arrays["chain_distances"], strict=True):
            rows[k:] = 0.0  # left by centres that are gone: nobody reads them
        arrays["progress"] = np.array([self._t, self._rate])
        arrays["center"] = self._prior.center
        if self.config.restart is not None:
            arrays["watch"] = self._watch.copy()
        return storage.Saved("QuasiBayes", self.config.to_dict(), arrays)

    @classmethod
    def from_saved(cls, saved: storage.Saved, schedule: Schedule | None = None) -> "QuasiBayes":
        """Rebuild a predictor from what `driftlaw.load` read."""
        config = QuasiBayesConfig.from_dict(saved.config, schedule)
        predictor = cls.__new__(cls)
        try:
            predictor._set_up(config, saved.arrays["center"], np.random.default_rng(0))
            predictor._state.restore(saved.arrays)
            check_restored(predictor._state)
            progress = read_progress(saved.arrays["progress"], predictor._state.n_window)
            if config.restart is not None:
                restore_watch_inplace(predictor._watch, saved.arrays["watch"])
        except (KeyError, ValueError, IndexError, TypeError, MemoryError) as error:
            raise SavedStateError(f"saved arrays do not fit the settings: {error}") from error
        predictor._t, predictor._rate = progress
        return predictor
