"""The static site: built without a complaint, names in the reference, formulas as formulas."""

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
VOID = {"area", "br", "hr", "img", "input", "link", "meta", "source", "wbr"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr  # a link that leads nowhere is an error too
    return folder


def test_the_reference_has_the_public_names(site: Path) -> None:
    reference = (site / "api.html").read_text(encoding="utf-8")
    for name in ("Adaptive", "run_stream", "run_contest", "LawAnomaly", "LawDensity", "FrozenLaw"):
        assert f">{name}</span>" in reference or f"{name}</code>" in reference
    assert (site / "users.html").exists()


class _Words(HTMLParser):
    """Sorts the text of a page into formulas and prose; code is neither."""

    def __init__(self) -> None:
        super().__init__()
        self.inside: list[str] = []
        self.formulas: list[str] = []
        self.prose: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "math":
            self.formulas.append("")
        if tag not in VOID:
            self.inside.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        while self.inside and self.inside.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if "math" in self.inside:
            self.formulas[-1] += data
        elif not {"code", "pre", "script", "style"} & set(self.inside):
            self.prose.append(data)


def test_formulas_are_drawn_by_the_browser(site: Path) -> None:
    found = {}
    for path in site.rglob("*.html"):
        words = _Words()
        words.feed(path.read_text(encoding="utf-8"))
        found[path.stem] = words.formulas
        raw = re.findall(r"\$[^$\s]|:math:|\.\. math::|\\[a-z]+", " ".join(words.prose))
        assert raw == [], path  # TeX that nobody has read
        # a command that the converter does not know is left as it is
        assert [text for text in words.formulas if "\\" in text] == [], path
    assert any("min" in text and "‖" in text for text in found["design"])
    assert "𝒲ℛ(T)" in found["notation"]  # script letters are characters
    assert len(found["api"]) > 10
