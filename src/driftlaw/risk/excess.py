"""Excess risk of posterior configurations over the oracle, at one step and along a stream."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_points
from driftlaw.errors import InputError
from driftlaw.law import PredictiveLaw
from driftlaw.risk.oracle import Oracle, oracle
from driftlaw.risk.population import Risk, check_law, population_risk
from driftlaw.streams import Stream

_FRESH_STARTS = 4


class Excess(NamedTuple):
    """Sum over steps, its numerical error, and the terms (T - 1,) of the steps 1, …, T - 1."""

    value: float
    error: float
    steps: Array


def excess_risk(
    law: PredictiveLaw, counts: ArrayLike, centers: ArrayLike, *, best: Oracle | None = None
) -> Risk:
    r"""Mean excess :math:`E_{c \sim \rho}[R(c) - R(c^*)]` of M configurations at one step.

    Parameters
    ----------
    law : MixtureLaw or SampleLaw
    counts : (M,) array
        Numbers of centres, 1 … p.
    centers : (M, p, d) array
        Centres; what stands beyond the count (NaN) is not read.
    best : Oracle, optional
        The oracle with p centres; found when None.

    Returns
    -------
    Risk
        ``value`` >= 0 up to ``error``: a configuration that beats the oracle found replaces it.

    Notes
    -----
    Paper: the term of :math:`E_T^{cur}`, defined before [lem:main-latent-excess-brackets].

    Examples
    --------
    >>> from driftlaw.law import MixtureLaw
    >>> law = MixtureLaw([1.0], [[0.0]], [1.0])
    >>> excess_risk(law, [1, 1], [[[0.0]], [[2.0]]])
    Risk(value=2.0, error=0.0)
    """
    configurations = _check_configurations(check_law("law", law).dim, counts, centers)
    risks = [population_risk(law, configuration) for configuration in configurations]
    best = _at_least_as_good(law, np.shape(centers)[1], configurations, risks, best)
    value = float(np.mean([risk.value for risk in risks])) - best.risk.value
    error = float(np.mean([risk.error for risk in risks])) + best.risk.error
    return Risk(value, error)


def current_excess(stream: Stream, posteriors: Iterable[tuple[ArrayLike, ArrayLike]]) -> Excess:
    r"""Current-risk excess :math:`E_T^{cur} = \sum_{t=2}^T E_{c\sim\rho_t}[R_t(c) - R_t(c_t^*)]`.

    Parameters
    ----------
    stream : Stream
    posteriors : iterable of (counts, centers)
        One pair per step from step 0 on, shaped as in `excess_risk`, with the same number p of
        slots at every step. The pair at step t is what the prediction at t rests on. The sum
        leaves out step 0, the paper's t = 1.

    Notes
    -----
    Paper: defined before [lem:main-latent-excess-brackets].

    Examples
    --------
    >>> from driftlaw.streams import stationary
    >>> stream = stationary(dim=1, separation=0.0, variance=1.0, n_components=1, rng=0)
    >>> current_excess(stream, [([1], [[[1.0]]])] * 5).value
    4.0
    """
    terms: list[Risk] = []
    best: Oracle | None = None
    for t, (counts, centers) in enumerate(posteriors):
        if t == 0:
            continue
        law = stream.law_at(t)
        best = _next_oracle(law, stream.law_at(t - 1), np.shape(centers)[1], best)
        terms.append(excess_risk(law, counts, centers, best=best))
    if not terms:
        raise InputError("posteriors must hold at least 2 steps, as the sum starts at the second")
    steps = np.array([term.value for term in terms])
    return Excess(float(steps.sum()), float(sum(term.error for term in terms)), steps)


def _next_oracle(law: PredictiveLaw, before: PredictiveLaw, k: int, best: Oracle | None) -> Oracle:
    if best is None:
        return oracle(law, k)
    if law.to_dict() == before.to_dict():
        return best
    return oracle(law, k, n_starts=_FRESH_STARTS, start=best.centers)


def _at_least_as_good(
    law: PredictiveLaw,
    k: int,
    configurations: list[Array],
    risks: list[Risk],
    best: Oracle | None,
) -> Oracle:
    best = oracle(law, k) if best is None else best
    least = int(np.argmin([risk.value for risk in risks]))
    if risks[least].value >= best.risk.value:
        return best
    found = configurations[least]
    start = found[np.minimum(np.arange(k), len(found) - 1)]
    again = oracle(law, k, start=start)
    return min(best, again, Oracle(start, risks[least]), key=lambda one: one.risk.value)


def _check_configurations(dim: int, counts: ArrayLike, centers: ArrayLike) -> list[Array]:
    sizes, places = np.asarray(counts), np.asarray(centers, dtype=np.float64)
    if places.ndim != 3 or places.shape[2] != dim or 0 in places.shape:
        raise InputError(f"centers must be (M, p, {dim}), got {places.shape}")
    if sizes.shape != places.shape[:1] or sizes.dtype.kind not in "iu":
        raise InputError(f"counts must be {places.shape[:1]} whole numbers, got {counts!r}")
    if sizes.min() < 1 or sizes.max() > places.shape[1]:
        raise InputError(f"counts must be in 1 … {places.shape[1]}, got {counts!r}")
    return [check_points("centers", c[:k]) for k, c in zip(sizes, places, strict=True)]
