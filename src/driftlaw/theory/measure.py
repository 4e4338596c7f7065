r"""The theorems' constants measured from a stream whose laws are known.

Every number comes with its method: radii from tail quantiles of the laws, the action from
:func:`driftlaw.risk.transport_action`, amplitude and corrupted steps from the run itself, growth
and Lipschitz constants from probes. Probes can only miss the worst direction, so a probed
:math:`\mu` is an estimate from above and a probed :math:`L_K` one from below.
"""

import math
from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri, fdtri

from driftlaw._rng import RngLike, as_generator
from driftlaw._validate import Array, check_count, check_points, check_positive, check_weights
from driftlaw.errors import InputError
from driftlaw.law import MixtureLaw, PredictiveLaw, SampleLaw
from driftlaw.risk import oracle, population_risk, transport_action
from driftlaw.streams import Stream


class StreamConstants(NamedTuple):
    """What a stream of known laws says about the constants of the theorems."""

    horizon: int
    data_radius: float
    r"""Ball around the origin that holds all T clean points with probability >= 1 - ``tail``."""
    amplitude: float
    r""":math:`\delta`: the bound the stream declares, else the longest offset that occurred."""
    corrupted: NDArray[np.bool_]
    """(T,) True where the observation differs from the clean point."""
    action: float
    action_is_exact: bool
    """False where :math:`A_T` is the coupling bound [eq:ot-coupling-min], an upper bound."""
    growth: float
    r""":math:`\mu` around the oracle, the smallest over the probed times (an upper estimate)."""
    oracle_norm: float
    """Largest norm of an oracle centre at the probed times."""
    separation: float
    """Smallest distance of two oracle centres at the probed times; 0 for one centre."""


def measure_stream(
    stream: Stream,
    n_centers: int,
    *,
    n_steps: int | None = None,
    n_times: int = 5,
    tail: float = 1e-3,
    rng: RngLike = None,
) -> StreamConstants:
    r"""Measure D, δ, Λ, :math:`A_T` and μ of a stream; the methods stand beside each field.

    Parameters
    ----------
    n_centers : number k of centres of the oracle
    n_times : equally spaced steps at which oracle and growth are probed
    tail : the Gaussian and Student tails have no bounded support; this is the probability that
        some of the T clean points lies outside the ball
    rng : draws the probes' directions

    Examples
    --------
    >>> from driftlaw.streams import smooth_drift
    >>> found = measure_stream(smooth_drift(n_steps=50, rng=0), 2, n_times=2, rng=0)
    >>> round(found.action, 6), found.amplitude, int(found.corrupted.sum())
    (0.0441, 0.0, 0)
    """
    horizon = _horizon(stream, n_steps)
    generator = as_generator(rng)
    action = transport_action(stream, n_steps=horizon)
    marks, longest = _offsets(stream, horizon)
    times = np.unique(np.linspace(0, horizon - 1, check_count("n_times", n_times)).astype(int))
    oracles = [oracle(stream.law_at(int(t)), n_centers).centers for t in times]
    probes = zip(times, oracles, strict=True)
    growths = [quadratic_growth(stream.law_at(int(t)), c, rng=generator) for t, c in probes]
    return StreamConstants(
        horizon=horizon,
        data_radius=max(support_radius(stream.law_at(t), tail / horizon) for t in range(horizon)),
        amplitude=float(getattr(stream, "amplitude", longest)),
        corrupted=marks,
        action=action.value,
        action_is_exact=action.is_exact,
        growth=min(growths),
        oracle_norm=max(float(np.linalg.norm(c, axis=1).max()) for c in oracles),
        separation=min(_separation(c) for c in oracles),
    )


def support_radius(law: PredictiveLaw, tail: float) -> float:
    r"""Radius around the origin that a draw leaves with probability at most ``tail``.

    For mixtures :math:`\max_j \|m_j\| + s_j q`, with :math:`s_j` the largest standard deviation
    and q the quantile of the norm of a standard normal or Student-t vector; for empirical laws the
    largest norm of a point.

    Examples
    --------
    >>> round(support_radius(MixtureLaw([1.0], [[3.0]], [1.0]), 0.05), 2)
    4.96
    """
    if not 0 < tail < 1:
        raise InputError(f"tail must be in (0, 1), got {tail!r}")
    if isinstance(law, SampleLaw):
        return float(np.linalg.norm(law.points, axis=1).max())
    if not isinstance(law, MixtureLaw):
        raise InputError(f"law must be a MixtureLaw or SampleLaw, got {type(law).__name__}")
    widths = [s if np.ndim(s) == 0 else np.linalg.norm(s, 2) for s in law.scales]
    norms = np.linalg.norm(law.means, axis=1)
    quantiles = [_norm_quantile(law.dim, float(df), tail) for df in law.df]
    return float(np.max(norms + np.asarray(widths) * np.asarray(quantiles)))


