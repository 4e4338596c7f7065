r"""How far a law is from another, and how well it met a point, without sampling where that is fast.

Between normals and atoms the package's sliced W1 is exact. Its exact distance of Student-t laws
takes seconds where a law has hundreds of them; here each becomes a few normals,

.. math:: t_\nu = E_V\, N(0, \nu / V), \quad V \sim \chi^2_\nu,

one for each of a few ranges of V, with the range's mean scale: between 4 normals (many degrees of
freedom) and 14 (few), off by W1 = 0.005 scales for three degrees of freedom and by less for more.
Components that together hold less than `_NOTHING` are left out.
"""

from functools import cache

import numpy as np
from scipy import special, stats
from scipy.spatial.distance import pdist

from driftlaw import sliced_w1
from driftlaw._validate import Array
from driftlaw.evaluate import crps
from driftlaw.law import LineSummary, MixtureLaw, PredictiveLaw, SampleLaw

_NOTHING = 1e-4
_N_DRAWS = 500
_INTERVAL = (0.05, 0.95)


@cache
def _normals(df: float) -> tuple[Array, Array]:
    """Weights and scales of the normals that stand for a Student-t law."""
    if np.isinf(df):
        return np.ones(1), np.ones(1)
    n = 14 if df < 8 else 8 if df < 30 else 4
    low = -9.0 if df < 8 else -5.0
    levels = np.concatenate(([0.0], special.expit(np.linspace(low, 3.0, n - 1)), [1.0]))
    shares = np.diff(levels)
    moment = np.diff(stats.chi2.cdf(stats.chi2.ppf(levels, df), df - 1.0))
    mean_scale = np.sqrt(df / 2) / special.poch((df - 1.0) / 2, 0.5)
    return shares, mean_scale * moment / shares


def as_normals(law: PredictiveLaw) -> PredictiveLaw:
    """Return the law with normals in place of Student-t components, others as they are."""
    if not isinstance(law, MixtureLaw) or law.is_normal:
        return law
    order = np.argsort(law.weights)
    kept = np.sort(order[np.cumsum(law.weights[order]) > _NOTHING])
    parts = [_normals(float(df)) for df in law.df[kept]]
    which = np.repeat(kept, [len(shares) for shares, _ in parts])
    shares, factors = (np.concatenate(column) for column in zip(*parts, strict=True))
    scales = law.scales[which] * factors.reshape(-1, *(1,) * (law.scales.ndim - 1))
    return MixtureLaw(law.weights[which] * shares, law.means[which], scales)


def distance(law: PredictiveLaw, target: PredictiveLaw) -> float:
    """W1 on the line, sliced W1 above; both laws as `as_normals` returns them."""
    n_directions = 16 if law.dim == 2 else 64
    return sliced_w1(law, target, n_directions=n_directions).value


def energy(law: PredictiveLaw, point: Array, rng: np.random.Generator) -> float:
    r"""CRPS on the line, above it the energy score :math:`E\|X - x\| - \frac12 E\|X - X'\|`.

    Above the line from 500 draws, without bias; exact where the law is a sample of equal weights.
    """
    if isinstance(law, MixtureLaw):
        if law.dim == 1:
            return LineSummary(law).crps(point[0])
        rows, pairs = law.sample(_N_DRAWS, rng), _N_DRAWS * (_N_DRAWS - 1)
    elif isinstance(law, SampleLaw) and law.dim > 1:
        rows, pairs = law.points, len(law.points) ** 2
    else:
        return crps(law, point)
    return float(np.linalg.norm(rows - point, axis=1).mean() - pdist(rows).sum() / pairs)


def covered(law: PredictiveLaw, point: Array) -> float:
    """Share of the coordinates inside the law's central 90 % intervals."""
    low, high = _INTERVAL
    levels = [law.marginal(i).cdf(point[i]) for i in range(law.dim)]
    return float(np.mean([low <= level <= high for level in levels]))
