"""Verdicts on tables made by hand: every predicate, and all three answers."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import stats

from driftlaw.experiments import Claim, Figure, catalogue
from driftlaw.experiments.claims import FAILS, HOLDS, UNDECIDED, Verdict, claims_table, judge
from driftlaw.experiments.intervals import block_bootstrap, student
from driftlaw.experiments.results import BEST, Block, Results
from driftlaw.experiments.words import brief_rows, markdown, verdict_row

FIGURES = catalogue()
N_SEEDS = 8
NOISE = np.random.default_rng(0).normal(size=N_SEEDS)


def _block(averages: ArrayLike, n: int = 1, **more: ArrayLike) -> Block:
    """Block of runs with these averages (S,), or values by step (S, n)."""
    values = np.asarray(averages, dtype=float)
    if values.ndim == 1:
        values = np.repeat(values[:, None], n, axis=1)
    t = np.arange(values.shape[1])
    columns = {"w1": values, **{name: np.asarray(column) for name, column in more.items()}}
    return Block(t, np.ones(len(t)), tuple(range(len(values))), columns)


def _verdict(
    figure: Figure,
    claim: Claim,
    lines: dict[tuple[float, str], Block],
    scale: str = "full",
) -> Verdict:
    figure = replace(figure, claims=(claim,))
    points = tuple(dict.fromkeys(point for point, _ in lines))
    (verdict,) = judge(Results(figure, scale, points, lines))
    return verdict


def _claim(predicate: str, **options: object) -> Claim:
    given = {"settings": ("printed",), "metrics": ("w1",), **options}
    return Claim(sentence="It is so.", source="paper", predicate=predicate, **given)  # type: ignore[arg-type]


RESTARTED, VANILLA = "restarted, as printed", "vanilla, as printed"


@pytest.mark.parametrize(
    ("shift", "spread", "wanted"), [(-1.0, 0.1, HOLDS), (1.0, 0.1, FAILS), (0.1, 3.0, UNDECIDED)]
)
def test_less(shift: float, spread: float, wanted: str) -> None:
    base = 5.0 + NOISE  # common to both: pairs cancel it
    lines = {
        (0.0, RESTARTED): _block(base + shift + spread * NOISE[::-1]),
        (0.0, VANILLA): _block(base),
    }
    verdict = _verdict(FIGURES["main"], _claim("less"), lines)
    assert verdict.verdict == wanted
    (finding,) = verdict.findings
    differences = shift + spread * NOISE[::-1]
    low, high = stats.t.interval(
        0.95, N_SEEDS - 1, loc=differences.mean(), scale=stats.sem(differences)
    )
    assert finding.interval == pytest.approx((differences.mean(), low, high))


def test_one_seed_or_no_difference_decides_nothing() -> None:
    lines = {(0.0, RESTARTED): _block([1.0]), (0.0, VANILLA): _block([9.0])}
    assert _verdict(FIGURES["main"], _claim("less"), lines).verdict == UNDECIDED
    same = {(0.0, RESTARTED): _block(NOISE), (0.0, VANILLA): _block(NOISE)}
    assert _verdict(FIGURES["main"], _claim("less"), same).verdict == UNDECIDED


def test_less_than_the_best_window() -> None:
    lines = {(0.0, RESTARTED): _block(NOISE), (0.0, BEST): _block(NOISE - 1.0)}
    claim = _claim("less", right="window")
    assert _verdict(FIGURES["main"], claim, lines).verdict == FAILS


@pytest.mark.parametrize(("last", "wanted"), [(-1.0, HOLDS), (1.0, FAILS)])
def test_less_everywhere_needs_every_point(last: float, wanted: str) -> None:
    lines: dict[tuple[float, str], Block] = {}
    for point, shift in ((5.0, -1.0), (10.0, -2.0), (25.0, last)):
        lines[point, RESTARTED] = _block(5.0 + shift + 0.1 * NOISE)
        lines[point, VANILLA] = _block(5.0 + 0.0 * NOISE)
    verdict = _verdict(FIGURES["sensitivity-window"], _claim("less_everywhere"), lines)
    assert verdict.verdict == wanted
    assert len(verdict.findings) == 3
    assert verdict.decisive.where == ("difference at 25" if last > 0 else "difference at 5")


def test_the_point_that_is_undecided_is_shown() -> None:
    lines: dict[tuple[float, str], Block] = {}
    for point, shift, noise in ((5.0, -1.0, 0.1), (10.0, -2.0, 9.0), (25.0, -3.0, 0.1)):
        lines[point, RESTARTED] = _block(5.0 + shift + noise * NOISE)
        lines[point, VANILLA] = _block(5.0 + 0.0 * NOISE)
    verdict = _verdict(FIGURES["sensitivity-window"], _claim("less_everywhere"), lines)
    assert (verdict.verdict, verdict.decisive.where) == (UNDECIDED, "difference at 10")


@pytest.mark.parametrize(
    ("slope", "noise", "wanted"), [(2.0, 0.1, HOLDS), (-2.0, 0.1, FAILS), (0.0, 1.0, UNDECIDED)]
)
def test_increases(slope: float, noise: float, wanted: str) -> None:
    lines = {}
    for i, point in enumerate((0.0, 0.25, 1.0)):
        values = 4.0 + slope * point + noise * np.roll(NOISE, i)
        lines[point, RESTARTED] = lines[point, VANILLA] = _block(values)
    figure = FIGURES["sensitivity-magnitude"]
    verdict = _verdict(figure, _claim("increases"), lines)
    assert verdict.verdict == wanted
    x = np.array([0.0, 0.25, 1.0])
    y = np.array([lines[p, RESTARTED].averages("w1") for p in x])
    fits = [np.polyfit(x, y[:, s], 1)[0] for s in range(N_SEEDS)]
    assert verdict.findings[0].interval.value == pytest.approx(np.mean(fits))


@pytest.mark.parametrize(
    ("predicate", "exponent", "wanted"),
    [
        ("exponent_below", 0.9, HOLDS),
        ("exponent_below", 1.1, FAILS),
        ("exponent_below", 1.0, UNDECIDED),
        ("exponent_at_least", 1.1, HOLDS),
        ("exponent_at_least", 0.9, FAILS),
        ("exponent_near", 0.93, HOLDS),
        ("exponent_near", 1.1, FAILS),
        ("exponent_near", 0.97, UNDECIDED),
    ],
)
def test_exponents(predicate: str, exponent: float, wanted: str) -> None:
    lines = {}
    for point in (500.0, 1000.0, 4000.0):
        totals = point ** (exponent + 0.01 * (NOISE - NOISE.mean()))
        lines[point, RESTARTED] = lines[point, VANILLA] = _block(totals)
    threshold = 0.92 if predicate == "exponent_near" else 1.0
    claim = _claim(predicate, threshold=threshold, tolerance=0.05)
    verdict = _verdict(FIGURES["horizons"], claim, lines)
    assert verdict.verdict == wanted
    assert verdict.findings[0].interval.value == pytest.approx(exponent)


def _jumps(levels: tuple[float, ...], spread: float = 0.01) -> dict[tuple[float, str], Block]:
    """Errors that stand on a level in each of the four blocks, and are huge right after a jump."""
    steps = np.repeat(levels, 1000).astype(float)
    steps[1000:1100] = steps[2000:2100] = steps[3000:3100] = 50.0
    offsets = np.array([np.roll(NOISE, 2 * b) for b in range(4)]).T.repeat(1000, axis=1)
    values = steps + spread * offsets
    return {(0.0, RESTARTED): _block(values), (0.0, VANILLA): _block(values)}


@pytest.mark.parametrize(
    ("levels", "spread", "stays", "comes"),
    [
        ((1.0, 3.0, 3.0, 4.0), 0.01, HOLDS, FAILS),
        ((1.0, 1.0, 0.9, 0.9), 0.01, FAILS, HOLDS),
        ((1.0, 3.0, 0.5, 4.0), 0.01, FAILS, FAILS),
        ((1.0, 1.2, 1.2, 1.2), 0.8, UNDECIDED, UNDECIDED),
    ],
)
def test_after_jumps(levels: tuple[float, ...], spread: float, stays: str, comes: str) -> None:
    lines = _jumps(levels, spread)
    assert _verdict(FIGURES["abrupt"], _claim("stays_up"), lines).verdict == stays
    back = _claim("comes_back", tolerance=0.25)
    assert _verdict(FIGURES["abrupt"], back, lines).verdict == comes


@pytest.mark.parametrize(("excess", "wanted"), [(-0.1, HOLDS), (0.1, FAILS)])
def test_the_split_must_hold_at_every_step(excess: float, wanted: str) -> None:
    ones = np.ones((N_SEEDS, 5))
    total = 2.0 * ones
    total[3, 2] += excess + 0.0
    total -= 0.05 * (excess < 0)
    block = _block(ones, total=total, clean=ones, corruption=ones)
    lines = {(0.0, RESTARTED): block, (0.0, VANILLA): block}
    claim = _claim("splits", metrics=("total",))
    assert _verdict(FIGURES["decomposition"], claim, lines).verdict == wanted


@pytest.mark.parametrize(("shift", "wanted"), [(-1.0, HOLDS), (1.0, FAILS), (0.0, UNDECIDED)])
def test_recorded_data_are_judged_over_days(shift: float, wanted: str) -> None:
    days = np.random.default_rng(1).normal(size=400)
    days -= days.mean()
    seeds = np.ones((N_SEEDS, 1))
    left, right = _block(seeds * (2.0 + shift + days)), _block(seeds * 2.0)
    lines = {(0.0, RESTARTED): left, (0.0, VANILLA): right}
    assert _verdict(FIGURES["spy-close"], _claim("less"), lines).verdict == UNDECIDED
    spaced = {place: block._replace(weights=np.full(400, 20.0)) for place, block in lines.items()}
    assert _verdict(FIGURES["spy-close"], _claim("less"), spaced).verdict == wanted


def test_block_bootstrap_covers_the_mean_of_a_dependent_series() -> None:
    rng = np.random.default_rng(2)
    n_series, hits = 200, 0
    for _ in range(n_series):
        noise = rng.normal(size=600)
        series = np.convolve(noise, np.ones(10) / 10, mode="valid")  # neighbours overlap
        found = block_bootstrap(series, 40, n_draws=200)
        hits += found.lower <= 0.0 <= found.upper
    # 95 % promised; blocks make it a little too narrow. 1e-3 quantile of a binomial at 0.88.
    assert hits >= stats.binom.ppf(1e-3, n_series, 0.88)
    assert np.isinf(block_bootstrap(np.arange(10.0), 3).upper)


def test_student_is_the_interval_of_the_textbook() -> None:
    values = np.array([1.0, 2.0, 4.0, 8.0])
    low, high = stats.t.interval(0.9, 3, loc=values.mean(), scale=stats.sem(values))
    assert student(values, 0.9) == pytest.approx((values.mean(), low, high))


def test_rows_say_the_numbers() -> None:
    lines = {(0.0, RESTARTED): _block(1.0 + 0.1 * NOISE), (0.0, VANILLA): _block([2.0] * N_SEEDS)}
    verdict = _verdict(FIGURES["main"], _claim("less"), lines)
    table = claims_table([("main", verdict)])
    assert table["verdict"] == [HOLDS]
    assert table["seeds"] == [N_SEEDS]
    row = verdict_row("main", verdict)
    assert row[0] == "main"
    assert f"{table['value'][0]:.3f} [{table['lower'][0]:.3f}" in row[4]
    assert row[5:] == ("< 0", HOLDS)
    assert brief_rows([("main", verdict)]) == [("main", "It is so.", HOLDS, "–")]
    ((*_, told, other),) = brief_rows([("main", verdict)], numbers=True)
    assert told == f"{HOLDS}: {row[4]}"
    assert other == "–"
    assert markdown(["a", "b"], [["1", "2"]]) == "| a | b |\n| --- | --: |\n| 1 | 2 |\n"
    assert claims_table([]) == {}
