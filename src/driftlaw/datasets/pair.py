"""Two feeds of the same asset, one clean and one with bad prints: a real corruption."""

from dataclasses import dataclass, replace

import numpy as np

from driftlaw._validate import Array, check_nonnegative
from driftlaw.datasets.returns import log_returns
from driftlaw.datasets.standardise import causal_moments, scaled
from driftlaw.datasets.stream import DataStream
from driftlaw.datasets.table import Dropped, Report, Table
from driftlaw.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPair:
    """Clean rows x and observed rows z on the same times and columns; made by `pair_feeds`."""

    clean: Table
    observed: Table

    def __post_init__(self) -> None:
        if self.clean.columns != self.observed.columns:
            raise InputError(
                f"clean and observed must have the same columns, got {self.clean.columns}"
                f" and {self.observed.columns}"
            )
        if not np.array_equal(self.clean.times, self.observed.times):
            raise InputError("clean and observed must have the same times; use pair_feeds")

    def __len__(self) -> int:
        return len(self.clean)

    def deviations(self) -> Array:
        """Return the corruption C = z - x, (n, d)."""
        return self.observed.values - self.clean.values

    def amplitude(self) -> float:
        r"""Return the largest corruption :math:`\max_t \|z_t - x_t\|_2`."""
        return float(np.linalg.norm(self.deviations(), axis=1).max())

    def budget(self, tolerance: float = 0.0) -> int:
        r"""Count the rows with a coordinate of :math:`|z_t - x_t|` above ``tolerance``.

        With tolerance 0 this is the paper's budget :math:`\Lambda_T`. Two vendors differ in the
        last digit nearly everywhere, so a small tolerance tells bad prints from rounding.
        """
        tolerance = check_nonnegative("tolerance", tolerance)
        return int((np.abs(self.deviations()) > tolerance).any(axis=1).sum())

    def select(self, *columns: str) -> "FeedPair":
        """Return the pair with only the named columns."""
        return FeedPair(clean=self.clean.select(*columns), observed=self.observed.select(*columns))

    def logs(self) -> "FeedPair":
        """Return the pair of logarithms: a deviation is then the log of a price ratio."""
        for table in (self.clean, self.observed):
            if not (table.values > 0).all():
                raise InputError(f"{table.source}: logarithms need values > 0")
        return FeedPair(
            clean=replace(self.clean, values=np.log(self.clean.values)),
            observed=replace(self.observed, values=np.log(self.observed.values)),
        )

    def log_returns(self) -> "FeedPair":
        """Return each feed's own log differences; one bad print spoils two returns that follow."""
        return FeedPair(clean=log_returns(self.clean), observed=log_returns(self.observed))

    def standardise(
        self, *, warmup: int = 40, window: int | None = None, floor: float = 0.0
    ) -> "FeedPair":
        """Scale both feeds by the past of the *observed* one, which is what a predictor knows."""
        moments = causal_moments(self.observed.values, warmup=warmup, window=window)
        return FeedPair(
            clean=scaled(self.clean, moments, floor), observed=scaled(self.observed, moments, floor)
        )

    def stream(self, *, window: int | None = 20, tolerance: float = 0.0) -> DataStream:
        """Make a stream that shows z and is judged by the future-window law of x."""
        return DataStream(
            clean=self.clean.values,
            observed=self.observed.values,
            window=window,
            tolerance=tolerance,
            times=self.clean.times,
        )


def pair_feeds(clean: Table, observed: Table) -> FeedPair:
    """Align two feeds by date and by the columns that both have.

    Dates that only one feed has are left out and listed in the reports; a pair of prices becomes
    a stream by ``pair.log_returns().standardise().stream()``.

    Parameters
    ----------
    clean, observed : Table
        Times must increase strictly.

    Returns
    -------
    FeedPair

    Examples
    --------
    >>> days = np.arange(3) + np.datetime64("2020-01-01")
    >>> x = Table(times=days, columns=("close",), values=[[1.0], [2.0], [3.0]], source="clean")
    >>> z = Table(times=days[1:], columns=("close",), values=[[2.0], [3.5]], source="tape")
    >>> pair = pair_feeds(x, z)
    >>> len(pair), pair.amplitude(), pair.budget(), pair.clean.report.dropped[0].where
    (2, 0.5, 1, '2020-01-01')
    """
    columns = tuple(name for name in clean.columns if name in observed.columns)
    if not columns:
        raise InputError(
            f"clean and observed have no column in common: {clean.columns}, {observed.columns}"
        )
    common = np.intersect1d(clean.times, observed.times)
    if len(common) == 0:
        raise InputError(f"{clean.source} and {observed.source} have no date in common")
    return FeedPair(
        clean=_restricted(clean, observed, common).select(*columns),
        observed=_restricted(observed, clean, common).select(*columns),
    )


def _restricted(table: Table, other: Table, common: Array) -> Table:
    if not (np.diff(table.times).astype(np.int64) > 0).all():
        raise InputError(f"{table.source}: times must increase strictly to be paired")
    shared = np.isin(table.times, common)
    alone = tuple(Dropped(str(t), f"not in {other.source}") for t in table.times[~shared])
    report: Report = replace(table.report, dropped=table.report.dropped + alone)
    return replace(table.take(shared), report=report)
