"""The demo's report: what happened, in words, numbers and pictures."""

import numpy as np

from driftlaw._validate import require
from driftlaw.demo.run import JUDGE_EVERY, WARMUP, Demo, Run
from driftlaw.errors import InputError
from driftlaw.viz import (
    Page,
    PathLike,
    check_picture,
    check_target,
    draw_centers,
    draw_laws,
    draw_mixing,
    draw_regret,
    png_of,
    write_whole,
)

HEADER = ("predictor", "mean distance", "total regret", "centres", "seconds")


def rows_of(demo: Demo) -> list[tuple[str, ...]]:
    """Rows of the summary table, as printed and as in the report."""
    return [
        (
            run.name,
            f"{run.mean_w1:.3f} ± {run.standard_error:.3f}",
            f"{run.total:.0f}",
            _mean_k(run),
            f"{run.seconds:.1f}",
        )
        for run in demo.runs
    ]


def _mean_k(run: Run) -> str:
    k = run.table["k"]
    return f"{np.nanmean(k):.1f}" if np.isfinite(k).any() else "–"


def verdict(demo: Demo) -> list[str]:
    """Say in plain words what was asked and who did best."""
    best, *_, worst = sorted(demo.runs, key=lambda run: run.mean_w1)
    return [
        "Two clouds of points drift, each in its own direction, and every observation is "
        "disturbed. Before each new point, every method had to say where the point could fall, "
        "and how likely. The distance below is how far that forecast was from the truth: 0 is "
        "perfect, and the two clouds start 5 apart.",
        f"Closest to the truth here: «{best.name}», {best.mean_w1:.2f} away on average. Furthest: "
        f"«{worst.name}», {worst.mean_w1:.2f}.",
    ]


def check_targets(output: PathLike, picture: PathLike | None = None) -> None:
    """Raise before the long run if its results could not be drawn or written."""
    require("matplotlib.figure", "plot")
    target = check_target("output", output)
    if picture is None:
        return
    if check_picture("picture", picture).absolute() == target.absolute():
        raise InputError(f"picture must be another file than output, got {str(picture)!r}")


def write_report(demo: Demo, path: PathLike) -> None:
    """Write the report as one self-contained HTML file."""
    page = Page("driftlaw demo: predicting the law of a drifting, corrupted stream")
    page.summary(verdict(demo))
    page.table(HEADER, rows_of(demo))
    page.text(_method(demo), kind="soft")
    _add_figures(page, demo)
    page.heading("Settings")
    settings = [(run.name, run.description) for run in demo.runs]
    page.table(("predictor", "what it is"), settings, kind="words")
    page.versions("driftlaw", "numpy", "numba", "scipy", "matplotlib")
    page.write(path)


def _method(demo: Demo) -> str:
    return (
        f"Distance: sliced Wasserstein-1 to the true law at every {JUDGE_EVERY}th of "
        f"{demo.n_steps} steps (seed {demo.seed}), exact for normal mixtures and windows, from "
        f"4096 draws for the printed kernel and for «adaptive». Mean distance: from step {WARMUP} "
        "on; ± is the standard error over at most ten blocks of consecutive steps of this one run, "
        "not over repetitions. "
        f"Total regret: the sum of distances over all steps, each judged step standing for the "
        f"{JUDGE_EVERY} from it on. Centres: mean number in use. Seconds: judging included."
    )


def _add_figures(page: Page, demo: Demo) -> None:
    tables = {run.name: run.table for run in demo.runs}
    sampled = {name: table for name, table in tables.items() if len(table["centers"])}
    page.heading("How far from the truth")
    page.figure(draw_regret(tables), "Distance to the true law, its running sum and running mean.")
    page.heading("Predicted law against truth")
    page.figure(
        draw_laws(tables, demo.world),
        "First coordinate: predicted density (strength of colour; one scale for all), the "
        "observations (grey dots) and the true centres (red lines).",
    )
    page.heading("Centres")
    page.figure(
        draw_centers(sampled, demo.world),
        "Centres of the sampled configurations, or of the leading one for «adaptive», coloured by "
        "step, over the true paths (red).",
    )
    page.heading("Sampler")
    proposing = {n: table for n, table in sampled.items() if np.isfinite(table["acceptance"]).any()}
    page.figure(
        draw_mixing(proposing),
        "Number of centres, and share of accepted proposals averaged over the kinds of move.",
    )


def write_picture(demo: Demo, path: PathLike) -> None:
    """Write the predicted laws against the truth as a PNG picture on white."""
    figure = draw_laws({run.name: run.table for run in demo.runs}, demo.world)
    write_whole("picture", path, png_of(figure))
