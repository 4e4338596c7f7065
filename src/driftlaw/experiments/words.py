"""Numbers as words: rows for the report's tables and for the terminal."""

import math
from collections.abc import Sequence

from driftlaw._validate import Array
from driftlaw.evaluate import growth_exponent
from driftlaw.experiments.claims import Finding, Verdict
from driftlaw.experiments.contenders import WORDS
from driftlaw.experiments.intervals import student
from driftlaw.experiments.panels import METRIC_WORDS
from driftlaw.experiments.plan import restart_every
from driftlaw.experiments.results import BEST, Results

VERDICT_HEADER = ("figure", "claim", "setting", "judged by", "measured", "wanted", "verdict")
_SOURCES = {"paper": "", "figure": " (what the figure is to show)", "ours": " (our question)"}


def verdict_row(figure: str, verdict: Verdict) -> tuple[str, ...]:
    """Return one row of the table on top of the report."""
    finding = verdict.decisive
    return (
        figure,
        verdict.claim.sentence + _SOURCES[verdict.claim.source],
        WORDS[verdict.setting],
        METRIC_WORDS[verdict.metric],
        measured(finding),
        wanted(finding),
        verdict.verdict,
    )


BRIEF_HEADER = ("figure", "claim", *WORDS.values())


def brief_rows(
    verdicts: Sequence[tuple[str, Verdict]], *, numbers: bool = False
) -> list[tuple[str, ...]]:
    """Return one row for each claim: the verdict in each setting, by each metric if they differ.

    With ``numbers``, what was measured by the first metric stands behind the verdict.
    """
    found: dict[tuple[str, str], dict[str, list[Verdict]]] = {}
    for figure, verdict in verdicts:
        sentence = verdict.claim.sentence + _SOURCES[verdict.claim.source]
        row = found.setdefault((figure, sentence), {})
        row.setdefault(verdict.setting, []).append(verdict)
    return [
        (*claim, *(_brief(row.get(setting, []), numbers) for setting in WORDS))
        for claim, row in found.items()
    ]


def _brief(verdicts: Sequence[Verdict], numbers: bool) -> str:
    if not verdicts:
        return "–"
    text = " / ".join(dict.fromkeys(verdict.verdict for verdict in verdicts))
    return f"{text}: {measured(verdicts[0].decisive)}" if numbers else text


def measured(finding: Finding) -> str:
    """Say what was measured, with its interval."""
    value, lower, upper = finding.interval
    if lower == upper:
        return f"{finding.where} {value:.2g}"
    interval = f" [{lower:.3f}, {upper:.3f}]" if math.isfinite(lower) else ""
    return f"{finding.where} {value:.3f}{interval}"


def wanted(finding: Finding) -> str:
    """Say in which range the number was to be."""
    if math.isinf(finding.low):
        return f"< {finding.high:g}"
    if math.isinf(finding.high):
        return f"> {finding.low:g}"
    return f"{finding.low:g} to {finding.high:g}"


def finals(results: Results) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return header and rows of the final averages of every line."""
    return _by_metric(results) if results.figure.sweep is None else _by_point(results)


def _by_metric(results: Results) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    metrics = results.figure.judge["metrics"]
    rows = []
    for name in results.series:
        block = results.blocks[results.points[0], name]
        label = f"{name} ({block.size})" if name == BEST else name
        rows.append((label, *(_with_error(block.averages(metric)) for metric in metrics)))
    return ("mean per step", *(METRIC_WORDS[metric] for metric in metrics)), rows


def _by_point(results: Results) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    metric = results.figure.judge["metrics"][0]
    is_scaling = results.figure.kind == "horizons"
    rows = []
    for name in results.series:
        blocks = [results.blocks[point, name] for point in results.points]
        note = [f" ({block.size})" if name == BEST else "" for block in blocks]
        cells = [
            _with_error(block.averages(metric)) + size
            for block, size in zip(blocks, note, strict=True)
        ]
        if is_scaling:
            fits = [
                growth_exponent([list(row) for row in totals], results.points)
                for by in ("w1", "paper_w1")
                for totals in [list(zip(*(block.totals(by) for block in blocks), strict=True))]
            ]
            cells += [f"{fit.value:.3f} ± {fit.upper - fit.value:.3f}" for fit in fits]
        rows.append((name, *cells))
    word = "" if results.figure.sweep is None else results.figure.sweep.word
    more = ("exponent", "exponent, the paper's estimate") if is_scaling else ()
    return (word, *(f"{point:g}" for point in results.points), *more), rows


def _with_error(values: Array) -> str:
    """Mean and half of the 95 % interval over seeds."""
    found = student(values)
    reach = found.upper - found.value
    return f"{found.value:.3f} ± {reach:.3f}" if math.isfinite(reach) else f"{found.value:.3f}"


def effort(results: Results) -> str:
    """Say how much was run."""
    figure, size = results.figure, results.figure.scales[results.scale]
    seeds = max(len(block.seeds) for block in results.blocks.values())
    stream = {**figure.stream, **({"n_steps": size.n_steps} if size.n_steps else {})}
    swept = figure.sweep is not None and figure.sweep.target in ("restart_every", "stream.n_steps")
    count = "1 seed" if seeds == 1 else f"{seeds} seeds"
    parts = [f"scale {results.scale}", count, f"judged every {size.every} steps"]
    if "n_steps" in stream and not swept:
        parts.append(f"T = {stream['n_steps']}")
    if not swept:
        parts.append(f"printed restart every {restart_every(figure, stream, 0.0)}")
    return ", ".join(parts) + "; ± is half of the 95 % interval over seeds."


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [header, ["---"] + ["--:"] * (len(header) - 1), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
