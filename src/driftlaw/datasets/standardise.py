"""Causal standardisation: a point is scaled by the mean and spread of the points before it."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from driftlaw._validate import Array, check_count, check_nonnegative, check_points
from driftlaw.datasets.table import Table
from driftlaw.errors import InputError


class Moments(NamedTuple):
    """Means and standard deviations (n - warmup, d) of the past of the rows warmup, …, n - 1."""

    mean: Array
    sd: Array


def causal_moments(x: Array, *, warmup: int = 40, window: int | None = None) -> Moments:
    r"""Mean and standard deviation of the past of every row.

    .. math:: m_t = \frac1{n_t}\sum_{s=t-n_t}^{t-1} x_s, \qquad
              s_t^2 = \frac1{n_t-1}\sum_{s=t-n_t}^{t-1} (x_s-m_t)^2,

    with :math:`n_t = t` (``window=None``, expanding) or :math:`n_t = \min(t, window)` (rolling),
    for t = warmup, …, n - 1. Row t itself is not in its own moments.

    Parameters
    ----------
    x : (n, d) array
    warmup : int
        At least 2; the rows before it have no moments.
    window : int, optional
        At least ``warmup``.

    Examples
    --------
    >>> causal_moments(np.array([[0.0], [2.0], [9.0]]), warmup=2)
    Moments(mean=array([[1.]]), sd=array([[1.41421356]]))
    """
    x = check_points("x", x)
    warmup = check_count("warmup", warmup, least=2)
    n = len(x)
    if n <= warmup:
        raise InputError(f"x must have more than warmup={warmup} rows, got {n}")
    full = n if window is None else min(n, check_count("window", window, least=warmup))
    growing = _expanding(x[: full - 1], warmup)
    if full == n:
        return growing
    recent = sliding_window_view(x, full, axis=0)[:-1]
    mean = np.concatenate([growing.mean, recent.mean(axis=-1)])
    return Moments(mean, np.concatenate([growing.sd, recent.std(axis=-1, ddof=1)]))


def standardise(
    table: Table, *, warmup: int = 40, window: int | None = None, floor: float = 0.0
) -> Table:
    r"""Scale every row by its past: :math:`y_t = (x_t - m_t) / \max(s_t, \text{floor})`.

    The moments are those of `causal_moments`; the first ``warmup`` rows only feed them and are
    not in the result, so that every value is defined and none knows its future. A past without
    spread (s_t = 0) is an error unless ``floor`` > 0.

    Returns
    -------
    Table
        n - warmup rows.

    Notes
    -----
    The paper standardises without saying how; scaling by the whole sample would show the
    predictor the future.

    Examples
    --------
    >>> rows = [[0.0], [2.0], [4.0], [2.0]]
    >>> table = Table(times=np.arange(4), columns=("x",), values=rows, source="by hand")
    >>> standardise(table, warmup=3).values
    array([[0.]])
    """
    moments = causal_moments(table.values, warmup=warmup, window=window)
    return scaled(table, moments, floor)


def scaled(table: Table, moments: Moments, floor: float) -> Table:
    """Scale the rows of a table that have moments (the last ``len(moments.mean)``)."""
    kept = table.take(slice(len(table) - len(moments.mean), None))
    spread = np.maximum(moments.sd, check_nonnegative("floor", floor))
    if not (spread > 0).all():
        row, column = (int(i) for i in np.argwhere(~(spread > 0))[0])
        raise InputError(
            f"{table.source}: column {table.columns[column]!r} has a past without spread at"
            f" {kept.times[row]}; pass floor > 0"
        )
    return replace(kept, values=(kept.values - moments.mean) / spread)


def _expanding(x: Array, warmup: int) -> Moments:
    """Give the moments of x[:t] for t = warmup, …, len(x), by Welford's update."""
    n_rows = max(len(x) + 1 - warmup, 0)
    mean, sd = np.empty((n_rows, x.shape[1])), np.empty((n_rows, x.shape[1]))
    running, scatter = np.zeros(x.shape[1]), np.zeros(x.shape[1])
    for t, row in enumerate(x, start=1):
        step = row - running
        running = running + step / t
        scatter = scatter + step * (row - running)
        if t >= warmup:
            mean[t - warmup], sd[t - warmup] = running, np.sqrt(scatter / (t - 1))
    return Moments(mean, sd)
