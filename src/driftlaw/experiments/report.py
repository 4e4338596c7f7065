"""The report: one page in the paper's order, the verdicts on top; and files for every panel."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from driftlaw.experiments import words
from driftlaw.experiments.choices import CHOICES
from driftlaw.experiments.claims import FAILS, HOLDS, UNDECIDED, Verdict, judge
from driftlaw.experiments.panels import panels_of
from driftlaw.experiments.results import Results, runs_table, steps_table
from driftlaw.experiments.tables import to_csv, write_table
from driftlaw.viz import Page, draw_panels, png_of, svg_of, write_whole

_MARKS = {HOLDS: "good", FAILS: "bad", UNDECIDED: "open"}


class Drawn(NamedTuple):
    """A figure's panels in one picture, and what the picture shows."""

    svg: bytes
    description: str


def all_verdicts(studies: Sequence[Results]) -> list[tuple[str, Verdict]]:
    """Judge every claim of every figure."""
    return [(study.figure.name, verdict) for study in studies for verdict in judge(study)]


def summary(verdicts: Sequence[tuple[str, Verdict]], scale: str) -> list[str]:
    """Say in a sentence or two how many claims hold."""
    counts = Counter(verdict.verdict for _, verdict in verdicts)
    told = ", ".join(f"{counts[word]} {word}" for word in (HOLDS, FAILS, UNDECIDED))
    lines = [f"{len(verdicts)} checks of the paper's claims and of our own questions: {told}."]
    if scale != "full":
        lines.append(
            f"This is scale {scale}: fewer seeds than the {HOLDS}/{FAILS} verdicts of scale full "
            "rest on" + (", on shortened streams." if scale == "smoke" else ".")
        )
    return lines


def write_figure(study: Results, output: Path) -> Drawn:
    """Write a figure's tables, and CSV, PNG and SVG of every panel; draw all panels together."""
    folder = output / study.figure.name
    folder.mkdir(exist_ok=True)
    write_table(folder, "steps", steps_table(study))
    write_table(folder, "runs", runs_table(study))
    panels = panels_of(study)
    for panel in panels:
        drawing = draw_panels([panel])
        write_whole("output", folder / f"{panel.name}.csv", to_csv(panel.table))
        write_whole("output", folder / f"{panel.name}.svg", svg_of(drawing))
        drawing.set_layout_engine("none")  # it has been laid out
        write_whole("output", folder / f"{panel.name}.png", png_of(drawing))
    titles = ", ".join(panel.title for panel in panels)
    described = f"{study.figure.title}: {titles}. Bands: 95 % over seeds."
    return Drawn(svg_of(draw_panels(panels)), described)


def write_page(
    path: Path,
    studies: Sequence[Results],
    drawn: Sequence[Drawn],
    verdicts: Sequence[tuple[str, Verdict]],
    left_out: Mapping[str, str],
) -> None:
    """Write the whole report as one HTML file that needs no other."""
    scale = studies[0].scale
    page = Page("driftlaw reproduce: the paper's figures and what became of its claims")
    page.summary(summary(verdicts, scale))
    for name, reason in left_out.items():
        page.text(f"Left out: {name}, {reason}.")
    brief = words.brief_rows(verdicts, numbers=True)
    page.table(words.BRIEF_HEADER, brief, kind="words", marks=_MARKS)
    page.text(_how_judged(), kind="soft")
    for study, picture in zip(studies, drawn, strict=True):
        _add_figure(page, study, picture)
    page.heading("Every check, by every metric")
    rows = [words.verdict_row(*each) for each in verdicts]
    page.table(words.VERDICT_HEADER, rows, kind="words", marks=_MARKS)
    page.heading("Choices where the paper is silent")
    page.table(("matter", "choice"), CHOICES, kind="words")
    page.versions("driftlaw", "numpy", "numba", "scipy", "matplotlib", "joblib")
    page.write(path)


def _how_judged() -> str:
    return (
        "A claim holds where the whole 95 % interval lies in the wanted range, does not hold where "
        "it lies outside, and is undecided in between. Intervals are Student's over seeds, paired "
        "where two predictors are compared; on recorded data, where there is one stream, they are "
        "a block bootstrap's over days. Claims about several points or jumps share the 5 % among "
        "them and show, of those that make the verdict, the one furthest from what is wanted. "
        "Numbers are those of the noise-free distance; where the paper's estimate decides "
        "otherwise, its verdict follows the stroke."
    )


def _add_figure(page: Page, study: Results, drawn: Drawn) -> None:
    figure = study.figure
    place = f" [{figure.label}]" if figure.label else " (not in the paper)"
    page.heading(figure.title + place)
    page.text(figure.about)
    page.picture(*drawn)
    page.table(*words.finals(study))
    page.text(words.effort(study), kind="soft")


def tables_text(studies: Sequence[Results], verdicts: Sequence[tuple[str, Verdict]]) -> str:
    """Return the verdicts and the final averages of every figure in Markdown."""
    parts = [words.markdown(words.BRIEF_HEADER, words.brief_rows(verdicts, numbers=True))]
    for study in studies:
        parts += [f"## {study.figure.title}\n", words.markdown(*words.finals(study))]
        parts.append(words.effort(study) + "\n")
    return "\n".join(parts)
