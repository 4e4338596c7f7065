"""What every test and benchmark needs: a compile cache of their own, and an order."""

import gc
import importlib
import itertools
import os
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from xdist.scheduler import LoadFileScheduling

_ROOT = Path(__file__).parent

# Files that compile kernels made of the same parts: one worker tests them all, so that no part is
# compiled twice. What it compiles, the other workers will load.
_TOGETHER = {
    "inference": (
        "inference/test_engine.py",
        "inference/test_long.py",
        "predictor/test_bounded_memory.py",
        "predictor/test_bank.py",
        "inference/test_tree.py",
        "inference/test_score.py",
        "inference/test_kmeans.py",
        "inference/test_moves.py",
        "inference/test_paper_proposal.py",
        "statistical/test_long_windows.py",
        "statistical/test_proposals.py",
        "statistical/test_stationarity.py",
        "contracts/test_memory.py",
    ),
    "adaptive": (
        "predictor/adaptive/test_adaptive.py",
        "predictor/adaptive/test_adaptive_kernels.py",
        "predictor/adaptive/test_grain.py",
        "predictor/adaptive/test_gross.py",
        "predictor/adaptive/test_pool.py",
    ),
}
# Other files that take long: early, so that the workers end together.
_EARLY = (
    "experiments/test_runner.py",
    "statistical/test_planted_faults.py",
    "contracts/test_predictors.py",
    "experiments/test_reproduce.py",
    "demo/test_demo_report.py",
    "live/test_resume.py",
    "live/test_run_command.py",
    "contracts/test_laws.py",
    "test_cli.py",
    "test_corruption_wrapper.py",
    "test_corruption_adversary.py",
    "streams/test_mixture_stream.py",
    "adapters/test_river_models.py",
    "report/test_pages.py",
    "demo/test_demo_run.py",
    "peers/test_peers.py",
    "test_house.py",
    "test_site.py",
)
# Every worker imports these while it collects.
_HEAVY = (
    "scipy.stats",
    "sklearn.utils.estimator_checks",
    "numba",
    "matplotlib.figure",
    "ot",
    "river",
    "playwright.sync_api",
    "polars",
    "pandas",
)

os.environ.setdefault("NUMBA_CACHE_DIR", str(_ROOT / ".cache" / "numba"))

# The same examples in every run, however long they take: a failure is then a property of the code,
# not of the day or of the machine.
hypothesis.settings.register_profile("fixed", derandomize=True, deadline=None)
hypothesis.settings.load_profile("fixed")


def pytest_configure() -> None:
    """Let two workers begin at different ends.

    After an installation no package has byte code yet, and importing in step they would both
    make the same.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is not None:
        for name in _HEAVY if worker == "gw0" else reversed(_HEAVY):
            importlib.import_module(name)


def pytest_collection_finish() -> None:
    """Take what has been imported out of the garbage collector's rounds, and make these rarer.

    Numba makes millions of objects that live as long as its compilation, while the collector goes
    through those of all packages: a fifth of the time of compiling, for next to no garbage.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Bring the files into the order in which they are given to workers."""
    names = (*itertools.chain(*_TOGETHER.values()), *_EARLY)
    rank = {str(_ROOT / "tests" / name): i for i, name in enumerate(names)}
    items.sort(key=lambda item: rank.get(str(item.path), len(rank)))


class _Scheduling(LoadFileScheduling):  # type: ignore[misc] # it has no types
    """Give a file to one worker; and those together that belong together."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        for group, names in _TOGETHER.items():
            if file.removeprefix("tests/") in names:
                return group
        return file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _Scheduling | None:
    """Schedule as above where files are asked for, else as asked."""
    return _Scheduling(config, log) if config.getvalue("dist") == "loadfile" else None
