"""The page and the table of a comparison."""

from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from driftlaw.compare import Contest, Gap, Verdict, gaps
from driftlaw.compare.verdict import finished
from driftlaw.report.numbers import number, percent
from driftlaw.report.page import chart, pack, page, write
from driftlaw.viz import PathLike

HEADER = ("predictor", "score", "behind the best", "log score", "90 % range held", "ms per value")
_N_STRETCHES = 120
_MOST_TIMES = 1e4  # a multiple of the best score above which per cents say nothing


def comparison_rows(contest: Contest) -> list[tuple[str, ...]]:
    """Rows of the table, the header first; lower scores are better."""
    behind = {gap.name: gap for gap in gaps(contest)}
    base = min(float(entry.scores.mean()) for entry in finished(contest))
    rows: list[tuple[str, ...]] = [HEADER]
    for entry in contest.entries:
        if entry.failure:
            rows.append((entry.name, *["–"] * (len(HEADER) - 1)))
            continue
        gap = behind[entry.name]
        has_log = np.isfinite(entry.log_scores).all()
        rows.append(
            (
                entry.name,
                number(float(entry.scores.mean()), 4),
                _behind(gap, base),
                number(float(entry.log_scores.mean()), 4) if has_log else "–",
                percent(entry.coverage),
                f"{entry.milliseconds:.2g}",
            )
        )
    return rows


def _behind(gap: Gap, base: float) -> str:
    """Say how far behind the best one's score: in per cent of it, where it is not next to zero."""
    if not gap.difference:
        return "best"
    values = (gap.difference, gap.low, gap.high)
    if gap.high < _MOST_TIMES * base:
        return "{:.1f} % ({:.1f} to {:.1f})".format(*(100 * value / base for value in values))
    return "{} ({} to {})".format(*(number(value, 3) for value in values))


def comparison_numbers(contest: Contest) -> list[tuple[str | float, ...]]:
    """Return the table as numbers for other programs, the header first."""
    behind = {gap.name: gap for gap in gaps(contest)}
    header = "predictor score difference difference_low difference_high log_score coverage_90 ms"
    rows: list[tuple[str | float, ...]] = [tuple(header.split())]
    for entry in finished(contest):
        log_score = float(entry.log_scores.mean())
        rows.append(
            (
                entry.name,
                float(entry.scores.mean()),
                *behind[entry.name][1:],
                log_score if np.isfinite(log_score) else "",
                entry.coverage,
                entry.milliseconds,
            )
        )
    return rows


def write_comparison(
    contest: Contest, found: Verdict, times: list[str], source: str, path: PathLike
) -> None:
    """Write the page of a comparison.

    Parameters
    ----------
    contest : what `driftlaw.compare.run_contest` returned
    found : what `driftlaw.compare.verdict` made of it
    times : of all observations, as written in the input
    source : name of the input
    path : the HTML file
    """
    title = f"Which predictor for {Path(source).name}?"
    summary = "".join(f"<p>{escape(text)}</p>" for text in found.sentences)
    body = f'<div class="summary">{summary}</div>' + _table(contest, found) + _method(contest)
    body += chart(
        "gaps",
        "How far behind the best",
        "Difference of the mean score from the best one's, with its interval: where the interval "
        "reaches zero, the two cannot be told apart on this stream.",
    )
    body += chart(
        "running",
        "Over time",
        "Score averaged over stretches of the stream: the lower the better. Click a name to hide "
        "it.",
    )
    body += chart(
        "held",
        "Could the ranges be trusted?",
        "Share of values inside the 90 % range: the dotted line is right, below it the ranges were "
        "too narrow.",
    )
    write(path, page(title, body, _data(contest, times), "compare.js"))


def _table(contest: Contest, found: Verdict) -> str:
    header, *rows = comparison_rows(contest)
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(
        f"<tr{' class=best' if row[0] == found.advised else ''}>"
        f"{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
        for row in rows
    )
    return (
        f'<div class="scroll"><table class="numbers"><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _method(contest: Contest) -> str:
    unit = (
        "in the units of the data"
        if len(contest.columns) == 1
        else "averaged over columns, each scaled by its first values"
    )
    lines = [
        f"{contest.n_judged} observations of {', '.join(contest.columns)}, each predicted before "
        f"it came; the first {contest.warmup} were only learnt. Score: continuous ranked "
        f"probability score, {unit}; lower is better. Behind the best: paired difference with a "
        "simultaneous 95 % interval from 20 blocks in time. Log score: of scaled values. "
        "Milliseconds: to predict and to learn, on this machine.",
        *(f"«{e.name}»: {e.failure or e.description}." for e in contest.entries),
    ]
    return "".join(f'<p class="soft">{escape(line)}</p>' for line in lines)


def _data(contest: Contest, times: list[str]) -> dict[str, Any]:
    done = finished(contest)
    found = gaps(contest)
    parts = np.array_split(np.arange(contest.n_judged), min(_N_STRETCHES, contest.n_judged))
    running = np.array([[entry.scores[part].mean() for part in parts] for entry in done])
    ends = [int(part[-1]) + contest.warmup for part in parts]
    return {
        "names": [entry.name for entry in done],
        "gaps": [[gap.difference, gap.low, gap.high] for gap in found],
        "running": pack(running),
        "when": [times[end] for end in ends] if all(times) else [end + 1 for end in ends],
        "held": [entry.coverage for entry in done],
    }
