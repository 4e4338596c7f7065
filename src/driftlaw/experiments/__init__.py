"""The paper's experiments: figures as small files, run, checked against its sentences, reported."""

from driftlaw.experiments.catalogue import catalogue, select
from driftlaw.experiments.spec import SCALES, Claim, Figure, Scale, Sweep

__all__ = ["SCALES", "Claim", "Figure", "Scale", "Sweep", "catalogue", "select"]
