"""Changes of behaviour as a reader counts them: alarms close together are one episode."""

from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import Array

REACH = 40  # observations that say how it was before and after; alarms at most so far apart are one
_LAG = 20  # latest observations before an alarm that may belong to the change already
_FEWEST = 5  # observations below which nothing is said of how it is now
_MAX_EPISODES = 200
# Below these, 40 independent values on each side may look so without any change: three standard
# errors of a difference of medians, and of a ratio of ranges.
SHIFT, RATIO = 0.6, 2.0


class Episode(NamedTuple):
    """A change: from its first alarm to its last, and the values on both sides of it."""

    start: int
    end: int
    start_time: str
    end_time: str
    n_alarms: int
    before: Array  # (2, d) median and interquartile range
    after: Array  # (2, d) the same; NaN as long as too few have come
    n_after: int = REACH  # observations behind ``after``: fewer while it is the latest

    @property
    def shifts(self) -> Array:
        """By how many ranges the middle has moved, in each column (d,); 0 where unknown."""
        with np.errstate(divide="ignore", invalid="ignore"):
            moved = (self.after[0] - self.before[0]) / (0.5 * (self.after[1] + self.before[1]))
        return np.where(np.isnan(moved), 0.0, moved)

    @property
    def ratios(self) -> Array:
        """How many times as wide the range is as it was, in each column; 1 where unknown."""
        with np.errstate(divide="ignore", invalid="ignore"):
            times = self.after[1] / self.before[1]
        return np.where(np.isnan(times), 1.0, times)

    @property
    def sizes(self) -> Array:
        """How large it is in each column, where 1 is what chance may bring about."""
        with np.errstate(divide="ignore"):
            wider = abs(np.log2(self.ratios)) / np.log2(RATIO)
        return np.asarray(np.fmax(abs(self.shifts) / SHIFT, wider))

    @property
    def is_lasting(self) -> bool:
        """Whether the values after it differ from those before it by more than chance would.

        What chance would do is known of `REACH` values; of fewer nothing is claimed.
        """
        return not self.is_early and bool((self.sizes >= 1.0).any())

    @property
    def is_early(self) -> bool:
        """Whether too few values have come since to tell."""
        return self.n_after < REACH

    @property
    def is_known(self) -> bool:
        """Whether there were enough values before it to tell."""
        return not np.isnan(self.before).any()


class Episodes:
    """Turns alarms into episodes, in bounded memory: of a great many the largest are kept.

    Examples
    --------
    >>> episodes = Episodes(1)
    >>> for n in range(1, 201):
    ...     episodes.add(n, "", np.array([float(n > 100)]), n in (105, 110))
    >>> [(e.start, e.end, e.before[0, 0].item(), e.after[0, 0].item()) for e in episodes.found(200)]
    [(105, 110, 0.0, 1.0)]
    """

    def __init__(self, dim: int) -> None:
        self.dim, self.n_all = dim, 0
        self._n_lasting, self._n_unknown = 0, 0
        self._recent: deque[Array] = deque(maxlen=REACH + _LAG)
        self._closed: list[Episode] = []
        self._open: Episode | None = None

    def add(self, n: int, time: str, x: Array, is_alarm: bool) -> None:
        """Take in observation n and whether it rang."""
        if is_alarm:
            self._ring(n, time)
        self._recent.append(x)
        if self._open is not None and n >= self._open.end + REACH:
            self._closed.append(self._with_after(self._open, n))
            self._n_lasting += self._closed[-1].is_lasting
            self._n_unknown += not self._closed[-1].is_known
            self._open = None
            self._forget_small()

    def found(self, n: int) -> list[Episode]:
        """All that are kept, in time; ``n`` is how many observations have come by now."""
        latest = [] if self._open is None else [self._with_after(self._open, n)]
        return [*self._closed, *latest]

    @property
    def n_lasting(self) -> int:
        """How many of all are known to have made a difference that lasted."""
        return self._n_lasting

    @property
    def n_unknown(self) -> int:
        """How many may or may not last: too few values came before, or have come since."""
        return self._n_unknown + (self._open is not None)

    def _ring(self, n: int, time: str) -> None:
        if self._open is not None:
            n_alarms = self._open.n_alarms + 1
            self._open = self._open._replace(end=n, end_time=time, n_alarms=n_alarms)
            return
        before = self._summary(list(self._recent)[:-_LAG])
        after = np.full((2, self.dim), np.nan)
        self._open = Episode(n, n, time, time, 1, before, after)
        self.n_all += 1

    def _with_after(self, episode: Episode, n: int) -> Episode:
        recent = list(self._recent)
        n_after = min(n - episode.end, REACH)
        after = self._summary(recent[len(recent) - n_after :])
        return episode._replace(after=after, n_after=n_after)

    def _summary(self, values: list[Array]) -> Array:
        if len(values) < _FEWEST:
            return np.full((2, self.dim), np.nan)
        low, middle, high = np.quantile(np.array(values), (0.25, 0.5, 0.75), axis=0)
        return np.stack([middle, high - low])

    def _forget_small(self) -> None:
        if len(self._closed) > _MAX_EPISODES:
            order = sorted(self._closed, key=lambda episode: -episode.sizes.max())
            kept = order[: _MAX_EPISODES * 3 // 4]
            self._closed = sorted(kept, key=lambda episode: episode.start)

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything, as arrays."""
        all_of_them = [*self._closed, *([] if self._open is None else [self._open])]
        rows = [
            (e.start, e.end, e.n_alarms, *e.before.ravel(), *e.after.ravel()) for e in all_of_them
        ]
        times = [(e.start_time, e.end_time) for e in all_of_them]
        numbers = (self.n_all, self._n_lasting, self._n_unknown, self._open is not None)
        return {
            "recent": np.array(self._recent, dtype=np.float64).reshape(-1, self.dim),
            "episodes": np.array(rows, dtype=np.float64).reshape(-1, 3 + 4 * self.dim),
            "episode_times": np.array(times, dtype=np.str_).reshape(-1, 2),
            "episode_numbers": np.array(numbers, dtype=np.float64),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state."""
        n_all, n_lasting, n_unknown, is_open = state["episode_numbers"].tolist()
        self.n_all, self._n_lasting, self._n_unknown = int(n_all), int(n_lasting), int(n_unknown)
        self._recent.clear()
        self._recent.extend(state["recent"])
        self._closed, self._open = [], None
        for row, times in zip(state["episodes"], state["episode_times"], strict=True):
            start, end, n_alarms = (int(number) for number in row[:3])
            before, after = row[3:].reshape(2, 2, self.dim)
            from_to = (str(times[0]), str(times[1]))
            self._closed.append(Episode(start, end, *from_to, n_alarms, before, after))
        if is_open:
            self._open = self._closed.pop()
