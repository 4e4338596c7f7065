"""Predictors by name: made from options, saved into arrays and read back."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import check_choice
from driftlaw.errors import InputError, SavedStateError
from driftlaw.law import LineSummary, MixtureLaw
from driftlaw.peers import BOCPD, EWMA, GARCH, KDE, RollingWindow, WindowMixture
from driftlaw.predictor import Adaptive, QuasiBayes
from driftlaw.predictor.storage import Saved
from driftlaw.schedules import Constant

Arrays = dict[str, NDArray[Any]]


class _Kind(NamedTuple):
    make: Callable[..., Any]
    defaults: Mapping[str, Any]


_KINDS: dict[str, _Kind] = {
    "adaptive": _Kind(Adaptive, {}),
    "quasi-bayes": _Kind(
        QuasiBayes, {"kernel": "adaptive", "weights": "occupancy", "restart_every": 100}
    ),
    "window": _Kind(RollingWindow, {"size": 100}),
    "kde": _Kind(KDE, {}),
    "ewma": _Kind(EWMA, {}),
    "mixture": _Kind(WindowMixture, {}),
    "bocpd": _Kind(BOCPD, {}),
    "garch": _Kind(GARCH, {}),
}
PREDICTORS = tuple(_KINDS)


def make_predictor(name: str, dim: int, options: Mapping[str, Any], seed: int = 0) -> Any:
    """Make a predictor by its name on the command line.

    Parameters
    ----------
    name : one of ``PREDICTORS``
    dim : dimension of the observations
    options : the keyword arguments of its class; for ``quasi-bayes`` also ``rate``, a constant
        learning rate (1 when neither it nor a schedule is given)
    seed : of those that draw

    Examples
    --------
    >>> make_predictor("ewma", 2, {"half_life": 10.0}).half_life
    10.0
    """
    kind = _KINDS[check_choice("predictor", name, PREDICTORS)]
    known = option_names(name)
    for option in options:
        if option not in known:
            raise InputError(
                f"{name} has no option {option!r}; it has {', '.join(known) or 'none'}"
            )
    values = {**kind.defaults, **options}
    if name == "quasi-bayes":
        if "radius" not in values:
            raise InputError("quasi-bayes needs the option radius, half that of the prior's ball")
        values["schedule"] = Constant(values.pop("rate", 1.0))
        values["rng"] = seed
    try:
        return kind.make(dim, **values)
    except TypeError as error:
        raise InputError(f"options of {name} do not fit: {error}") from error


def option_names(name: str) -> tuple[str, ...]:
    """Options that a predictor takes on the command line."""
    names = list(inspect.signature(_KINDS[name].make).parameters)
    own = [option for option in names if option not in ("dim", "rng", "schedule")]
    return (*own, "rate") if name == "quasi-bayes" else tuple(own)


def warm_up(name: str, dim: int, options: Mapping[str, Any]) -> None:
    """Compile what a run of this predictor needs: long at the first use, short ever after."""
    predictor = make_predictor(name, dim, options)
    for _ in range(2):
        predictor.learn_one(np.zeros(dim))
        predictor.predict()
    if name == "adaptive":
        predictor.geometry()
    law = MixtureLaw([1.0], [0.0], [1.0])
    law.quantile(0.5)
    line = LineSummary(law)
    line.crps(0.0)
    line.quantile([0.5])


def saved_state(predictor: Any) -> Saved:
    """Return the kind, the settings and the arrays of any predictor made here."""
    if isinstance(predictor, Adaptive | QuasiBayes):
        return predictor.to_saved()
    return Saved(type(predictor).__name__, {}, predictor.state())


def restored(name: str, fresh: Any, saved: Saved) -> Any:
    """Return the predictor that was saved; ``fresh`` is a new one of the same settings."""
    if saved.kind != type(fresh).__name__:
        raise SavedStateError(f"the checkpoint holds a {saved.kind}, not a {name} predictor")
    if isinstance(fresh, Adaptive | QuasiBayes):
        return type(fresh).from_saved(saved)
    try:
        fresh.restore(saved.arrays)
    except (KeyError, ValueError, IndexError, TypeError) as error:
        raise SavedStateError(f"saved arrays do not fit the settings: {error}") from error
    return fresh
