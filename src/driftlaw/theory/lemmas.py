r"""Lemma checks: both sides of an inequality, exactly, on finitely many configurations.

Configurations, observations and laws are finite, so posteriors, risks and distances on the line
are plain sums. Each check returns the left side, the paper's right side and, where a careful proof
gives less, the sharper right side (ours, docs/theory.md).
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._rng import RngLike, as_generator
from driftlaw._validate import Array, check_count, check_points
from driftlaw.errors import InputError
from driftlaw.theory.drift import lagged_excess, risk_shift
from driftlaw.theory.line_world import LineWorld
from driftlaw.theory.perturbation import gibbs_tv_bound, gibbs_tv_bound_sharper, tv_to_w1
from driftlaw.theory.rates import rise_penalty


@dataclass(frozen=True, slots=True)
class LemmaCheck:
    """Two sides of a lemma; ``sharper`` is our right side, equal to ``right`` where there is none.

    Examples
    --------
    >>> check = LemmaCheck("gibbs", "[lem:gibbs-energy-perturbation]", 0.1, 0.4, 0.2)
    >>> check.ratio, check.sharper_ratio, check.holds
    (4.0, 2.0, True)
    """

    name: str
    label: str
    left: float
    right: float
    sharper: float

    @property
    def holds(self) -> bool:
        """Whether left <= sharper <= right, up to rounding."""
        slack = 1e-9 * (1 + abs(self.left))
        return self.left <= self.sharper + slack and self.sharper <= self.right + slack

    @property
    def ratio(self) -> float:
        """How loose the paper's side is: right / left."""
        return _ratio(self.right, self.left)

    @property
    def sharper_ratio(self) -> float:
        """How loose ours is: sharper / left."""
        return _ratio(self.sharper, self.left)


def gibbs(prior: Array, energy: Array) -> Array:
    r"""Gibbs weights :math:`\propto e^{-\text{energy}}\pi` on finitely many configurations.

    Examples
    --------
    >>> gibbs(np.array([0.5, 0.5]), np.array([0.0, np.log(3.0)])).round(2).tolist()
    [0.75, 0.25]
    """
    with np.errstate(divide="ignore"):
        logs = np.log(prior) - energy
    raw = np.exp(logs - logs.max())
    return np.asarray(raw / raw.sum())


def check_gibbs(
    world: LineWorld, clean: ArrayLike, corrupted: ArrayLike, rate: float
) -> LemmaCheck:
    """Total variation of two posteriors, scores from two samples [lem:gibbs-energy-perturbation].

    Examples
    --------
    >>> world = LineWorld([[0.0], [1.0]], None, [0.0, 1.0])
    >>> check_gibbs(world, [0.0], [1.0], rate=1.0).holds
    True
    """
    scores = [_score(world, sample) for sample in (clean, corrupted)]
    change = scores[0] - scores[1]
    first, second = (gibbs(world.weights, rate * score) for score in scores)
    return LemmaCheck(
        "Gibbs comparison",
        "[lem:gibbs-energy-perturbation]",
        0.5 * float(np.abs(first - second).sum()),
        gibbs_tv_bound(rate, float(np.abs(change).max())),
        gibbs_tv_bound_sharper(rate, float(np.ptp(change))),
    )


def check_tv_to_w1(world: LineWorld, first: Array, second: Array, kernel: Array) -> LemmaCheck:
    """W1 of two predictive laws against D·TV of the posteriors [lem:predictive-tv-to-wasserstein].

    ``first``, ``second`` (n,) are posteriors, ``kernel`` (n, q) holds p(·|c) on the points. Ours:
    the W1-diameter of the predictive laws in place of D.
    """
    laws = [first @ kernel, second @ kernel]
    distance = 0.5 * float(np.abs(first - second).sum())
    width = max(world.w1(p, q) for p in kernel for q in kernel)
    return LemmaCheck(
        "TV to W1",
        "[lem:predictive-tv-to-wasserstein]",
        world.w1(*laws),
        tv_to_w1(world.diameter, distance),
        width * distance,
    )


def check_risk_shift(world: LineWorld, yesterday: Array, today: Array) -> LemmaCheck:
    """Largest change of a risk against 4D·W1 [lem:appendix-risk-shift]; ours 2·reach·W1."""
    losses = world.losses()
    distance = world.w1(yesterday, today)
    return LemmaCheck(
        "risk shift",
        "[lem:appendix-risk-shift]",
        float(np.abs(losses @ (yesterday - today)).max()),
        risk_shift(world.diameter, distance),
        2 * world.reach * distance,
    )


def check_lagged(world: LineWorld, posterior: Array, yesterday: Array, today: Array) -> LemmaCheck:
    """Lagged excess risk against the current one [prop:appendix-lagged-risk]; ours 2·diam_c·W1."""
    losses = world.losses()
    old, new = losses @ yesterday, losses @ today
    current = float(posterior @ new - new.min())
    distance = world.w1(yesterday, today)
    return LemmaCheck(
        "lagged decomposition",
        "[prop:appendix-lagged-risk]",
        float(posterior @ old - old.min()),
        lagged_excess(current, world.diameter, distance),
        current + 2 * world.center_diameter * distance,
    )


