"""`Adaptive`, its records and its parts."""

from driftlaw.predictor.adaptive.info import AdaptiveHistory, AdaptiveInfo
from driftlaw.predictor.adaptive.predictor import Adaptive, Geometry

__all__ = ["Adaptive", "AdaptiveHistory", "AdaptiveInfo", "Geometry"]
