"""pandas, polars and Arrow in and out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from driftlaw.adapters import observations, run_frame
from driftlaw.errors import InputError
from driftlaw.live import RunSettings, Target, run_stream
from driftlaw.tables import TableSpec

KINDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
}
SETTINGS = RunSettings(predictor="ewma", transform="diff", missing="skip")


def _cells() -> dict[str, Any]:
    values = np.random.default_rng(2).normal(size=25).cumsum().tolist()
    values[7] = None
    return {"day": [f"d{i}" for i in range(25)], "x": values, "whole": list(range(25))}


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_frame_gives_the_records_of_a_file(kind: str, tmp_path: Path) -> None:
    frame = KINDS[kind](_cells())
    made = run_frame(frame, "x", time="day", settings=SETTINGS)
    assert type(made) is type(frame)
    pd.DataFrame(_cells()).to_csv(tmp_path / "in.csv", index=False)
    spec = TableSpec(path=str(tmp_path / "in.csv"), columns=("x",), time="day")
    run_stream(spec, SETTINGS, Target(output=str(tmp_path / "out.csv")))
    expected = pd.read_csv(tmp_path / "out.csv")
    found = made.to_pandas() if kind != "pandas" else made
    assert list(found.columns) == list(expected.columns)
    assert found["time"].tolist() == expected["time"].tolist()
    numbers = [name for name in expected.columns if name != "time"]
    np.testing.assert_allclose(
        found[numbers].to_numpy(dtype=float), expected[numbers].to_numpy(dtype=float), rtol=1e-12
    )


@pytest.mark.parametrize("kind", list(KINDS))
def test_observations(kind: str) -> None:
    array = observations(KINDS[kind](_cells()), ["whole", "x"])
    assert array.shape == (25, 2)
    assert array[:, 0].tolist() == list(range(25))
    assert np.flatnonzero(np.isnan(array[:, 1])).tolist() == [7]


@pytest.mark.parametrize(
    ("frame", "columns", "message"),
    [
        ([1, 2], "x", "frame must be a pandas or polars DataFrame"),
        (pd.DataFrame({"x": [1.0]}), "y", "no column 'y'; the columns are x"),
        (pd.DataFrame({"x": ["a"]}), "x", "column 'x' must hold numbers"),
        (pd.DataFrame({"x": [np.inf]}), "x", "column 'x' must be finite"),
        (pd.DataFrame({"x": [1.0]}), [], "columns must name at least one"),
    ],
)
def test_bad_frames_are_refused(frame: Any, columns: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        observations(frame, columns)
