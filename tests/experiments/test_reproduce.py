"""`driftlaw reproduce` as a user meets it: every kind of figure, errors, the report."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from matplotlib.image import imread
from playwright.sync_api import Page, sync_playwright
from typer.testing import CliRunner

from driftlaw.cli import app
from driftlaw.errors import InputError
from driftlaw.experiments import catalogue, prepare, select
from driftlaw.experiments.choices import CHOICES
from driftlaw.experiments.tables import from_csv
from driftlaw.experiments.words import BRIEF_HEADER, VERDICT_HEADER
from tests.experiments.small_figures import small, write_prices

KINDS = ["main", "abrupt", "sensitivity-magnitude", "horizons", "spy-close", "decomposition"]
PANELS = {
    "main": ["w1-average"],
    "abrupt": ["w1-cumulative"],
    "sensitivity-magnitude": ["w1-final"],
    "horizons": ["w1-total"],
    "spy-close": ["w1-average", "mean_error-average"],
    "decomposition": [f"{side}-average" for side in ("total", "clean", "corruption")],
}
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


class Ran(NamedTuple):
    folder: Path
    out: str


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The real command over one small figure of each kind."""
    root = tmp_path_factory.mktemp("reproduce")
    write_prices(root)
    figures = [small(name) for name in KINDS]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("driftlaw.experiments.select", lambda names: figures)
        options = ["--data", str(root), "--jobs", "1", "--no-progress"]
        result = CliRunner().invoke(
            app, ["reproduce", "all", "--output", str(root / "out"), *options]
        )
    assert result.exit_code == 0, result.output
    return Ran(root / "out", result.stdout)


@pytest.mark.parametrize("name", KINDS)
def test_every_panel_is_a_table_and_two_pictures_of_it(ran: Ran, name: str) -> None:
    folder = ran.folder / name
    assert {path.stem for path in folder.glob("*.png")} == set(PANELS[name])
    for panel in PANELS[name]:
        table = from_csv((folder / f"{panel}.csv").read_bytes())
        assert list(table) == ["series", "x", "y", "lower", "upper"]
        assert np.isfinite(table["y"]).all()
        assert len(set(table["series"])) == (4 if name == "decomposition" else 5)
        assert imread(folder / f"{panel}.png").shape[1] > 300
        assert b"<svg" in (folder / f"{panel}.svg").read_bytes()
    steps = from_csv((folder / "steps.csv").read_bytes())
    assert set(steps) >= {"point", "series", "seed", "t", "weight"}


def test_drawn_averages_are_those_of_the_steps(ran: Ran) -> None:
    steps = from_csv((ran.folder / "main" / "steps.csv").read_bytes())
    panel = from_csv((ran.folder / "main" / "w1-average.csv").read_bytes())
    name = "restarted, as printed"
    series, seeds = np.array(steps["series"]), steps["seed"]
    finals = []
    for seed in (0, 1):
        row = (series == name) & (seeds == seed)
        finals.append(np.average(steps["w1"][row], weights=steps["weight"][row]))
    shown = panel["y"][np.array(panel["series"]) == name]
    assert shown[-1] == pytest.approx(np.mean(finals))
    assert panel["x"].max() == 53


def test_manifest_tells_specs_seeds_versions_and_duration(ran: Ran) -> None:
    manifest = json.loads((ran.folder / "manifest.json").read_text())
    assert list(manifest["figures"]) == sorted(KINDS)
    main = manifest["figures"]["main"]
    assert main["digest"] == small("main").digest()
    assert main["seeds"] == [0, 1]
    assert all((ran.folder / "cells" / f"{name}.csv").is_file() for name in main["cells"])
    assert set(manifest["identities"]["smooth"]["versions"]) >= {"driftlaw", "numba", "numpy"}
    assert list(manifest["identities"]["spy"]["data"]) == ["spy_daily.csv"]
    assert manifest["run"]["seconds"] > 0
    assert manifest["run"]["cells_run"] == len(list((ran.folder / "cells").iterdir()))


