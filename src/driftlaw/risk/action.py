"""Transport action of a stream: how far its law moves, in squared Wasserstein-2 distance."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from driftlaw._validate import Array, check_count
from driftlaw.errors import InputError
from driftlaw.law import MixtureLaw, PredictiveLaw, SampleLaw
from driftlaw.risk.oracle import horizon
from driftlaw.risk.population import check_mixture
from driftlaw.streams import Stream
from driftlaw.transport import w2_gaussian, w2_squared_coupling


class TransportCost(NamedTuple):
    """A squared distance, exact or an upper bound from a coupling of components."""

    value: float
    is_exact: bool


class Action(NamedTuple):
    """The action A_T, whether all its terms are exact, and the terms (T - 1,)."""

    value: float
    is_exact: bool
    steps: Array


class GrowthFit(NamedTuple):
    r"""Fit :math:`A_T \approx C\,T^a`: exponent a, its standard error, constant C."""

    exponent: float
    standard_error: float
    constant: float


def w2_squared(p: PredictiveLaw, q: PredictiveLaw) -> TransportCost:
    r"""Squared Wasserstein-2 distance of two laws, or the coupling bound on it.

    Exact where one law is the other moved by a vector a (:math:`\|a\|^2`), for single components
    of one family (`driftlaw.transport.w2_gaussian` with their covariances) and for empirical laws
    (a linear programme over their points). Otherwise the bound

    .. math:: W_2^2 \le \min_{\Pi \in \Gamma(w, w')} \sum_{ij} \Pi_{ij}
              \big(\|c_i - c'_j\|^2 + \|\Sigma_i^{1/2} - \Sigma_j'^{1/2}\|_F^2\big),

    which moves the common base variable along coupled components. The second term is 0 in the
    paper, whose components all have one shape.

    Parameters
    ----------
    p, q : two MixtureLaw, whose components are all normal or share one df > 2, or two SampleLaw

    Notes
    -----
    Paper: [eq:ot-coupling-min]. The linear programme needs the extra ``transport``.

    Examples
    --------
    >>> p = MixtureLaw([0.5, 0.5], [[0.0, 0.0], [5.0, 0.0]], [1.0, 1.0])
    >>> q = MixtureLaw([0.5, 0.5], [[3.0, 4.0], [8.0, 4.0]], [1.0, 1.0])
    >>> w2_squared(p, q)
    TransportCost(value=25.0, is_exact=True)
    """
    if p.dim != q.dim:
        raise InputError(f"p and q must have the same dim, got {p.dim} and {q.dim}")
    if isinstance(p, SampleLaw) and isinstance(q, SampleLaw):
        return TransportCost(w2_squared_coupling(p.points, p.weights, q.points, q.weights), True)
    one, other = check_mixture("p", p), check_mixture("q", q)
    shift = _common_shift(one, other)
    if shift is not None:
        return TransportCost(float(shift @ shift), True)
    _check_one_family(one, other)
    if len(one.weights) == len(other.weights) == 1:
        return TransportCost(w2_gaussian(p.mean(), p.cov(), q.mean(), q.cov()) ** 2, True)
    places = _with_shapes(one), _with_shapes(other)
    return TransportCost(
        w2_squared_coupling(places[0], one.weights, places[1], other.weights), False
    )


def transport_action(stream: Stream, *, n_steps: int | None = None) -> Action:
    r"""Cumulative transport action :math:`A_T = \sum_{t=2}^T W_2^2(p_{t-1}^*, p_t^*)`.

    Each term is `w2_squared`; where a term is only its coupling bound, so is the sum, and
    ``is_exact`` says so.

    Parameters
    ----------
    stream : Stream
    n_steps : int, optional
        T; the stream's own number of steps when None.

    Notes
    -----
    Paper: [eq:ot-action].

    Examples
    --------
    >>> from driftlaw.streams import abrupt_shift
    >>> action = transport_action(abrupt_shift(n_steps=4000, jump=7.0, rng=0))
    >>> round(action.value, 9), action.is_exact
    (147.0, True)
    """
    n_steps = horizon(stream, n_steps)
    laws = (stream.law_at(t) for t in range(n_steps))
    before = next(laws)
    terms = []
    for law in laws:
        terms.append(w2_squared(before, law))
        before = law
    steps = np.array([term.value for term in terms])
    return Action(float(steps.sum()), all(term.is_exact for term in terms), steps)


def action_exponent(make_stream: Callable[[int], Stream], horizons: Sequence[int]) -> GrowthFit:
    r"""Growth exponent a of :math:`A_T \approx C\,T^a`, least squares of logs over horizons.

    Parameters
    ----------
    make_stream : callable
        Horizon T in, stream with T steps out (the paper's streams change with T).
    horizons : sequence of int
        At least three different ones.

    Examples
    --------
    >>> from driftlaw.streams import smooth_drift
    >>> fit = action_exponent(lambda T: smooth_drift(dim=1, n_steps=T, rng=0), [101, 201, 401])
    >>> round(fit.exponent, 2)
    1.01
    """
    times = [check_count("horizons", T, least=2) for T in horizons]
    if len(set(times)) < 3:
        raise InputError(f"horizons must hold at least 3 different numbers, got {list(horizons)}")
    actions = [transport_action(make_stream(T), n_steps=T).value for T in times]
    if not min(actions) > 0:
        raise InputError(f"an action of 0 has no exponent, got {actions} at {times}")
    x, y = np.log(times), np.log(actions)
    spread = x - x.mean()
    slope = float(spread @ y / (spread @ spread))
    residuals = y - y.mean() - slope * spread
    error = np.sqrt(residuals @ residuals / (len(x) - 2) / (spread @ spread))
    return GrowthFit(slope, float(error), float(np.exp(y.mean() - slope * x.mean())))


def _common_shift(p: MixtureLaw, q: MixtureLaw) -> Array | None:
    same = p.means.shape == q.means.shape and p.scales.shape == q.scales.shape
    if not (same and np.array_equal(p.scales, q.scales) and np.array_equal(p.df, q.df)):
        return None
    moves = q.means - p.means
    rounding = 1e-12 * max(1.0, float(np.abs(p.means).max()), float(np.abs(q.means).max()))
    together = np.allclose(moves, moves[0], rtol=0.0, atol=rounding)
    equal = np.allclose(p.weights, q.weights, rtol=0.0, atol=1e-14)
    return p.weights @ moves if together and equal else None


def _check_one_family(p: MixtureLaw, q: MixtureLaw) -> None:
    df = np.unique(np.concatenate([p.df, q.df]))
    if len(df) > 1:
        raise InputError(f"components of p and q must share one df, got {df.tolist()}")


def _with_shapes(law: MixtureLaw) -> Array:
    """Centres followed by the symmetric roots of the components' covariances, (K, d + d^2)."""
    df = float(law.df[0])
    factor = 1.0 if np.isinf(df) else float(np.sqrt(df / (df - 2)))
    if law.scales.ndim == 1:
        roots = law.scales[:, None, None] * np.eye(law.dim)
    else:
        left, sizes, _ = np.linalg.svd(law.scales)
        roots = (left * sizes[:, None, :]) @ left.transpose(0, 2, 1)
    return np.hstack([law.means, factor * roots.reshape(len(roots), -1)])
