"""The runner: the same bytes whoever runs the cells, in whatever order, killed or not."""

import os
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import joblib
import numpy as np
import pytest
from joblib.externals.loky import get_reusable_executor

from driftlaw.corruption import paper_smooth
from driftlaw.errors import InputError
from driftlaw.evaluate import twin_run
from driftlaw.experiments import Figure, prepare, run_study
from driftlaw.experiments.cells import Cell, run_cell
from driftlaw.experiments.identity import code_digest
from driftlaw.experiments.plan import plan
from driftlaw.experiments.results import BEST, gather, runs_table, steps_table
from driftlaw.experiments.runner import Names, jobs_of, run_jobs
from driftlaw.law import SampleLaw, sliced_w1
from driftlaw.predictor import QuasiBayes
from tests.experiments.small_figures import small

RUN = """
import sys
from pathlib import Path
from driftlaw.experiments import prepare, run_study
from tests.experiments.small_figures import small
run_study(prepare([small("main")], "smoke", Path(sys.argv[1])))
"""
ROOT = Path(__file__).parents[2]


def _run(folder: Path, n_jobs: int = 1) -> None:
    run_study(prepare([small("main")], "smoke", folder), n_jobs=n_jobs)


def _bytes(folder: Path) -> dict[str, bytes]:
    """Everything that was written but the manifest, which says how long it took."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files
        if path.name != "manifest.json"
    }


def test_window_cell_is_judged_as_a_plain_loop_does() -> None:
    cell = plan(small("main"), "smoke")[4].cell
    assert cell.predictor == {"name": "window", "size": 5}
    seed = np.random.SeedSequence(0, spawn_key=(0,))
    stream = paper_smooth(n_steps=53, rng=seed)
    window, expected = deque([np.zeros(2)], 5), []
    for t, step in enumerate(stream):
        if t % 13 == 0:
            law, truth = SampleLaw(np.array(window)), stream.law_at(t)
            expected.append(sliced_w1(law, truth, n_directions=16).value)
        if t == 0:
            window.clear()
        window.append(step.observed)
    np.testing.assert_allclose(run_cell(cell)["w1"], expected, rtol=1e-12)


def test_twin_cell_agrees_with_the_twin_run_of_the_package() -> None:
    entry = plan(small("decomposition"), "smoke")[3]
    judge = {**entry.cell.judge, "every": 1, "fixed_directions": 64}
    stream = {**entry.cell.stream, "n_steps": 12}
    cell = Cell(stream=stream, predictor=entry.cell.predictor, judge=judge, seed=1)
    table = run_cell(cell)
    seed = np.random.SeedSequence(1)
    world, own = (np.random.SeedSequence(seed.entropy, spawn_key=(i,)) for i in (0, 1))
    options = dict(cell.predictor.items())
    options.pop("name")
    options["schedule"] = lambda age: 1.0 if age else 0.0

    def make() -> QuasiBayes:
        return QuasiBayes(2, **options, rng=np.random.default_rng(own))

    records = list(twin_run(make, paper_smooth(n_steps=12, rng=world)))
    for name in ("total", "clean", "corruption"):
        np.testing.assert_allclose(table[name], [getattr(r, name) for r in records], rtol=1e-9)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Output of an undisturbed run in two processes."""
    folder = tmp_path_factory.mktemp("whole")
    _run(folder, n_jobs=2)
    get_reusable_executor().shutdown()
    return folder


