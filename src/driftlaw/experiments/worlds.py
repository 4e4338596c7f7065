"""Where they take part: the paper's streams and the daily prices, from a small record."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from driftlaw._validate import check_choice
from driftlaw.corruption import paper_smooth
from driftlaw.datasets import (
    DataStream,
    close_returns,
    load_prices,
    ohlcv_returns,
    pair_feeds,
    standardise,
)
from driftlaw.errors import InputError
from driftlaw.streams import Stream, abrupt_shift

PLACES = ("data", "shared/data", "../shared/data")
_COLUMNS = {"close": ("close",), "ohlcv": ("open", "high", "low", "close", "volume")}
_WORDS = {
    "smooth": {"eps", "probability", "step", "n_steps"},
    "abrupt": {"exponent", "n_steps"},
    "spy": {"columns", "window", "n_steps"},
    "spy-pair": {"columns", "window", "n_steps"},
}
FILES = {"spy": ("spy_daily.csv",), "spy-pair": ("spy_daily.csv", "spy_daily_tape.csv")}


def check_world(record: Mapping[str, Any]) -> None:
    """Raise unless the record names a world and only words that it knows."""
    name = check_choice("stream", record.get("name", ""), tuple(_WORDS))
    unknown = set(record) - _WORDS[name] - {"name"}
    if unknown:
        raise InputError(f"stream {name!r} knows no {', '.join(sorted(unknown))}")
    if "columns" in record:
        check_choice("columns", record["columns"], tuple(_COLUMNS))


def make_world(
    record: Mapping[str, Any], seed: np.random.SeedSequence, data: Path | None
) -> Stream:
    """Make the stream that a cell describes; real ones are read from the folder ``data``."""
    options = {name: value for name, value in record.items() if name != "name"}
    if record["name"] == "smooth":
        return paper_smooth(rng=seed, **options)
    if record["name"] == "abrupt":
        return abrupt_shift(rng=seed, **options)
    if data is None:
        raise InputError(f"data must be the folder of {FILES[record['name']][0]}, got None")
    n_steps = options.pop("n_steps", None)
    stream = (_spy if record["name"] == "spy" else _pair)(data, **options)
    return cast("Stream", stream if n_steps is None else _head(stream, n_steps))


def _spy(data: Path, columns: str, window: int) -> DataStream:
    prices = load_prices(data / FILES["spy"][0])
    returns = close_returns(prices) if columns == "close" else ohlcv_returns(prices)
    return DataStream.from_table(standardise(returns), window=window)


def _pair(data: Path, columns: str, window: int) -> DataStream:
    """Show the unfiltered feed; the clean one judges."""
    clean, tape = (load_prices(data / name) for name in FILES["spy-pair"])
    pair = pair_feeds(clean, tape).select(*_COLUMNS[columns])
    return pair.log_returns().standardise().stream(window=window)


def _head(stream: DataStream, n_steps: int) -> DataStream:
    n_rows = n_steps + (stream.window or 1) - 1
    observed = None if stream.observed is None else stream.observed[:n_rows]
    return DataStream(clean=stream.clean[:n_rows], observed=observed, window=stream.window)


def find_data(given: Path | None) -> Path | None:
    """Return the folder of the prices: the given one, the first usual place, or None."""
    if given is not None:
        if not given.is_dir():
            raise InputError(f"data must be a folder, got {str(given)!r}")
        return given
    usual = (Path(place) for place in PLACES)
    return next((place for place in usual if (place / FILES["spy"][0]).is_file()), None)


def missing_file(record: Mapping[str, Any], data: Path | None) -> str | None:
    """Name the first file that a world needs and the folder has not."""
    for name in FILES.get(record["name"], ()):
        if data is None or not (data / name).is_file():
            return name
    return None


def file_digests(record: Mapping[str, Any], data: Path | None) -> dict[str, str]:
    """Hash the files that a world reads, by name."""
    if data is None:
        return {}
    names = FILES.get(record["name"], ())
    return {name: hashlib.sha256((data / name).read_bytes()).hexdigest() for name in names}
