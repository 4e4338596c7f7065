r"""Many questions to one mixture on the line: answered from its cdf on nodes chosen once.

A predictive law with hundreds of Student-t components is asked, at every observation, for
quantiles, a probability and a score. Each alone would evaluate the incomplete beta function
thousands of times; here components come from tables, and all answers share the nodes.
"""

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_point
from driftlaw.errors import InputError
from driftlaw.law._checks import as_floats
from driftlaw.law._line_kernels import line_quantile_inplace
from driftlaw.law._lines import line_areas, line_cdf, line_of
from driftlaw.law._panels import Edges, first_edges, joined, panels_of, refined, tails_of
from driftlaw.law._quantiles import rising
from driftlaw.law.mixture import MixtureLaw


class LineSummary:
    r"""Quantiles, probabilities and the CRPS of a `MixtureLaw` of dim 1, cheap when many.

    .. math:: CRPS(F, x) = \int_{-\infty}^x F^2 + \int_x^\infty (1 - F)^2,

    over panels on which the mean of F is known in closed form.

    Parameters
    ----------
    law : MixtureLaw with dim 1

    Notes
    -----
    Probabilities are off by less than 1e-8, and so are the levels of quantiles: far out in the
    tails, at levels below 1e-6 say, ask the law itself. Quantiles rise with their levels. The CRPS
    is never negative; panels are split until its error is at most 2e-3 of itself, whatever the
    scales of the components, unless the law lives on a few neighbouring numbers.

    Examples
    --------
    >>> summary = LineSummary(MixtureLaw([1.0], [0.0], [1.0]))
    >>> summary.quantile([0.05, 0.8]).round(4), round(summary.crps(0.0), 5)
    (array([-1.6449,  0.8416]), 0.23369)
    """

    def __init__(self, law: MixtureLaw) -> None:
        if law.dim != 1:
            raise InputError(f"law must have dim 1, got {law.dim}")
        used = law.weights > 0
        weights, means, scales = law.weights[used], law.means[used, 0], law.scales[used]
        self._line = line_of(weights, means, scales, law.df[used])
        self._edges = refined(first_edges(weights, means, scales), self._measure)

    def cdf(self, x: ArrayLike) -> Array:
        """P(X <= x) at x (n,), shape (n,); infinities have a place, nan has none."""
        points = np.atleast_1d(as_floats("x", x)).ravel()
        if np.isnan(points).any():
            raise InputError(f"x must not be nan, got {x!r}")
        return line_cdf(self._line, points)

    def quantile(self, q: ArrayLike) -> Array:
        """Quantiles at the levels q (n,), each strictly between 0 and 1."""
        levels = np.atleast_1d(as_floats("q", q)).ravel()
        if not ((levels > 0) & (levels < 1)).all():
            raise InputError(f"q must be in (0, 1), got {q!r}")
        nodes, values, below, above = self._edges
        place = np.searchsorted(values, levels)
        # F is at most ``below`` over the distance from the first node, and so at the other end
        low = np.where(place > 0, nodes[place - 1], nodes[0] - below[0] / levels)
        beyond = np.append(nodes, np.inf)[place]
        high = np.minimum(beyond, nodes[-1] + above[-1] / (1.0 - levels))
        x = np.interp(levels, values, nodes)
        line_quantile_inplace(levels, np.column_stack((low, high)), self._line, x)
        return rising(levels, x)

    def crps(self, x: float) -> float:
        """Continuous ranked probability score at the point x."""
        point = check_point("x", x, 1)
        place = int(np.searchsorted(self._edges.x, point[0]))
        edges = joined(self._edges, self._measure(point))
        panels = panels_of(edges)
        means = np.concatenate((panels.means[:place], 1.0 - panels.means[place:]))
        inside = panels.widths @ (means**2 + panels.variances)
        # in tails like a normal's or an exponential one the square has half of its bound
        return float(inside + 0.5 * tails_of(edges).sum())

    def _measure(self, x: Array) -> Edges:
        return Edges(x, *line_areas(self._line, x))
