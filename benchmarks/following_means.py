"""Means that follow the observations, as the paper's sampler has them, against refitted ones.

Run ``python -m benchmarks.following_means``; it takes two minutes and prints a Markdown table: sum
of squares within clusters, over that of means which are refitted at each observation from the same
seeds; mean over all steps from the end of youth on, ± standard error over the random seeds 100 to
119. The last column counts the observations that fits ask again for each that comes, times their
passes, the mean over k.
"""

from collections.abc import Iterator

import numpy as np

from driftlaw._rng import compiled_states
from driftlaw._validate import Array
from driftlaw.corruption import paper_smooth
from driftlaw.inference.kmeans import Means, follow_inplace
from driftlaw.inference.window import ShortWindow
from driftlaw.streams import Stream, abrupt_shift

_P, _YOUNG, _N, _N_ABRUPT = 4, 12, 500, 2000
_SEEDS = range(100, 120)


class _Follower:
    """Means of up to four clusters that are told of the first n observations."""

    def __init__(self, points: Array, seed: int) -> None:
        n, d = points.shape
        self._points = points
        counts = np.array([0, 0, 0, n + 1])
        self._window = ShortWindow(np.ascontiguousarray(points.T), counts, np.ones(n))
        self._random = compiled_states(np.random.default_rng(seed), 1).reshape(4)
        self.means = Means(np.zeros((_P, _P, d)), np.zeros((_P, _P)), np.zeros(_P))
        self._scratch = np.zeros((2, n)), np.zeros((_P, d + 1))

    def follow(self, n: int) -> None:
        self._window.n[0] = n
        follow_inplace(self._window, self._random, self.means, *self._scratch)

    def losses(self, n: int) -> Array:
        """Sum of squares within two, three and four clusters."""
        gaps = self._points[:n, None, None] - self.means.centers[1:]
        squares = (gaps**2).sum(axis=-1)  # (n, k, j)
        is_none = np.arange(_P) > np.arange(1, _P)[:, None]
        return np.asarray(np.where(is_none, np.inf, squares).min(axis=-1).sum(axis=0))


def _compare(points: Array, seed: int) -> tuple[Array, float]:
    """Ratio of the losses for k = 2, 3, 4, and what fits ask."""
    ours, refitted = _Follower(points, seed), _Follower(points, seed)
    ratios, asked = [], 0.0
    for n in range(1, len(points) + 1):
        if n > _YOUNG:
            refitted.means.budgets[:] = -1.0
        before = ours.means.budgets.copy()
        ours.follow(n)
        refitted.follow(n)
        if n > _YOUNG:
            asked += n * float((ours.means.budgets > before)[1:].mean()) / len(points)
            ratios.append(ours.losses(n) / refitted.losses(n))
    return np.mean(ratios, axis=0), asked


def _observed(stream: Stream) -> Array:
    return np.array([step.observed for step in stream])


def _streams(seed: int) -> Iterator[tuple[str, Array]]:
    rng, t = np.random.default_rng(seed), np.arange(_N)[:, None]
    plane = rng.normal(size=(_N, 2))
    yield "two clusters, d=2", 0.7 * plane + rng.choice([-3.0, 3.0], size=(_N, 1))
    places = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]])
    yield "three uneven clusters, d=2", 0.7 * plane + places[rng.choice(3, _N, p=[0.7, 0.2, 0.1])]
    yield "one cluster, d=2", plane
    yield "one cluster, d=5", rng.normal(size=(_N, 5))
    yield "smooth drift of the main figure", _observed(paper_smooth(n_steps=_N, rng=seed))
    yield "the same, 0.1 per step", _observed(paper_smooth(step=0.1, n_steps=_N, rng=seed))
    yield "abrupt shifts, 2000 steps", _observed(abrupt_shift(n_steps=_N_ABRUPT, rng=seed))
    yield "drift on the line, 0.05 deviations per step", rng.normal(size=(_N, 1)) + 0.05 * t
    yield "random walk, d=2, 0.2 deviations", plane + rng.normal(0.0, 0.2, (_N, 2)).cumsum(axis=0)
    circle = 3.0 * np.hstack([np.cos(0.02 * t), np.sin(0.02 * t)])
    yield "two clusters that rotate", 0.5 * plane + circle * rng.choice([-1, 1], size=(_N, 1))
    yield "one jump of twelve deviations, half way", 0.7 * plane + 6.0 * (t >= _N / 2)


def main() -> None:
    """Print the table."""
    found: dict[str, list[tuple[Array, float]]] = {}
    for seed in _SEEDS:
        for name, points in _streams(seed):
            found.setdefault(name, []).append(_compare(points, seed))
    print("| stream | k = 2 | k = 3 | k = 4 | asked |\n|---|--:|--:|--:|--:|")
    for name, runs in found.items():
        ratios = np.array([ratio for ratio, _ in runs])
        errors = ratios.std(axis=0, ddof=1) / np.sqrt(len(runs))
        cells = [f"{m:.3f} ± {e:.3f}" for m, e in zip(ratios.mean(axis=0), errors, strict=True)]
        print(f"| {name} | {' | '.join(cells)} | {np.mean([asked for _, asked in runs]):.0f} |")


if __name__ == "__main__":
    main()
