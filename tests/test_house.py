"""The rules of the house that a tool does not check already: surface, imports, sizes, files."""

import ast
import importlib
import inspect
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import driftlaw
from driftlaw._jit import KERNEL_ROOMS

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src" / "driftlaw").rglob("*.py"))
ROOMS = sorted(
    module.name
    for module in pkgutil.iter_modules(driftlaw.__path__)
    if module.ispkg and not module.name.startswith("_")
)
PROMISED = {
    "Constant",
    "Power",
    "PredictiveLaw",
    "QuasiBayes",
    "SqrtLog",
    "corruption",
    "datasets",
    "load",
    "prequential",
    "schedules",
    "sliced_w1",
    "streams",
    "theory",
    "w1",
}
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _order(name: str) -> tuple[bool, bool, str]:
    """Sort as the linter does: constants, classes, the rest."""
    return not name.isupper(), not name[0].isupper(), name


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


KERNELS = {
    function.name
    for function in _functions(_tree(ROOT / "src" / "driftlaw" / "_jit.py"))
    if function.name.endswith("kernel")
}


def _is_kernel(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {d.id for d in function.decorator_list if isinstance(d, ast.Name)}
    return bool(names & KERNELS)


def _body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function without its docstring."""
    first = function.body[0]
    total = (function.end_lineno or 0) - function.lineno + 1
    if ast.get_docstring(function) is None:
        return total
    return total - ((first.end_lineno or 0) - first.lineno + 1)


_ONE_INSTRUCTION = {"abs", "float", "int", "max", "math.sqrt", "min"}


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _is_sum(node: ast.AST, counter: str) -> bool:
    """Say whether a statement adds to what it added to before; counting in whole numbers is none.

    An entry of an array is added to before if its place does not depend on the loop's counter.
    """
    if isinstance(node, ast.AugAssign):
        is_count = isinstance(node.value, ast.Constant) and isinstance(node.value.value, int)
        return not is_count and counter not in _names(node.target)
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return isinstance(node.value, ast.BinOp) and node.targets[0].id in _names(node.value)
    return False


def _sums_where_it_writes(loop: ast.For | ast.While) -> bool:
    """Say whether a loop that may become vectors fills an array and adds up.

    To add to an entry of an array is both.
    """
    nodes = [node for statement in loop.body for node in ast.walk(statement)]
    calls = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)}
    if calls - _ONE_INSTRUCTION or any(isinstance(n, ast.For | ast.While) for n in nodes):
        return False
    counter = ast.unparse(loop.target) if isinstance(loop, ast.For) else ""
    written = [
        target
        for node in nodes
        if isinstance(node, ast.Assign | ast.AugAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    ]
    is_writing = any(
        isinstance(part, ast.Subscript) for target in written for part in ast.walk(target)
    )
    return is_writing and any(_is_sum(node, counter) for node in nodes)


class TestSurface:
    def test_all_is_sorted_and_complete(self) -> None:
        assert list(driftlaw.__all__) == sorted(set(driftlaw.__all__), key=_order)
        assert set(driftlaw.__all__) >= PROMISED
        assert {name for name in dir(driftlaw) if not name.startswith("_")} == {
            name for name in driftlaw.__all__ if not name.startswith("_")
        }

    @pytest.mark.parametrize("name", driftlaw.__all__)
    def test_every_name_can_be_reached(self, name: str) -> None:
        assert getattr(driftlaw, name) is not None

    def test_an_unknown_name_is_an_attribute_error(self) -> None:
        with pytest.raises(AttributeError, match="no_such_name"):
            driftlaw.no_such_name  # noqa: B018

    @pytest.mark.parametrize("room", ROOMS)
    def test_a_room_exports_sorted_names(self, room: str) -> None:
        module = importlib.import_module(f"driftlaw.{room}")
        assert list(module.__all__) == sorted(set(module.__all__), key=_order)
        assert all(hasattr(module, name) for name in module.__all__)

    @pytest.mark.parametrize("name", driftlaw.__all__)
    def test_every_public_name_shows_an_example(self, name: str) -> None:
        public = getattr(driftlaw, name)
        if isinstance(public, ModuleType):
            assert public.__doc__
        elif callable(public):
            documentation = inspect.getdoc(public) or ""
            assert ">>>" in documentation, f"driftlaw.{name} has no example in its docstring"

    def test_importing_loads_no_heavy_package(self) -> None:
        heavy = "arch arviz matplotlib numba ot pandas plotly sklearn"
        code = (
            "import json, sys, driftlaw;"
            f"print(json.dumps([m for m in {heavy.split()!r} if m in sys.modules]))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert json.loads(done.stdout) == []


class TestSource:
    """Each rule looks at every file and names those that break it."""

    def test_a_loop_that_writes_an_array_sums_nothing(self) -> None:
        """It would add in another order where arrays lie close: `driftlaw.inference.rows`."""
        breaking = {
            f"{path.stem}:{function.name}"
            for path in SOURCES
            for function in _functions(_tree(path))
            if _is_kernel(function)
            for loop in ast.walk(function)
            if isinstance(loop, ast.For | ast.While) and _sums_where_it_writes(loop)
        }
        whole_numbers = {"long:_choose_front_inplace", "ranks:rerank_inplace"}
        in_turn = {  # what is written, or where, depends on the sum so far
            "_line_kernels:_changing_inplace",
            "_mixture_kernels:smooth_part",
            "_node_kernels:sort_inplace",
        }
        assert breaking == whole_numbers | in_turn

    def test_only_jit_imports_numba(self) -> None:
        importing = {
            _name(path)
            for path in SOURCES
            for node in ast.walk(_tree(path))
            for name in _imported_names(node)
            if name.split(".")[0] == "numba"
        }
        assert importing == {"src/driftlaw/_jit.py"}

    def test_neither_print_nor_assert(self) -> None:
        found = [
            f"{_name(path)}:{node.lineno}"
            for path in SOURCES
            for node in ast.walk(_tree(path))
            if isinstance(node, ast.Assert)
            or (isinstance(node, ast.Call) and ast.unparse(node.func) == "print")
        ]
        assert not found

    def test_no_file_is_long(self) -> None:
        lengths = {_name(p): len(p.read_text(encoding="utf-8").splitlines()) for p in SOURCES}
        assert not {name: n for name, n in lengths.items() if n > 300}

    def test_no_function_is_long(self) -> None:
        lengths = {
            f"{_name(path)}:{function.name}": _body_lines(function)
            for path in SOURCES
            for function in _functions(_tree(path))
        }
        assert not {name: n for name, n in lengths.items() if n > 40}

    def test_kernels_live_in_modules_that_say_so(self) -> None:
        found = []
        for path in SOURCES:
            tree, room = _tree(path), path.relative_to(ROOT / "src" / "driftlaw").parts[0]
            if path.name == "_jit.py" or not any(_is_kernel(f) for f in _functions(tree)):
                continue
            if not (ast.get_docstring(tree) or "").startswith("Kernels:"):
                found.append(f"{_name(path)} does not say that it has kernels")
            if room not in KERNEL_ROOMS:
                found.append(f"{_name(path)} is in no room of kernels: caches would go stale")
            for function in _functions(tree):
                if len(function.args.args) > 7:
                    found.append(f"{_name(path)}:{function.name} takes too many arguments")
                if function.args.defaults and _is_kernel(function):
                    found.append(f"{_name(path)}:{function.name} has defaults")
        assert not found, "\n".join(found)


def _imported_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module]
    return []


class TestFiles:
    def test_no_machine_path_and_no_registry_host(self) -> None:
        # One letter of each pattern stands in brackets, so that this file does not match itself.
        forbidden = re.compile(
            r"/[h]ome/\w|/[r]oot/|/[U]sers/\w|/[w]ork/|/[t]mp/\w|[C]:\\\\|"
            r"[p]ypi[.]|[p]ythonhosted[.]|[-]-(extra-)?index-url|/[s]imple/"
        )
        found = []
        for path in _project_files():
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue  # a picture
            for number, line in enumerate(text.splitlines(), 1):
                if forbidden.search(line):
                    found.append(f"{_name(path)}:{number}: {line.strip()}")
        assert not found, "\n".join(found)

    def test_the_lock_is_hashed_and_names_no_address(self) -> None:
        lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
        assert "://" not in lock
        entries = re.split(r"\n(?=\S)", lock.strip())
        assert all("==" in entry and "--hash=sha256:" in entry for entry in entries)

    def test_the_lock_covers_every_direct_dependency(self) -> None:
        lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
        locked = set(re.findall(r"^([\w.-]+)==", lock, re.MULTILINE))
        project = PYPROJECT["project"]
        extras = project["optional-dependencies"].values()
        wanted = [*project["dependencies"], *(entry for extra in extras for entry in extra)]
        names = {re.split(r"[\[<>=~! ]", entry)[0].lower() for entry in wanted} - {"driftlaw"}
        assert names <= locked, f"run make lock: {sorted(names - locked)}"

    def test_one_version_everywhere(self) -> None:
        version = PYPROJECT["project"]["version"]
        changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
        assert re.findall(r"^## \[([\d.]+)\]", changes, re.MULTILINE)[0] == version
        assert f'\nversion: "{version}"\n' in citation

    def test_the_integration_script_runs_the_tests(self) -> None:
        script = ROOT / ".ci" / "run"
        assert script.stat().st_mode & 0o111
        assert "make test" in script.read_text(encoding="utf-8")

    @pytest.mark.parametrize("target", ["bench", "demo", "lint", "test"])
    def test_make_knows_the_target(self, target: str) -> None:
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def _project_files() -> list[Path]:
    """Return the files that are, or would be, under version control."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("needs git and a checkout to list the project's files")
    paths = (ROOT / name for name in done.stdout.decode().split("\0") if name)
    return [path for path in paths if path.is_file()]
