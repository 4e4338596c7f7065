"""Risk of configurations under known laws, oracles, excess risk, transport action."""

from driftlaw.risk.action import (
    Action,
    GrowthFit,
    TransportCost,
    action_exponent,
    transport_action,
    w2_squared,
)
from driftlaw.risk.excess import Excess, current_excess, excess_risk
from driftlaw.risk.oracle import Oracle, OraclePath, oracle, oracle_path
from driftlaw.risk.population import Risk, lagged_risk, population_risk

__all__ = [
    "Action",
    "Excess",
    "GrowthFit",
    "Oracle",
    "OraclePath",
    "Risk",
    "TransportCost",
    "action_exponent",
    "current_excess",
    "excess_risk",
    "lagged_risk",
    "oracle",
    "oracle_path",
    "population_risk",
    "transport_action",
    "w2_squared",
]
