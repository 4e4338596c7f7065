"""A stream from a file or a pipe through a predictor: records, resume, what happened."""

from driftlaw.live.ahead import KINDS, compile_ahead, kept_in
from driftlaw.live.checkpoint import Cadence
from driftlaw.live.episodes import Episode
from driftlaw.live.predictors import PREDICTORS, make_predictor, warm_up
from driftlaw.live.record import LawSummary, summarise
from driftlaw.live.run import Outcome, check_input, run_stream
from driftlaw.live.settings import RunSettings
from driftlaw.live.sketch import Event, Sketch
from driftlaw.live.stopping import Stopper
from driftlaw.live.target import Target

__all__ = [
    "KINDS",
    "PREDICTORS",
    "Cadence",
    "Episode",
    "Event",
    "LawSummary",
    "Outcome",
    "RunSettings",
    "Sketch",
    "Stopper",
    "Target",
    "check_input",
    "compile_ahead",
    "kept_in",
    "make_predictor",
    "run_stream",
    "summarise",
    "warm_up",
]
