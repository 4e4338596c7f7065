"""The paper's sentences as predicates: numbers with intervals in, a verdict out."""

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from driftlaw._validate import Array
from driftlaw.evaluate import growth_exponent
from driftlaw.experiments.contenders import WORDS, series_name
from driftlaw.experiments.intervals import LEVEL, Interval, block_bootstrap, student
from driftlaw.experiments.results import BEST, Block, Results
from driftlaw.experiments.spec import Claim
from driftlaw.streams import jump_times

HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "undecided"
_ROUNDING = 1e-6  # of a distance; a triangle inequality holds up to it
_BOOTSTRAP_DAYS = 120  # longer than the coming window and most bursts of volatility


class Finding(NamedTuple):
    """One number of a claim: where it was measured, its interval, and the wanted range."""

    where: str
    interval: Interval
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """Inside the wanted range, outside of it, or across or on its border."""
        _, lower, upper = self.interval
        if self.low < lower and upper < self.high:
            return HOLDS
        return FAILS if upper < self.low or lower > self.high else UNDECIDED


class Verdict(NamedTuple):
    """A claim, judged in one setting by one metric."""

    claim: Claim
    setting: str
    metric: str
    findings: list[Finding]
    n_seeds: int

    @property
    def verdict(self) -> str:
        """Holds where all findings do; fails where one does."""
        found = {finding.verdict for finding in self.findings}
        if FAILS in found:
            return FAILS
        return HOLDS if found == {HOLDS} else UNDECIDED

    @property
    def decisive(self) -> Finding:
        """The finding that is furthest from what is wanted, among those that make the verdict."""
        return max(self.findings, key=_shortfall)


def _shortfall(finding: Finding) -> tuple[int, float]:
    value = finding.interval.value
    beyond = max(finding.low - value, value - finding.high)
    return (HOLDS, UNDECIDED, FAILS).index(finding.verdict), beyond


def judge(results: Results) -> list[Verdict]:
    """Judge every claim of a figure in each of its settings by each of its metrics."""
    return [
        Verdict(claim, setting, metric, *_findings(results, claim, setting, metric))
        for claim in results.figure.claims
        for metric in claim.metrics
        for setting in claim.settings
    ]


def _findings(
    results: Results, claim: Claim, setting: str, metric: str
) -> tuple[list[Finding], int]:
    def lines(who: str) -> list[Block]:
        name = BEST if who == "window" else series_name(who, setting)
        return [results.blocks[point, name] for point in results.points]

    left = lines(claim.left)
    case = Case(results, claim, metric, left, lines(claim.right))
    return _PREDICATES[claim.predicate](case), min(len(block.seeds) for block in left)


class Case(NamedTuple):
    """What a predicate looks at: the lines of both sides, one block for each point."""

    results: Results
    claim: Claim
    metric: str
    left: list[Block]
    right: list[Block]


def _less(case: Case) -> list[Finding]:
    """Left minus right is below zero; at every point, all points together at the level."""
    level = 1.0 - (1.0 - LEVEL) / len(case.left)
    return [
        Finding(_point(case, i), _difference(case, a, b, level), -math.inf, 0.0)
        for i, (a, b) in enumerate(zip(case.left, case.right, strict=True))
    ]


