"""Pictures and pages: tables in, figures out."""

from driftlaw.viz.bounds import draw_bound, draw_bound_curve, draw_region, draw_shares
from driftlaw.viz.files import PathLike, check_picture, check_target, write_whole
from driftlaw.viz.page import Page
from driftlaw.viz.panels import Panel, draw_panels
from driftlaw.viz.runs import draw_centers, draw_laws, draw_mixing, draw_regret
from driftlaw.viz.style import png_of, svg_of

__all__ = [
    "Page",
    "Panel",
    "PathLike",
    "check_picture",
    "check_target",
    "draw_bound",
    "draw_bound_curve",
    "draw_centers",
    "draw_laws",
    "draw_mixing",
    "draw_panels",
    "draw_region",
    "draw_regret",
    "draw_shares",
    "png_of",
    "svg_of",
    "write_whole",
]
