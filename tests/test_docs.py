"""The documents are checked like code: labels, dotted names, links and examples."""

import ast
import importlib
import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PAPER = ROOT.parent / "shared" / "paper.tex"
LABEL = re.compile(r"\[((?:alg|cor|def|eq|fig|lem|prop|thm):[a-z0-9A-Z-]+)\]")
DOTTED = re.compile(r"`(driftlaw(?:\.\w+)+)(?:\(\))?`")


class Row(NamedTuple):
    """One line of the map: a label of the paper and where it lives in the code."""

    label: str
    place: str

    @property
    def objects(self) -> list[str]:
        return DOTTED.findall(self.place)

    @property
    def kind(self) -> str:
        """Say whether the row names objects, another row, or a reason."""
        return "objects" if self.objects else self.place.split()[0]


def _map() -> list[Row]:
    text = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if re.match(r"\| \[\w+:", line)]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [Row(LABEL.findall(first)[0], last) for first, *_, last in cells]


def _docstrings(path: Path) -> str:
    """Return every string that stands alone: docstrings, also those of attributes."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    values = [node.value for node in nodes if isinstance(node, ast.Expr)]
    return "\n".join(str(v.value) for v in values if isinstance(v, ast.Constant))


def _labels_in_code() -> set[str]:
    sources = (ROOT / "src").rglob("*.py")
    return {label for path in sources for label in LABEL.findall(_docstrings(path))}


def _resolve(dotted: str) -> object:
    """Import as far as modules go, then follow attributes."""
    parts = dotted.split(".")
    found: object = importlib.import_module(parts[0])
    for depth, part in enumerate(parts[1:], 2):
        try:
            found = getattr(found, part)
        except AttributeError:
            found = importlib.import_module(".".join(parts[:depth]))
    return found


MAP = _map()


class TestPaperMap:
    def test_every_label_has_one_row(self) -> None:
        labels = [row.label for row in MAP]
        assert len(labels) > 60
        assert len(labels) == len(set(labels))

    def test_the_map_lists_the_labels_of_the_paper(self) -> None:
        if not PAPER.exists():
            pytest.skip("the paper's source is not part of the repository")
        text = PAPER.read_text(encoding="utf-8")
        in_paper = set(re.findall(r"\\label\{((?:alg|cor|def|eq|fig|lem|prop|thm):[^}]+)\}", text))
        assert {row.label for row in MAP} == in_paper

    def test_the_code_names_only_labels_of_the_map(self) -> None:
        assert _labels_in_code() - {row.label for row in MAP} == set()

    def test_a_label_with_an_object_is_named_in_the_code(self) -> None:
        with_object = {row.label for row in MAP if row.objects}
        assert with_object - _labels_in_code() == set()

    @pytest.mark.parametrize("row", MAP, ids=lambda row: row.label)
    def test_a_row_names_objects_another_row_or_a_reason(self, row: Row) -> None:
        assert row.kind in {"objects", "as", "none:"}
        assert row.kind != "none:" or len(row.place.split()) >= 5
        for dotted in row.objects:
            assert _resolve(dotted) is not None
        if row.kind == "as":
            (other,) = LABEL.findall(row.place)
            assert {r.label: r.kind for r in MAP}[other] == "objects"


class TestDocuments:
    @pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
    def test_dotted_names_exist(self, path: Path) -> None:
        for dotted in DOTTED.findall(path.read_text(encoding="utf-8")):
            assert _resolve(dotted) is not None

    @pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
    def test_relative_links_lead_somewhere(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
            if "://" not in target:
                assert (path.parent / target).exists(), f"{path.name} links to {target}"

    @pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
    def test_python_examples_run(
        self, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        blocks = re.findall(r"^```python\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.M)
        namespace: dict[str, object] = {"__name__": path.stem}
        for block in blocks:
            exec(compile(block, path.name, "exec"), namespace)

    @pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
    def test_make_targets_exist(self, path: Path) -> None:
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        for target in re.findall(r"`make ([a-z-]+)", path.read_text(encoding="utf-8")):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"no target {target}"
