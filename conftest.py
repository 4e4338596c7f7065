"""What every test and benchmark needs: a compile cache of its own for each state of the sources."""

import hashlib
import os
from pathlib import Path

import hypothesis
import pytest

_ROOT = Path(__file__).parent

# What compiles the same large kernels runs on one worker: two would compile them twice.
_GROUPS = {
    "adaptive": ("adaptive",),
    "sampler": ("predictor", "inference", "statistical", "demo", "cli", "geometry", "experiments"),
}


def _sources_digest() -> str:
    """Hash all sources: Numba's own cache does not see edits in another file."""
    digest = hashlib.sha256()
    for path in sorted((_ROOT / "src").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


os.environ.setdefault("NUMBA_CACHE_DIR", str(_ROOT / ".cache" / "numba" / _sources_digest()))

# The same examples in every run, however long they take: a failure is then a property of the code,
# not of the day or of the machine.
hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None)
hypothesis.settings.load_profile("fixed")


@pytest.hookimpl(tryfirst=True)  # before the groups are read
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test of a group to the worker that has compiled the group's kernels.

    The demo needs the kernels of both groups: it comes last, when the other worker has made them.
    """
    items.sort(key=lambda item: "demo" in item.nodeid.lower() or "test_cli" in item.nodeid)
    for item in items:
        name = item.nodeid.lower()
        for group, words in _GROUPS.items():
            if any(word in name for word in words):
                item.add_marker(pytest.mark.xdist_group(group))
                break
