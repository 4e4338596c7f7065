"""Latent geometry: configurations of centres and the prior on them."""

from driftlaw.geometry.configuration import Configurations, padded
from driftlaw.geometry.draws import draw_configuration_inplace
from driftlaw.geometry.location import (
    BallPrior,
    GaussianPrior,
    LocationPrior,
    draw_location_inplace,
    log_location,
)
from driftlaw.geometry.prior import (
    ConfigurationPrior,
    ball_prior,
    gaussian_prior,
    log_count_prior,
)

__all__ = [
    "BallPrior",
    "ConfigurationPrior",
    "Configurations",
    "GaussianPrior",
    "LocationPrior",
    "ball_prior",
    "draw_configuration_inplace",
    "draw_location_inplace",
    "gaussian_prior",
    "log_count_prior",
    "log_location",
    "padded",
]
