"""Predictive laws: mixtures, empirical laws, the paper's Gibbs kernel; and their distances."""

from driftlaw.law.base import PredictiveLaw, law_from_dict
from driftlaw.law.distance import sampled_w1, sliced_w1, w1
from driftlaw.law.gibbs import GibbsLaw, Normalizers
from driftlaw.law.line import LineSummary
from driftlaw.law.mixture import MixtureLaw
from driftlaw.law.sample import SampleLaw

__all__ = [
    "GibbsLaw",
    "LineSummary",
    "MixtureLaw",
    "Normalizers",
    "PredictiveLaw",
    "SampleLaw",
    "law_from_dict",
    "sampled_w1",
    "sliced_w1",
    "w1",
]