def _difference(case: Case, a: Block, b: Block, level: float) -> Interval:
    """Student's interval over seeds; over days where there is one stream only."""
    if not case.results.figure.needs_data:
        return student(a.averages(case.metric) - b.averages(case.metric), level)
    daily = a.values[case.metric].mean(axis=0) - b.values[case.metric].mean(axis=0)
    every = int(a.weights[0])
    return block_bootstrap(daily, -(-_BOOTSTRAP_DAYS // every), level=level)


def _increases(case: Case) -> list[Finding]:
    """Ask that the final average's least-squares slope against the factor is above zero."""
    x = np.array(case.results.points)
    values = np.array([block.averages(case.metric) for block in case.left])  # (P, S)
    slopes = (x - x.mean()) @ values / ((x - x.mean()) @ (x - x.mean()))
    return [Finding("slope per unit", student(slopes), 0.0, math.inf)]


def _exponent(case: Case, low: float, high: float) -> list[Finding]:
    totals = np.array([block.totals(case.metric) for block in case.left]).T
    fit = growth_exponent(totals, case.results.points, level=LEVEL)
    return [Finding("exponent", Interval(fit.value, fit.lower, fit.upper), low, high)]


def _below(case: Case) -> list[Finding]:
    return _exponent(case, -math.inf, case.claim.threshold)


def _at_least(case: Case) -> list[Finding]:
    return _exponent(case, case.claim.threshold, math.inf)


def _near(case: Case) -> list[Finding]:
    centre, reach = case.claim.threshold, case.claim.tolerance
    return _exponent(case, centre - reach, centre + reach)


def _late(case: Case) -> Array:
    """Mean error (S, B) in the second half of each block between jumps."""
    block, n_steps = case.left[0], _n_steps(case)
    edges = (0, *jump_times(n_steps, case.results.figure.stream["exponent"]), n_steps)
    halves = [((a + b) // 2, b) for a, b in pairwise(edges)]
    chosen = [(block.t >= low) & (block.t < high) for low, high in halves]
    return np.array([block.values[case.metric][:, late].mean(axis=1) for late in chosen]).T


def _stays_up(case: Case) -> list[Finding]:
    """Long after each jump the error is above the level before the first one."""
    late = _late(case)
    level = 1.0 - (1.0 - LEVEL) / (late.shape[1] - 1)
    return [
        Finding(f"rise after jump {b}", student(late[:, b] - late[:, 0], level), 0.0, math.inf)
        for b in range(1, late.shape[1])
    ]


def _comes_back(case: Case) -> list[Finding]:
    """Long after each jump the error is at most so much above the level before the first one."""
    late = _late(case)
    level = 1.0 - (1.0 - LEVEL) / (late.shape[1] - 1)
    most = case.claim.tolerance
    return [
        Finding(
            f"rise after jump {b}, share",
            student(late[:, b] / late[:, 0].mean() - 1.0, level),
            -math.inf,
            most,
        )
        for b in range(1, late.shape[1])
    ]


def _splits(case: Case) -> list[Finding]:
    """No judged step breaks total <= clean + corruption."""
    values = case.left[0].values, case.right[0].values
    worst = max(float((v["total"] - v["clean"] - v["corruption"]).max()) for v in values)
    return [Finding("largest excess", Interval(worst, worst, worst), -math.inf, _ROUNDING)]


_PREDICATES: dict[str, Callable[[Case], list[Finding]]] = {
    "less": _less,
    "less_everywhere": _less,
    "increases": _increases,
    "exponent_below": _below,
    "exponent_at_least": _at_least,
    "exponent_near": _near,
    "stays_up": _stays_up,
    "comes_back": _comes_back,
    "splits": _splits,
}


def _point(case: Case, i: int) -> str:
    sweep = case.results.figure.sweep
    return "difference" if sweep is None else f"difference at {case.results.points[i]:g}"


def _n_steps(case: Case) -> int:
    figure = case.results.figure
    return figure.scales[case.results.scale].n_steps or int(figure.stream["n_steps"])


def claims_table(verdicts: list[tuple[str, Verdict]]) -> dict[str, list[Any]]:
    """Return the tidy table of all findings, with the figure's name in the first column."""
    rows = [
        {
            "figure": name,
            "sentence": verdict.claim.sentence,
            "source": verdict.claim.source,
            "setting": WORDS[verdict.setting],
            "metric": verdict.metric,
            "verdict": verdict.verdict,
            "where": finding.where,
            "value": finding.interval.value,
            "lower": finding.interval.lower,
            "upper": finding.interval.upper,
            "wanted_low": finding.low,
            "wanted_high": finding.high,
            "seeds": verdict.n_seeds,
        }
        for name, verdict in verdicts
        for finding in verdict.findings
    ]
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
