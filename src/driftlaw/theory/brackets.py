r"""The two theorems, term by term: brackets B, clean terms G, and the sharper bracket (ours)."""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from driftlaw._validate import Array, IntArray
from driftlaw.theory.complexity import (
    ClusterPrior,
    comparator_complexity,
    complexity_sharper,
    localization_sharper,
)
from driftlaw.theory.constants import Problem
from driftlaw.theory.drift import (
    aggregated_mismatch_sharper,
    global_mismatch,
    path_length,
    segment_aggregation,
    segment_lengths,
)
from driftlaw.theory.rates import check_rates, rise_penalty

LABELS = {
    "localization": "[lem:appendix-localized-comparator]",
    "complexity": "[lem:appendix-fixed-comparator-pac-bayes]",
    "learning_rate": "[lem:appendix-fixed-comparator-pac-bayes]",
    "deviation": "[lem:appendix-fixed-comparator-pac-bayes]",
    "confidence": "[lem:appendix-fixed-comparator-pac-bayes]",
    "mismatch": "[lem:appendix-segment-mismatch]",
    "lag": "[prop:appendix-lagged-risk]",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bracket:
    """The seven terms of a latent excess-risk bracket; their sum is :attr:`total`."""

    localization: float
    complexity: float
    learning_rate: float
    deviation: float
    confidence: float
    mismatch: float
    lag: float

    @property
    def total(self) -> float:
        """Sum of the terms."""
        return math.fsum(value for _, value in self.items())

    def items(self) -> list[tuple[str, float]]:
        """Return names and values in the order of the paper."""
        return [(name, getattr(self, name)) for name in LABELS]


def risk_lipschitz(diameter: float) -> float:
    r""":math:`L_c = 2D`, Lipschitz constant of the risk in the centres.

    :math:`|\ell(c,x)-\ell(c',x)| \le 2D\,\|c-c'\|_2` as long as :math:`\|c_j-x\|\le D`.

    Examples
    --------
    >>> risk_lipschitz(10.0)
    20.0
    """
    return 2.0 * diameter


def best_local_radius(problem: Problem, rate: float) -> float:
    r""":math:`r = 2mkd/(\lambda L_c T)`, where :math:`L_cTr + 2mC(r)/\lambda` is smallest.

    Exact while the ball is inside the prior's support, and never above the support's radius.

    Examples
    --------
    >>> from driftlaw.theory import ClusterPrior, Space
    >>> prior = ClusterPrior(dim=2, n_centers=1, max_centers=1, support_radius=4.0)
    >>> problem = Problem(horizon=100, space=Space.common(4.0), prior=prior)
    >>> best_local_radius(problem, rate=0.1)
    0.05
    """
    if problem.local_radius is not None:
        return problem.local_radius
    size = problem.prior.n_centers * problem.prior.dim
    slope = rate * risk_lipschitz(problem.space.diameter) * problem.horizon
    return min(2 * problem.n_segments * size / slope, problem.prior.support_radius)


def no_restart_bracket(problem: Problem, rates: Array) -> Bracket:
    r""":math:`\mathcal B^{nr}_{T,\delta_0}` [eq:main-no-restart-latent-bracket].

    Parameters
    ----------
    rates : (T,) positive, non-increasing

    Examples
    --------
    >>> from driftlaw.theory import ClusterPrior, Space
    >>> prior = ClusterPrior(dim=1, n_centers=1, max_centers=1, support_radius=1.0)
    >>> problem = Problem(horizon=4, space=Space.common(1.0), prior=prior, action=3.0)
    >>> no_restart_bracket(problem, np.ones(4)).mismatch
    96.0
    """
    n_steps, d = problem.horizon, problem.space.diameter
    lag = 8 * d * path_length(n_steps - 1, problem.action)
    mismatch = global_mismatch(d, n_steps, problem.action)
    return _paper_bracket(problem, check_rates("rates", rates), mismatch, lag)


def restart_bracket(problem: Problem, rates: Array) -> Bracket:
    r""":math:`\mathcal B^{rs}_{T,\delta_0}` [eq:main-restart-latent-bracket], m for T/H.

    Parameters
    ----------
    rates : (H,) positive, non-increasing

    Examples
    --------
    >>> from driftlaw.theory import ClusterPrior, Space
    >>> prior = ClusterPrior(dim=1, n_centers=1, max_centers=1, support_radius=1.0)
    >>> problem = Problem(
    ...     horizon=4, restart_every=2, space=Space.common(1.0), prior=prior, action=4.0
    ... )
    >>> restart_bracket(problem, np.ones(2)).mismatch
    64.0
    """
    n_steps, d = problem.horizon, problem.space.diameter
    lag = 8 * d * path_length(n_steps, problem.action)
    mismatch = 8 * d * segment_aggregation(problem.window, n_steps, problem.action)
    return _paper_bracket(problem, check_rates("rates", rates), mismatch, lag)


def _paper_bracket(problem: Problem, rates: Array, mismatch: float, lag: float) -> Bracket:
    n_steps, d, m = problem.horizon, problem.space.diameter, problem.n_segments
    last = float(rates[-1])
    radius = best_local_radius(problem, last)
    doubt = math.log(2 / problem.failure_probability)
    kl = comparator_complexity(problem.prior, radius)
    return Bracket(
        localization=risk_lipschitz(d) * n_steps * radius,
        complexity=(2 * m * kl + doubt) / last,
        learning_rate=d**4 / 2 * m * float(rates.sum()),
        deviation=d**4 * n_steps * last / 8,
        confidence=d**2 * math.sqrt(n_steps / 2 * doubt),
        mismatch=mismatch,
        lag=lag,
    )


def learning_to_yesterday(conversion: float, n_steps: int, bracket: float) -> float:
    r""":math:`\frac{L_K}{\sqrt\mu}\sqrt{n\,\mathcal B}` [cor:appendix-learning-to-yesterday].

    ``conversion`` is :math:`L_K/\sqrt\mu`, ``bracket`` bounds the summed lagged excess risk.

    Examples
    --------
    >>> learning_to_yesterday(0.5, 9, 4.0)
    3.0
    """
    return conversion * math.sqrt(n_steps * bracket)


def clean_term(problem: Problem, bracket: Bracket) -> float:
    r""":math:`\mathcal G = \frac{L_K}{\sqrt\mu}\sqrt{n\mathcal B} + \sqrt{nA_T}`.

    n is T-1 without restart [eq:no-restart-clean-term] and T with restart
    [eq:restart-clean-term], as the paper has it.

    Examples
    --------
    >>> from driftlaw.theory import ClusterPrior, Space
    >>> prior = ClusterPrior(dim=1, n_centers=1, max_centers=1, support_radius=1.0)
    >>> problem = Problem(horizon=5, space=Space.common(1.0), prior=prior, action=4.0)
    >>> values = dict.fromkeys(LABELS, 0.0) | {"complexity": 9.0}
    >>> clean_term(problem, Bracket(**values))
    10.0
    """
    n_steps = problem.horizon - (problem.restart_every is None)
    drift = path_length(n_steps, problem.action)
    return learning_to_yesterday(problem.conversion, n_steps, bracket.total) + drift


def sharper_bracket(problem: Problem, rates: Array) -> Bracket:
    r"""Bound on :math:`E_T^{cur}` with the constants a careful proof leaves; ours.

    Hoeffding's 1/8; one martingale for learner and comparator together, so that the complexity
    enters once; the comparator symmetric around the oracle; 2D and the triangular sum in the
    mismatch; each segment at most its length times the loss range; the best of a grid of local
    radii. No lag: quadratic growth
    around today's oracle is the same assumption one step on. Proofs: docs/theory.md.

    Parameters
    ----------
    rates : (H,) >= 0, as the learner uses them; a rise is paid by :func:`rise_penalty`
    """
    n_steps, reach = problem.horizon, problem.space.reach
    lengths = segment_lengths(n_steps, problem.restart_every)
    doubt = math.log(1 / problem.failure_probability)
    segments = _segment_rates(rates, lengths, reach**2)
    if problem.local_radius is None:
        comparators = _comparators(problem.prior, reach)
    else:
        comparators = (_comparator(problem.prior, reach, problem.local_radius),)
    costs = [_segment_costs(segments, comparator, reach**2) for comparator in comparators]
    localization, complexity, learning = min(costs, key=math.fsum)
    return Bracket(
        localization=localization,
        complexity=complexity,
        learning_rate=learning,
        deviation=0.0,
        confidence=reach**2 * math.sqrt(2 * n_steps * doubt),
        mismatch=aggregated_mismatch_sharper(problem.space.data_diameter, lengths, problem.action),
        lag=0.0,
    )


class _Segments(NamedTuple):
    """Segments of one length: how long, how many, their last rate and what their steps cost."""

    length: int
    times: int
    last: float
    steps: float


def _segment_rates(rates: Array, lengths: IntArray, spread: float) -> list[_Segments]:
    found = []
    for length, times in zip(*np.unique(lengths, return_counts=True), strict=True):
        used = rates[:length]
        steps = spread**2 / 8 * float(used.sum()) + rise_penalty(used, spread)
        found.append(_Segments(int(length), int(times), float(used[-1]), steps))
    return found


def _segment_costs(
    segments: list[_Segments], comparator: tuple[float, float], spread: float
) -> tuple[float, float, float]:
    """Localization, complexity and learning cost, each segment at most spread · length."""
    per_step, kl = comparator
    costs = np.zeros(3)
    for length, times, last, steps in segments:
        cap = spread * length
        parts = np.array([per_step * length, kl / last if last > 0 else math.inf, steps])
        if parts.sum() > cap:  # too short to learn anything in: the losses' range is paid instead
            parts = np.array([0.0, cap, 0.0])
        costs += times * parts
    localization, complexity, learning = costs.tolist()
    return localization, complexity, learning


@lru_cache(maxsize=64)
def _comparators(prior: ClusterPrior, reach: float) -> tuple[tuple[float, float], ...]:
    """Try radii that do not depend on T, so that a minimum over them rises with T."""
    radii = prior.support_radius * 2.0 ** (-np.arange(51) / 2)
    return tuple(_comparator(prior, reach, float(radius)) for radius in radii)


def _comparator(prior: ClusterPrior, reach: float, radius: float) -> tuple[float, float]:
    """Localization cost per step, quadratic or linear in the radius, and complexity."""
    per_step = min(localization_sharper(prior, radius), 2 * reach * radius)
    return per_step, complexity_sharper(prior, radius)
