"""`load`: read any saved predictor back."""

import os

from driftlaw.errors import InputError, SavedStateError
from driftlaw.predictor import storage
from driftlaw.predictor.adaptive import Adaptive
from driftlaw.predictor.quasibayes import QuasiBayes
from driftlaw.schedules import Schedule


def load(
    path: str | os.PathLike[str], *, schedule: Schedule | None = None
) -> QuasiBayes | Adaptive:
    """Read a predictor written by its ``save``; it goes on as if it had never stopped.

    Parameters
    ----------
    path : path-like
    schedule : callable, optional
        Needed when the saved predictor is a `QuasiBayes` with a schedule of its own, which no
        file can hold.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "state.npz")
    ...     QuasiBayes(dim=1, radius=1.0, rng=0).save(path)
    ...     load(path).n_seen
    0
    """
    saved = storage.read(path)
    if saved.kind == "QuasiBayes":
        return QuasiBayes.from_saved(saved, schedule)
    if saved.kind != "Adaptive":
        raise SavedStateError(f"{str(path)!r} holds an unknown predictor, {saved.kind!r}")
    if schedule is not None:
        raise InputError("schedule must be None: the saved predictor is an Adaptive")
    return Adaptive.from_saved(saved)
