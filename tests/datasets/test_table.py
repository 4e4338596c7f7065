import numpy as np
import pytest
from numpy.typing import ArrayLike

from driftlaw import datasets as ds
from driftlaw.errors import InputError


def bars(values: ArrayLike, columns: tuple[str, ...] = ("close",)) -> ds.Table:
    rows = np.asarray(values, dtype=float)
    days = np.arange(len(rows)) + np.datetime64("2020-01-01")
    return ds.Table(times=days, columns=columns, values=rows, source="bars")


def test_a_table_is_frozen_and_holds_copies() -> None:
    values = np.ones((3, 1))
    table = bars(values)
    values[0] = 7.0
    assert table.values[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        table.values[0] = 2.0
    with pytest.raises(AttributeError):
        table.source = "other"  # type: ignore[misc]


def test_shapes_and_names_are_checked_at_birth() -> None:
    days = np.arange(2)
    with pytest.raises(InputError, match=r"times must be \(3,\), got \(2,\)"):
        ds.Table(times=days, columns=("a",), values=np.ones((3, 1)), source="x")
    with pytest.raises(InputError, match="values must be finite"):
        ds.Table(times=days, columns=("a",), values=np.full((2, 1), np.nan), source="x")
    with pytest.raises(InputError, match="columns must be different"):
        ds.Table(times=days, columns=("a", "a"), values=np.ones((2, 2)), source="x")
    with pytest.raises(InputError, match=r"labels must be \(2,\)"):
        ds.Table(
            times=days, columns=("a",), values=np.ones((2, 1)), source="x", labels=np.ones(1, bool)
        )


def test_rows_are_chosen_by_date() -> None:
    table = bars([[1.0], [2.0], [3.0], [4.0]])
    part = table.between("2020-01-02", "2020-01-03")
    assert part.column("close").tolist() == [2.0, 3.0]
    with pytest.raises(InputError, match="no row between"):
        table.between("2021-01-01", "2021-01-02")
    with pytest.raises(InputError, match="must be times"):
        table.between("soon", "later")
    with pytest.raises(InputError, match="no column 'open'"):
        table.column("open")


def test_log_returns_match_hand_values_and_name_zero_volumes() -> None:
    table = bars([[1.0, 10.0], [2.0, 0.0], [4.0, 20.0]], ("close", "volume"))
    closes = ds.close_returns(table)
    np.testing.assert_allclose(closes.values, np.log([[2.0], [2.0]]))
    assert closes.columns == ("close",)
    with pytest.raises(InputError, match="bars, 2020-01-02: volume <= 0 has no logarithm"):
        ds.log_returns(table)
    jumped = ds.log_returns(table, on_nonpositive="drop")
    np.testing.assert_allclose(jumped.values, np.log([[4.0, 2.0]]))
    assert jumped.report.dropped == (("2020-01-02", "volume <= 0"),)
    with pytest.raises(InputError, match="at least 2 rows"):
        ds.log_returns(table.take([0]), "close")


def test_ohlcv_returns_come_in_the_papers_order() -> None:
    columns = ("volume", "open", "high", "low", "close")
    table = bars([[1.0, 1.0, 1.0, 1.0, 1.0], [5.0, 1.1, 1.2, 1.3, 1.4]], columns)
    returns = ds.ohlcv_returns(table)
    assert returns.columns == ("open", "high", "low", "close", "volume")
    np.testing.assert_allclose(returns.values, np.log([[1.1, 1.2, 1.3, 1.4, 5.0]]))
