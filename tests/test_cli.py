"""The command line as a user meets it: messages, exit codes, files left behind."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from driftlaw import __version__
from driftlaw.cli import app
from driftlaw.theory import bound, problem_from_flags, sharper_bound

HEAVY = (
    "arch", "matplotlib", "narwhals", "numba", "numpy", "ot", "pandas", "plotly", "pyarrow",
    "river", "scipy", "sklearn",
)  # fmt: skip


def _ask(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout, result.stderr


def _python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    # a shell's background jobs ignore Ctrl-C and hand that on; a terminal's do not
    listening = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    command = [sys.executable, "-c", listening + code]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


def test_help_names_the_commands_and_loads_nothing_heavy(tmp_path: Path) -> None:
    code = f"""
import sys
from driftlaw.cli import app
try:
    app(["--help"])
except SystemExit as end:
    print("exit", end.code)
print("loaded", sorted(set(sys.modules) & set({HEAVY!r})))
"""
    done = _python(code, tmp_path)
    assert "exit 0" in done.stdout
    assert "loaded []" in done.stdout
    assert {"demo", "run", "compare", "bound", "reproduce", "compile"} <= set(done.stdout.split())


def test_version_and_no_arguments() -> None:
    assert _ask("--version")[:2] == (0, f"driftlaw {__version__}\n")
    code, out, err = _ask()
    assert code == 2
    assert "Usage" in out + err


@pytest.mark.parametrize("option", ["--output", "--picture"])
@pytest.mark.parametrize("place", ["nowhere/file", ".", "/proc/file"])
def test_target_that_cannot_be_written_is_refused_before_the_run(
    option: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("driftlaw.demo.run_demo", _must_not_run)
    code, out, err = _ask("demo", option, place)
    assert (code, out) == (2, "")
    assert err.startswith(f"Error: {option[2:]} must be ")
    assert place in err
    assert list(tmp_path.iterdir()) == []


def _must_not_run(*_arguments: object, **_options: object) -> None:
    raise AssertionError("the run has begun")


def test_report_and_picture_must_be_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = _ask("demo", "--output", "a.png", "--picture", str(tmp_path / "a.png"))
    assert code == 2
    assert "picture must be another file than output" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--steps", "33"), "n_steps must be a whole number >= 34, got 33"),
        (("--seed", "-1"), "seed must be a whole number >= 0, got -1"),
        (("--steps", "many"), "Error"),
    ],
)
def test_bad_numbers_leave_no_report(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = _ask("demo", "--no-progress", *arguments)
    assert code == 2
    assert message in err
    assert list(tmp_path.iterdir()) == []


def test_missing_matplotlib_is_named_before_the_run(tmp_path: Path) -> None:
    done = _python(
        """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "matplotlib":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocker())
import driftlaw.demo
driftlaw.demo.run_demo = lambda *_, **__: print("the run has begun")
from driftlaw.cli import app
app(["demo"])
""",
        tmp_path,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: matplotlib")
    assert "driftlaw[plot]" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_in_the_run_stops_quietly_and_keeps_the_old_report(tmp_path: Path) -> None:
    (tmp_path / "driftlaw-demo.html").write_text("old")
    done = _python(
        """
import os, signal
from rich.progress import Progress
def advance(self, task, n=1):
    Progress.count = getattr(Progress, "count", 0) + 1
    if Progress.count == 50:
        os.kill(os.getpid(), signal.SIGINT)
Progress.advance = advance
from driftlaw.cli import app
app(["demo", "--steps", "40"])
""",
        tmp_path,
    )
    assert done.returncode == 130
    assert done.stderr.strip() == "Stopped."
    assert "Traceback" not in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["driftlaw-demo.html"]
    assert (tmp_path / "driftlaw-demo.html").read_text() == "old"


def test_bound_prints_what_the_theory_says() -> None:
    report = bound(problem_from_flags(horizon=60, restart_every=10, schedule="power", beta=0.4))
    flags = ("horizon=60", "restart-every=10", "schedule=power", "beta=0.4")
    assert _ask("bound", *flags)[:2] == (0, report.to_text() + "\n")
    code, out, _ = _ask("bound", *flags, "--json")
    assert code == 0
    assert json.loads(out)["total"] == report.total
    assert json.loads(out)["n_segments"] == 6


def test_bound_draws_itself_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "bound.png"
    assert _ask("bound", "horizon=60", "--picture", str(path))[0] == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    code, out, err = _ask("bound", "horizon=60", "--picture", str(tmp_path / "no" / "bound.png"))
    assert (code, out) == (2, "")
    assert "picture must be a file in an existing folder" in err
    code, _, err = _ask("bound", "horizon=60", "--picture", str(tmp_path / "bound.pdf"))
    assert code == 2
    assert "picture must be a file that ends in .png" in err


def test_bound_with_sharper_constants_is_another_number() -> None:
    totals = [
        json.loads(_ask("bound", "horizon=60", "--json", *more)[1])["total"]
        for more in ((), ("--sharper",))
    ]
    sharper = sharper_bound(problem_from_flags(horizon=60)).total
    assert totals == [bound(problem_from_flags(horizon=60)).total, sharper]
    assert totals[1] < totals[0]


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("horizn=3", "unknown value 'horizn'"),
        ("horizon", "name=value, got 'horizon'"),
        ("=3", "name=value, got '=3'"),
        ("horizon=abc", "horizon must be a number, got 'abc'"),
        ("horizon=0", "horizon must be a whole number >= 1, got 0"),
        ("radius=null", "radius must be a number, got None"),
        ("amplitude=[1]", "amplitude must be a number, got [1]"),
        ("amplitude=NaN", "amplitude"),
        ("schedule=cosine", "schedule must be one of"),
        ("sharper=true", "must be written --sharper"),
    ],
)
def test_bound_refuses_a_bad_value(flag: str, message: str) -> None:
    code, out, err = _ask("bound", flag)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("content", [{"seed": 1, "horizon": 60}, {"bound": {"horizon": 60}}])
def test_bound_of_a_manifest_and_values_given_by_hand_go_first(
    content: dict[str, object], tmp_path: Path
) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(content))
    asked = ("bound", "--json", "--manifest", str(path))
    assert json.loads(_ask(*asked)[1])["total"] == bound(problem_from_flags(horizon=60)).total
    by_hand = json.loads(_ask(*asked, "restart_every=20")[1])
    assert by_hand["total"] == bound(problem_from_flags(horizon=60, restart_every=20)).total
    code, _, err = _ask(*asked, "restart_evry=20")
    assert code == 2
    assert "restart_evry" in err


@pytest.mark.parametrize("content", [None, "{", "[1]", '{"seed": 1}', "\x80"])
def test_bound_refuses_a_bad_manifest(content: str | None, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    if content is not None:
        path.write_text(content, encoding="latin-1")
    code, out, err = _ask("bound", "--manifest", str(path))
    assert (code, out) == (2, "")
    assert err.startswith("Error: manifest must ")