def test_command_prints_each_claim_once(ran: Ran) -> None:
    claims = from_csv((ran.folder / "claims.csv").read_bytes())
    assert set(claims["verdict"]) <= {"holds", "does not hold", "undecided"}
    assert set(claims["figure"]) == set(KINDS)
    for name in KINDS:
        assert name[:8] in ran.out
    assert "report.html" in ran.out.replace("\n", "")


@pytest.fixture(scope="module")
def page(ran: Ran) -> Iterator[Page]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        page = browser.new_page(viewport={"width": 1000, "height": 700})
        page.set_default_timeout(60_000)
        requests: list[str] = []
        page.on("request", lambda sent: requests.append(sent.url))
        page.on("console", lambda message: requests.append(f"console:{message.text}"))
        page.goto((ran.folder / "report.html").as_uri(), wait_until="load")
        assert {url.split(":")[0] for url in requests} <= {"file", "data"}
        yield page
        browser.close()


def test_report_has_the_verdicts_on_top_and_all_figures_in_order(page: Page, ran: Ran) -> None:
    tables = page.eval_on_selector_all(
        "table", "list => list.map(t => [...t.rows].map(r => [...r.cells].map(c => c.textContent)))"
    )
    assert tuple(tables[0][0]) == BRIEF_HEADER
    assert tuple(tables[-2][0]) == VERDICT_HEADER
    claims = from_csv((ran.folder / "claims.csv").read_bytes())
    assert {row[-1] for row in tables[-2][1:]} == set(claims["verdict"])
    assert tables[-1][1:] == [list(choice) for choice in CHOICES]
    headings = page.locator("h2").all_text_contents()
    titles = [small(name).title for name in KINDS]
    assert [heading.split(" [")[0].split(" (not")[0] for heading in headings[:-2]] == titles
    images = page.eval_on_selector_all(
        "img", "list => list.map(i => [i.complete, i.naturalWidth, i.alt.length])"
    )
    assert len(images) == len(KINDS)
    assert all(complete and width > 0 and alt > 20 for complete, width, alt in images)
    page.set_viewport_size({"width": 360, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def _ask(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["reproduce", *arguments])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "figure must be named"),
        (("mian",), "one of main, abrupt"),
        (("main", "--scale", "huge"), "scale must be one of smoke, quick, full, got 'huge'"),
        (("main", "--jobs", "0"), "jobs must be a whole number >= 1, got 0"),
        (("main", "--seeds", "0"), "seeds must be a whole number >= 1, got 0"),
        (("main", "--output", "nowhere/deep"), "output must be a folder"),
        (("main", "--output", "taken"), "output must be a folder"),
        (("main", "--output", "/proc/x"), "output must be writable"),
        (("spy-close",), "spy_daily.csv for spy-close"),
        (("all", "--data", "empty"), "spy_daily.csv for spy-close"),
        (("main", "--data", "nowhere"), "data must be a folder, got 'nowhere'"),
    ],
)
def test_errors_are_one_line_and_leave_nothing(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "taken").write_text("a file")
    code, out, err = _ask(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert message in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "taken"]
    assert (tmp_path / "taken").read_text() == "a file"


def test_all_leaves_figures_without_data_out_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = prepare(select(["all"]), "smoke", tmp_path, may_leave_out=True)
    assert list(study.left_out) == [name for name in catalogue() if name.startswith("spy")]
    assert "spy_daily.csv" in study.left_out["spy-close"]
    assert len(study.figures) == len(catalogue()) - 4
    with pytest.raises(InputError, match=r"spy_daily\.csv"):
        prepare(select(["all"]), "smoke", tmp_path)


def test_list_names_every_figure() -> None:
    code, out, _ = _ask("--list")
    assert code == 0
    for name in catalogue():
        assert name[:8] in out
