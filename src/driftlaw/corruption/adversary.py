r"""Corruption that looks: an adversary with a policy, an amplitude and a budget.

A policy is a function ``policy(past, clean) -> offset``; it is handed the revealed past and the
current clean point, and nothing else. Those here know the streams' weak spot, two clusters.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from driftlaw._validate import Array, check_count, check_nonnegative
from driftlaw.corruption.base import Propose
from driftlaw.corruption.past import Past
from driftlaw.errors import InputError

Policy = Callable[[Past, Array], Array]


@dataclass(frozen=True, slots=True)
class Adversary:
    r"""A causal adversary: ``policy`` proposes, ``amplitude`` and ``budget`` bound.

    .. math:: C_t = \mathcal C_t((x_s)_{s \le t}, (C_s)_{s<t}), \quad \|C_t\|_2 \le \delta, \quad
       \Lambda_T \le \text{budget}

    The wrapper shortens a longer proposal to the amplitude and admits none once the budget is
    spent. ``memory`` is how many past steps the policy is shown.

    Notes
    -----
    Paper: section «Sequential Distributional Prediction».

    Examples
    --------
    >>> from driftlaw.corruption import CorruptedStream
    >>> from driftlaw.streams import smooth_drift
    >>> attack = Adversary(ToMidpoint(), amplitude=2.0, budget=30)
    >>> CorruptedStream(smooth_drift(rng=0), attack, rng=0).ledger().total()
    30
    """

    policy: Policy
    amplitude: float
    budget: int | None = None
    memory: int = 64

    def __post_init__(self) -> None:
        if not callable(self.policy):
            raise InputError(f"policy must be callable, got {self.policy!r}")
        check_nonnegative("amplitude", self.amplitude)
        check_count("memory", self.memory, least=0)
        if self.budget is not None:
            check_count("budget", self.budget, least=0)

    def amplitude_in(self, dim: int) -> float:
        """Return the amplitude, the same in every dimension."""
        return self.amplitude

    def start(self, dim: int, rng: np.random.Generator) -> Propose:
        """Begin a run; a policy has no state of its own."""
        return self.policy


@dataclass(frozen=True, slots=True)
class ToMidpoint:
    r"""Pull every point towards the midpoint of the two clusters, and never past it.

    The clusters merge, and a law that follows puts its mass where the stream has none.

    Examples
    --------
    >>> past = Past(dim=1, memory=4, amplitude=1.5, left=None)
    >>> for value in (-2.0, 2.0, -2.0, 2.0):
    ...     past.add(np.array([value]), np.zeros(1))
    >>> ToMidpoint()(past, np.array([2.0]))
    array([-1.5])
    """

    def __call__(self, past: Past, clean: Array) -> Array:
        """Return the offset."""
        if len(past.clean) < 2:
            return np.zeros_like(clean)
        return _towards(clean, two_centers(past.clean).mean(axis=0), past.amplitude)


@dataclass(frozen=True, slots=True)
class PhantomCluster:
    r"""Send every ``every``-th point near the first cluster to one place where no cluster is.

    The phantom stands off that cluster by the full amplitude, on the side away from the other
    cluster, and moves with it; so every point sent lands close to the others.

    Examples
    --------
    >>> past = Past(dim=1, memory=4, amplitude=3.0, left=None)
    >>> for value in (-2.0, 2.0, -2.0, 2.0):
    ...     past.add(np.array([value]), np.zeros(1))
    >>> policy = PhantomCluster()
    >>> policy(past, np.array([2.0])), policy(past, np.array([-2.0]))
    (array([3.]), array([0.]))
    """

    every: int = 1

    def __post_init__(self) -> None:
        check_count("every", self.every)

    def __call__(self, past: Past, clean: Array) -> Array:
        """Return the offset."""
        if len(past.clean) < 2 or past.t % self.every:
            return np.zeros_like(clean)
        first, second = two_centers(past.clean)
        if np.linalg.norm(clean - first) > np.linalg.norm(clean - second):
            return np.zeros_like(clean)
        apart = first - second
        length = float(np.linalg.norm(apart))
        if length == 0.0:
            return np.zeros_like(clean)
        return _towards(clean, first + past.amplitude * apart / length, past.amplitude)


def two_centers(points: Array, n_rounds: int = 5) -> Array:
    r"""2-means (2, d) of points (n, d), started by a cut across the principal axis.

    The first centre is the one further along that axis, whose sign is fixed by its largest
    coordinate: the same clusters keep their names from step to step.

    Examples
    --------
    >>> two_centers(np.array([[0.0], [0.2], [5.0], [5.2]]))
    array([[5.1],
           [0.1]])
    """
    axis = np.linalg.eigh(np.atleast_2d(np.cov(points.T)))[1][:, -1]
    axis = axis * np.sign(axis[np.argmax(np.abs(axis))])
    heights = points @ axis
    is_first = heights > heights.mean()
    centers = np.empty((2, points.shape[1]))
    for _ in range(n_rounds):
        if is_first.all() or not is_first.any():
            return np.repeat(points.mean(axis=0)[None], 2, axis=0)
        centers[0] = points[is_first].mean(axis=0)
        centers[1] = points[~is_first].mean(axis=0)
        middle, apart = centers.mean(axis=0), centers[0] - centers[1]
        is_first = (points - middle) @ apart > 0
    return centers


def _towards(point: Array, target: Array, amplitude: float) -> Array:
    way = target - point
    length = float(np.linalg.norm(way))
    return np.asarray(way * min(1.0, amplitude / length)) if length > 0 else np.zeros_like(way)
