"""Who takes part: the paper's predictor in two settings, and windows of several lengths."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from driftlaw.errors import InputError
from driftlaw.evaluate import Predictor
from driftlaw.peers import RollingWindow
from driftlaw.predictor import QuasiBayes
from driftlaw.predictor.config import QuasiBayesConfig

WORDS = {"printed": "as printed", "recommended": "as recommended"}


def series_name(memory: str, setting: str) -> str:
    """Name of a predictor in tables and pictures.

    Examples
    --------
    >>> series_name("restarted", "printed")
    'restarted, as printed'
    """
    return f"{memory}, {WORDS[setting]}"


def window_name(size: int) -> str:
    """Name of the window of so many observations."""
    return f"window {size}"


def check_settings(settings: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> None:
    """Raise unless there are settings of these names and each makes a predictor."""
    if tuple(settings) != tuple(names):
        raise InputError(f"settings must be {', '.join(names)}, got {', '.join(settings)}")
    for options in settings.values():
        QuasiBayesConfig.from_dict({"dim": 1, **options}, None)


def make_predictor(record: Mapping[str, Any], dim: int, seed: np.random.SeedSequence) -> Predictor:
    """Make the predictor that a cell describes."""
    options = {name: value for name, value in record.items() if name != "name"}
    if record["name"] == "window":
        return RollingWindow(dim, **options)
    config = QuasiBayesConfig.from_dict({"dim": dim, **options}, None)
    given = {name: getattr(config, name) for name in options}
    return QuasiBayes(dim, **given, rng=np.random.default_rng(seed))
