"""Streams with a known law: moving mixtures, built from paths that compose."""

from driftlaw.streams.base import Step, Stream
from driftlaw.streams.centers import Jumps, Linear, Rotation
from driftlaw.streams.mixture import MixtureStream
from driftlaw.streams.paper import (
    abrupt_shift,
    jump_times,
    smooth_drift,
    spread_centers,
    stationary,
)
from driftlaw.streams.paths import Drift, Fixed, Path, PathLike, as_path
from driftlaw.streams.scales import Alternating, Breathing
from driftlaw.streams.wander import MeanReverting, RandomWalk, Switching
from driftlaw.streams.weights import Lives, Oscillation, RandomLives
from driftlaw.streams.worlds import (
    World,
    birth_death,
    heavy_tails,
    mean_reverting,
    random_walk,
    rotation,
    variance_change,
    weight_drift,
)

__all__ = [
    "Alternating",
    "Breathing",
    "Drift",
    "Fixed",
    "Jumps",
    "Linear",
    "Lives",
    "MeanReverting",
    "MixtureStream",
    "Oscillation",
    "Path",
    "PathLike",
    "RandomLives",
    "RandomWalk",
    "Rotation",
    "Step",
    "Stream",
    "Switching",
    "World",
    "abrupt_shift",
    "as_path",
    "birth_death",
    "heavy_tails",
    "jump_times",
    "mean_reverting",
    "random_walk",
    "rotation",
    "smooth_drift",
    "spread_centers",
    "stationary",
    "variance_change",
    "weight_drift",
]
