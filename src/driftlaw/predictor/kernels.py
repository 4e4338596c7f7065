r"""The predictive map :math:`c \mapsto p(\cdot | c)`: from kept configurations to a law.

Paper: [eq:generic-predictive-law], [eq:vanilla-predictive-law], [eq:mc-predictive-approx].
"""

from typing import NamedTuple

import numpy as np

from driftlaw._validate import Array, IntArray
from driftlaw.geometry import BallPrior
from driftlaw.law import GibbsLaw, MixtureLaw, PredictiveLaw
from driftlaw.predictor.config import QuasiBayesConfig

SMOOTHING = 0.01  # observations granted to every centre, so that each keeps some mass
_LEAST_SCALE = 1e-9  # of the radius


class Draws(NamedTuple):
    """Kept configurations of all chains, with what the window says of each."""

    k: IntArray  # (M,)
    centers: Array  # (M, max_centers, d)
    loss: Array  # (M,)
    counts: Array  # (M, max_centers)
    n_window: int
    rate: float


def predictive_law(config: QuasiBayesConfig, prior: BallPrior, draws: Draws) -> PredictiveLaw:
    """Average the configuration-wise laws of the kept configurations."""
    if config.kernel == "gibbs":
        return _gibbs_law(config, prior, draws)
    return _mixture_law(config, draws)


def _gibbs_law(config: QuasiBayesConfig, prior: BallPrior, draws: Draws) -> GibbsLaw:
    live = np.arange(config.max_centers) < draws.k[:, None]
    centers = np.where(live[..., None], draws.centers, np.nan)
    weights = None
    if config.weights == "occupancy":
        weights = np.where(live, draws.counts + SMOOTHING, 0.0)
    return GibbsLaw(draws.k, centers, draws.rate, prior.center, prior.radius, weights)


def _mixture_law(config: QuasiBayesConfig, draws: Draws) -> MixtureLaw:
    live = np.arange(config.max_centers) < draws.k[:, None]
    mass = np.where(live, draws.counts + SMOOTHING if config.weights == "occupancy" else 1.0, 0.0)
    mass /= mass.sum(axis=1, keepdims=True) * len(draws.k)
    scales = np.broadcast_to(_scales(config, draws)[:, None], live.shape)[live]
    return MixtureLaw.unchecked(
        mass[live], draws.centers[live], scales, np.full(len(scales), np.inf)
    )


def _scales(config: QuasiBayesConfig, draws: Draws) -> Array:
    """Kernel width of each configuration (M,): given, or the root mean residual of the window.

    The residual is divided by the observations less one for each centre that owns any; an empty
    window gives the radius.
    """
    if config.scale is not None:
        return np.full(len(draws.k), config.scale)
    if draws.n_window == 0:
        return np.full(len(draws.k), config.radius)
    owning = (draws.counts > 0).sum(axis=1)
    freedom = config.dim * np.maximum(draws.n_window - owning, 1)
    scales = np.sqrt(draws.loss / freedom)
    return np.asarray(np.maximum(scales, _LEAST_SCALE * config.radius), dtype=float)
