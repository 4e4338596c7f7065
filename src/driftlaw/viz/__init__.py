"""Pictures and pages: tables in, figures out."""

from driftlaw.viz.bounds import draw_bound_curve, draw_region, draw_shares
from driftlaw.viz.page import Page
from driftlaw.viz.runs import draw_centers, draw_fans, draw_mixing, draw_regret

__all__ = [
    "Page",
    "draw_bound_curve",
    "draw_centers",
    "draw_fans",
    "draw_mixing",
    "draw_region",
    "draw_regret",
    "draw_shares",
]
