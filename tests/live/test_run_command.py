"""`driftlaw run` as a user meets it: records, messages, exit codes, files left behind."""

import csv
import io
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from driftlaw.cli import app
from driftlaw.errors import InputError
from driftlaw.law import SampleLaw
from driftlaw.live import RunSettings, Target, run_stream
from driftlaw.peers import RollingWindow
from driftlaw.report import page
from driftlaw.tables import TableSpec

VALUES = np.random.default_rng(8).normal(10.0, 1.0, size=60)
WINDOW = ("--predictor", "window", "--option", "size=30")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("x\n" + "".join(f"{float(v)!r}\n" for v in VALUES))
    return tmp_path


def _ask(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, ["run", *arguments], input=stdin)


def _left() -> list[str]:
    return sorted(path.name for path in Path().iterdir() if path.name != "in.csv")


def test_records_are_what_the_law_said_before_the_value() -> None:
    done = _ask("in.csv", *WINDOW, "--quantiles", "0.9,0.1", "--level", "0.5")
    assert done.exit_code == 0, done.output
    assert _left() == ["in-driftlaw.csv"]
    with Path("in-driftlaw.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["n"]) for row in rows] == list(range(1, 61))
    window = RollingWindow(1, 30)
    for value, row in zip(VALUES, rows, strict=True):
        law = window.predict()
        assert isinstance(law, SampleLaw)
        found = [
            float(row[name]) for name in ("x", "x_mean", "x_q0.1", "x_q0.9", "x_low", "x_high")
        ]
        expected = [value, law.mean()[0], *law.quantile([0.1, 0.9, 0.25, 0.75])[:, 0]]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert float(row["x_pit"]) == pytest.approx(law.cdf(value))
        assert (row["alarm"], row["memory"], row["k"]) == ("", "", "")
        window.learn_one(value)
    covered = np.mean(
        [float(r["x_low"]) <= v <= float(r["x_high"]) for v, r in zip(VALUES, rows, strict=True)]
    )
    assert 0.2 < covered < 0.8
    assert "60 observations" in done.output
    assert "50 % of the time" in done.output


def test_a_pipe_is_answered_line_by_line() -> None:
    command = [sys.executable, "-c", "from driftlaw.cli import app; app()", "run", "-", *WINDOW]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for n, value in enumerate((3.0, 4.0, 5.0), 1):
            process.stdin.write(f"{value}\n")
            process.stdin.flush()
            if n == 1:
                assert process.stdout.readline().startswith("n,c1,c1_mean,")
            assert process.stdout.readline().startswith(f"{n},{value},")  # before the next is sent
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "Stopped after 3 observations; next time, --checkpoint" in err


def test_json_lines_out_and_in() -> None:
    text = '{"when": "a", "x": 1}\n{"when": "b", "x": null}\n{"when": "c", "x": 3}\n'
    done = _ask("-", "--format", "jsonl", "--time", "when", "--missing", "skip", *WINDOW,
                "--output-format", "jsonl", stdin=text)  # fmt: skip
    assert done.exit_code == 0
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(r["n"], r["time"], r["x"]) for r in records] == [(1, "a", 1.0), (2, "c", 3.0)]
    assert records[0]["alarm"] is None
    assert "1 rows with a missing value were left out" in done.stderr


def test_config_file_fills_up_and_the_command_line_goes_first() -> None:
    Path("run.toml").write_text(
        'columns = ["x"]\nlevel = 0.5\nquantiles = [0.5]\noutput = "a.csv"\n'
        '[predictor]\nname = "window"\nsize = 7\n'
    )
    assert _ask("in.csv", "--config", "run.toml", "--output", "b.csv").exit_code == 0
    assert _left() == ["b.csv", "run.toml"]
    assert "x_q0.5,x_low" in Path("b.csv").read_text().splitlines()[0]


