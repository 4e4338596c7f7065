"""Doors of other ecosystems: River, scikit-learn, data frames, ArviZ, SciPy.

Names are loaded when they are first used, so that each needs only its own extra.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftlaw.adapters.arviz_data import to_inference_data
    from driftlaw.adapters.frames import observations, run_frame
    from driftlaw.adapters.frozen import FrozenLaw
    from driftlaw.adapters.river_models import LawAnomaly, LawRegressor
    from driftlaw.adapters.sklearn_model import LawDensity

_HOMES = {
    "FrozenLaw": "frozen",
    "LawAnomaly": "river_models",
    "LawDensity": "sklearn_model",
    "LawRegressor": "river_models",
    "observations": "frames",
    "run_frame": "frames",
    "to_inference_data": "arviz_data",
}

__all__ = [
    "FrozenLaw",
    "LawAnomaly",
    "LawDensity",
    "LawRegressor",
    "observations",
    "run_frame",
    "to_inference_data",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"driftlaw.adapters.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'driftlaw.adapters' has no attribute {name!r}")
