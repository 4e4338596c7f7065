"""Checkpoints of a run: predictor, transform, sketch, and how far input and output have come."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from driftlaw.errors import InputError, SavedStateError
from driftlaw.live.predictors import Arrays, restored, saved_state
from driftlaw.live.sketch import Sketch
from driftlaw.predictor import storage
from driftlaw.tables import Preparation

WHAT = "checkpoint of a run"
_PARTS = ("predictor", "preparation", "sketch")


class Progress(NamedTuple):
    """How far a run has come: rows read and their checksum, output bytes and their checksum."""

    n_rows: int
    rows_checksum: int
    n_bytes: int
    bytes_checksum: int


class State(NamedTuple):
    """The parts of a run that change with each observation."""

    predictor: Any
    preparation: Preparation
    sketch: Sketch


class Cadence:
    """When to save: after so many observations, or so many seconds.

    Parameters
    ----------
    text : str
        ``"500"`` for observations, ``"30s"`` for seconds.

    Examples
    --------
    >>> cadence = Cadence("2")
    >>> [cadence.is_due() for _ in range(4)]
    [False, True, False, True]
    """

    def __init__(self, text: str) -> None:
        digits = text[:-1] if text.endswith("s") else text
        try:
            number = float(digits) if text.endswith("s") else int(digits)
        except ValueError as error:
            raise _cadence_error(text) from error
        if not 0 < number < float("inf"):
            raise _cadence_error(text)
        self._seconds = number if text.endswith("s") else None
        self._every = None if text.endswith("s") else int(number)
        self._count, self._since = 0, time.monotonic()

    def is_due(self) -> bool:
        """Count an observation; say whether to save after it."""
        self._count += 1
        if self._every is not None:
            return self._count % self._every == 0
        if self._seconds is None or time.monotonic() - self._since < self._seconds:
            return False
        self._since = time.monotonic()
        return True


def _cadence_error(text: str) -> InputError:
    return InputError(f"checkpoint-every must be like 500 or 30s, got {text!r}")


def save(path: str, identity: Mapping[str, Any], state: State, progress: Progress) -> None:
    """Write a checkpoint: flushed to disk, then renamed over the old one."""
    saved = saved_state(state.predictor)
    parts: tuple[Mapping[str, Any], ...] = (
        saved.arrays,
        state.preparation.state(),
        state.sketch.state(),
    )
    arrays: Arrays = {
        f"{part}/{name}": np.asarray(array)
        for part, named in zip(_PARTS, parts, strict=True)
        for name, array in named.items()
    }
    config = {
        "identity": dict(identity),
        "progress": list(progress),
        "predictor": {"kind": saved.kind, "config": saved.config},
    }
    storage.write(path, storage.Saved("run", config, arrays), WHAT)


def load(path: str, identity: Mapping[str, Any], fresh: State) -> tuple[State, Progress] | None:
    """Read a checkpoint into a fresh state; None where there is no file yet.

    ``identity`` is what the run is asked to do: a checkpoint of another one is refused.
    """
    if not Path(path).exists():
        return None
    saved = storage.read(path, WHAT)
    _check_identity(path, saved.config.get("identity"), identity)
    try:
        progress = Progress(*(int(number) for number in saved.config["progress"]))
        kind = saved.config["predictor"]["kind"]
        config = saved.config["predictor"]["config"]
        own = storage.Saved(kind, config, _part(saved, "predictor"))
        predictor = restored(identity["settings"]["predictor"], fresh.predictor, own)
        fresh.preparation.restore(_part(saved, "preparation"))
        fresh.sketch.restore(_part(saved, "sketch"))
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise SavedStateError(f"{path!r} is damaged: {error}") from error
    return State(predictor, fresh.preparation, fresh.sketch), progress


def _part(saved: storage.Saved, part: str) -> Arrays:
    prefix = f"{part}/"
    return {
        name.removeprefix(prefix): array
        for name, array in saved.arrays.items()
        if name.startswith(prefix)
    }


def _check_identity(path: str, found: Any, wanted: Mapping[str, Any]) -> None:
    if not isinstance(found, dict):
        raise SavedStateError(f"{path!r} is damaged: it does not say what it belongs to")
    flat_found, flat_wanted = _flat(found), _flat(wanted)
    for name in sorted(flat_wanted | flat_found):
        old, new = flat_found.get(name), flat_wanted.get(name)
        if old != new:
            raise InputError(
                f"{path!r} is the checkpoint of another run: {name} was {old!r} and is now "
                f"{new!r}; give the same options or another checkpoint"
            )


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in record.items():
        flat |= _flat(value) if isinstance(value, Mapping) else {name: value}
    return flat
