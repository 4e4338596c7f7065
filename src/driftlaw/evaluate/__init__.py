"""The prequential loop, what it judges by, and what is made of its records."""

from driftlaw.evaluate.growth import GrowthExponent, growth_exponent
from driftlaw.evaluate.loop import (
    Estimate,
    Metric,
    Metrics,
    Predictor,
    Record,
    columns,
    prequential,
)
from driftlaw.evaluate.metrics import (
    CRPS,
    PIT,
    W1,
    Coverage,
    EnergyScore,
    LogScore,
    MeanError,
    PaperW1,
    VariogramScore,
)
from driftlaw.evaluate.regret import RegretCurves, RegretPoint, RegretTracker, regret_curves
from driftlaw.evaluate.scores import crps, energy_score
from driftlaw.evaluate.twin import TwinRecord, TwinRegret, twin_regret, twin_run

__all__ = [
    "CRPS",
    "PIT",
    "W1",
    "Coverage",
    "EnergyScore",
    "Estimate",
    "GrowthExponent",
    "LogScore",
    "MeanError",
    "Metric",
    "Metrics",
    "PaperW1",
    "Predictor",
    "Record",
    "RegretCurves",
    "RegretPoint",
    "RegretTracker",
    "TwinRecord",
    "TwinRegret",
    "VariogramScore",
    "columns",
    "crps",
    "energy_score",
    "growth_exponent",
    "prequential",
    "regret_curves",
    "twin_regret",
    "twin_run",
]
