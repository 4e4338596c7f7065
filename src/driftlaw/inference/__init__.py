"""Sampling the quasi-posterior: score, moves, chains, diagnostics."""

from driftlaw.inference.diagnostics import Diagnostics, ess, mcse_mean, rhat
from driftlaw.inference.engine import Plan, Settings
from driftlaw.inference.paper import MAX_SYMMETRIC
from driftlaw.inference.state import SAMPLERS, SamplerState, Sizes, move_names

__all__ = [
    "MAX_SYMMETRIC",
    "SAMPLERS",
    "Diagnostics",
    "Plan",
    "SamplerState",
    "Settings",
    "Sizes",
    "ess",
    "mcse_mean",
    "move_names",
    "rhat",
]
