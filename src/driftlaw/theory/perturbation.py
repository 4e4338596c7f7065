r"""The corruption side: how far corrupted observations can move the predictive law.

Paper: section «Corruption Comparison Lemmas». Functions named ``…_sharper`` are ours; their proofs
are in docs/theory.md.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from driftlaw._validate import Array, IntArray, check_count, check_nonnegative, check_positive
from driftlaw.errors import InputError


class CorruptionTerm(NamedTuple):
    """The corruption contribution in four readings."""

    value: float
    """As printed; ``inf`` when it exceeds the largest float (``log_value`` is still finite)."""
    log_value: float
    """Natural logarithm of the printed value; ``-inf`` without corruption."""
    capped: float
    """Every step at most the diameter, which is all that one step can cost."""
    sharper: float
    """Ours: the tanh bound with the oscillation of the score."""


def loss_lipschitz(diameter: float) -> float:
    r""":math:`L_\ell = 4D`, the Lipschitz constant of the loss in x [eq:risk-shift-bound].

    Examples
    --------
    >>> loss_lipschitz(10.0)
    40.0
    """
    return 4.0 * check_positive("diameter", diameter)


def score_perturbation(diameter: float, amplitude: float, counts: ArrayLike) -> Array:
    r""":math:`L_\ell \delta \Lambda`, bound on the score's change [lem:raw-loss-perturbation].

    Examples
    --------
    >>> score_perturbation(1.0, 0.5, [0, 3]).tolist()
    [0.0, 6.0]
    """
    delta = _check_amplitude(amplitude)
    return loss_lipschitz(diameter) * delta * np.asarray(counts, dtype=np.float64)


def score_oscillation_sharper(center_diameter: float, amplitude: float, counts: ArrayLike) -> Array:
    r""":math:`2\,\mathrm{diam}_c\,\delta\,\Lambda`, oscillation over c of the score's change; ours.

    Adding a constant to a score leaves the Gibbs law as it is, so the oscillation counts, not the
    supremum; it needs neither the place of the data nor a bound on the corrupted point.

    Examples
    --------
    >>> score_oscillation_sharper(1.0, 0.5, [0, 3]).tolist()
    [0.0, 3.0]
    """
    width = check_positive("center_diameter", center_diameter)
    return 2 * width * _check_amplitude(amplitude) * np.asarray(counts, dtype=np.float64)


def gibbs_tv_bound(rate: float, perturbation: float) -> float:
    r""":math:`\frac12 [\exp(2\lambda B) - 1]` [lem:gibbs-energy-perturbation]; may be ``inf``.

    Examples
    --------
    >>> round(gibbs_tv_bound(0.5, 1.0), 4)
    0.8591
    """
    exponent = 2 * check_nonnegative("rate", rate) * check_nonnegative("perturbation", perturbation)
    return math.inf if exponent > 700 else 0.5 * math.expm1(exponent)


def gibbs_tv_bound_sharper(rate: float, oscillation: float) -> float:
    r""":math:`\tanh(\lambda\,\mathrm{osc}/4)`; ours, attained by two-point measures.

    The oscillation is at most 2B when the scores differ by at most B, which gives
    :math:`\tanh(\lambda B/2)` in place of [lem:gibbs-energy-perturbation].

    Examples
    --------
    >>> round(gibbs_tv_bound_sharper(0.5, 2.0), 4)
    0.2449
    """
    osc = check_nonnegative("oscillation", oscillation)
    return math.tanh(check_nonnegative("rate", rate) * osc / 4)


def tv_to_w1(diameter: float, total_variation: float) -> float:
    r""":math:`W_1 \le D\, d_{TV}` [lem:predictive-tv-to-wasserstein].

    Examples
    --------
    >>> tv_to_w1(10.0, 0.25)
    2.5
    """
    distance = check_nonnegative("total_variation", total_variation)
    return check_positive("diameter", diameter) * distance


def counts_before(corrupted: ArrayLike, restart_every: int | None = None) -> IntArray:
    r""":math:`\Lambda_{t-1}`, or :math:`\Lambda_{r,t-1}` inside restart segments, for t = 1..T.

    Parameters
    ----------
    corrupted : (T,) booleans, True where :math:`x_t \ne \tilde x_t`
    restart_every : length H of the segments; None for one segment

    Examples
    --------
    >>> counts_before([True, False, True, True], restart_every=3).tolist()
    [0, 1, 1, 0]
    """
    mask = _check_mask(corrupted).astype(np.int64)
    window = len(mask) if restart_every is None else check_count("restart_every", restart_every)
    before = np.concatenate([[0], np.cumsum(mask)[:-1]])
    starts = np.arange(len(mask)) // window * window
    counts: IntArray = before - before[starts]
    return counts


def spread_corruption(horizon: int, n_corrupted: int) -> NDArray[np.bool_]:
    """Mark ``n_corrupted`` of ``horizon`` steps, evenly spread: a stand-in where times are unknown.

    Examples
    --------
    >>> spread_corruption(6, 2).tolist()
    [False, False, True, False, False, True]
    """
    n_steps = check_count("horizon", horizon)
    budget = check_count("n_corrupted", n_corrupted, least=0)
    if budget > n_steps:
        raise InputError(f"n_corrupted must be <= horizon = {n_steps}, got {budget}")
    steps = np.arange(n_steps + 1) * budget // n_steps
    return np.diff(steps) > 0


def corruption_term(
    step_rates: Array,
    counts: IntArray,
    *,
    diameter: float,
    amplitude: float,
    center_diameter: float | None = None,
    predictive_diameter: float | None = None,
) -> CorruptionTerm:
    r""":math:`\frac{D}{2}\sum_t [\exp(2\lambda L_\ell\delta\Lambda) - 1]`, from rates and counts.

    With :math:`\lambda_{t-1}, \Lambda_{t-1}` this is [eq:no-restart-corruption-term], with
    :math:`\lambda_{a_r(t)}, \Lambda_{r,t-1}` it is [eq:restart-corruption-term]. Ours beside it:
    :math:`D_p \sum_t \tanh(\lambda\,\mathrm{diam}_c\,\delta\,\Lambda/2)`.

    Parameters
    ----------
    step_rates, counts : (T,) arrays, the rate and the corruptions in the score at each step
    center_diameter, predictive_diameter : of the supports of centers and of predictive laws, for
        the sharper value; the diameter where not given

    Examples
    --------
    >>> term = corruption_term(np.array([1.0, 1.0]), np.array([0, 1]), diameter=1.0, amplitude=0.1)
    >>> round(term.value, 4), round(term.capped, 4), round(term.sharper, 4)
    (0.6128, 0.6128, 0.05)
    """
    wide = diameter if predictive_diameter is None else predictive_diameter
    apart = diameter if center_diameter is None else center_diameter
    rates = np.asarray(step_rates, dtype=np.float64)
    exponents = 2 * rates * score_perturbation(diameter, amplitude, counts)
    logs = math.log(diameter / 2) + _log_expm1(exponents)
    log_value = float(logsumexp(logs))
    capped = np.exp(np.minimum(logs, math.log(diameter))).sum()
    oscillations = score_oscillation_sharper(apart, amplitude, counts)
    sharper = wide * np.tanh(rates * oscillations / 4).sum()
    value = math.exp(log_value) if log_value < 709 else math.inf
    return CorruptionTerm(value, log_value, float(capped), float(sharper))


def _log_expm1(x: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.where(
            x > 1, x + np.log1p(-np.exp(-np.maximum(x, 1))), np.log(np.expm1(x.clip(max=1)))
        )


def _check_amplitude(amplitude: float) -> float:
    try:
        return check_nonnegative("amplitude", amplitude)
    except InputError as error:
        raise InputError(f"{error}: corruption is bounded by delta >= 0") from error


def _check_mask(corrupted: ArrayLike) -> NDArray[np.bool_]:
    mask = np.asarray(corrupted)
    if mask.ndim != 1 or len(mask) == 0 or not np.isin(mask, (0, 1)).all():
        raise InputError(f"corrupted must be (T,) booleans with T >= 1, got {mask.shape}")
    return mask.astype(np.bool_)
