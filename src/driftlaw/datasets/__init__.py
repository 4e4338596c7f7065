"""Real streams from files: loaders, returns, causal scaling, the proxy law, paired feeds."""

from driftlaw.datasets.pair import FeedPair, pair_feeds
from driftlaw.datasets.prices import load_closes, load_prices, load_wide, sp500
from driftlaw.datasets.returns import close_returns, log_returns, ohlcv_returns
from driftlaw.datasets.series import load_series
from driftlaw.datasets.standardise import Moments, causal_moments, standardise
from driftlaw.datasets.stream import DataStream
from driftlaw.datasets.table import Dropped, Gap, Report, Table, align

__all__ = [
    "DataStream",
    "Dropped",
    "FeedPair",
    "Gap",
    "Moments",
    "Report",
    "Table",
    "align",
    "causal_moments",
    "close_returns",
    "load_closes",
    "load_prices",
    "load_series",
    "load_wide",
    "log_returns",
    "ohlcv_returns",
    "pair_feeds",
    "sp500",
    "standardise",
]
