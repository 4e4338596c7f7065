"""What every test and benchmark needs: a compile cache of their own, and an order."""

import os
from pathlib import Path

import hypothesis
import pytest

_ROOT = Path(__file__).parent

# Files that compile the largest kernels, each different ones: the workers begin with these, so that
# what one of them compiles the other will load. A file is tested by one worker.
_FIRST = (
    "tests/predictor/adaptive/test_adaptive.py",
    "tests/inference/test_engine.py",
    "tests/predictor/adaptive/test_adaptive_kernels.py",
    "tests/inference/test_long.py",
    "tests/experiments/test_runner.py",
)

os.environ.setdefault("NUMBA_CACHE_DIR", str(_ROOT / ".cache" / "numba"))

# The same examples in every run, however long they take: a failure is then a property of the code,
# not of the day or of the machine.
hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None)
hypothesis.settings.load_profile("fixed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest to compile, end with what needs nearly all of it: the demo."""
    rank = {str(_ROOT / name): i for i, name in enumerate(_FIRST)}

    def order(item: pytest.Item) -> int:
        is_late = "demo" in item.nodeid or "test_cli" in item.nodeid
        return rank.get(str(item.path), len(rank) + is_late)

    items.sort(key=order)