BAD: dict[str, tuple[str | None, tuple[str, ...], str]] = {
    "no such file": (None, (), "in.csv: no such file"),
    "empty": ("", (), "it is empty"),
    "header only": ("x\n", (), "only a header"),
    "word": ("x\n1\nabc\n", (), "in.csv, line 3, column 'x': not a number: 'abc'"),
    "ragged": ("x,y\n1,2\n3\n", ("-c", "x"), "line 3: 1 cells where 2"),
    "missing": ("x\n1\n\n2\n", (), "line 3, column 'x': the value is missing; choose --missing"),
    "no reading": (
        "x\n1\n-9999\n", ("--missing-value", "-9999"), "line 3, column 'x': the value is missing"
    ),
    "infinite": ("x\n1\n-inf\n", (), "line 3, column 'x': not finite"),
    "encoding": ("x\n1\n\x80\n", (), "byte 0x80 is not utf-8"),
    "price": ("x\n1\n0\n", ("-t", "log-return"), "line 3, column 'x': a log-return needs"),
    "difference": (
        "x\n9e99\n-9e99\n", ("-t", "diff"),
        "in.csv, line 3, column 'x': more than 1e+100 in size after diff: -1.8e+100",
    ),
    "no column": ("x\n1\n", ("-c", "y"), "no column 'y'; its columns are x"),
    "no time": ("x,y\n1,2\n", ("--time", "w"), "no column 'w'; its columns are x, y"),
    "nothing left": ("x\n1\n", ("-t", "diff"), "its 1 rows give no observation"),
    "transform": ("x\n1\n", ("-t", "square"), "transform must be one of"),
    "policy": ("x\n1\n", ("--missing", "guess"), "missing must be one of"),
    "predictor": ("x\n1\n", ("-p", "oracle"), "predictor must be one of"),
    "option": ("x\n1\n", ("--option", "sizes=3"), "window has no option 'sizes'; it has size"),
    "option value": ("x\n1\n", ("--option", "size=big"), "size must be a whole number"),
    "option form": ("x\n1\n", ("--option", "size"), "name=value, got 'size'"),
    "option twice": (
        "x\n1\n", ("--option", "size=3", "--option", "size=5"), "option size must be given once"
    ),
    "radius": ("x\n1\n", ("-p", "quasi-bayes"), "quasi-bayes needs the option radius"),
    "levels": ("x\n1\n", ("--quantiles", "0.5,x"), "quantiles must be numbers"),
    "level range": ("x\n1\n", ("--quantiles", "0.5,1"), "quantiles must be different and between"),
    "level": ("x\n1\n", ("--level", "1.5"), "level must be in [0, 1]"),
    "unknown option": ("x\n1\n", ("--colums", "x"), "No such option"),
    "folder": ("x\n1\n", ("-o", "no/out.csv"), "output must be a file in an existing folder"),
    "unwritable": ("x\n1\n", ("-o", "/proc/out.csv"), "output must be writable"),
    "report form": ("x\n1\n", ("-r", "r.pdf"), "report must end in .html, got 'r.pdf'"),
    "report folder": ("x\n1\n", ("-r", "no/r.html"), "report must be a file in an existing"),
    "one file twice": ("x\n1\n", ("-o", "a", "-r", "a"), "must be another file"),
    "output column": ("n\n1\n", (), "column 'n' must not be called like a column of the records"),
    "output column of another": ("x,x_low\n1,2\n", ("-c", "x,x_low"), "rename it in the input"),
    "near quantiles": ("x\n1\n", ("--quantiles", "0.5,0.5000001"), "must differ in six digits"),
    "workbook": ("x\n1\n", ("-o", "a.xlsx"), "output must end in .csv, .txt, .dat, .jsonl,"),
    "packed": ("x\n1\n", ("-o", "a.csv.gz"), "or be given with --output-format, got 'a.csv.gz'"),
    "checkpoint": ("x\n1\n", ("--checkpoint-every", "5"), "need --checkpoint FILE"),
    "resume": ("x\n1\n", ("--checkpoint", "s", "--resume-from", "next"), "standard input"),
    "to a pipe": ("x\n1\n", ("-o", "-", "--checkpoint", "s"), "a checkpoint needs an output file"),
    "parquet pipe": ("x\n1\n", ("-o", "-", "--output-format", "parquet"), "Parquet needs a file"),
    "format": ("x\n1\n", ("--format", "xml"), "format must be one of"),
    "seed": ("x\n1\n", ("--seed", "-1"), "seed must be a whole number >= 0"),
    "no config": ("x\n1\n", ("--config", "no.toml"), "config must be a readable file"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(BAD))
def test_bad_input_is_one_line_exit_two_and_nothing_written(name: str) -> None:
    content, options, message = BAD[name]
    if content is None:
        Path("in.csv").unlink()
    else:
        Path("in.csv").write_bytes(content.encode("latin-1"))
    predictor = () if "-p" in options else ("-p", "window")
    done = _ask("in.csv", *predictor, *options)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert done.stdout == ""
    assert _left() == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("colums = 'x'", "unknown key 'colums'; the keys are anomaly, checkpoint"),
        ("columns = [", "not TOML"),
        ("columns = 3", "columns must be names"),
        ("missing-value = [[1]]", "missing-value must be numbers or words"),
        ("[predictor]\nsize = 3", "[predictor] needs the key name"),
    ],
)
def test_bad_config_is_refused(content: str, message: str) -> None:
    Path("run.toml").write_text(content)
    done = _ask("in.csv", "--config", "run.toml")
    assert done.exit_code == 2
    assert message in done.stderr
    assert _left() == ["run.toml"]


