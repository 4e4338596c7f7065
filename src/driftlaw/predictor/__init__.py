"""Predictors of the law of the next observation."""

from driftlaw.predictor.adaptive import Adaptive, AdaptiveHistory, AdaptiveInfo, Geometry
from driftlaw.predictor.bank import PredictorBank
from driftlaw.predictor.config import QuasiBayesConfig
from driftlaw.predictor.loading import load
from driftlaw.predictor.quasibayes import QuasiBayes
from driftlaw.predictor.updates import UpdateHistory, UpdateInfo

__all__ = [
    "Adaptive",
    "AdaptiveHistory",
    "AdaptiveInfo",
    "Geometry",
    "PredictorBank",
    "QuasiBayes",
    "QuasiBayesConfig",
    "UpdateHistory",
    "UpdateInfo",
    "load",
]
