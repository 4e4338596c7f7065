"""The report: one page in the paper's order, the verdicts on top; and files for every panel."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from driftlaw.experiments import words
from driftlaw.experiments.choices import CHOICES
from driftlaw.experiments.claims import FAILS, HOLDS, UNDECIDED, Verdict, judge
from driftlaw.experiments.panels import panels_of
from driftlaw.experiments.results import Results
from driftlaw.experiments.tables import to_csv
from driftlaw.viz import Page, Panel, draw_panels, png_of, svg_of, write_whole


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


def write_panels(study: Results, folder: Path) -> list[Panel]:
    """Write CSV, PNG and SVG of every panel; return the panels."""
    panels = panels_of(study)
    for panel in panels:
        drawing = draw_panels([panel])
        for ending, data in (
            ("csv", to_csv(panel.table)),
            ("svg", svg_of(drawing)),
            ("png", png_of(drawing)),
        ):
            write_whole("output", folder / f"{panel.name}.{ending}", data)
    return panels


def write_page(
    path: Path,
    studies: Sequence[Results],
    panels: Mapping[str, list[Panel]],
    verdicts: Sequence[tuple[str, Verdict]],
    left_out: Mapping[str, str],
) -> None:
    """Write the whole report as one HTML file that needs no other."""
    scale = studies[0].scale
    page = Page("driftlaw reproduce: the paper's figures and what became of its claims")
    page.summary(summary(verdicts, scale))
    for name, reason in left_out.items():
        page.text(f"Left out: {name}, {reason}.")
    page.table(words.VERDICT_HEADER, [words.verdict_row(*each) for each in verdicts], kind="words")
    page.text(_how_judged(), kind="soft")
    for study in studies:
        _add_figure(page, study, panels[study.figure.name])
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
        "them and show the one furthest from what is wanted."
    )


def _add_figure(page: Page, study: Results, panels: list[Panel]) -> None:
    figure = study.figure
    place = f" [{figure.label}]" if figure.label else " (not in the paper)"
    page.heading(figure.title + place)
    page.text(figure.about)
    names = ", ".join(panel.title for panel in panels)
    page.figure(draw_panels(panels), f"{figure.title}: {names}. Bands: 95 % over seeds.")
    page.table(*words.finals(study))
    page.text(words.effort(study), kind="soft")


def tables_text(studies: Sequence[Results], verdicts: Sequence[tuple[str, Verdict]]) -> str:
    """Return the verdicts and the final averages of every figure in Markdown."""
    rows = [words.verdict_row(*each) for each in verdicts]
    parts = [words.markdown(words.VERDICT_HEADER, rows)]
    for study in studies:
        parts += [f"## {study.figure.title}\n", words.markdown(*words.finals(study))]
        parts.append(words.effort(study) + "\n")
    return "\n".join(parts)
