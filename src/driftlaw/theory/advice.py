r"""Advice: the window H and the rates that make the certified bound smallest for a given T."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from driftlaw._validate import check_count, check_nonnegative
from driftlaw.errors import InputError
from driftlaw.schedules import Power
from driftlaw.theory.bounds import bound, sharper_bound
from driftlaw.theory.constants import Problem
from driftlaw.theory.perturbation import spread_corruption
from driftlaw.theory.regimes import BestExponents, best_exponents
from driftlaw.theory.report import BoundReport

_DECAYS = (0.0, 0.25, 0.5, 0.75, 0.9)
_SCALES = (0.1, 0.3, 1.0, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to use at this T, and what the theory certifies for it."""

    restart_every: int | None
    schedule: Power
    certified: BoundReport
    """Our sharper bound at the advised setting."""
    printed: BoundReport
    """The paper's bound at the advised setting."""
    asymptotic: BestExponents | None
    """The best exponents for the estimated a and γ; None where no regime exists."""
    reason: str

    def __str__(self) -> str:
        window = "never restart" if self.restart_every is None else f"H={self.restart_every}"
        certified = min(self.certified.total, self.certified.trivial)
        lines = [
            f"For T={self.certified.horizon}: use {window}, beta={self.schedule.beta:g}, "
            f"c={self.schedule.c:.3g}.",
            f"Certified: total regret <= {certified:.4g} with probability "
            f">= {1 - self.certified.failure_probability:g}"
            + (" (no more than D per step: vacuous)." if self.certified.is_vacuous else "."),
            f"The paper's own bound there: {self.printed.total:.4g}.",
            self.reason,
        ]
        return "\n".join(lines)


def advise(
    problem: Problem,
    *,
    corruption_rate: float | None = None,
    windows: Sequence[int] | None = None,
    decays: Sequence[float] = _DECAYS,
) -> Advice:
    r"""Search H, β and the scale of :math:`\lambda_a=c\,a^{-\beta}` for the smallest sharper bound.

    The scale starts where complexity and learning-rate cost are equal without corruption and is
    varied around it. Beside the search stand the exponents that are best for T to infinity.

    Parameters
    ----------
    problem : its own schedule and ``restart_every`` are replaced
    corruption_rate : share of corrupted steps, evenly spread; the problem's own marks when None
    windows : candidate H; about 16 between 2 and T, equally spaced in log, when None

    Examples
    --------
    >>> from driftlaw.theory import ClusterPrior, Space
    >>> prior = ClusterPrior(dim=1, n_centers=1, max_centers=1, support_radius=2.0)
    >>> still = Problem(horizon=10_000, space=Space.common(2.0), prior=prior)
    >>> advise(still).restart_every is None
    True
    """
    start = _with_rate(problem, corruption_rate)
    candidates = _windows(start.horizon) if windows is None else list(windows)
    settings = [
        setting
        for window in candidates
        for decay in decays
        for setting in _settings(start, check_count("windows", window), decay)
    ]
    if not settings:
        raise InputError(f"windows and decays must not be empty, got {windows!r}, {decays!r}")
    chosen = min(settings, key=lambda setting: sharper_bound(setting).total)
    certified = sharper_bound(chosen)
    best, reason = _asymptotic(certified)
    schedule = chosen.schedule
    if not isinstance(schedule, Power):  # _settings makes nothing else
        raise TypeError(schedule)
    return Advice(
        restart_every=chosen.restart_every,
        schedule=schedule,
        certified=certified,
        printed=bound(chosen),
        asymptotic=best,
        reason=reason,
    )


def _with_rate(problem: Problem, rate: float | None) -> Problem:
    if rate is None:
        return problem
    if check_nonnegative("corruption_rate", rate) > 1:
        raise InputError(f"corruption_rate must be <= 1, got {rate!r}")
    marks = spread_corruption(problem.horizon, math.ceil(rate * problem.horizon))
    return replace(problem, corrupted=marks)


def _windows(horizon: int) -> list[int]:
    spaced = np.geomspace(min(2, horizon), horizon, 16).round().astype(int)
    return sorted({int(window) for window in spaced})


def _settings(problem: Problem, window: int, decay: float) -> list[Problem]:
    """Return the problem with this window and decay, at several scales of the rate."""
    whole = window >= problem.horizon
    fixed = replace(problem, restart_every=None if whole else window)
    unit = np.arange(1, fixed.window + 1, dtype=np.float64) ** -decay
    size = problem.prior.n_centers * problem.prior.dim
    guess = size * math.log(2 + problem.horizon)  # the complexity up to constants
    scale = math.sqrt(8 * guess / (unit[-1] * unit.sum())) / problem.space.reach**2
    return [replace(fixed, schedule=Power(scale * factor, decay)) for factor in _SCALES]


def _asymptotic(report: BoundReport) -> tuple[BestExponents | None, str]:
    a, gamma = report.ansatz.action, report.ansatz.corruption
    try:
        best = best_exponents(a, gamma)
    except InputError as error:
        return None, f"No sublinear regime as T grows: {error}."
    text = (
        f"As T grows (a={a:.2f}, gamma={gamma:.2f}): H ~ T^{best.window:.3f}, "
        f"beta={best.decay:.3f}, regret ~ T^{best.exponent:.3f}."
    )
    return best, text
