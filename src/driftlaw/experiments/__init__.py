"""The paper's experiments: figures as small files, run, checked against its sentences, reported."""

from driftlaw.experiments.catalogue import catalogue, select
from driftlaw.experiments.spec import SCALES, Claim, Figure, Scale, Sweep
from driftlaw.experiments.study import Outcome, Study, prepare, run_study

__all__ = [
    "SCALES",
    "Claim",
    "Figure",
    "Outcome",
    "Scale",
    "Study",
    "Sweep",
    "catalogue",
    "prepare",
    "run_study",
    "select",
]
