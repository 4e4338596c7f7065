"""Comparisons: scores against plain loops, intervals that cover, verdicts that follow."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from driftlaw._validate import Array
from driftlaw.cli import app
from driftlaw.compare import (
    CONTENDERS,
    Contender,
    Contest,
    Entry,
    gaps,
    read_points,
    run_contest,
    verdict,
)
from driftlaw.compare.verdict import mean_gap
from driftlaw.errors import InputError
from driftlaw.evaluate import crps
from driftlaw.peers import KDE
from driftlaw.report import comparison_rows
from driftlaw.tables import TableSpec


def _named(*names: str) -> list[Contender]:
    return [c for c in CONTENDERS if c.name in names]


def test_scores_are_those_of_a_plain_loop_in_the_datas_units() -> None:
    points = np.random.default_rng(0).normal(50.0, 20.0, size=(90, 1))
    contest = run_contest(points, contenders=_named("kde", "window 50"))
    assert (contest.warmup, contest.n_judged) == (18, 72)
    peer, expected = KDE(1, 100), []
    for t, z in enumerate(points):
        if t >= 18:
            expected.append(crps(peer.predict(), z))
        peer.learn_one(z)
    found = next(e for e in contest.entries if e.name == "kde")
    np.testing.assert_allclose(found.scores, expected, rtol=1e-3)
    window = next(e for e in contest.entries if e.name == "window 50")
    assert np.isnan(window.log_scores).all()
    assert np.isfinite(found.log_scores).all()
    assert 0.7 < found.coverage <= 1.0
    assert found.milliseconds > 0


def test_quasi_bayes_and_all_columns_take_part_without_garch() -> None:
    points = np.random.default_rng(0).normal(size=(70, 2)) * [1.0, 1e6]
    contest = run_contest(points, ("a", "b"), contenders=_named("ewma", "garch"))
    assert [entry.name for entry in contest.entries] == ["ewma"]
    assert contest.unit == 1.0
    assert contest.entries[0].scores.mean() < 1.0  # in scaled units


def test_a_contender_that_fails_is_left_out_with_its_reason() -> None:
    def fail(_past: Array, _seed: int) -> KDE:
        raise InputError("not today")

    broken = Contender("broken", "fails", fail)
    points = np.random.default_rng(0).normal(size=(80, 1))
    contest = run_contest(points, contenders=[broken, *_named("ewma")])
    assert contest.entries[0].failure == "not today"
    assert verdict(contest).advised == "ewma"
    with pytest.raises(InputError, match="no predictor could be compared: broken: not today"):
        verdict(run_contest(points, contenders=[broken]))


def _contest(**scores: Array) -> Contest:
    entries = [
        Entry(name, f"rule {name}", values, values, np.full((len(values), 1), 0.5), 0.9, 1.0)
        for name, values in scores.items()
    ]
    return Contest(entries, ("x",), 10, len(next(iter(scores.values()))), 1.0)


def test_the_simplest_that_is_not_clearly_beaten_is_advised() -> None:
    rng = np.random.default_rng(3)
    noise, base = rng.normal(size=(3, 400)), rng.gamma(3.0, size=400)
    level = _contest(simple=base + 0.3 * noise[0], fancy=base - 0.001 + 0.3 * noise[1])
    assert verdict(level).advised == "simple"
    clear = _contest(simple=base + 1.0, fancy=base + 0.1 * noise[2])
    found = verdict(clear)
    assert found.best == found.advised == "fancy"
    assert "Use «fancy» (rule fancy): its scores were" in found.sentences[0]
    assert "lower than those of the next best, «simple»" in found.sentences[0]


def test_a_stream_that_never_changes_has_a_verdict() -> None:
    points = np.full((100, 1), 5.0)
    contest = run_contest(points, contenders=_named("window 50", "window 250", "ewma"))
    found = verdict(contest)
    assert found.advised == "window 50"
    assert "right about every value, as was «window 250»" in found.sentences[0]
    cells = {row[0]: row[2] for row in comparison_rows(contest)}
    assert (cells["window 50"], cells["window 250"]) == ("best", "best")
    assert cells["ewma"].startswith("0.173 (")  # no share of a score of zero


def test_a_best_score_next_to_zero_is_no_measure() -> None:
    contest = _contest(a=np.full(100, 1e-150), b=np.ones(100))
    assert comparison_rows(contest)[2][2] == "1 (1 to 1)"


def test_intervals_cover_the_true_difference() -> None:
    """Autocorrelated differences of known mean; 300 repetitions, 95 % within 4 errors (1e-4)."""
    rng, hits = np.random.default_rng(5), 0
    for _ in range(300):
        noise = rng.normal(size=620)
        series = np.convolve(noise, np.full(10, 0.3), mode="valid")[:600]  # a memory of ten
        mean, half = mean_gap(series + 0.2, np.zeros(600), 1)
        hits += abs(mean - 0.2) <= half
    assert abs(hits / 300 - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 300) + 0.02


def test_gap_of_the_best_is_zero() -> None:
    base = np.random.default_rng(0).gamma(2.0, size=100)
    found = gaps(_contest(a=base + 0.5, b=base))
    assert found[1][1:] == (0.0, 0.0, 0.0)
    assert found[0].difference == pytest.approx(0.5)


def test_command_prints_a_verdict_and_writes_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(1).normal(size=120)
    Path("in.csv").write_text("x\n" + "".join(f"{v}\n" for v in values))
    options = ["--predictors", "ewma,window 50", "--last", "100", "-o", "t.csv", "--no-progress"]
    done = CliRunner().invoke(app, ["compare", "in.csv", *options])
    assert done.exit_code == 0, done.output
    assert "Use «" in done.output
    header, *rows = Path("t.csv").read_text().splitlines()
    assert header.startswith("predictor,score,difference,")
    assert [row.split(",")[0] for row in rows] == ["window 50", "ewma"]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("x\n1\n", (), "a comparison needs 60 observations, got 1"),
        ("x\n" + "1\n2\n" * 40, ("--predictors", "crystal"), "predictors must be among"),
        ("x\n" + "1\n2\n" * 40, ("--last", "0"), "last must be a whole number"),
        ("x\n" + "1\n2\n" * 40, ("-o", "no/t.csv"), "output must be a file in an existing"),
        ("x\n" + "1\n2\n" * 40, ("-o", "t.jsonl"), "output must end in .csv, .txt, .dat or in"),
        ("x\n1\nz\n", (), "line 3, column 'x': not a number"),
    ],
)
def test_bad_comparisons_are_refused(
    content: str, options: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "in.csv"
    path.write_text(content)
    done = CliRunner().invoke(app, ["compare", str(path), *options])
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert [p.name for p in tmp_path.iterdir()] == ["in.csv"]


@pytest.mark.parametrize("option", ["--output", "--report"])
@pytest.mark.parametrize("spelling", ["in.csv", "./in.csv", "link.csv"])
def test_the_input_is_never_written_over(
    option: str, spelling: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    content = "x\n" + "1\n2\n" * 40
    Path("in.csv").write_text(content)
    Path("link.csv").symlink_to("in.csv")
    done = CliRunner().invoke(app, ["compare", "in.csv", option, spelling])
    assert done.exit_code == 2
    assert f"{option[2:]} must be another file than the input" in " ".join(done.stderr.split())
    assert Path("in.csv").read_text() == content


def test_columns_left_out_are_named_on_the_error_stream(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("note,x\n" + "a,1\nb,2\n" * 40)
    done = CliRunner().invoke(app, ["compare", str(path), "--predictors", "window 50"])
    assert done.exit_code == 0
    assert "predicting column 'x'; left out, as not numeric: 'note'" in done.stderr


def test_readings_that_mean_nothing_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("x\n" + "1\n2\n-9999\n" * 40)
    options = ["--missing", "skip", "--missing-value", "-9999", "--predictors", "window 50"]
    done = CliRunner().invoke(app, ["compare", str(path), *options])
    assert done.exit_code == 0
    assert "64 observations judged after 16" in " ".join(done.stdout.split())


def test_the_table_and_the_page_are_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("x\n" + "1\n2\n" * 40)
    done = CliRunner().invoke(app, ["compare", "in.csv", "-o", "a", "-r", "./a"])
    assert done.exit_code == 2
    assert "report must be another file than output" in " ".join(done.stderr.split())


def test_points_are_transformed_and_cut(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("t,x\n" + "".join(f"{i},{2.0 ** (i % 5)}\n" for i in range(70)))
    points = read_points(TableSpec(path=str(path)), transform="log-return", last=65)
    assert points.values.shape == (65, 1)
    assert points.columns == ("x",)
    assert points.times[-1] == "69"
