"""The demo's numbers against loops written out here."""

from collections import deque

import numpy as np
import pytest

from driftlaw.corruption import paper_smooth
from driftlaw.demo import HEADER, Demo, rows_of, run_demo, verdict
from driftlaw.demo.run import JUDGE_EVERY, WARMUP
from driftlaw.errors import InputError
from driftlaw.law import SampleLaw

STEPS = 48


@pytest.fixture(scope="module")
def steps() -> list[None]:
    return []


@pytest.fixture(scope="module")
def demo(steps: list[None]) -> Demo:
    return run_demo(STEPS, seed=2, on_step=lambda: steps.append(None))


def test_every_step_of_every_contender_is_reported(demo: Demo, steps: list[None]) -> None:
    assert len(steps) == STEPS * len(demo.runs)
    assert len({run.name for run in demo.runs}) == 5


def test_window_is_judged_as_a_plain_loop_does(demo: Demo) -> None:
    stream, window, expected = paper_smooth(n_steps=STEPS, rng=2), deque([np.zeros(2)], 40), []
    edges, densities = demo.world["edges"], []
    for t, step in enumerate(stream):
        if t % JUDGE_EVERY == 0:
            points = np.array(window)
            expected.append(SampleLaw(points).w1(stream.law_at(t)))
            densities.append(np.histogram(points[:, 0], edges)[0] / len(points) / np.diff(edges))
        if t == 0:
            window.clear()
        window.append(step.observed)
    run = demo.runs[-1]
    np.testing.assert_allclose(run.table["w1"], expected, rtol=1e-12)
    np.testing.assert_allclose(run.table["density"], densities, atol=1e-12)
    spans = np.full(len(expected), JUDGE_EVERY)
    spans[-1] = STEPS - JUDGE_EVERY * (len(expected) - 1)  # to the end of the stream
    assert run.total == pytest.approx(spans @ expected)
    late = np.array(expected)[np.arange(0, STEPS, JUDGE_EVERY) >= WARMUP]
    assert run.mean_w1 == pytest.approx(late.mean())
    assert run.standard_error == pytest.approx(late.std(ddof=1) / len(late) ** 0.5)


def test_judged_steps_meet_every_age_of_a_segment() -> None:
    for restart_every in (10, 60):
        ages = {t % restart_every for t in range(0, JUDGE_EVERY * restart_every, JUDGE_EVERY)}
        assert len(ages) == restart_every


def test_tables_have_one_row_per_judged_step(demo: Demo) -> None:
    judged = list(range(0, STEPS, JUDGE_EVERY))
    for run in demo.runs:
        assert run.table["t"].tolist() == judged
        for column in ("w1", "cumulative", "average", "density", "k", "acceptance"):
            assert len(run.table[column]) == len(judged)
        assert (np.diff(run.table["cumulative"]) >= 0).all()
        assert np.isfinite(run.table["w1"]).all()
        mass = run.table["density"] @ np.diff(demo.world["edges"])
        assert (mass <= 1 + 1e-12).all()
        assert (mass > 0.2).all()


def test_another_seed_gives_other_numbers(demo: Demo) -> None:
    """The same seed gives the same ones in another process: see the test of the report."""
    other = run_demo(STEPS, seed=3)
    assert [row[:-1] for row in rows_of(other)] != [row[:-1] for row in rows_of(demo)]


def test_rows_and_verdict_say_the_numbers(demo: Demo) -> None:
    assert all(len(row) == len(HEADER) for row in rows_of(demo))
    best = min(demo.runs, key=lambda run: run.mean_w1)
    worst = max(demo.runs, key=lambda run: run.mean_w1)
    sentence = verdict(demo)[1]
    assert f"«{best.name}», {best.mean_w1:.2f}" in sentence
    assert sentence.index(best.name) < sentence.rindex(worst.name)
    assert rows_of(demo)[-1][3] == "–"


@pytest.mark.parametrize("n_steps", [0, 33, 40.0, True])
def test_bad_length_is_refused(n_steps: int) -> None:
    with pytest.raises(InputError, match="n_steps"):
        run_demo(n_steps)
