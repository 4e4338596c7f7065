"""The ``compare`` fixture of every benchmark; prints the table and writes JSON at the end."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.report import Ratio, measure_ratio, ratio_table, write_json

_RATIOS = pytest.StashKey[list[Ratio]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ratios-json", default=None, help="write the measured ratios to this file")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_RATIOS] = []


@pytest.fixture
def compare(request: pytest.FixtureRequest) -> Callable[..., Ratio]:
    """Measure ``compare(name, ours, reference, reference_name=..., at_most=...)`` and keep it.

    Many short rounds (``n_rounds``, ``round_seconds``) find the quiet moments of a busy machine.
    """

    def measure(  # noqa: PLR0913 - settings, each by name
        name: str,
        ours: Callable[[], object],
        reference: Callable[[], object],
        *,
        reference_name: str,
        at_most: float | None = None,
        n_rounds: int = 15,
        round_seconds: float = 0.02,
        work: tuple[float, float] = (1.0, 1.0),
    ) -> Ratio:
        ratio = measure_ratio(
            name,
            ours,
            reference,
            reference_name=reference_name,
            at_most=at_most,
            n_rounds=n_rounds,
            round_seconds=round_seconds,
            work=work,
        )
        request.config.stash[_RATIOS].append(ratio)
        return ratio

    return measure


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    ratios = config.stash[_RATIOS]
    if not ratios:
        return
    terminalreporter.section("ratios: time of ours / time of the reference")
    terminalreporter.write_line(ratio_table(ratios))
    target = config.getoption("--ratios-json")
    if target:
        write_json(ratios, Path(target))
        terminalreporter.write_line(f"written to {target}")
