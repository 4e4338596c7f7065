"""`PredictorBank`: many predictors of one configuration, learning on several threads."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._rng import RngLike, as_generator
from driftlaw._validate import Array, check_count, check_finite, check_points
from driftlaw.errors import InputError
from driftlaw.inference import Plan, Together
from driftlaw.law import PredictiveLaw
from driftlaw.predictor.quasibayes import QuasiBayes
from driftlaw.predictor.restart import plan_steps
from driftlaw.predictor.updates import UpdateHistory


class PredictorBank:
    """Independent predictors of many streams, with one configuration.

    Each predictor is a `QuasiBayes` and can be had by its number. A batch of observations is
    learnt in one compiled call for each thread; the result is, bit for bit, that of separate
    predictors. Where predictors cannot go side by side (the paper's sampler, adaptive restarts,
    windows that have grown long, predictors that learnt alone) there is a call for each.

    Parameters
    ----------
    n_predictors : int
    dim, radius : int, float
        As in `QuasiBayes`.
    rng : seed or numpy Generator
        Its children seed the predictors: number i is
        ``QuasiBayes(..., rng=np.random.default_rng(rng).spawn(n_predictors)[i])``.
    **settings
        All other settings of `QuasiBayes`.

    Examples
    --------
    >>> import numpy as np
    >>> bank = PredictorBank(3, dim=1, radius=5.0, n_iterations=40, rng=0)
    >>> history = bank.learn_many(np.zeros((3, 5, 1)), n_threads=2)
    >>> len(history), len(bank.predict()), bank[2].n_seen
    (3, 3, 5)
    """

    def __init__(
        self, n_predictors: int, dim: int, radius: float, *, rng: RngLike = None, **settings: Any
    ) -> None:
        n = check_count("n_predictors", n_predictors)
        children = as_generator(rng).spawn(n)
        self._predictors = [QuasiBayes(dim, radius, rng=child, **settings) for child in children]
        self._together = Together([predictor._state for predictor in self._predictors])

    def __repr__(self) -> str:
        return f"<PredictorBank of {len(self)}, the first one {self._predictors[0]!r}>"

    def __len__(self) -> int:
        return len(self._predictors)

    def __getitem__(self, i: int) -> QuasiBayes:
        return self._predictors[i]

    def __iter__(self) -> Iterator[QuasiBayes]:
        return iter(self._predictors)

    @property
    def dim(self) -> int:
        """Dimension of an observation."""
        return self._predictors[0].dim

    def predict(self) -> list[PredictiveLaw]:
        """Return the law of the next observation of every stream."""
        return [predictor.predict() for predictor in self._predictors]

    def learn_one(self, z: ArrayLike, *, n_threads: int = 1) -> list[UpdateHistory]:
        """Learn one observation of every stream, z (n_predictors, dim)."""
        rows = check_points("z", z, self.dim)
        if len(rows) != len(self):
            raise InputError(f"z must be ({len(self)}, {self.dim}), got {rows.shape}")
        return self.learn_many(rows[:, None], n_threads=n_threads)

    def learn_many(self, Z: ArrayLike, *, n_threads: int = 1) -> list[UpdateHistory]:
        """Learn n observations of every stream, Z (n_predictors, n, dim).

        On bad input raise `InputError` and change nothing. The number of threads changes nothing
        but the time.
        """
        batches = self._checked(Z)
        n_threads = min(check_count("n_threads", n_threads), len(self))
        plan = self._common_plan(batches.shape[1])
        if plan is not None and self._together.can_advance(plan):
            target = self._predictors[0]._target
            histories = self._together.advance(batches, plan, target, n_threads)
            pairs = zip(self._predictors, histories, strict=True)
            return [
                predictor._note(plan._replace(rates=plan.rates.copy()), history)
                for predictor, history in pairs
            ]
        shares = np.array_split(np.arange(len(self)), n_threads)
        with ThreadPoolExecutor(n_threads) as pool:
            runs = [pool.submit(self._learn_some, share.tolist(), batches) for share in shares]
            return [history for run in runs for history in run.result()]

    def _common_plan(self, n: int) -> Plan | None:
        """Return what the next n observations do to every predictor, if it is the same."""
        first = self._predictors[0]
        if first.config.restart is not None or len({p.n_seen for p in self._predictors}) > 1:
            return None
        return plan_steps(first.config, first.n_seen, first._state.n_window, n)

    def _learn_some(self, numbers: list[int], batches: Array) -> list[UpdateHistory]:
        return [self._predictors[i].learn_many(batches[i]) for i in numbers]

    def _checked(self, Z: ArrayLike) -> Array:
        batches = check_finite("Z", Z)
        shape = batches.shape
        if len(shape) != 3 or shape[0] != len(self) or shape[1] == 0 or shape[2] != self.dim:
            raise InputError(f"Z must be ({len(self)}, n, {self.dim}) with n >= 1, got {shape}")
        return self._predictors[0]._near("Z", batches)  # all have one center and radius
