"""Predictive laws: mixtures, empirical laws, the paper's Gibbs kernel."""

from driftlaw.law.base import PredictiveLaw, law_from_dict
from driftlaw.law.gibbs import GibbsLaw, Normalizers
from driftlaw.law.mixture import MixtureLaw
from driftlaw.law.sample import SampleLaw

__all__ = ["GibbsLaw", "MixtureLaw", "Normalizers", "PredictiveLaw", "SampleLaw", "law_from_dict"]
