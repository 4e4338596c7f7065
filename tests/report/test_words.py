"""Plain words: numbers a person can read, and sentences that follow the numbers."""

import numpy as np
import pytest

from driftlaw._validate import Array
from driftlaw.law import MixtureLaw
from driftlaw.live import Event, Outcome, RunSettings, Sketch
from driftlaw.report import number, run_sentences
from driftlaw.report.changes import MAX_LISTED, change_rows, unusual_rows
from driftlaw.report.numbers import shown
from driftlaw.report.words import calibration
from driftlaw.tables import Counts


def _outcome(share: float, n: int = 1000, **counts: int) -> Outcome:
    sketch = Sketch(1)
    sketch.n = n
    sketch.held[:] = share * n
    numbers = {"rows": n, "skipped": 0, "held": 0, "used_up": 0} | counts
    law = MixtureLaw([1.0], [5.0], [1.0])
    return Outcome(("x",), None, Counts(**numbers), ("", ""), sketch, law, True, 0)


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


def test_calibration_is_of_the_range_that_was_asked_for() -> None:
    found = calibration(_outcome(0.85), 0.85)
    assert (found.level, found.share, found.word) == (0.85, 0.85, "as promised")


def test_sentences_say_what_was_counted() -> None:
    outcome = _outcome(0.9, skipped=3, held=2)
    outcome.sketch.n_anomalies = 1
    outcome.sketch.events.append(Event(700, "", 1e-5, True, False, (42.0,), (3.0,), (7.0,)))
    text = " ".join(run_sentences(outcome, RunSettings()))
    assert "3 rows with a missing value were left out" in text
    assert "2 missing values were filled" in text
    assert "One value was very unusual" in text
    assert "about 1)" in text
    assert "observation 700, x 42" in text
    assert "90 % sure between 3.36 and 6.64, with the middle at 5." in text


def _with_alarms(x: Array, rings: set[int]) -> Outcome:
    outcome = _outcome(0.9, len(x))
    sketch = outcome.sketch
    sketch.has_alarm, sketch.n_alarms = True, len(rings)
    for n, value in enumerate(x, 1):
        sketch.episodes.add(n, f"day {n}", np.array([value]), n in rings)
    return outcome


def test_a_lasting_change_is_told_and_a_passing_one_only_counted() -> None:
    noise = np.random.default_rng(0).normal(size=400)
    noise[150:153] += 8.0  # passes
    noise[250:] += 10.0  # lasts
    outcome = _with_alarms(noise, {152, 253, 260})
    text = " ".join(run_sentences(outcome, RunSettings()))
    assert "signalled 2 times (signals at most 40 observations apart count as one)" in text
    assert "1 made a difference that lasted. The largest and latest: day 253, up from" in text
    rows = change_rows(outcome, "none")
    assert [row[:3] for row in rows] == [("1", "day 253", "day 260")]
    before, after = (float(word) for word in rows[0][3].split()[2::2])
    assert (before, after) == pytest.approx((0.0, 10.0), abs=0.8)


def test_a_passing_change_alone_and_none() -> None:
    noise = np.random.default_rng(1).normal(size=300)
    text = " ".join(run_sentences(_with_alarms(noise, {150}), RunSettings()))
    assert "signalled once; 40 observations later the values were much as before." in text
    text = " ".join(run_sentences(_with_alarms(noise, set()), RunSettings()))
    assert "No change of behaviour was signalled." in text


def test_of_the_latest_change_nothing_is_claimed() -> None:
    noise = np.random.default_rng(1).normal(size=303)
    text = " ".join(run_sentences(_with_alarms(noise, {301}), RunSettings()))
    assert "signalled once; there are too few values to tell whether it lasted." in text
    text = " ".join(run_sentences(_with_alarms(noise, {150, 301}), RunSettings()))
    assert "much as before, but of 1 there are too few values to tell." in text
    assert "Since the latest signal, day 301, only 2 observations have come." in text


def test_a_change_near_the_end_is_not_called_lasting() -> None:
    x = np.tile([-0.5, 0.5], 200)
    x[200:] += 5.0
    x[392:] += 20.0
    outcome = _with_alarms(x, {201, 393})
    text = " ".join(run_sentences(outcome, RunSettings()))
    assert "2 times; 1 made a difference that lasted, of 1 there are too few values" in text
    assert "The largest: day 201, up from 0 to 5." in text
    assert (
        "Since the latest signal, day 393, only 7 observations have come: the middle was 5 "
        "before the change and is 25.5 so far." in text
    )
    assert [row[1] for row in change_rows(outcome, "none")] == ["day 201"]


def test_small_returns_stay_visible() -> None:
    assert shown(2e-5, "log-return") == "+0.002 %"
    assert (shown(0.0, "log-return"), shown(-0.03, "log-return")) == ("0 %", "-2.96 %")


def test_many_changes_are_ranked_and_capped() -> None:
    steps = 3.0 * np.random.default_rng(2).permutation(np.arange(1, 15))
    x = np.tile([-0.5, 0.5], 750) + np.repeat(np.cumsum([0.0, *steps]), 100)
    outcome = _with_alarms(x, {100 * k + 5 for k in range(1, 15)})
    rows = change_rows(outcome, "none")
    assert len(rows) == MAX_LISTED
    order = [f"day {100 * (k + 1) + 5}" for k in np.argsort(-steps)[:2]]
    assert [row[1] for row in rows[:2]] == order
    assert "14 made a difference that lasted" in " ".join(run_sentences(outcome, RunSettings()))


def test_unusual_values_come_least_likely_first_with_what_was_expected() -> None:
    outcome = _outcome(0.9)
    for n, tail in ((30, 4e-4), (40, 1e-9), (50, 8e-4)):
        event = Event(n, "", tail, True, False, (0.05,), (-0.02,), (0.03,))
        outcome.sketch.events.append(event)
    rows = unusual_rows(outcome, "log-return")
    assert [row[0] for row in rows] == ["observation 40", "observation 30", "observation 50"]
    assert rows[1] == ("observation 30", "+5.13 %", "-1.98 % … +3.05 %", "1 in 2500")


def test_nothing_yet() -> None:
    assert run_sentences(_outcome(0.0, 0), RunSettings()) == ["No observation has come yet."]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (np.nan, "–"), (1e12, "1e+12"), (-1234.5678, "-1234.6"), (0.001, "0.001")],
)
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text