def test_killed_run_continues_to_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    total = len(list((whole / "cells").iterdir()))
    command = [sys.executable, "-c", RUN, str(tmp_path)]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while len(list(tmp_path.glob("cells/*.csv"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    done = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("cells/*.csv")}
    assert 2 <= len(done) < total
    assert not (tmp_path / "report.html").exists()
    (tmp_path / "cells" / ".half.csv.1.part").write_text("t,w")
    _run(tmp_path)
    kept = {name: (tmp_path / "cells" / name).stat().st_mtime_ns for name in done}
    assert kept == done  # what was whole was not run again
    assert _bytes(tmp_path) == _bytes(whole)


def test_tables_hold_what_cells_gave(whole: Path) -> None:
    figure = small("main")
    names = Names(whole / "cells", None)
    entries = plan(figure, "smoke")
    done = run_jobs(jobs_of([entry.cell for entry in entries], names))
    assert (done.n_run, done.n_found) == (0, len(entries))
    results = gather(figure, "smoke", names, done.tables)
    steps, runs = steps_table(results), runs_table(results)
    first = entries[0]
    rows = (steps["series"] == first.series) & (steps["seed"] == 0)
    np.testing.assert_array_equal(steps["w1"][rows], run_cell(first.cell)["w1"])
    assert steps["weight"][rows].tolist() == [13, 13, 13, 13, 1]  # 53 steps in all
    by_hand = steps["w1"][rows] @ [13, 13, 13, 13, 1]
    assert runs["w1_total"][0] == pytest.approx(by_hand)
    assert runs["w1_average"][0] == pytest.approx(by_hand / 53)
    means = {
        size: results.blocks[0.0, f"window {size}"].averages("w1").mean() for size in figure.windows
    }
    assert results.blocks[0.0, BEST].size == min(means, key=lambda size: means[size])


def test_name_of_a_cell_holds_all_it_depends_on(tmp_path: Path) -> None:
    cell = plan(small("main"), "smoke")[0].cell
    others = [
        Cell(stream=cell.stream, predictor=cell.predictor, judge=cell.judge, seed=1),
        Cell(
            stream={**cell.stream, "eps": 2.0}, predictor=cell.predictor, judge=cell.judge, seed=0
        ),
        Cell(
            stream=cell.stream, predictor={**cell.predictor, "eta": 1.0}, judge=cell.judge, seed=0
        ),
        Cell(
            stream=cell.stream, predictor=cell.predictor, judge={**cell.judge, "every": 2}, seed=0
        ),
    ]
    names = Names(tmp_path, None)
    assert len({names.path(each) for each in [cell, *others]}) == 5
    spy = plan(small("spy-close"), "smoke")[0].cell
    paths = set()
    for text in ("a", "b"):
        (tmp_path / "spy_daily.csv").write_text(text)
        paths.add(Names(tmp_path, tmp_path).path(spy))
    assert len(paths) == 2
    assert code_digest() == code_digest()


def test_equal_cells_of_several_figures_are_run_once(tmp_path: Path) -> None:
    figures: list[Figure] = [small("main"), small("one-over-t")]
    cells = [entry.cell for figure in figures for entry in plan(figure, "smoke")]
    jobs = jobs_of(cells, Names(tmp_path, None))
    assert len(jobs) == len(cells) - 2 * 4  # all but the two printed lines are shared


def test_another_backend_gives_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    cells = [entry.cell for entry in plan(small("main"), "smoke") if "window" in entry.series]
    jobs = jobs_of(cells, Names(tmp_path, None))
    with joblib.parallel_config(backend="threading"):
        assert run_jobs(jobs, n_jobs=2).n_run == len(jobs) == 4
    for job in jobs:
        assert job.path.read_bytes() == (whole / "cells" / job.path.name).read_bytes()


def test_bad_numbers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="jobs must be"):
        run_jobs([], n_jobs=0)
    with pytest.raises(InputError, match="seeds must be"):
        prepare([small("main")], "smoke", tmp_path, n_seeds=0)
    with pytest.raises(InputError, match="scale must be one of"):
        prepare([small("main")], "huge", tmp_path)


def test_costs_are_told_as_they_come(whole: Path) -> None:
    study = prepare([small("main")], "smoke", whole)
    told: list[int] = []
    outcome = run_study(study, on_done=told.append)
    assert sum(told) == study.cost
    assert outcome.output == whole