def quadratic_growth(
    law: PredictiveLaw,
    centers: ArrayLike,
    *,
    radius: float | None = None,
    n_probes: int = 16,
    rng: RngLike = None,
) -> float:
    r""":math:`\mu = \min_u [R(c^*+u)-R(c^*)]/\|u\|^2` over probes u around the oracle.

    Directions: both signs of every coordinate and ``n_probes`` random ones; lengths: ``radius``
    and a quarter of it. Local, as the paper's «primitive» condition is: for two or more centres
    [eq:quadratic-growth] cannot hold over the whole prior, since relabelled centres have the same
    risk. For one centre :math:`\mu=1` exactly, whatever the law.

    Parameters
    ----------
    centers : (k, d), the oracle of the law
    radius : length of the probes; a quarter of the smallest distance of two centres when None

    Examples
    --------
    >>> round(quadratic_growth(MixtureLaw([1.0], [[3.0]], [1.0]), [[3.0]], rng=0), 6)
    1.0
    """
    best = check_points("centers", centers, law.dim)
    far = _separation(best) / 4 if radius is None else check_positive("radius", radius)
    far = far if far > 0 else 1.0
    size = best.size
    extra = as_generator(rng).normal(size=(check_count("n_probes", n_probes, least=0), size))
    directions = np.concatenate([np.eye(size), -np.eye(size), extra])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    base = population_risk(law, best).value
    return min(
        (population_risk(law, best + (length * u).reshape(best.shape)).value - base) / length**2
        for u in directions
        for length in (far, far / 4)
    )


def translated_kernel_lipschitz(weights: ArrayLike) -> float:
    r""":math:`L_K = \|\omega\|_2` for :math:`p(\cdot|c)=\sum_j\omega_j\,\mathrm{Law}(Z+c_j)`.

    :math:`W_1 \le \sum_j\omega_j\|c_j-c'_j\| \le \|\omega\|_2\|c-c'\|_2`: for uniform weights
    :math:`1/\sqrt k`. Exact for the ``gaussian`` kernel with fixed weights.
    Paper: [eq:predictive-regularity].

    Examples
    --------
    >>> translated_kernel_lipschitz([0.25, 0.25, 0.25, 0.25])
    0.5
    """
    omega = check_points("weights", weights, 1)[:, 0]
    return float(np.linalg.norm(check_weights("weights", omega, len(omega))))


def probed_lipschitz(
    predictive: Callable[[Array], PredictiveLaw],
    centers: ArrayLike,
    *,
    radius: float,
    n_probes: int = 16,
    rng: RngLike = None,
) -> float:
    r"""Largest :math:`W_1(p(\cdot|c),p(\cdot|c'))/\|c-c'\|` over probes around a configuration.

    For kernels without a closed form. In d > 1 the distance of laws is sliced, which is smaller
    than :math:`W_1`: an estimate from below twice over.

    Parameters
    ----------
    predictive : configuration (k, d) in, law out
    radius : length of the probes

    Examples
    --------
    >>> def shifted(c):
    ...     return MixtureLaw([1.0], c, [1.0])
    >>> round(probed_lipschitz(shifted, [[0.0]], radius=0.5, rng=0), 6)
    1.0
    """
    middle = check_points("centers", centers)
    length = check_positive("radius", radius)
    directions = as_generator(rng).normal(size=(check_count("n_probes", n_probes), middle.size))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    law = predictive(middle)
    moved = (middle + (length * u).reshape(middle.shape) for u in directions)
    return max(law.w1(predictive(c)) for c in moved) / length


def _offsets(stream: Stream, horizon: int) -> tuple[NDArray[np.bool_], float]:
    marks, longest = np.zeros(horizon, dtype=np.bool_), 0.0
    for step in islice(stream, horizon):
        marks[step.t] = step.corrupted
        longest = max(longest, float(np.linalg.norm(step.observed - step.clean)))
    return marks, longest


def _horizon(stream: Stream, n_steps: int | None) -> int:
    found = stream.n_steps if n_steps is None else n_steps
    if found is None:
        raise InputError("n_steps must be given for an endless stream")
    return check_count("n_steps", found)


def _norm_quantile(dim: int, df: float, tail: float) -> float:
    if math.isinf(df):
        return math.sqrt(float(chdtri(dim, tail)))
    # the reciprocal of an F variable is F with its degrees of freedom exchanged
    return math.sqrt(dim / float(fdtri(df, dim, tail)))


def _separation(centers: Array) -> float:
    if len(centers) < 2:
        return 0.0
    gaps = np.linalg.norm(centers[:, None] - centers[None], axis=2)
    return float(gaps[np.triu_indices(len(centers), 1)].min())
