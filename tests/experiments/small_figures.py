"""Figures of every kind that run in a moment, and a folder of invented prices for them."""

from pathlib import Path

import numpy as np

from driftlaw.experiments import Figure, catalogue

N_DAYS = 160


def small(name: str) -> Figure:
    """Return a figure of the catalogue with two seeds, short streams, few lines and panels."""
    record = catalogue()[name].to_dict()
    size = {"seeds": 2, "every": 13, "n_steps": 53}
    if name == "horizons":
        size = {"seeds": 2, "every": 13, "values": [40, 80]}  # type: ignore[dict-item]
    elif record["sweep"] is not None:
        record["sweep"]["values"] = record["sweep"]["values"][:2]
    record["scales"]["smoke"] = size
    record["windows"] = record["windows"][:2]
    record["panels"] = record["panels"][:1]
    return Figure.from_dict(record)


def write_prices(folder: Path) -> None:
    """Write a clean feed, and the same with one bad print."""
    rng = np.random.default_rng(0)
    days = np.arange(N_DAYS) + np.datetime64("2020-01-01")
    close = 100 * np.exp(np.cumsum(0.01 * rng.normal(size=N_DAYS)))
    bars = np.column_stack(
        [close * (1 + 0.001 * rng.normal(size=N_DAYS)), close * 1.01, close * 0.99, close]
    )
    volume = rng.integers(1000, 2000, size=N_DAYS)
    for name, factor in (("spy_daily.csv", 1.0), ("spy_daily_tape.csv", 1.2)):
        lines = ["Date,Open,High,Low,Close,Volume"]
        for i, (day, bar) in enumerate(zip(days, bars, strict=True)):
            prices = bar * (factor if i == 90 else 1.0)
            lines.append(f"{day},{','.join(f'{p:.4f}' for p in prices)},{volume[i]}")
        (folder / name).write_text("\n".join(lines) + "\n")
