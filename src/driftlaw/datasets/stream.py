"""A real stream behind the doors of the synthetic ones: its law is the future-window proxy."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from driftlaw._validate import Array, check_count, check_nonnegative, check_points
from driftlaw.datasets.table import Table, Times
from driftlaw.errors import InputError
from driftlaw.law import SampleLaw
from driftlaw.streams import Step


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DataStream:
    r"""Rows of real data as a stream, judged by the empirical law of the coming window.

    .. math:: \tilde p_t = \frac1w \sum_{j=0}^{w-1} \delta_{x_{t+j}}

    Parameters
    ----------
    clean : (n, d) array
        The points x, in time order.
    observed : (n, d) array, optional
        What a predictor sees, z; the clean points when None.
    window : int, optional
        w. The last w - 1 rows only serve as future, so the stream has n - w + 1 steps and a law
        at each. None: all n steps and no law.
    tolerance : float
        A step counts as corrupted when a coordinate of z - x exceeds it in absolute value.
    times : (n,) array, optional
        The times of the rows; 0, 1, … when None.

    Notes
    -----
    The proxy looks into the future: it judges, it must not be shown to a predictor. Paper:
    section «Real-Data SPY Return Streams», w = 20; no label of its own.

    Examples
    --------
    >>> stream = DataStream(clean=np.arange(5.0)[:, None], window=3)
    >>> stream.n_steps, stream.law_at(2).mean()
    (3, array([3.]))
    """

    clean: Array
    observed: Array | None = None
    window: int | None = 20
    tolerance: float = 0.0
    times: Times | None = None

    def __post_init__(self) -> None:
        clean = check_points("clean", self.clean)
        seen = clean if self.observed is None else self.observed
        observed = check_points("observed", seen, clean.shape[1])
        times = np.arange(len(clean)) if self.times is None else np.array(self.times)
        if observed.shape != clean.shape:
            raise InputError(f"observed must be {clean.shape}, got {observed.shape}")
        if times.shape != (len(clean),):
            raise InputError(f"times must be ({len(clean)},), got {times.shape}")
        if self.window is not None and check_count("window", self.window) > len(clean):
            raise InputError(f"window must be <= {len(clean)} (the rows), got {self.window}")
        check_nonnegative("tolerance", self.tolerance)
        for name, array in (("clean", clean), ("observed", observed), ("times", times)):
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @classmethod
    def from_table(cls, table: Table, *, window: int | None = 20) -> "DataStream":
        """Make a stream of a table's rows, seen as they are."""
        return cls(clean=table.values, window=window, times=table.times)

    @property
    def dim(self) -> int:
        """Dimension of the points."""
        return int(self.clean.shape[1])

    @property
    def n_steps(self) -> int:
        """Number of steps: the rows that have a whole window ahead."""
        return len(self.clean) - (self.window or 1) + 1

    def __iter__(self) -> Iterator[Step]:
        corrupted = self.corrupted()
        for t in range(self.n_steps):
            yield Step(t, self._seen()[t], self.clean[t], bool(corrupted[t]))

    def law_at(self, t: int) -> SampleLaw:
        """Empirical law of the clean rows t, …, t + window - 1."""
        if self.window is None:
            raise InputError("law_at needs a window, and this stream has window=None")
        if check_count("t", t, least=0) >= self.n_steps:
            raise InputError(
                f"t must be < {self.n_steps} to have {self.window} rows ahead, got {t}"
            )
        return SampleLaw(self.clean[t : t + self.window])

    def corrupted(self) -> NDArray[np.bool_]:
        """Say for each row whether the observed point differs from the clean one."""
        deviations = np.abs(self._seen() - self.clean)
        return np.asarray((deviations > self.tolerance).any(axis=1))

    def _seen(self) -> Array:
        return self.clean if self.observed is None else self.observed
