"""The pages as a reader meets them: real files in a real browser, light, dark, narrow, on paper."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, sync_playwright
from scipy.stats import norm

from driftlaw.compare import CONTENDERS, run_contest, verdict
from driftlaw.law import MixtureLaw
from driftlaw.live import Outcome, RunSettings, Sketch, Target, run_stream
from driftlaw.live.record import Verdict
from driftlaw.live.sketch import LEVELS, Event
from driftlaw.report import comparison_rows, run_sentences, write_comparison, write_run_report
from driftlaw.report.scales import usual_range
from driftlaw.tables import Counts, TableSpec

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SETTINGS = RunSettings(predictor="ewma")
WIDTH = 1280


class Visit(NamedTuple):
    page: Page
    requests: list[str]
    complaints: list[str]


class TestUsualRange:
    """What charts show of values and of predicted quantiles."""

    @staticmethod
    def _range(x: np.ndarray) -> tuple[float, float]:
        low, high = usual_range(x, x.mean() + norm.ppf(LEVELS) * np.ones((len(x), 1)))
        return float(low), float(high)

    def test_nothing_is_left_out_of_a_smooth_law(self) -> None:
        for x in (norm.ppf(np.linspace(0.001, 0.999, 400)), np.geomspace(0.1, 20.0, 400)):
            low, high = self._range(x)
            assert low < x.min() < x.max() < high < 2.0 * x.max() - x.min()

    @pytest.mark.parametrize("spread", [5.0, 50.0])
    @pytest.mark.parametrize(
        "held", [slice(994, 1000), slice(990, 1000), slice(960, 1000), slice(0, 40), slice(0, 6),
                 slice(500, 506), slice(500, 540)]
    )  # fmt: skip
    def test_whatever_lasts_is_shown(self, held: slice, spread: float) -> None:
        rng = np.random.default_rng(0)
        x = rng.normal(100.0, 5.0, 1000)
        x[held] = rng.normal(1000.0, spread, held.stop - held.start)
        told = np.full((1000, 1), 100.0) + 5.0 * norm.ppf(LEVELS)
        low, high = usual_range(x, told)
        assert low < x.min() < x.max() < high < 1000.0 + 10.0 * spread + 200.0
        x[300:900:60] = 30_000.0
        assert usual_range(x, told)[1] < 1000.0 + 10.0 * spread + 200.0

    def test_what_is_expected_now_is_shown(self) -> None:
        x = np.random.default_rng(0).normal(100.0, 5.0, 1000)
        told = np.full((1000, 1), 100.0) + 5.0 * norm.ppf(LEVELS)
        told[-4:] += 150.0
        assert told[-1, -2] < usual_range(x, told)[1] < 400.0
        told[-4:] -= 150.0
        told[-15:, -4:] = 250.0  # only its tail
        assert 250.0 < usual_range(x, told)[1] < 400.0

    def test_of_a_heavy_tail_most_is_shown(self) -> None:
        x = np.random.default_rng(0).lognormal(0.0, 2.0, 1000)
        low, high = usual_range(x, np.exp(2.0 * norm.ppf(LEVELS)) * np.ones((1000, 1)))
        assert low < 0.0
        assert 50.0 < high < x.max() / 2.0
        assert np.mean(x < high) > 0.99

    def test_timeouts_leave_latencies_to_be_seen(self) -> None:
        x = np.random.default_rng(0).lognormal(3.0, 0.2, 400)
        usual = self._range(x)
        x[::60] = 30_000.0
        told = np.full((400, len(LEVELS)), 20.0) + norm.ppf(LEVELS)
        told[100:110, -3] = 30_000.0  # predicted for a while
        low, high = usual_range(x, told)
        assert usual[0] - 5.0 < low < high < usual[1] + 5.0

    def test_among_equal_values_all_are_shown(self) -> None:
        x = np.zeros(400)
        x[:4] = 50.0
        low, high = usual_range(x, np.zeros((400, len(LEVELS))))
        assert low < x.min() < x.max() < high
        low, high = usual_range(np.zeros(3), np.zeros((3, len(LEVELS))))
        assert low < 0.0 < high


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


def _visit(browser: Browser, path: Path, scheme: str) -> Visit:
    page = browser.new_page(
        color_scheme="dark" if scheme == "dark" else "light",
        viewport={"width": WIDTH, "height": 800},
    )
    found = Visit(page, [], [])
    page.on("request", lambda sent: found.requests.append(sent.url))
    page.on("console", lambda message: found.complaints.append(message.text))
    page.on("pageerror", lambda error: found.complaints.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_selector("body[data-drawn]", timeout=120_000)
    return found


def _check(visit: Visit, plots: set[str]) -> None:
    drawn = visit.page.eval_on_selector_all(
        ".js-plotly-plot", "list => list.map(p => [p.id, p.querySelectorAll('svg').length])"
    )
    assert {name for name, _ in drawn} == plots
    assert all(n_drawings > 0 for _, n_drawings in drawn)
    assert visit.complaints == []
    assert {url.split(":")[0] for url in visit.requests} <= {"file", "data", "blob"}
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= WIDTH


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Outcome]:
    folder, rng = tmp_path_factory.mktemp("run"), np.random.default_rng(0)
    values = rng.normal(size=(90, 3)).cumsum(axis=0)
    values[60] += 40.0
    lines = [
        f"2020-01-01T00:{i // 60:02d}:{i % 60:02d},{a},{b},{c}"
        for i, (a, b, c) in enumerate(values)
    ]
    (folder / "in.csv").write_text("time,a</script>,b,c\n" + "\n".join(lines) + "\n")
    spec = TableSpec(path=str(folder / "in.csv"), columns=("a</script>", "b", "c"))
    outcome = run_stream(spec, SETTINGS, Target(output=str(folder / "out.csv")))
    write_run_report(outcome, SETTINGS, spec.name, folder / "run.html")
    return folder / "run.html", outcome


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_of_a_run(scheme: str, run: tuple[Path, Outcome], browser: Browser) -> None:
    path, outcome = run
    visit = _visit(browser, path, scheme)
    _check(visit, {"fan", "heat", "pair", "calibration", "score"})
    page = visit.page
    assert page.inner_text("h1") == "What comes next in in.csv"
    said = page.locator(".summary p").all_text_contents()
    assert said == run_sentences(outcome, SETTINGS)
    assert any("very unusual" in text and "00:01:00" in text for text in said)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(18, 22, 28)")
    before = page.evaluate("document.getElementById('fan').data[7].y[80]")
    page.select_option("#column", "2")
    after = page.evaluate("document.getElementById('fan').data[7].y[80]")
    assert (before, after) == pytest.approx(
        tuple(outcome.sketch.table()["x"][80, [0, 2]]), rel=1e-5
    )
    page.select_option("#vertical", "2")
    title = "document.getElementById('pair').layout.yaxis.title.text"
    assert page.evaluate(title) == "c"
    odd = page.locator(".first td").all_text_contents()
    assert odd[0] == "2020-01-01T00:01:00"
    page.emulate_media(media="print")
    page.wait_for_timeout(300)
    # as wide as a sheet whatever the screen, and drawn before the sheet is laid out
    assert page.evaluate("document.getElementById('fan')._fullLayout.width") == 680
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.close()


def test_headline_tells_the_first_and_the_last_time_of_the_file(tmp_path: Path) -> None:
    rows = [f"day {i},{i % 7}\n" for i in range(1, 1503)]  # of so many, charts show one in two
    (tmp_path / "in.csv").write_text("time,x\n" + "".join(rows))
    spec = TableSpec(path=str(tmp_path / "in.csv"))
    outcome = run_stream(spec, SETTINGS, Target(output=str(tmp_path / "out.csv")))
    assert outcome.sketch.rows["time"][-1] == "day 1501"
    write_run_report(outcome, SETTINGS, spec.name, tmp_path / "run.html")
    text = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert "x: 1502 observations, day 1 to day 1502." in text


def _ended(sketch: Sketch) -> Outcome:
    counts = Counts(rows=sketch.n, skipped=0, held=0, used_up=0)
    law = MixtureLaw([1.0], [0.0], [1.0])
    return Outcome(("x",), None, counts, ("", ""), sketch, law, True, 0)


class _Fan(NamedTuple):
    """The first chart as drawn: its ranges, and the heights of marks that may lie on its edge."""

    across: list[float]
    up: list[float]
    marks: dict[str, list[float]]


def _fan(page: Page) -> _Fan:
    across, up, marks = page.evaluate(
        """(() => {
        const fan = document.getElementById("fan"), { xaxis, yaxis } = fan._fullLayout;
        const marks = fan.data.filter((d) => ["very unusual", "beyond the edge"].includes(d.name));
        return [xaxis.range, yaxis.range, marks.map((d) => [d.name, d.y])];
        })()"""
    )
    return _Fan(across, up, dict(marks))


def _drag(page: Page, place: Locator) -> None:
    corner = place.bounding_box()
    assert corner is not None
    page.mouse.move(corner["x"] + 200, corner["y"] + 40)
    page.mouse.down()
    page.mouse.move(corner["x"] + 400, corner["y"] + 150, steps=5)
    page.mouse.up()


@pytest.mark.parametrize("n", [150, 250])  # without and with an overview below the chart
def test_double_click_shows_all_and_comes_back(n: int, tmp_path: Path, browser: Browser) -> None:
    sketch = Sketch(1)
    values = np.random.default_rng(0).normal(size=(n, 1))
    values[60], values[120] = 1e4, -2e4
    for sketch.n, x in enumerate(values, 1):
        verdict = Verdict(1.0, 2.0, 10.0, np.nan, np.nan)
        sketch.keep(sketch.n, "", x, norm.ppf(LEVELS)[:, None], verdict)
    sketch.events.append(Event(61, "", 1e-9, True, False, (1e4,), (-2.0,), (2.0,)))
    write_run_report(_ended(sketch), SETTINGS, "in.csv", tmp_path / "run.html")
    visit = _visit(browser, tmp_path / "run.html", "light")
    page, place = visit.page, visit.page.locator("#fan .nsewdrag").first
    usual = _fan(page)
    assert -5.0 < usual.up[0] < -1.0 < 1.0 < usual.up[1] < 5.0
    assert usual.marks == {"very unusual": [usual.up[1]], "beyond the edge": [usual.up[0]]}
    place.dblclick()
    whole = _fan(page)
    assert whole.up[0] < -2e4 < 1e4 < whole.up[1]
    assert whole.marks == {"very unusual": [1e4]}  # where it was, and so are the dots
    _drag(page, place)
    assert _fan(page).across[1] - _fan(page).across[0] < n / 2
    page.wait_for_timeout(500)  # longer than between the two of a double click
    place.dblclick()
    assert _fan(page) == whole
    page.wait_for_timeout(500)
    place.dblclick()
    assert _fan(page) == usual
    assert visit.complaints == []
    page.close()


def test_groups_are_drawn_on_a_scale_of_their_own(tmp_path: Path, browser: Browser) -> None:
    rng, sketch = np.random.default_rng(3), Sketch(1)
    for n in range(1, 201):
        x, quantiles = rng.normal(0.0, 100.0, size=1), 100.0 * norm.ppf(LEVELS)[:, None]
        sketch.n = n
        sketch.keep(n, "", x, quantiles, Verdict(1.0, 2.0, 10.0, np.nan, np.nan))
        stray = 1e4 if n == 150 else 90.0 + 0.1 * n
        sketch.keep_centers(np.array([[20.0], [stray]]), np.array([0.9, 0.1]), np.arange(2.0))
    write_run_report(_ended(sketch), SETTINGS, "in.csv", tmp_path / "run.html")
    visit = _visit(browser, tmp_path / "run.html", "light")
    bottom, top = visit.page.evaluate("document.getElementById('centers').layout.yaxis.range")
    # half of the values are 135 wide, the groups 90; the stray one is left out
    room = (2 * norm.ppf(0.75) * 100.0 - 90.0) / 2 + 0.08 * 2 * norm.ppf(0.75) * 100.0
    assert (bottom, top) == pytest.approx((20.0 - room, 110.0 + room), rel=1e-5)
    visit.page.close()


def test_page_is_small_and_carries_what_the_chart_shows(run: tuple[Path, Outcome]) -> None:
    path, outcome = run
    assert path.stat().st_size < 3_000_000
    assert outcome.sketch.n_anomalies >= 1
    text = path.read_text(encoding="utf-8")
    assert "a</script>" not in text.split("<body>")[1].split('id="data">')[1].split("</script>")[0]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_of_a_comparison(scheme: str, tmp_path: Path, browser: Browser) -> None:
    points = np.random.default_rng(1).normal(size=(100, 1))
    few = [c for c in CONTENDERS if c.name in ("window 50", "ewma", "kde")]
    contest = run_contest(points, ("x",), contenders=few)
    found = verdict(contest)
    write_comparison(contest, found, [""] * 100, "folder/in.csv", tmp_path / "cmp.html")
    visit = _visit(browser, tmp_path / "cmp.html", scheme)
    _check(visit, {"gaps", "running", "held"})
    assert visit.page.locator(".summary p").all_text_contents() == found.sentences
    cells = visit.page.eval_on_selector_all(
        "table tr", "rows => rows.map(r => [...r.cells].map(c => c.textContent))"
    )
    assert [tuple(row) for row in cells] == comparison_rows(contest)
    assert visit.page.inner_text("tr.best td") == found.advised
    visit.page.close()
