"""Pages hold what they are given, escaped; files are written whole or not at all."""

import base64
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from driftlaw.errors import InputError
from driftlaw.viz import Page, check_target, write_whole
from driftlaw.viz.style import INK, axes_or_new


def test_text_is_escaped_everywhere() -> None:
    page = Page("<a> & b")
    page.heading("<a>")
    page.text("<a>", kind='"x')
    page.summary(["<a>"])
    page.table(["<a>"], [["<a>"]], kind="words")
    html = page.html()
    assert "<a>" not in html
    assert html.count("&lt;a&gt;") == 7
    assert '<table class="words">' in html


def test_picture_is_inline_and_its_ink_follows_the_page() -> None:
    page = Page("x")
    page.figure(axes_or_new(None).figure, 'what it "shows"')
    (data,) = re.findall(r"data:image/svg\+xml;base64,([^\"]+)", page.html())
    drawing = base64.b64decode(data).decode()
    root = ElementTree.fromstring(drawing)
    assert root.tag.endswith("svg")
    style, rest = drawing.split("</style>", 1)
    assert "prefers-color-scheme: dark" in style
    assert "var(--ink)" in rest
    assert INK not in rest
    assert "what it &quot;shows&quot;" in page.html()


def test_equal_pages_are_equal_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        page = Page("x")
        page.text("déjà vu")
        page.write(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert "déjà vu" in (tmp_path / "a").read_text(encoding="utf-8")


def test_checking_a_target_leaves_it_as_it_is(tmp_path: Path) -> None:
    target = tmp_path / "old"
    target.write_text("old")
    assert check_target("output", target) == target
    assert check_target("output", str(tmp_path / "new")) == tmp_path / "new"
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert target.read_text() == "old"


@pytest.mark.parametrize("place", [".", "none/x", "/proc/x"])
def test_bad_target_is_named(place: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^picture must be .*got '"):
        check_target("picture", tmp_path / place)


def test_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "old"
    target.write_text("old")

    def full(self: Path, data: bytes) -> int:
        self.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match=r"output must be writable, got .*No space left"):
        write_whole("output", target, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert target.read_text() == "old"


def test_failed_rename_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="output must be writable"):
        write_whole("output", tmp_path / "folder", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
