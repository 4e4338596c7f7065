"""Plain words: numbers a person can read, and sentences that follow the numbers."""

import numpy as np
import pytest

from driftlaw.law import MixtureLaw
from driftlaw.live import Event, Outcome, RunSettings, Sketch
from driftlaw.report import number, run_sentences
from driftlaw.report.words import calibration
from driftlaw.tables import Counts


def _outcome(share: float, n: int = 1000, **counts: int) -> Outcome:
    sketch = Sketch(1)
    sketch.n = n
    sketch.covered[:] = share * n
    numbers = {"rows": n, "skipped": 0, "held": 0, "used_up": 0} | counts
    law = MixtureLaw([1.0], [5.0], [1.0])
    return Outcome(("x",), None, Counts(**numbers), sketch, law, True, 0)


@pytest.mark.parametrize(
    ("share", "n", "word"),
    [
        (0.9, 1000, "as promised"),
        (0.885, 1000, "as promised"),
        (0.84, 1000, "too narrow"),
        (0.96, 1000, "too wide"),
        (0.5, 30, "too early to say"),
    ],
)
def test_calibration_is_judged_by_its_error(share: float, n: int, word: str) -> None:
    assert calibration(_outcome(share, n), 0.9).word == word


def test_sentences_say_what_was_counted() -> None:
    outcome = _outcome(0.9, skipped=3, held=2)
    outcome.sketch.n_anomalies = 1
    outcome.sketch.events.append(Event(700, "", 1e-5, True, False, (42.0,)))
    text = " ".join(run_sentences(outcome, RunSettings()))
    assert "3 rows with a missing value were left out" in text
    assert "2 missing values were filled" in text
    assert "One value was very unusual" in text
    assert "about 1)" in text
    assert "observation 700, x 42" in text
    assert "90 % sure between 3.3551 and 6.6449, with the middle at 5." in text


def test_nothing_yet() -> None:
    assert run_sentences(_outcome(0.0, 0), RunSettings()) == ["No observation has come yet."]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (np.nan, "–"), (1e12, "1e+12"), (-1234.5678, "-1234.6"), (0.001, "0.001")],
)
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text