def check_exponential_weights(
    world: LineWorld, sample: ArrayLike, rates: Array, comparator: Array
) -> LemmaCheck:
    r"""Sum of losses of the Gibbs learner against a comparator's, as in the PAC-Bayes proof.

    Right: :math:`E_\nu L + KL/\lambda_{n-1} + \frac{D^4}2\sum\lambda`; ours: the square of the loss
    range over 8, plus the rise penalty for rates that are not non-increasing (without which the
    paper's side is not claimed). Paper: [lem:appendix-fixed-comparator-pac-bayes].

    Parameters
    ----------
    sample : (n,) observations
    rates : (n,) positive last rate
    comparator : weights on the configurations
    """
    losses = _loss_rows(world, sample)
    if len(losses) != len(rates) or not rates[-1] > 0:
        raise InputError(f"rates must be ({len(losses)},) with a positive last one, got {rates}")
    past = np.cumsum(losses, axis=0) - losses
    posteriors = [gibbs(world.weights, r * s) for r, s in zip(rates, past, strict=True)]
    left = float(np.sum([p @ row for p, row in zip(posteriors, losses, strict=True)]))
    base = float(comparator @ losses.sum(axis=0)) + _kl(comparator, world.weights) / rates[-1]
    spread = max(float(np.ptp(losses, axis=1).max()), 0.0)
    size = max(world.diameter**2, float(losses.max()))
    return LemmaCheck(
        "exponential weights",
        "[lem:appendix-fixed-comparator-pac-bayes]",
        left,
        base + size**2 / 2 * float(rates.sum()) + rise_penalty(rates, size),
        base + spread**2 / 8 * float(rates.sum()) + rise_penalty(rates, spread),
    )


def check_mismatch(world: LineWorld, laws: Array) -> LemmaCheck:
    r"""Risk of the first oracle along a path of laws (T, q) [lem:appendix-segment-mismatch].

    The actions are :math:`W_2^2` on the line, by the quantile coupling.
    """
    risks = laws @ world.losses().T
    oracle = int(risks[0].argmin())
    action = sum(world.w2_squared(p, q) for p, q in pairwise(laws))
    n = len(laws)
    squares = (n - 1) * n * (2 * n - 1) / 6
    return LemmaCheck(
        "segment mismatch",
        "[lem:appendix-segment-mismatch]",
        float((risks[:, oracle] - risks.min(axis=1)).sum()),
        8 * world.diameter * n**1.5 * math.sqrt(action),
        2 * world.center_diameter * math.sqrt(squares * action),
    )


def lemma_table(n_worlds: int = 20, rng: RngLike = None) -> list[LemmaCheck]:
    """Run every check on random small worlds: the rows behind docs/theory.md.

    Examples
    --------
    >>> all(check.holds for check in lemma_table(3, rng=0))
    True
    """
    generator = as_generator(rng)
    count = check_count("n_worlds", n_worlds)
    return [check for _ in range(count) for check in _random_checks(generator)]


def _random_checks(rng: np.random.Generator) -> list[LemmaCheck]:
    n, k, q, steps = (int(rng.integers(low, 7)) for low in (2, 1, 2, 2))
    points = np.sort(rng.normal(size=q)) + np.arange(q) * 1e-6
    world = LineWorld(rng.normal(size=(n, k)), rng.dirichlet(np.ones(n)), points)
    first, second, comparator = rng.dirichlet(np.ones(n), size=3)
    laws = rng.dirichlet(np.ones(q), size=steps)
    sample = rng.choice(points, size=steps)
    rates = np.sort(rng.gamma(1.0, size=steps))[::-1]
    return [
        check_gibbs(world, sample, rng.choice(points, size=steps), float(rates[0])),
        check_tv_to_w1(world, first, second, rng.dirichlet(np.ones(q), size=n)),
        check_risk_shift(world, laws[0], laws[1]),
        check_lagged(world, first, laws[0], laws[1]),
        check_exponential_weights(world, sample, rates, comparator),
        check_mismatch(world, laws),
    ]


def _score(world: LineWorld, sample: ArrayLike) -> Array:
    return np.asarray(_loss_rows(world, sample).sum(axis=0))


def _loss_rows(world: LineWorld, sample: ArrayLike) -> Array:
    observed = check_points("sample", sample, 1)
    return np.asarray(((observed[:, :, None] - world.centers) ** 2).min(axis=2))


def _kl(p: Array, q: Array) -> float:
    some = p > 0
    return float(np.sum(p[some] * np.log(p[some] / q[some])))


def _ratio(right: float, left: float) -> float:
    if left > 0:
        return right / left
    return 1.0 if right <= 0 else math.inf
