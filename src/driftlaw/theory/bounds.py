r"""Both theorems for a problem, the sharper version beside them, and their growth with T."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from driftlaw._validate import Array, check_count
from driftlaw.errors import InputError
from driftlaw.theory.brackets import (
    LABELS,
    Bracket,
    clean_term,
    no_restart_bracket,
    restart_bracket,
    sharper_bracket,
)
from driftlaw.theory.constants import Problem
from driftlaw.theory.drift import path_length
from driftlaw.theory.perturbation import (
    CorruptionTerm,
    corruption_term,
    counts_before,
    spread_corruption,
)
from driftlaw.theory.rates import decay_exponent, envelope, rise_penalty, schedule_rates
from driftlaw.theory.regimes import Ansatz, term_exponents
from driftlaw.theory.report import BoundReport, Term


def bound(problem: Problem, ansatz: Ansatz | None = None) -> BoundReport:
    r"""Both theorems: [thm:raw-total] without, [thm:raw-restart-total] with restart.

    .. math:: \Delta_1 + \mathcal E_T + \frac{L_K}{\sqrt\mu}\sqrt{n\,\mathcal B} + \sqrt{n A_T}

    Rates are the non-increasing envelope of the schedule; the notes say so where it differs.

    Parameters
    ----------
    ansatz : growth of the constants with T; read off the problem when None
    """
    rates = envelope(problem.schedule, problem.window)
    bracket = (no_restart_bracket if problem.restart_every is None else restart_bracket)(
        problem, rates
    )
    corruption = _corruption(problem, rates)
    n_steps = problem.horizon - (problem.restart_every is None)
    drift = path_length(n_steps, problem.action)
    parts = _Parts(
        corruption.value, corruption.capped, bracket, clean_term(problem, bracket), drift
    )
    notes = _notes(problem, rates, corruption)
    return _report(problem, "paper", parts, ansatz, (corruption.log_value, notes))


def sharper_bound(problem: Problem, ansatz: Ansatz | None = None) -> BoundReport:
    r"""Give the same guarantee with smaller constants, the schedule as it is; docs/theory.md.

    .. math:: \Delta_1 + D_p\sum_t\tanh(\lambda\,\mathrm{diam}_c\,\delta\Lambda/2)
        + \frac{L_K}{\sqrt\mu}\sqrt{(T-1)\,\mathcal B^{\sharp}}

    Examples
    --------
    >>> from driftlaw.theory import ClusterPrior, Space
    >>> prior = ClusterPrior(dim=1, n_centers=1, max_centers=1, support_radius=1.0)
    >>> problem = Problem(horizon=100, space=Space.common(2.0), prior=prior)
    >>> sharper_bound(problem).total < bound(problem).total
    True
    """
    rates = schedule_rates(problem.schedule, problem.window)
    bracket = sharper_bracket(problem, rates)
    corruption = _corruption(problem, rates).sharper
    clean = problem.conversion * math.sqrt((problem.horizon - 1) * bracket.total)
    log_value = math.log(corruption) if corruption > 0 else -math.inf
    parts = _Parts(corruption, corruption, bracket, clean, 0.0)
    notes = ("Constants of docs/theory.md; rates as the learner uses them.", *_size_notes(problem))
    return _report(problem, "sharper", parts, ansatz, (log_value, notes))


def bound_curve(
    problem: Problem, horizons: Sequence[int], ansatz: Ansatz | None = None
) -> dict[str, Array]:
    r"""Bounds against T: a tidy table with one row per horizon, ready to draw.

    The constants grow from the problem's own values as in [eq:polynomial-ansatz]:
    :math:`A(T/T_0)^a`, :math:`H(T/T_0)^h`, :math:`\Lambda(T/T_0)^\gamma` evenly spread.

    Returns
    -------
    dict of arrays: ``horizon``, ``total``, ``capped``, ``sharper``, ``trivial`` and one column per
    term of the paper's bound.

    Examples
    --------
    >>> from driftlaw.theory import ClusterPrior, Space
    >>> prior = ClusterPrior(dim=1, n_centers=1, max_centers=1, support_radius=1.0)
    >>> problem = Problem(horizon=100, space=Space.common(2.0), prior=prior)
    >>> bound_curve(problem, [100, 200])["trivial"].tolist()
    [200.0, 400.0]
    """
    growth = _implied_ansatz(problem) if ansatz is None else ansatz
    rows = []
    for horizon in horizons:
        scaled = _scaled(problem, check_count("horizons", horizon), growth)
        report, ours = bound(scaled, growth), sharper_bound(scaled, growth)
        row = {"horizon": float(horizon), "total": report.total, "capped": report.capped}
        row |= {"sharper": ours.total, "trivial": report.trivial}
        rows.append(row | {term.name: term.contribution for term in report.terms})
    if not rows:
        raise InputError("horizons must hold at least one horizon, got none")
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


@dataclass(frozen=True, slots=True)
class _Parts:
    corruption: float
    corruption_capped: float
    bracket: Bracket
    clean: float
    drift: float


def _report(
    problem: Problem,
    kind: str,
    parts: _Parts,
    ansatz: Ansatz | None,
    told: tuple[float, tuple[str, ...]],
) -> BoundReport:
    growth = _implied_ansatz(problem) if ansatz is None else ansatz
    restarted = problem.restart_every is not None
    exponents = term_exponents(growth)
    if kind == "sharper":  # tanh never exceeds one, however many corruptions
        exponents["corruption"] = min(exponents["corruption"], 1.0)
    capped = problem.initial_error + parts.corruption_capped + parts.clean
    return BoundReport(
        kind=kind,
        label="[thm:raw-restart-total]" if restarted else "[thm:raw-total]",
        horizon=problem.horizon,
        restart_every=problem.restart_every,
        n_segments=problem.n_segments,
        total=problem.initial_error + parts.corruption + parts.clean,
        log_corruption=told[0],
        capped=capped,
        trivial=problem.space.diameter * problem.horizon,
        failure_probability=problem.failure_probability,
        ansatz=growth,
        terms=_terms(problem, parts, capped, exponents),
        notes=told[1],
    )


def _terms(
    problem: Problem, parts: _Parts, capped: float, exponents: dict[str, float]
) -> tuple[Term, ...]:
    restarted = problem.restart_every is not None
    corruption = f"[eq:{'restart' if restarted else 'no-restart'}-corruption-term]"
    root = parts.clean - parts.drift
    whole = parts.bracket.total
    rows = [
        ("first_step", "[eq:appendix-total-split]", problem.initial_error, problem.initial_error),
        ("corruption", corruption, parts.corruption, parts.corruption_capped),
        ("drift", "[lem:appendix-pathwise-drift]", parts.drift, parts.drift),
    ]
    for name, value in parts.bracket.items():
        label = (
            "[lem:appendix-global-mismatch]"
            if name == "mismatch" and not restarted
            else LABELS[name]
        )
        rows.append((name, label, value, root * value / whole))
    return tuple(
        Term(
            name=name,
            label=label,
            value=value,
            contribution=part,
            share=part / capped,
            exponent=exponents[name] if value > 0 else -math.inf,
        )
        for name, label, value, part in rows
    )


def _corruption(problem: Problem, rates: Array) -> CorruptionTerm:
    n_steps, space = problem.horizon, problem.space
    corrupted = np.zeros(n_steps, bool) if problem.corrupted is None else problem.corrupted
    return corruption_term(
        rates[np.arange(n_steps) % problem.window],
        counts_before(corrupted, problem.restart_every),
        diameter=space.diameter,
        amplitude=problem.amplitude,
        center_diameter=space.center_diameter,
        predictive_diameter=space.predictive_diameter,
    )


def _notes(problem: Problem, rates: Array, corruption: CorruptionTerm) -> tuple[str, ...]:
    notes = []
    used = schedule_rates(problem.schedule, problem.window)
    if not np.array_equal(used, rates):
        slack = 3 * problem.space.diameter**4 / 8 * float(rates.sum())
        covers = rise_penalty(used, problem.space.diameter**2) <= slack
        notes.append(
            "The schedule rises: its smallest non-increasing majorant is used."
            + (
                " The bound holds for the schedule itself too (the slack of D^4/2 pays the rise)."
                if covers
                else ""
            )
        )
    if math.isinf(corruption.value):
        notes.append(
            f"The printed corruption term exceeds the largest float: e^{corruption.log_value:.0f}."
        )
    notes.extend(_size_notes(problem))
    if problem.horizon % problem.window:
        notes.append(f"H does not divide T: m = {problem.n_segments} segments in place of T/H.")
    return tuple(notes)


def _size_notes(problem: Problem) -> tuple[str, ...]:
    """Say so where the space is too small for the prior: oracles lie among the data."""
    least = problem.prior.support_radius + problem.prior.oracle_norm
    if problem.space.reach >= least * (1 - 1e-12):
        return ()
    return (
        f"An assumption fails: a centre may be {least:g} from a data point, and the loss is taken "
        f"to be at most {problem.space.reach:g}^2.",
    )


def _implied_ansatz(problem: Problem) -> Ansatz:
    """Exponents as log quantity / log T at this T; an action is measured in squared diameters."""
    log_t = math.log(max(problem.horizon, 2))
    action = problem.action / problem.space.diameter**2
    hurt = problem.n_corrupted if problem.amplitude > 0 else 0
    return Ansatz(
        action=max(math.log(action) / log_t, 0.0) if action > 0 else -math.inf,
        decay=max(decay_exponent(problem.schedule, problem.window), 0.0),
        corruption=min(math.log(hurt) / log_t, 1.0) if hurt else -math.inf,
        window=None if problem.restart_every is None else math.log(problem.window) / log_t,
    )


def _scaled(problem: Problem, horizon: int, growth: Ansatz) -> Problem:
    ratio = horizon / problem.horizon
    window, hurt = problem.restart_every, problem.n_corrupted
    if window is not None:
        window = min(max(round(window * ratio ** (growth.window or 0.0)), 1), horizon)
    n_corrupted = min(round(hurt * ratio ** max(growth.corruption, 0.0)), horizon)
    return replace(
        problem,
        horizon=horizon,
        restart_every=window,
        corrupted=spread_corruption(horizon, n_corrupted),
        action=problem.action * ratio ** max(growth.action, 0.0),
    )