def test_a_bad_row_of_a_pipe_keeps_the_records_before_it() -> None:
    done = _ask("-", *WINDOW, "-o", "out.csv", stdin="1\n2\nx\n")
    assert done.exit_code == 2
    assert "standard input, line 3, column 'c1': not a number" in done.stderr
    assert len(Path("out.csv").read_text().splitlines()) == 3


def _limited(limit: int) -> Any:
    def limit_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return limit_files


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_full_disk_leaves_nothing(form: str) -> None:
    Path("in.csv").write_text("x\n" + "1\n2\n" * 1000)
    code = "import sys; sys.dont_write_bytecode = True; from driftlaw.cli import app; app()"
    command = [sys.executable, "-c", code, "run", "in.csv", *WINDOW, "-o", f"out.{form}"]
    done = subprocess.run(
        command, capture_output=True, text=True, preexec_fn=_limited(90_000), check=False,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 2
    assert "output must be writable" in done.stderr
    assert "File too large" in done.stderr
    assert _left() == []


INTERRUPTED = """
import os, signal
from driftlaw.tables import Recorder
write, rows = Recorder.write, []
def interrupted(self, *arguments):
    rows.append(arguments)
    if len(rows) == 301:
        os.kill(os.getpid(), signal.SIGINT)
    return write(self, *arguments)
Recorder.write = interrupted
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
from driftlaw.cli import app
app()
"""


def test_ctrl_c_flushes_and_the_same_command_goes_on() -> None:
    Path("in.csv").write_text("x\n" + "".join(f"{v}\n" for v in np.tile(VALUES, 8)))
    options = ["run", "in.csv", *WINDOW, "-o", "out.csv"]
    command = [sys.executable, "-c", INTERRUPTED, *options, "--checkpoint", "state"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 130
    assert "run the same command again" in done.stderr
    n = len(Path("out.csv").read_text().splitlines()) - 1
    assert f"Stopped after {n} observations" in done.stderr
    assert 300 <= n <= 301
    assert _ask(*options[1:], "--checkpoint", "state").exit_code == 0
    resumed = Path("out.csv").read_bytes()
    assert _ask(*options[1:]).exit_code == 0
    assert Path("out.csv").read_bytes() == resumed


def test_a_reader_that_leaves_is_no_error() -> None:
    command = f"{sys.executable} -c 'from driftlaw.cli import app; app()' run - -p window | head -2"
    text = io.StringIO("1\n2\n" * 4000).getvalue()
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], input=text, capture_output=True, text=True,
        env=os.environ, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("module", "arguments", "extra"),
    [
        ("plotly", ("in.csv", "--report", "r.html"), "report"),
        ("pyarrow", ("in.csv", "--output", "out.parquet"), "files"),
        ("pyarrow", ("in.parquet",), "files"),
        ("sklearn", ("in.csv", "--predictor", "mixture"), "peers"),
    ],
)
def test_a_missing_extra_is_named_and_nothing_written(
    module: str, arguments: tuple[str, ...], extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr("driftlaw.report.page._library", page._library.__wrapped__)
    Path("in.parquet").write_bytes(b"PAR1")
    options = arguments if "--predictor" in arguments else (*arguments, *WINDOW)
    done = _ask(*options)
    assert done.exit_code == 2
    assert f"pip install 'driftlaw[{extra}]'" in done.stderr
    assert _left() == ["in.parquet"]


@pytest.mark.parametrize("option", ["output", "report", "checkpoint"])
@pytest.mark.parametrize("spelling", ["in.csv", "folder/../in.csv", "symbolic.csv", "hard.csv"])
def test_the_input_is_never_written_over(option: str, spelling: str) -> None:
    Path("folder").mkdir()
    Path("symbolic.csv").symlink_to("in.csv")
    Path("hard.csv").hardlink_to("in.csv")
    before = Path("in.csv").read_bytes()
    done = _ask("in.csv", *WINDOW, f"--{option}", spelling)
    assert done.exit_code == 2
    message = f"{option} must be another file than the input, got '{spelling}'"
    assert message in " ".join(done.stderr.split())
    assert Path("in.csv").read_bytes() == before
    assert _left() == ["folder", "hard.csv", "symbolic.csv"]


def test_columns_left_out_are_named_on_the_error_stream() -> None:
    text = "zeit;wert\n" + "".join(f"{i};{i},5\n" for i in range(9))
    Path("in.csv").write_text(text)
    for done in (_ask("in.csv", *WINDOW, "--no-progress"), _ask("-", *WINDOW, stdin=text)):
        assert done.exit_code == 0
        assert "predicting column 'zeit'; left out, as not numeric: 'wert'" in done.stderr


def test_readings_that_mean_nothing_follow_the_rule_of_missing_values() -> None:
    Path("in.csv").write_text("x\n1\n-9999\n2\n-1\n3\n")
    options = ("in.csv", *WINDOW, "-o", "out.csv", "--missing", "skip")
    assert _ask(*options, "--missing-value", "-9999.0", "--missing-value", "-1").exit_code == 0
    asked = Path("out.csv").read_bytes()
    assert [line.split(",")[1] for line in asked.decode().splitlines()[1:]] == ["1.0", "2.0", "3.0"]
    Path("run.toml").write_text("missing-value = [-9999, -1]\n")
    assert _ask(*options, "--config", "run.toml").exit_code == 0
    assert Path("out.csv").read_bytes() == asked


def test_a_checkpoint_belongs_to_its_missing_values() -> None:
    options = ("in.csv", *WINDOW, "-o", "out.csv", "--checkpoint", "state")
    assert _ask(*options).exit_code == 0
    done = _ask(*options, "--missing-value", "-9999")
    assert done.exit_code == 2
    assert "missing values was []" in " ".join(done.stderr.split())


@pytest.mark.parametrize("name", ["a", "a.CSV", "a.txt", "a.dat", "a.xlsx"])
def test_plain_names_get_csv_and_others_where_it_was_asked_for(name: str) -> None:
    form = ("--output-format", "csv") if name == "a.xlsx" else ()
    assert _ask("in.csv", *WINDOW, "-o", name, *form).exit_code == 0
    assert Path(name).read_text().startswith("n,x,x_mean,")


def test_the_file_of_options_is_not_written_over() -> None:
    Path("run.txt").write_text("level = 0.5\n")
    done = _ask("in.csv", *WINDOW, "--config", "run.txt", "-o", "./run.txt")
    assert done.exit_code == 2
    assert "output must be another file than config, got './run.txt'" in done.stderr
    assert Path("run.txt").read_text() == "level = 0.5\n"


def test_a_file_in_the_standard_input_is_never_written_over() -> None:
    before = Path("in.csv").read_bytes()
    command = [sys.executable, "-c", "from driftlaw.cli import app; app()", "run", "-", *WINDOW]
    with Path("in.csv").open("rb") as file:
        done = subprocess.run(
            [*command, "-o", "in.csv"], stdin=file, capture_output=True, text=True, check=False,
            timeout=120,
        )  # fmt: skip
    assert done.returncode == 2
    assert "output must be another file than the input" in " ".join(done.stderr.split())
    assert Path("in.csv").read_bytes() == before


def test_the_function_does_not_write_over_its_input_either() -> None:
    before = Path("in.csv").read_bytes()
    spec, settings = TableSpec(path="in.csv"), RunSettings(predictor="window")
    for target in (Target(output="./in.csv"), Target(output="o", checkpoint="./in.csv")):
        with pytest.raises(InputError, match="must be another file than the input"):
            run_stream(spec, settings, target)
    assert Path("in.csv").read_bytes() == before
