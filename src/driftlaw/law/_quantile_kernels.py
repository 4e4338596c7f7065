"""Kernels: quantiles of mixtures on the line, from the exact cdf of their components."""

import math
from typing import NamedTuple

from driftlaw._jit import kernel
from driftlaw._validate import Array

_FAR = 1e100  # in scales, as far as tails are followed; its square can still be written
_SURE = 8.3  # in scales, beyond which a normal cdf is one
_NOTHING = 38.6  # in scales, beyond which a normal tail cannot be written
_NEGLIGIBLE = 1e-17  # as a share of a level
_STEEP = 1e100  # as which a slope counts that is steeper: its square can still be written
_ROUNDING = 4e-16
_STEP = 1e-10  # of F between neighbouring numbers, as a share of the level, to be looked at
_LEAST_PUSH = 1e-305
_MOST_ROUNDS = 1200  # halvings from a bracket of size one to the least number and its digits


class Components(NamedTuple):
    """Components of a mixture on the line; df is inf for the normal."""

    weights: Array  # (K,)
    means: Array  # (K,)
    scales: Array  # (K,)
    df: Array  # (K,)
    log_peaks: Array  # (K,) log-density at the mean, of unit scale


@kernel
def _beta_fraction(a: float, b: float, x: float, excess: float) -> float:
    """I_x(a, b) B(a, b) / (x^a (1 - x)^b), where ``excess`` = a - (a + b) x is >= 0.

    The continued fraction of Didonato and Morris (ACM Trans. Math. Softw. 18, 1992): where the
    excess comes without cancellation, it is exact for a and b of any size.
    """
    ratio = (a + 1.0) / (a * (1.0 + excess))
    last_above, last_below, above, below = 0.0, ratio, ratio, 1.0
    for n in range(1, 1000):
        share = n * (b - n) * x / (a + (2 * n - 1))
        alpha = (a + (n - 1)) / (a + (2 * n - 1)) * ((a + b + (n - 1)) * x) * share
        beta = n + share + (a + n) / (a + (2 * n + 1)) * (1.0 + excess + n * (2.0 - x))
        above, last_above = beta * above + alpha * last_above, above
        below, last_below = beta * below + alpha * last_below, below
        before, ratio = ratio, above / below
        if abs(ratio - before) <= _ROUNDING * ratio:
            break
        last_above, last_below, above, below = last_above / below, last_below / below, ratio, 1.0
    return ratio


@kernel
def _student_tail(z: float, df: float, log_peak: float) -> tuple[float, float]:
    """P(T > z) and the density at z >= 0 of Student-t with unit scale.

    The tail is I_x(df / 2, 1 / 2) / 2 with x = df / (df + z^2), or 1 / 2 less the same of 1 - x;
    what stands before the fraction is z times the density.
    """
    squares = z * z
    a, x = 0.5 * df, df / (df + squares)
    density = math.exp(log_peak - (a + 0.5) * math.log1p(squares / df))
    excess = 0.5 * x * (squares - 1.0)
    if excess > 0:
        return 0.5 * density * z * _beta_fraction(a, 0.5, x, excess), density
    inner = _beta_fraction(0.5, a, squares / (df + squares), -excess)
    return 0.5 - 0.5 * density * z * inner, density


@kernel
def _normal_tail(z: float) -> tuple[float, float]:
    """P(Z > z) and the density at z of the standard normal."""
    return 0.5 * math.erfc(z * math.sqrt(0.5)), math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)


@kernel
def _derivatives(x: float, parts: Components, reach: float) -> tuple[float, float, float]:
    """F, F' and F'' at x; normal components count up to ``reach`` scales above x."""
    value, slope, bend = 0.0, 0.0, 0.0
    for k in range(parts.weights.shape[0]):
        weight, scale, df = parts.weights[k], parts.scales[k], parts.df[k]
        z = min(max((x - parts.means[k]) / scale, -_FAR), _FAR)
        if df < math.inf:
            tail, density = _student_tail(abs(z), df, parts.log_peaks[k])
            fall = (df + 1.0) * z / (df + z * z)
        elif z > _SURE:
            value += weight
            continue
        elif z < -reach:
            continue
        else:
            tail, density = _normal_tail(abs(z))
            fall = z
        rate = min(1.0 / scale, _STEEP)
        value += weight * (1.0 - tail if z >= 0 else tail)
        slope += weight * rate * density
        bend -= weight * rate * density * fall * rate
    return value, slope, bend


@kernel
def _place(level: float, parts: Components, nodes: Array, known: Array) -> int:
    """Index of the first node at which F >= level, of those that are looked at."""
    left, right = -1, len(nodes)
    while right - left > 1:
        middle = (left + right) // 2
        if known[middle, 0] < 0:
            known[middle, 0], known[middle, 1], _ = _derivatives(nodes[middle], parts, _NOTHING)
        if known[middle, 0] < level:
            left = middle
        else:
            right = middle
    return right


