"""Corruption of a stream: noise, outliers, bursts and adversaries, with budgets that hold."""

from driftlaw.corruption.adversary import (
    Adversary,
    PhantomCluster,
    Policy,
    ToMidpoint,
    two_centers,
)
from driftlaw.corruption.base import CorruptedStream, Corruption, Propose
from driftlaw.corruption.ledger import CorruptionLedger
from driftlaw.corruption.noise import Bursts, SparseOutliers, UniformNoise, paper_smooth
from driftlaw.corruption.past import Past

__all__ = [
    "Adversary",
    "Bursts",
    "CorruptedStream",
    "Corruption",
    "CorruptionLedger",
    "Past",
    "PhantomCluster",
    "Policy",
    "Propose",
    "SparseOutliers",
    "ToMidpoint",
    "UniformNoise",
    "paper_smooth",
    "two_centers",
]
