"""The main job on a built-in stream: run it, report it."""

from driftlaw.demo.report import (
    HEADER,
    check_targets,
    rows_of,
    verdict,
    write_picture,
    write_report,
)
from driftlaw.demo.run import Demo, Run, run_demo

__all__ = [
    "HEADER",
    "Demo",
    "Run",
    "check_targets",
    "rows_of",
    "run_demo",
    "verdict",
    "write_picture",
    "write_report",
]
