"""What a record says of values that come again: atoms belong to both of their sides."""

import csv
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from driftlaw._validate import Array
from driftlaw.cli import app
from driftlaw.compare import CONTENDERS, run_contest
from driftlaw.evaluate import prequential
from driftlaw.law import MixtureLaw, SampleLaw
from driftlaw.live import RunSettings, Sketch, Target, run_stream
from driftlaw.live import record as module
from driftlaw.live.record import record_levels, record_values, sides, summarise
from driftlaw.live.sketch import COVERAGE_LEVELS
from driftlaw.peers import RollingWindow
from driftlaw.tables import TableSpec

COUNTS = np.random.default_rng(4).poisson(0.6, size=1200).astype(float)


def _write(path: Path, values: Array) -> TableSpec:
    path.write_text("x\n" + "".join(f"{v}\n" for v in values))
    return TableSpec(path=str(path))


def _held(path: Path) -> float:
    with path.open() as file:
        rows = list(csv.DictReader(file))
    return float(np.mean([float(r["x_low"]) <= float(r["x"]) <= float(r["x_high"]) for r in rows]))


@pytest.mark.parametrize("level", [0.9, 0.85])
def test_the_share_that_held_is_that_of_the_columns(level: float, tmp_path: Path) -> None:
    spec, output = _write(tmp_path / "in.csv", COUNTS), tmp_path / "out.csv"
    settings = RunSettings(predictor="window", options={"size": 250}, level=level)
    outcome = run_stream(spec, settings, Target(output=str(output)))
    assert float(outcome.sketch.held[0]) / len(COUNTS) == _held(output)
    if level in COVERAGE_LEVELS:  # the chart counts the same
        place = COVERAGE_LEVELS.tolist().index(level)
        assert outcome.sketch.covered[0, place] == outcome.sketch.held[0]


def test_the_sentence_says_what_the_columns_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _write(Path("rare.csv"), COUNTS)
    words = ["run", "rare.csv", "-p", "window", "--option", "size=250", "-o", "out.csv"]
    done = CliRunner().invoke(app, words)
    assert f"it did {100 * _held(Path('out.csv')):.1f}".removesuffix(".0") in done.output


def test_every_level_of_the_chart_is_counted_as_low_to_high() -> None:
    sketch, window, found = Sketch(1), RollingWindow(1, 40), np.zeros(len(COVERAGE_LEVELS))
    settings = RunSettings()
    for n, record in enumerate(prequential(window, COUNTS[:400, None]), 1):
        told = record_values(record, n, record_levels(settings), settings)
        sketch.count(told, None)
        for i, level in enumerate(COVERAGE_LEVELS):
            low, high = record.law.interval(float(level))[:, 0]
            found[i] += low <= record.step.observed[0] <= high
    np.testing.assert_array_equal(sketch.covered[0], found)
    assert sketch.pit_counts.sum() == pytest.approx(400)


def test_places_of_counts_are_even_where_the_law_is_right() -> None:
    """Poisson values under their own law: bins within four errors of an even share (1e-3)."""
    rng, sketch, settings = np.random.default_rng(9), Sketch(1), RunSettings()
    law = SampleLaw(np.sort(rng.poisson(0.6, size=20_000)).astype(float)[:, None])
    n = 400
    for x in rng.choice(law.points[:, 0], size=n):
        summary = summarise(law, np.array([x]), record_levels(settings))
        verdict = module.Verdict(1.0, 1.0, 0.0, 1.0, 1.0)
        sketch.count(module.Told([], summary, verdict, np.array([True]), False, False), None)
    assert abs(sketch.pit_counts[0] / n - 1 / 20).max() < 4 * np.sqrt(0.05 / n)


def test_coverage_of_a_comparison_is_that_of_low_to_high() -> None:
    points = COUNTS[:500, None]
    few = [c for c in CONTENDERS if c.name == "window 250"]
    found = run_contest(points, contenders=few).entries[0].coverage
    window, inside = RollingWindow(1, 250), []
    for t, point in enumerate(points):
        low, high = window.predict().quantile([0.05, 0.95])[:, 0]
        inside += [low <= point[0] <= high] if t >= 100 else []
        window.learn_one(point)
    assert found == np.mean(inside)


def test_a_value_seen_before_is_as_likely_as_it_was_often() -> None:
    law = SampleLaw(np.array([[0.0]] * 7 + [[1.0]] * 2 + [[5.0]]))
    for x, expected in ((5.0, 0.2), (0.0, 1.0), (1.0, 0.6), (6.0, 0.0), (-1.0, 0.0)):
        summary = summarise(law, np.array([x]), np.array([0.5]))
        assert module.verdict_of(None, summary).tail == pytest.approx(expected, abs=1e-12), x


def test_without_atoms_the_sides_make_one() -> None:
    law = MixtureLaw([1.0], [0.0], [1.0])
    at_most, at_least = sides(module.line_of(law), 0.3)
    assert at_most + at_least == 1.0


def test_the_maximum_of_the_window_is_not_very_unusual(tmp_path: Path) -> None:
    values = np.tile([0.0, 0.0, 0.0, 0.0, 3.0], 30)
    spec = _write(tmp_path / "in.csv", values)
    target = Target(output=str(tmp_path / "out.csv"))
    outcome = run_stream(spec, RunSettings(predictor="window"), target)
    assert outcome.sketch.n_anomalies == 0
