r"""Long-horizon growth: the exponent of every term under the scaling of [eq:polynomial-ansatz]."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from driftlaw._validate import Array, check_count
from driftlaw.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Ansatz:
    r""":math:`\lambda_t\asymp t^{-\beta},\ \Lambda\asymp t^\gamma,\ A_T\asymp T^a,\ H\asymp T^h`.

    ``action`` (a) and ``corruption`` (:math:`\gamma`) are ``-inf`` for a law that stands still and
    for clean data; ``window`` (h) is None without restart. Paper: [eq:polynomial-ansatz].

    Examples
    --------
    >>> is_sublinear(Ansatz(action=0.2, decay=0.5, corruption=0.1, window=0.3))
    True
    """

    action: float
    decay: float
    corruption: float = -math.inf
    window: float | None = None

    def __post_init__(self) -> None:
        for name in ("action", "corruption"):
            value = getattr(self, name)
            if not (value == -math.inf or 0 <= value < math.inf):
                raise InputError(f"{name} must be >= 0, or -inf for none, got {value!r}")
        if self.corruption > 1:
            raise InputError(
                f"corruption must be <= 1: at most every step is corrupted, got {self.corruption!r}"
            )
        if not 0 <= self.decay < math.inf:
            raise InputError(f"decay must be >= 0: the rates do not increase, got {self.decay!r}")
        if self.window is not None and not 0 <= self.window <= 1:
            raise InputError(f"window must be in [0, 1]: H is at most T, got {self.window!r}")


class BestExponents(NamedTuple):
    """The choice that makes the dominating exponent smallest."""

    decay: float
    window: float
    exponent: float


def term_exponents(ansatz: Ansatz, *, localization: float = 1.0) -> dict[str, float]:
    r"""Exponent of T in every term's contribution to the bound, logarithms left out.

    Inside the outer square root a term :math:`T^e` contributes :math:`T^{(1+e)/2}`. The
    comparator's radius is :math:`T^{-\text{localization}}`, at the price of a logarithm. ``inf``:
    the printed corruption term grows faster than any power (:math:`\gamma>\beta`).
    Paper: [prop:sublinear-regime-comparison].

    Examples
    --------
    >>> term_exponents(Ansatz(action=0.0, decay=0.5, window=0.5))["mismatch"]
    1.0
    """
    a, b = ansatz.action, ansatz.decay
    h = 1.0 if ansatz.window is None else ansatz.window
    inside = {
        "localization": 1 - localization,
        "complexity": max(1 - h + b * h, b * h),
        "learning_rate": 1 - h * min(b, 1.0),
        "deviation": 1 - b * h,
        "confidence": 0.5,
        "mismatch": h + (1 + a) / 2,
        "lag": (1 + a) / 2,
    }
    outside = {
        "first_step": 0.0,
        "corruption": _corruption_exponent(ansatz.corruption, b, h),
        "drift": (1 + a) / 2,
    }
    return outside | {name: (1 + value) / 2 for name, value in inside.items()}


def dominating_exponent(ansatz: Ansatz) -> float:
    """Return the largest of the exponents.

    Examples
    --------
    >>> round(dominating_exponent(Ansatz(action=0.0, decay=0.5, window=1 / 3)), 4)
    0.9167
    """
    return max(term_exponents(ansatz).values())


def is_sublinear(ansatz: Ansatz) -> bool:
    r"""Whether the theorem certifies o(T): every exponent below 1.

    With restart and drift this is exactly :math:`a<1,\ \gamma<\beta<1,\ 0<\beta,\ 0<h<(1-a)/2`:
    wider than the paper's condition, see :func:`is_in_paper_regime`.

    Examples
    --------
    >>> is_sublinear(Ansatz(action=0.0, decay=0.5))
    False
    """
    return dominating_exponent(ansatz) < 1


def is_in_paper_regime(ansatz: Ansatz) -> bool:
    r""":math:`a<1,\ \gamma<\beta<h<(1-a)/2`, the paper's condition [eq:restart-sublinear-regime].

    Sufficient, not necessary: :math:`\beta<h` is used nowhere in the proof beyond :math:`\beta<1`
    (and :math:`\beta>0` is needed, which :math:`\gamma\ge0` implies).

    Examples
    --------
    >>> best = best_exponents(0.0, 0.0)
    >>> is_in_paper_regime(
    ...     Ansatz(action=0.0, decay=best.decay, corruption=0.0, window=best.window)
    ... )
    False
    """
    if ansatz.window is None:
        return False
    upper = (1 - ansatz.action) / 2
    return ansatz.action < 1 and max(ansatz.corruption, 0.0) < ansatz.decay < ansatz.window < upper


def best_exponents(action: float, corruption: float = -math.inf) -> BestExponents:
    r"""(β, h) with the smallest dominating exponent, in closed form; ours, docs/theory.md.

    With :math:`m=\min\{\frac14,\frac{1-\gamma}{3}\}`:
    :math:`\beta=\max\{\frac12,\frac{1+2\gamma}3\}`, :math:`h=\frac{1-a}{2+4m}` and the exponent is
    :math:`1-\frac{m(1-a)}{2+4m}`, never below 11/12. Without drift h = 1 and it is 1 - m.

    Examples
    --------
    >>> best = best_exponents(0.0, 0.0)
    >>> [round(x, 4) for x in best]
    [0.5, 0.3333, 0.9167]
    """
    Ansatz(action=action, decay=0.5, corruption=corruption)
    if action >= 1:
        raise InputError(f"action must be < 1: assumption a < 1 of the regime, got {action!r}")
    if corruption >= 1:
        raise InputError(f"corruption must be < 1: gamma < beta < 1 is needed, got {corruption!r}")
    gamma = max(corruption, 0.0)
    rate = min(0.25, (1 - gamma) / 3)
    decay = max(0.5, (1 + 2 * gamma) / 3)
    if action == -math.inf:
        return BestExponents(decay, 1.0, 1 - rate)
    window = (1 - action) / (2 + 4 * rate)
    return BestExponents(decay, window, 1 - window * rate)


def admissible_region(
    action: float, corruption: float = -math.inf, *, n_grid: int = 41
) -> dict[str, Array]:
    r"""Map of the (β, h) square: a tidy table with one row per grid point.

    Returns
    -------
    dict of (n_grid²,) arrays
        ``decay``, ``window``, ``exponent`` (the dominating one), ``is_sublinear``,
        ``is_in_paper_regime`` (0 or 1).

    Examples
    --------
    >>> region = admissible_region(0.2, 0.1, n_grid=5)
    >>> int(region["is_sublinear"].sum())
    3
    """
    grid = np.linspace(0.0, 1.0, check_count("n_grid", n_grid, least=2))
    decays, windows = (axis.ravel() for axis in np.meshgrid(grid, grid, indexing="ij"))
    points = [
        Ansatz(action=action, decay=float(b), corruption=corruption, window=float(h))
        for b, h in zip(decays, windows, strict=True)
    ]
    return {
        "decay": decays,
        "window": windows,
        "exponent": np.array([dominating_exponent(point) for point in points]),
        "is_sublinear": np.array([float(is_sublinear(point)) for point in points]),
        "is_in_paper_regime": np.array([float(is_in_paper_regime(point)) for point in points]),
    }


def _corruption_exponent(gamma: float, beta: float, h: float) -> float:
    if gamma == -math.inf:
        return -math.inf
    if gamma > beta:
        return math.inf if h > 0 else 1.0
    return 1 + h * max(gamma - beta, -1.0)
