"""Predict the whole distribution of a stream whose law drifts and may be corrupted.

Names are loaded when they are first used, so importing the package costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftlaw import (
        adapters,
        compare,
        corruption,
        datasets,
        errors,
        evaluate,
        law,
        live,
        peers,
        risk,
        schedules,
        streams,
        tables,
        theory,
        viz,
    )
    from driftlaw.evaluate import prequential
    from driftlaw.law import PredictiveLaw, sliced_w1, w1
    from driftlaw.predictor import Adaptive, PredictorBank, QuasiBayes, load
    from driftlaw.schedules import Constant, Power, SqrtLog

__version__ = "0.1.0"

_HOMES = {
    "Adaptive": "predictor",
    "Constant": "schedules",
    "Power": "schedules",
    "PredictiveLaw": "law",
    "PredictorBank": "predictor",
    "QuasiBayes": "predictor",
    "SqrtLog": "schedules",
    "load": "predictor",
    "prequential": "evaluate",
    "sliced_w1": "law",
    "w1": "law",
}
_ROOMS = (
    "adapters",
    "compare",
    "corruption",
    "datasets",
    "errors",
    "evaluate",
    "law",
    "live",
    "peers",
    "risk",
    "schedules",
    "streams",
    "tables",
    "theory",
    "viz",
)

__all__ = [
    "Adaptive",
    "Constant",
    "Power",
    "PredictiveLaw",
    "PredictorBank",
    "QuasiBayes",
    "SqrtLog",
    "adapters",
    "compare",
    "corruption",
    "datasets",
    "errors",
    "evaluate",
    "law",
    "live",
    "load",
    "peers",
    "prequential",
    "risk",
    "schedules",
    "sliced_w1",
    "streams",
    "tables",
    "theory",
    "viz",
    "w1",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"driftlaw.{name}")
    if name in _HOMES:
        return getattr(import_module(f"driftlaw.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'driftlaw' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