@kernel
def _start(level: float, i: int, nodes: Array, known: Array) -> float:
    """Between the nodes i - 1 and i: the inverse of F by the cubic with its values and slopes."""
    width, rise = nodes[i] - nodes[i - 1], known[i, 0] - known[i - 1, 0]
    t = (level - known[i - 1, 0]) / rise
    if known[i - 1, 1] > 0 and known[i, 1] > 0:
        bend = (1.0 - t) * rise / known[i - 1, 1] - t * rise / known[i, 1]
        x: float = nodes[i - 1] + width * t * t * (3.0 - 2.0 * t) + t * (1.0 - t) * bend
        if nodes[i - 1] < x < nodes[i]:
            return x
    middle: float = nodes[i - 1] + width * t
    return middle


@kernel
def _step(level: float, x: float, value: float, slope: float, bend: float) -> tuple[float, float]:
    """Halley's step for log F = log level, and what it changes of Newton's step.

    Where the change is large the step is Newton's, and where none leads on it is infinite: where
    there is no mass, and on an atom that is narrower than the grid of numbers.
    """
    if not (value > 0 and 0 < slope < math.inf):
        return math.inf, math.inf
    newton = value / slope * math.log(value / level)
    if abs(newton) <= _ROUNDING * abs(x) and abs(value - level) > 1e-6 * level:
        return math.inf, math.inf
    turn = 0.5 * newton * (bend / slope - slope / value)
    if abs(turn) < 0.5:
        return newton / (1.0 - turn), newton * turn
    return newton, math.inf


@kernel
def _nearer(level: float, parts: Components, low: float, high: float) -> float:
    """Of neighbouring numbers around the root the one with the nearer F, as in the mirror."""
    below = level - _derivatives(low, parts, _NOTHING)[0]
    above = _derivatives(high, parts, _NOTHING)[0] - level
    return low if below < above else high


@kernel
def _settled(level: float, parts: Components, x: float) -> float:
    """Go from x, next to the root, to the neighbouring numbers around it; of these the nearer."""
    low, high, push = x, x, 0.6 * _ROUNDING * abs(x)
    while _derivatives(low, parts, _NOTHING)[0] >= level:
        high, low, push = low, low - push, 2.0 * push
    while _derivatives(high, parts, _NOTHING)[0] < level:
        low, high, push = high, high + push, 2.0 * push
    middle = 0.5 * (low + high)
    while low < middle < high:
        if _derivatives(middle, parts, _NOTHING)[0] < level:
            low = middle
        else:
            high = middle
        middle = 0.5 * (low + high)
    return _nearer(level, parts, low, high)


@kernel
def _root(level: float, parts: Components, low: float, high: float, x: float) -> float:
    """Solve F(x) = level from x in a bracket: by Halley's method where safe, else by halving.

    A step is taken inside the bracket, and while it more than halves the last move. As long as
    there is no lower end every step is taken: in a tail like a power they grow, to the left.
    """
    move, push = high - low, _ROUNDING * abs(x) + _LEAST_PUSH
    # what lies further above x changes no digit of F(x) = level
    reach = math.sqrt(-2.0 * (math.log(level) + math.log(_NEGLIGIBLE)))
    for _ in range(_MOST_ROUNDS):
        value, slope, bend = _derivatives(x, parts, reach)
        if abs(value - level) <= _ROUNDING * level:
            break
        if value < level:
            low = x
        else:
            high = x
        step, change = _step(level, x, value, slope, bend)
        new = x - step
        if not (low <= new <= high and 2 * abs(step) < move):
            new, change = 0.5 * (low + high) if low > -math.inf else x - push, math.inf
            push *= 2.0
            if new in (low, high):
                return _nearer(level, parts, low, high)
        x, move = new, abs(new - x) if low > -math.inf else math.inf
        # no further step is needed where already the second order is lost in rounding, but where
        # F rises from number to number other levels may end on the wrong side of this one
        if abs(change) <= _ROUNDING * abs(x):
            if slope * abs(x) * _ROUNDING > _STEP * level:
                return _settled(level, parts, x)
            break
    return x


@kernel
def quantiles_inplace(
    levels: Array, parts: Components, nodes: Array, known: Array, out: Array
) -> None:
    """Solve F(x) = level for every level, each as if alone, from a bracket between ``nodes`` (m,).

    ``known`` (m, 2) takes F and F' at the nodes that are looked at; before, F is below 0. Levels
    must not lie above F at the last node.
    """
    for j in range(levels.shape[0]):
        level = levels[j]
        i = _place(level, parts, nodes, known)
        if i == 0:
            out[j] = _root(level, parts, -math.inf, nodes[0], nodes[0])
        else:
            start = _start(level, i, nodes, known)
            out[j] = _root(level, parts, nodes[i - 1], nodes[i], start)
