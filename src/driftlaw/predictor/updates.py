"""What observations did to a predictor: the record of one, and of a batch."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import Array, IntArray
from driftlaw.inference import History


class UpdateInfo(NamedTuple):
    """What one observation did.

    Attributes
    ----------
    t : int
        Observations learnt so far.
    age : int
        Observations in the score now; 0 right after a restart.
    rate : float
        Learning rate of the quasi-posterior that predicts next.
    is_restart, is_outside : bool
        Whether memory restarted; whether the observation lies outside the prior's support, where
        no centre can follow it.
    mean_k, mean_loss : float
        Number of centres and cumulative loss, averaged over the kept configurations.
    loss_error : float
        What the loss of the last configuration may be too much by, at most; 0 unless
        ``max_history`` was reached.
    acceptance : dict
        Share of accepted proposals by move; NaN for a move that was not proposed. ``block`` is the
        share of blocks of iterations that stood, in a long window; NaN in a short one.
    """

    t: int
    age: int
    rate: float
    is_restart: bool
    is_outside: bool
    mean_k: float
    mean_loss: float
    loss_error: float
    acceptance: dict[str, float]


class UpdateHistory(NamedTuple):
    """What a batch of n observations did: the fields of `UpdateInfo` as arrays (n,).

    ``proposed`` and ``accepted`` (n, n_moves) count proposals; ``moves`` names the columns.
    """

    t: IntArray
    age: IntArray
    rate: Array
    is_restart: NDArray[np.bool_]
    is_outside: NDArray[np.bool_]
    mean_k: Array
    mean_loss: Array
    loss_error: Array
    proposed: IntArray
    accepted: IntArray
    moves: tuple[str, ...]

    def last(self) -> UpdateInfo:
        """Return the record of the latest observation alone."""
        return UpdateInfo(
            self.t.item(-1),
            self.age.item(-1),
            self.rate.item(-1),
            self.is_restart.item(-1),
            self.is_outside.item(-1),
            self.mean_k.item(-1),
            self.mean_loss.item(-1),
            self.loss_error.item(-1),
            acceptance(self.moves, self.proposed[-1], self.accepted[-1]),
        )


def joined(parts: list[UpdateHistory]) -> UpdateHistory:
    """Return the history of batches that were learnt one after the other."""
    names = UpdateHistory._fields[:-1]
    columns = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return UpdateHistory(**columns, moves=parts[0].moves)


def pooled(history: History) -> tuple[Array, Array, Array, IntArray]:
    """Means of k and of the loss, the largest error and all proposals, over the chains."""
    if len(history.mean_k) == 1:  # spares the arithmetic, which short batches would feel
        return history.mean_k[0], history.mean_loss[0], history.loss_error[0], history.tally[0]
    means = history.mean_k.mean(axis=0), history.mean_loss.mean(axis=0)
    return (*means, history.loss_error.max(axis=0), history.tally.sum(axis=0))


def acceptance(moves: tuple[str, ...], proposed: IntArray, accepted: IntArray) -> dict[str, float]:
    """Share of accepted proposals by move; NaN for a move that was not proposed."""
    pairs = zip(proposed.tolist(), accepted.tolist(), strict=True)
    shares = [a / p if p else float("nan") for p, a in pairs]
    return dict(zip(moves, shares, strict=True))
