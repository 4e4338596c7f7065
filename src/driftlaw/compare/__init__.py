"""Predictors compared on one stream: scores, calibration, time, and who to take."""

from driftlaw.compare.contenders import CONTENDERS, Contender
from driftlaw.compare.contest import Contest, Entry, read_points, run_contest
from driftlaw.compare.verdict import Gap, Verdict, gaps, verdict

__all__ = [
    "CONTENDERS",
    "Contender",
    "Contest",
    "Entry",
    "Gap",
    "Verdict",
    "gaps",
    "read_points",
    "run_contest",
    "verdict",
]
