"""What every test and benchmark needs: a compile cache of their own, and an order."""

import importlib
import os
from pathlib import Path

import hypothesis
import pytest

_ROOT = Path(__file__).parent

# A file is tested by one worker. They begin with what compiles the largest kernels: each others,
# so that what one compiles the other will load. Then what takes longest, so that they end together.
_FIRST = (
    "predictor/adaptive/test_adaptive.py",
    "inference/test_engine.py",
    "inference/test_long.py",
    "predictor/test_bounded_memory.py",
    "predictor/adaptive/test_adaptive_kernels.py",
    "experiments/test_runner.py",
    "statistical/test_planted_faults.py",
    "demo/test_demo_report.py",
    "experiments/test_reproduce.py",
    "live/test_resume.py",
    "contracts/test_predictors.py",
    "live/test_run_command.py",
    "contracts/test_laws.py",
    "inference/test_tree.py",
    "test_cli.py",
    "test_corruption_wrapper.py",
    "test_corruption_adversary.py",
    "streams/test_mixture_stream.py",
    "adapters/test_river_models.py",
    "report/test_pages.py",
    "demo/test_demo_run.py",
    "statistical/test_stationarity.py",
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
    "xarray",
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Bring the files into the order in which they are given to workers."""
    rank = {str(_ROOT / "tests" / name): i for i, name in enumerate(_FIRST)}
    items.sort(key=lambda item: rank.get(str(item.path), len(rank)))
