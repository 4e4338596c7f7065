"""Sampling the quasi-posterior: score, moves, chains, diagnostics."""

from driftlaw.inference.diagnostics import Diagnostics, ess, mcse_mean, rhat
from driftlaw.inference.engine import History, Plan
from driftlaw.inference.paper import MAX_SYMMETRIC
from driftlaw.inference.rjmcmc import Target
from driftlaw.inference.sizes import SAMPLERS, Sizes, move_names
from driftlaw.inference.state import SamplerState
from driftlaw.inference.together import Together

__all__ = [
    "MAX_SYMMETRIC",
    "SAMPLERS",
    "Diagnostics",
    "History",
    "Plan",
    "SamplerState",
    "Sizes",
    "Target",
    "Together",
    "ess",
    "mcse_mean",
    "move_names",
    "rhat",
]
