"""Pictures and pages: tables in, figures out."""

from driftlaw.viz.bounds import draw_bound, draw_bound_curve, draw_region, draw_shares
from driftlaw.viz.files import PathLike, check_picture, check_target, write_picture, write_whole
from driftlaw.viz.page import Page
from driftlaw.viz.runs import draw_centers, draw_laws, draw_mixing, draw_regret

__all__ = [
    "Page",
    "PathLike",
    "check_picture",
    "check_target",
    "draw_bound",
    "draw_bound_curve",
    "draw_centers",
    "draw_laws",
    "draw_mixing",
    "draw_region",
    "draw_regret",
    "draw_shares",
    "write_picture",
    "write_whole",
]
