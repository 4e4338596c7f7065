"""The demo's report: what happened, in words, numbers and pictures."""

import os
import platform
from importlib.metadata import version

import numpy as np

from driftlaw.demo.run import JUDGE_EVERY, WARMUP, Demo, Run
from driftlaw.viz import Page, draw_centers, draw_fans, draw_mixing, draw_regret

HEADER = ("predictor", f"mean distance after {WARMUP} steps", "cumulative regret", "k", "seconds")


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
        "Two clouds of points drift apart and every observation is disturbed. Before each new "
        "point, every method had to say where the point could fall, and how likely. The distance "
        "below is how far that forecast was from the truth: 0 is perfect, and the two clouds "
        "start 5 apart.",
        f"Closest to the truth here: «{best.name}», {best.mean_w1:.2f} away on average. Furthest: "
        f"«{worst.name}», {worst.mean_w1:.2f}.",
    ]


def write_report(demo: Demo, path: str | os.PathLike[str]) -> None:
    """Write the report as one self-contained HTML file."""
    page = Page("driftlaw demo: predicting the law of a drifting, corrupted stream")
    page.summary(verdict(demo))
    page.table(HEADER, rows_of(demo))
    page.text(
        f"Sliced Wasserstein-1 distance to the true law, noise-free for mixtures, at every "
        f"{JUDGE_EVERY}th of {demo.n_steps} steps, seed {demo.seed}; ± is the standard error over "
        "ten blocks of consecutive steps of this one run, not over repetitions.",
        kind="soft",
    )
    _add_figures(page, demo)
    page.heading("Settings")
    page.table(("predictor", "what it is"), [(run.name, run.description) for run in demo.runs])
    packages = ("driftlaw", "numpy", "numba", "scipy", "matplotlib")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    page.text(f"Python {platform.python_version()}, {versions}.", kind="soft")
    page.write(path)


def _add_figures(page: Page, demo: Demo) -> None:
    tables = {run.name: run.table for run in demo.runs}
    sampled = {name: table for name, table in tables.items() if len(table["centers"])}
    page.heading("How far from the truth")
    page.figure(draw_regret(tables), "Distance per step, its running sum and its running mean.")
    page.heading("Predicted law against truth")
    page.figure(
        draw_fans(tables, demo.world),
        "First coordinate: 50 % and 90 % of the predicted mass (bands), its median (line), the "
        "observations (grey) and the true centres (red).",
    )
    page.heading("Centres")
    page.figure(
        draw_centers(sampled, demo.world),
        "Centres of the sampled configurations, coloured by step, over the true paths (red).",
    )
    page.heading("Sampler")
    page.figure(draw_mixing(sampled), "Number of centres, and share of accepted proposals.")


def write_picture(demo: Demo, path: str | os.PathLike[str]) -> None:
    """Write the predicted laws against the truth as a PNG picture on white."""
    figure = draw_fans({run.name: run.table for run in demo.runs}, demo.world)
    figure.savefig(path, dpi=110, facecolor="white")
