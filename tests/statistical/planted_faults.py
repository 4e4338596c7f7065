"""Run the local sampler with one fault at a time, in plain Python, and print what a check sees.

Compiled code cannot be altered from outside, so this script wants ``NUMBA_DISABLE_JIT=1``: then
functions are looked up by name when called, and another function can take the name.
"""

import json
import math
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from driftlaw import _xoshiro
from driftlaw.geometry import ball_prior, log_location
from driftlaw.inference import local, moves, score
from driftlaw.inference.chain import LOSS, Chain
from driftlaw.inference.moves import Arrival
from driftlaw.inference.window import Window
from tests import naive
from tests.referee import (
    SIX,
    center_means,
    chain_at,
    mean_pvalue,
    new_state,
    place,
    sizes,
    target,
)

RADIUS, RATE, ETA = 2.5, 1.5, 0.5  # cubes around anchors cover a third of the ball
N_CHAINS, N_STEPS, N_MORE = 60, 100, 450
POINTS = 0.35 * SIX

Patches = dict[tuple[Any, str], Callable[..., Any]]


def _swapped(state: Any, gain: float, log_backward: float, log_forward: float) -> bool:
    return bool(RIGHT["is_accepted"](state, gain, log_forward, log_backward))


def _without_boundary_birth(arrival: Arrival, center: Any, k: int, max_centers: int) -> float:
    return moves.log_q_arrival(arrival, center) - math.log(k + 1)


def _without_boundary_death(k: int, max_centers: int) -> float:
    return -math.log(k)


def _without_slot_birth(arrival: Arrival, center: Any, k: int, max_centers: int) -> float:
    return float(RIGHT["log_q_birth"](arrival, center, k, max_centers)) + math.log(k + 1)


def _without_density(arrival: Arrival, center: Any) -> float:
    return 0.0


def _without_anchors(arrival: Arrival, center: Any) -> float:
    return float(log_location(arrival.prior, center))


def _other_victim(window: Window, chain: Chain, slot: int) -> None:
    """Drop the next centre, with caches in order."""
    other = (slot + 1) % int(chain.k[0])
    chain.numbers[LOSS] = score.score_removing(window, chain, other)
    RIGHT["drop_center_inplace"](window, chain, other)


def _stale_loss_drop(window: Window, chain: Chain, slot: int) -> None:
    """Drop the centre, but leave the loss of the configuration that had it."""
    before = float(np.sum(chain.nearest[: window.n[0]]))
    RIGHT["drop_center_inplace"](window, chain, slot)
    chain.numbers[LOSS] = before


def _stale_row_put(window: Window, chain: Chain, slot: int) -> None:
    """Put the centre, but leave the nearest distances as they were."""
    nearest = chain.nearest.copy()
    RIGHT["put_center_inplace"](window, chain, slot)
    chain.nearest[:] = nearest


RIGHT = {
    name: getattr(local, name)
    for name in ("is_accepted", "log_q_birth", "drop_center_inplace", "put_center_inplace")
}
FAULTS: dict[str, Patches] = {
    "none": {},
    "none, more steps": {},
    "wrong ratio": {(local, "is_accepted"): _swapped},
    "missing boundary factor": {
        (local, "log_q_birth"): _without_boundary_birth,
        (local, "log_q_death"): _without_boundary_death,
    },
    "missing slot factor": {(local, "log_q_birth"): _without_slot_birth},
    # a birth appends the new centre, so its Jacobian is 1: what can be missing is the density
    "missing density": {
        (local, "log_q_arrival"): _without_density,
        (moves, "log_q_arrival"): _without_density,
    },
    "missing density of a jump": {(local, "log_q_arrival"): _without_density},
    "anchors left out of the density": {
        (local, "log_q_arrival"): _without_anchors,
        (moves, "log_q_arrival"): _without_anchors,
    },
    "wrong victim": {(local, "drop_center_inplace"): _other_victim},
    "stale loss": {(local, "drop_center_inplace"): _stale_loss_drop},
    "stale nearest row": {(local, "put_center_inplace"): _stale_row_put},
}
# What changes the law little needs more steps to be seen.
SUBTLE = ("none, more steps", "missing density of a jump", "anchors left out of the density")


@contextmanager
def planted(patches: Patches) -> Iterator[None]:
    """Give the names of right functions to faulty ones, for a while."""
    right = {place: getattr(*place) for place in patches}
    for (module, name), function in patches.items():
        setattr(module, name, function)
    try:
        yield
    finally:
        for (module, name), function in right.items():
            setattr(module, name, function)


def check(exact: naive.Exact, draws: naive.Draws, n_steps: int) -> dict[str, Any]:
    """Start chains at exact draws; their means are independent and must have the exact mean."""
    prior, max_centers = ball_prior(1, RADIUS), len(exact.probabilities)
    shape = sizes(1, max_centers, n_chains=N_CHAINS, n_kept=n_steps, n_configurations=n_steps // 2)
    state, now = new_state(shape, POINTS, 5), target(prior, max_centers, ETA, RATE)
    place(state, now, draws)
    state.sample(now)
    traces = state.records
    pvalues = [
        mean_pvalue((traces.trace_k == k).mean(axis=1), truth)
        for k, truth in enumerate(exact.probabilities, 1)
    ]
    pvalues.append(mean_pvalue(traces.trace_loss.mean(axis=1), exact.mean_loss()))
    pvalues += [
        mean_pvalue(center_means(state, function), exact.mean_of(function))
        for function in (lambda x: x[:, 0] ** 2, lambda x: np.exp(-4.0 * x[:, 0] ** 2))
    ]
    cache_error = max(_cache_error(chain_at(state, c)) for c in range(N_CHAINS))
    return {"pvalues": pvalues, "cache_error": cache_error}


def _cache_error(chain: Chain) -> float:
    """Largest difference between what the chain thinks its loss is and what it is."""
    true_loss = naive.loss(POINTS, chain.centers[: chain.k[0]])
    held = chain.numbers[LOSS], chain.nearest[: len(POINTS)].sum()
    return max(abs(float(loss) - true_loss) for loss in held)


def main() -> None:
    """Print the check of every fault as JSON."""
    words = random.Random(1)  # the kernels' generator takes a third of the time without compilation
    setattr(_xoshiro, "next_word", lambda _state: np.uint64(words.getrandbits(64)))  # noqa: B010
    exact = naive.integrate(naive.interval_nodes(RADIUS, 140), POINTS, RATE, ETA, 3)
    draws = naive.exact_draws(
        np.random.default_rng(4),
        N_CHAINS,
        lambda rng, n: rng.uniform(-RADIUS, RADIUS, size=(n, 1)),
        POINTS,
        RATE,
        naive.count_prior(3, ETA),
    )
    found = {}
    for name, patches in FAULTS.items():
        with planted(patches):
            found[name] = check(exact, draws, N_MORE if name in SUBTLE else N_STEPS)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
