"""Pages for people: what a run saw, in words first, then in charts; one file, no network."""

from driftlaw.report.compare_page import (
    comparison_numbers,
    comparison_rows,
    write_comparison,
)
from driftlaw.report.numbers import number
from driftlaw.report.page import check_report
from driftlaw.report.run_page import write_run_report
from driftlaw.report.words import run_sentences

__all__ = [
    "check_report",
    "comparison_numbers",
    "comparison_rows",
    "number",
    "run_sentences",
    "write_comparison",
    "write_run_report",
]
