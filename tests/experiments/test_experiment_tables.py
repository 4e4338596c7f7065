"""Tables to CSV and Parquet and back."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlaw.errors import InputError
from driftlaw.experiments.tables import Table, from_csv, to_csv, where, write_table

NUMBERS = st.lists(st.floats(allow_nan=False), min_size=1, max_size=5)


@given(NUMBERS)
def test_numbers_come_back_bit_for_bit(values: list[float]) -> None:
    table: Table = {"who": [f"a, {i} «é»" for i in range(len(values))], "y": np.array(values)}
    again = from_csv(to_csv(table))
    assert again["who"] == table["who"]
    assert np.asarray(again["y"], dtype=float).tobytes() == np.array(values).tobytes()
    assert to_csv(again) == to_csv({**table, "y": again["y"]})


def test_missing_numbers_and_no_rows_come_back() -> None:
    assert np.isnan(from_csv(to_csv({"y": [np.nan, 1.0]}))["y"][0])
    assert list(from_csv(to_csv({"t": [], "y": []}))) == ["t", "y"]


def test_ragged_columns_are_refused() -> None:
    with pytest.raises(InputError, match="one length"):
        to_csv({"a": [1], "b": [1, 2]})


def test_rows_by_cells() -> None:
    table: Table = {"who": ["a", "b", "a"], "t": [0, 1, 2]}
    assert where(table, who="a")["t"].tolist() == [0, 2]
    assert where(table, who="a", t=2)["t"].tolist() == [2]


def test_parquet_holds_the_same_columns(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table: Table = {"series": np.array(["a", "b"]), "t": np.array([0, 1]), "w1": [0.1, np.nan]}
    write_table(tmp_path, "steps", table)
    read = parquet.read_table(tmp_path / "steps.parquet").to_pydict()
    assert read["series"] == ["a", "b"]
    assert read["t"] == [0, 1]
    assert read["w1"][0] == 0.1
    first = (tmp_path / "steps.parquet").read_bytes()
    write_table(tmp_path, "steps", table)
    assert (tmp_path / "steps.parquet").read_bytes() == first
