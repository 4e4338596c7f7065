r"""How well the chains mix: effective sample size, R-hat, Monte-Carlo error, after ArviZ.

Rank-normalised split R-hat and bulk effective sample size of Vehtari, Gelman, Simpson, Carpenter
and Bürkner (2021), from traces of shape (n_chains, n_draws).
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from driftlaw._validate import Array, check_points
from driftlaw.errors import InputError


class Diagnostics(NamedTuple):
    """Mixing of the chains at the latest update.

    Attributes
    ----------
    acceptance : dict
        Share of accepted proposals by move; NaN for a move that was never proposed. In a long
        window moves are judged by a summary, and ``block`` is the share of blocks of iterations
        that the exact loss let stand: near 0 the chain stands still, whatever the moves say.
    ess_k, ess_loss : float
        Bulk effective sample size of the number of centres and of the loss, all chains together. A
        trace that never changes counts as independent draws.
    rhat_k, rhat_loss : float
        Rank-normalised split R-hat; NaN when a trace is constant.
    """

    acceptance: dict[str, float]
    ess_k: float
    ess_loss: float
    rhat_k: float
    rhat_loss: float


def ess(trace: Array) -> float:
    """Bulk effective sample size of ``trace`` (n_chains, n_draws); the number of draws if constant.

    Examples
    --------
    >>> independent = np.random.default_rng(0).standard_normal((4, 1000))
    >>> 3000 < ess(independent) < 5000
    True
    """
    draws = _checked(trace)
    if np.ptp(draws) == 0:
        return float(draws.size)
    return _ess_raw(_rank_normalised(_split(draws)))


def mcse_mean(trace: Array) -> float:
    """Monte-Carlo standard error of the mean of ``trace`` (n_chains, n_draws)."""
    draws = _checked(trace)
    if np.ptp(draws) == 0:
        return 0.0
    return float(draws.std(ddof=1) / math.sqrt(_ess_raw(_split(draws))))


def rhat(trace: Array) -> float:
    """Rank-normalised split R-hat of ``trace`` (n_chains, n_draws); NaN if constant.

    Examples
    --------
    >>> stuck = np.repeat([[0.0], [1.0]], 100, axis=1)
    >>> stuck[:, ::2] += 0.01
    >>> rhat(stuck) > 2
    True
    """
    draws = _checked(trace)
    if np.ptp(draws) == 0:
        return math.nan
    halves = _split(draws)
    folded = np.abs(halves - np.median(halves))
    return max(_rhat_raw(_rank_normalised(halves)), _rhat_raw(_rank_normalised(folded)))


def _checked(trace: Array) -> Array:
    draws = check_points("trace", np.atleast_2d(trace))
    if draws.shape[1] < 4:
        raise InputError(f"trace must be (n_chains, n_draws >= 4), got {draws.shape}")
    return draws


def _split(draws: Array) -> Array:
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, -half:]])


def _rank_normalised(draws: Array) -> Array:
    _, place, counts = np.unique(draws, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - 0.5 * (counts - 1)  # equal values share their average rank
    ranks = ranks[place].reshape(draws.shape)
    return np.asarray(ndtri((ranks - 0.375) / (draws.size + 0.25)), dtype=float)


def _rhat_raw(draws: Array) -> float:
    n = draws.shape[1]
    within = float(draws.var(axis=1, ddof=1).mean())
    between = float(draws.mean(axis=1).var(ddof=1))
    if within == 0.0:
        return math.inf if between > 0.0 else math.nan
    return math.sqrt((n - 1) / n + between / within)


def _ess_raw(draws: Array) -> float:
    """Effective sample size by Geyer's initial monotone sequence."""
    c, n = draws.shape
    covariance = _autocovariance(draws)
    mean_variance = covariance[:, 0].mean() * n / (n - 1)
    total = mean_variance * (n - 1) / n
    if c > 1:
        total += draws.mean(axis=1).var(ddof=1)
    if total == 0.0:
        return float(draws.size)
    rho = 1.0 - (mean_variance - covariance.mean(axis=0)) / total
    rho[0] = 1.0
    n_pairs = max((n - 1) // 2, 1)
    pairs = rho[: 2 * n_pairs].reshape(n_pairs, 2).sum(axis=1)
    spent = np.flatnonzero(pairs <= 0)
    last = int(spent[0]) if len(spent) else n_pairs - 1
    monotone = np.minimum.accumulate(pairs[:last])
    tail = float(rho[2 * last]) if pairs[last] >= 0 else max(float(rho[2 * last]), 0.0)
    tau = -1.0 + 2.0 * float(monotone.sum()) + tail
    tau = max(tau, 1.0 / math.log10(draws.size))
    return draws.size / tau


def _autocovariance(draws: Array) -> Array:
    n = draws.shape[1]
    centred = draws - draws.mean(axis=1, keepdims=True)
    spectrum = np.fft.rfft(centred, 2 * n, axis=1)
    product = np.fft.irfft(spectrum * np.conj(spectrum), 2 * n, axis=1)
    return np.asarray(product[:, :n] / n, dtype=float)
