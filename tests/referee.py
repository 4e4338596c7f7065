"""What statistical tests share: the false-alarm level, p-values, and chains set up by hand."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from driftlaw._rng import compiled_states
from driftlaw._validate import Array
from driftlaw._xoshiro import State
from driftlaw.geometry import ConfigurationPrior, LocationPrior, log_count_prior
from driftlaw.inference import SamplerState, Sizes, Target
from driftlaw.inference.chain import LOG_LOCATION, LOSS, Chain
from driftlaw.inference.window import Window
from tests import naive

FALSE_ALARM = 1e-3  # chance that a test of right code fails, had its seed been drawn at random
SIX = np.array([[-1.9], [-1.6], [-1.4], [1.2], [1.5], [2.0]])
SIX_PLANE = np.array([[-0.9, 0.1], [-1.1, 0.3], [-0.7, -0.2], [0.8, 0.5], [1.0, 0.9], [0.9, 0.2]])


def no_alarm(pvalues: ArrayLike) -> bool:
    """Tell whether none of the p-values alarms, with Bonferroni's correction."""
    values = np.ravel(pvalues)
    return bool((values * values.size >= FALSE_ALARM).all())


def mean_pvalue(replicates: Array, truth: float) -> float:
    """P-value of independent ``replicates`` having mean ``truth``."""
    if not np.isfinite(replicates).all():  # as f / q where a draw has density 0
        return 0.0
    if np.ptp(replicates) == 0.0:
        return 1.0 if bool(np.isclose(replicates[0], truth)) else 0.0
    return float(stats.ttest_1samp(replicates, truth).pvalue)


def counts_pvalue(counts: ArrayLike, probabilities: ArrayLike) -> float:
    """P-value of independent draws falling into cells with these probabilities."""
    observed, cells = np.asarray(counts, dtype=float), np.asarray(probabilities, dtype=float)
    return float(stats.chisquare(observed, observed.sum() * cells / cells.sum()).pvalue)


def sizes(dim: int, max_centers: int, **changes: int | str) -> Sizes:
    """Sizes of one local chain of a thousand iterations, but for the changes."""
    given: dict[str, int | str] = {
        "n_chains": 1,
        "n_kept": 1000,
        "n_configurations": 10,
        "n_burn": 0,
        "sampler": "local",
    }
    return Sizes(dim=dim, max_centers=max_centers, **(given | changes))  # type: ignore[arg-type]


def target(prior: LocationPrior, max_centers: int, eta: float, rate: float) -> Target:
    """Target with q(k) ∝ exp(-eta k)."""
    return Target(rate, log_count_prior(max_centers, eta), prior)


def new_state(shape: Sizes, points: Array, seed: int) -> SamplerState:
    """Sampler whose window holds ``points`` (n, d), with chains at one centre at the origin."""
    state = SamplerState(shape, np.random.default_rng(seed))
    n, d = points.shape
    assert d == shape.dim
    assert n <= state.window.points.shape[1], "small windows only: the arrays were made for them"
    state.window.points[:, :n] = points.T
    state.window.n[0] = n
    return state


def place(state: SamplerState, now: Target, draws: naive.Draws) -> None:
    """Put chain number c at the c-th configuration; its caches come from the naive oracle."""
    points = window_points(state.window)
    chains, n = state.chains, len(points)
    one = ConfigurationPrior(now.prior, max_centers=1)
    for c, (k, centers) in enumerate(zip(draws.k, draws.centers, strict=True)):
        chains.k[c, 0] = k
        chains.centers[c, :k] = centers[:k]
        gaps = ((centers[:k, None] - points[None]) ** 2).sum(axis=-1)
        chains.distances[c, :k, :n] = gaps
        chains.nearest[c, :n] = gaps.min(axis=0)
        chains.numbers[c, LOSS] = gaps.min(axis=0).sum()
        chains.numbers[c, LOG_LOCATION] = sum(one.log_density(row[None]) for row in centers[:k])


def window_points(window: Window) -> Array:
    """Observations of a window as rows."""
    rows: Array = window.points[:, : window.n[0]].T
    return rows


def random_state(seed: int) -> State:
    """State of a compiled generator."""
    return compiled_states(np.random.default_rng(seed), 1).reshape(4)


def center_means(state: SamplerState, function: Callable[[Array], Array]) -> Array:
    """Average a function of the centres (rows, d) -> (rows,) over the kept configurations.

    Within a configuration all centres weigh the same; one mean for every chain.
    """
    records = state.records
    c, m, p, d = records.centers.shape
    values = function(records.centers.reshape(-1, d)).reshape(c, m, p)
    live = np.arange(p) < records.k[..., None]
    return np.asarray((np.where(live, values, 0.0).sum(axis=2) / records.k).mean(axis=1))


def chain_at(state: SamplerState, c: int) -> Chain:
    """Return chain number c; its arrays are views of the state's."""
    return Chain(*(field[c] for field in state.chains))
