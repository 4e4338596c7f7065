"""What ArviZ reads: posterior draws and predictive draws of a predictor."""

from typing import Any

import numpy as np

from driftlaw._rng import RngLike
from driftlaw._validate import check_count, require
from driftlaw.predictor import Adaptive, QuasiBayes


def to_inference_data(
    predictor: Adaptive | QuasiBayes, *, n_draws: int = 1000, rng: RngLike = 0
) -> Any:
    """Return ArviZ ``InferenceData`` of a predictor.

    ``posterior_predictive`` holds ``n_draws`` draws of the next observation. A `QuasiBayes` also
    has ``posterior``: the traces of the number of centres ``k`` and of the cumulative ``loss``,
    one row per chain. An `Adaptive` keeps weighted geometries and no chain; its leading one is in
    ``constant_data``.

    Examples
    --------
    >>> data = to_inference_data(QuasiBayes(dim=1, radius=2.0, rng=0), n_draws=10)
    >>> data.groups(), data.posterior_predictive["observation"].shape
    (['posterior', 'posterior_predictive'], (1, 10, 1))
    """
    arviz = require("arviz", "arviz")
    draws = predictor.predict().sample(check_count("n_draws", n_draws), rng)
    groups: dict[str, Any] = {"posterior_predictive": {"observation": draws[None]}}
    if isinstance(predictor, QuasiBayes):
        traces = predictor.to_arviz().posterior
        groups["posterior"] = {name: traces[name].values for name in ("k", "loss")}
    elif predictor.n_seen:
        geometry = predictor.geometry()
        groups["constant_data"] = {
            name: np.asarray(getattr(geometry, name)) for name in ("centers", "weights")
        }
    return arviz.from_dict(**groups)
