"""Who takes part in the demo: the paper's predictor thrice, `Adaptive`, and a rolling window."""

from collections.abc import Callable
from typing import Any, NamedTuple

from driftlaw.evaluate import Predictor
from driftlaw.peers import RollingWindow
from driftlaw.predictor import Adaptive, QuasiBayes
from driftlaw.schedules import Constant


class Contender(NamedTuple):
    """A predictor of the demo: its name, what it is in a sentence, and how to make it."""

    name: str
    description: str
    make: Callable[[int], Predictor]


def contenders(dim: int) -> list[Contender]:
    """All predictors of the demo, in the order in which they are shown."""

    def printed(restart_every: int | None) -> Callable[[int], Predictor]:
        return lambda seed: QuasiBayes(
            dim, radius=5.0, restart_every=restart_every, sampler="paper", rng=seed
        )

    def recommended(seed: int) -> Predictor:
        options: dict[str, Any] = {"kernel": "adaptive", "weights": "occupancy"}
        return QuasiBayes(
            dim, radius=10.0, schedule=Constant(1.0), restart_every=60, rng=seed, **options
        )

    return [
        Contender(
            "vanilla, as printed", "the paper's settings, memory never cleared", printed(None)
        ),
        Contender("restarted, as printed", "the paper's settings, restart every 10", printed(10)),
        Contender(
            "restarted, recommended",
            "local sampler, occupancy weights, learnt kernel width, rate 1, restart every 60",
            recommended,
        ),
        Contender(
            "adaptive",
            "no settings: learns how fast to forget, when to restart and how wide to be",
            lambda _seed: Adaptive(dim),
        ),
        Contender(
            "rolling window",
            "the last 40 observations as they are: the reference",
            lambda _seed: RollingWindow(dim, 40),
        ),
    ]
