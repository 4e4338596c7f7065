"""The report as a reader meets it: the real command, the real file, a real browser."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from matplotlib.image import imread
from playwright.sync_api import Browser, Page, sync_playwright
from typer.testing import CliRunner

from driftlaw.cli import app
from driftlaw.demo import HEADER, Demo, rows_of, run_demo, verdict

STEPS, SEED = 36, 5
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


class Written(NamedTuple):
    folder: Path
    out: str
    err: str


class Visit(NamedTuple):
    page: Page
    requests: list[str]
    complaints: list[str]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("demo")
    command = [sys.executable, "-c", "from driftlaw.cli import app; app()", "demo"]
    options = ["--steps", str(STEPS), "--seed", str(SEED), "--output", "r.html"]
    done = subprocess.run(
        [*command, *options, "--picture", "p.png"],
        cwd=folder, env=os.environ | {"COLUMNS": "100"}, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return Written(folder, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def demo() -> Demo:
    return run_demo(STEPS, SEED)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="module", params=["light", "dark"])
def visit(written: Written, browser: Browser, request: pytest.FixtureRequest) -> Iterator[Visit]:
    page = browser.new_page(color_scheme=request.param, viewport={"width": 900, "height": 700})
    found = Visit(page, [], [])
    page.on("request", lambda sent: found.requests.append(sent.url))
    page.on("console", lambda message: found.complaints.append(message.text))
    page.on("pageerror", lambda error: found.complaints.append(str(error)))
    page.goto((written.folder / "r.html").as_uri(), wait_until="load")
    yield found
    page.close()


def test_command_leaves_two_files_and_prints_the_rows(written: Written, demo: Demo) -> None:
    assert sorted(path.name for path in written.folder.iterdir()) == ["p.png", "r.html"]
    lines = [re.findall(r"[^│]+", line) for line in written.out.splitlines() if "│" in line]
    printed = [tuple(cell.strip() for cell in cells)[:-1] for cells in lines]
    assert printed == [row[:-1] for row in rows_of(demo)]
    assert verdict(demo)[1] in " ".join(written.out.split())
    assert written.err == ""


def test_picture_is_a_picture_on_white(written: Written) -> None:
    pixels = imread(written.folder / "p.png")
    assert pixels.shape[1] > 1000
    assert (pixels[0, 0] == 1.0).all()
    assert len(np.unique(pixels.reshape(-1, pixels.shape[2]) @ [1.0, 10.0, 100.0, 0.0])) > 100


def test_ctrl_c_while_the_report_is_written_leaves_no_half_of_it(
    demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Path.write_bytes

    def interrupted(self: Path, data: bytes) -> int:
        whole(self, data[: len(data) // 2])
        os.kill(os.getpid(), signal.SIGINT)
        return whole(self, data)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("driftlaw.demo.run_demo", lambda *_, **__: demo)
    monkeypatch.setattr("driftlaw.demo.report._add_figures", lambda *_: None)
    monkeypatch.setattr(Path, "write_bytes", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        done = CliRunner().invoke(app, ["demo", "--no-progress"])
    finally:
        signal.signal(signal.SIGINT, before)
    assert (done.exit_code, done.stderr.strip()) == (130, "Stopped.")
    assert list(tmp_path.iterdir()) == []


def test_page_loads_whole_in_silence_and_asks_no_network(visit: Visit) -> None:
    images = visit.page.eval_on_selector_all(
        "img", "list => list.map(i => [i.complete, i.naturalWidth, i.alt.length])"
    )
    assert len(images) == 4
    assert all(complete and width > 0 and alt > 20 for complete, width, alt in images)
    assert visit.complaints == []
    assert {url.split(":")[0] for url in visit.requests} <= {"file", "data"}


def test_page_says_what_the_api_says(visit: Visit, demo: Demo) -> None:
    tables = visit.page.eval_on_selector_all(
        "table",
        "list => list.map(t => [...t.rows].map(r => [...r.cells].map(c => c.textContent)))",
    )
    summary, settings = tables
    assert tuple(summary[0]) == HEADER
    assert [tuple(row)[:-1] for row in summary[1:]] == [row[:-1] for row in rows_of(demo)]
    assert settings[1:] == [[run.name, run.description] for run in demo.runs]
    assert visit.page.locator(".summary p").all_text_contents() == verdict(demo)
    assert f"of {STEPS} steps (seed {SEED})" in visit.page.inner_text("body")


def test_words_stand_left_and_numbers_right(visit: Visit) -> None:
    def align(selector: str) -> str:
        look = f"getComputedStyle(document.querySelector('{selector}')).textAlign"
        return str(visit.page.evaluate(look))

    assert align(".numbers td:nth-child(2)") == "right"
    assert align(".numbers td") == "left"
    assert align(".words td:nth-child(2)") == "left"


def test_text_is_legible_on_screen_and_paper_is_white(visit: Visit) -> None:
    assert _contrast(visit.page) > 7
    visit.page.emulate_media(media="print")
    ground = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
    visit.page.emulate_media(media="screen")
    assert ground == "rgb(255, 255, 255)"


def _contrast(page: Page) -> float:
    """Contrast ratio of the page's text by the formula of the accessibility guidelines."""
    look = "(s => [s.color, s.backgroundColor])(getComputedStyle(document.body))"
    luminances = []
    for color in page.evaluate(look):
        channels = np.array([int(part) for part in re.findall(r"\d+", color)[:3]]) / 255
        linear = np.where(
            channels <= 0.03928, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
        )
        luminances.append(float(linear @ [0.2126, 0.7152, 0.0722]) + 0.05)
    return max(luminances) / min(luminances)


def test_page_does_not_scroll_sideways_on_a_phone(visit: Visit) -> None:
    visit.page.set_viewport_size({"width": 360, "height": 700})
    width = visit.page.evaluate("document.documentElement.scrollWidth")
    visit.page.set_viewport_size({"width": 900, "height": 700})
    assert width <= 360
