"""Every check that River and scikit-learn have for estimators, on our doors with `adaptive`.

Run ``python -m benchmarks.conformance``; it prints a line for each check and ends with exit code 1
if one failed. The tests take shorter streams and fewer checks, because `adaptive` learns slowly.
"""

import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any
from unittest import SkipTest

from river import checks
from sklearn.utils.estimator_checks import estimator_checks_generator

from driftlaw.adapters import LawAnomaly, LawDensity, LawRegressor
from tests.adapters.test_river_models import Stream

_ROWS = 120


def streams(model: Any, scale: int = 1) -> Iterator[Stream]:
    """Yield the rows of the checks in place of River's own, which are fetched from a server."""
    yield Stream(_ROWS * min(scale, 3))


def river_checks(model: Any) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield River's checks of a model by name."""
    for check in checks.yield_checks(model):
        yield check.__name__, partial(_on_a_copy, check, model)


def _on_a_copy(check: Callable[[Any], None], model: Any) -> None:
    check(model.clone())


def sklearn_checks(model: Any) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield scikit-learn's checks of a model by name."""
    for own, check in estimator_checks_generator(model):
        yield check.func.__name__, partial(check, own)


def told(door: str, name: str, check: Callable[[], None]) -> bool:
    """Run a check, say how it ended, and return whether it failed."""
    try:
        check()
        word = "passed"
    except SkipTest as reason:
        word = f"skipped: {reason}"
    except Exception as error:  # a battery goes on, whatever a check raises
        word = f"FAILED: {error!r}"
    print(f"{door} {name} {word}", flush=True)
    return word.startswith("FAILED")


def main() -> int:
    """Run all, and return how many failed."""
    warnings.simplefilter("ignore")
    checks._yield_datasets = streams
    doors = {
        "LawAnomaly": river_checks(LawAnomaly()),
        "LawRegressor": river_checks(LawRegressor()),
        "LawDensity": sklearn_checks(LawDensity()),
    }
    failed = [told(door, *one) for door, battery in doors.items() for one in battery]
    print(f"{len(failed)} checks, {sum(failed)} failed")
    return sum(failed)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
