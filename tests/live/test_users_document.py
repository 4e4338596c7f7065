"""The commands of docs/users.md, run as they stand there."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from driftlaw.cli import app

TEXT = (Path(__file__).parents[2] / "docs" / "users.md").read_text(encoding="utf-8")


def _blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


def test_commands_of_the_tutorial_run_with_adaptive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(_blocks("python")[0], "users.md", "exec"), {})
    Path("run.toml").write_text(_blocks("toml")[0], encoding="utf-8")
    commands = [
        line.removeprefix("$ ") for block in _blocks("console") for line in block.splitlines()
    ]
    assert len(commands) == 5
    said = {}
    for command in commands:
        source, pipe, rest = command.rpartition(" | ")
        text = Path(source.split()[1]).read_text(encoding="utf-8") if pipe else None
        words = shlex.split(rest)
        if words[1] == "compare":
            words += ["--predictors", "window 50,ewma"]  # all nine would take a while
        done = CliRunner().invoke(app, words[1:], input=text)
        assert done.exit_code == 0, f"{command}: {done.output}"
        said[command] = done.stdout
    assert "2024-04-30" in said[commands[0]]  # the day that is out of line
    assert len(said[commands[2]].splitlines()) == 30
    written = {path.name for path in tmp_path.iterdir()}
    assert written >= {"law.csv", "law.html", "scores.csv", "compare.html", "long.state"}
    assert "from-config.csv" in written


def test_every_column_of_a_record_is_explained() -> None:
    for name in ("n", "time", "score", "tail", "p_value", "anomaly", "alarm", "memory", "k"):
        assert f"`{name}`" in TEXT


def test_every_option_in_the_text_exists() -> None:
    option = re.compile(r"--[a-z][a-z-]+")
    helps = [CliRunner().invoke(app, [name, "--help"]).stdout for name in ("run", "compare")]
    assert set(option.findall(TEXT)) <= set(option.findall(" ".join(helps)))
