import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from driftlaw import datasets as ds
from driftlaw.errors import InputError, MissingExtraError

YAHOO = (
    "Date,Open,High,Low,Close,Adj Close,Volume\n"
    "2020-01-02,10,12,9,11,10.5,1000\n"
    "2020-01-03,11,13,10,12,11.5,2000\n"
)
STOOQ_BULK = (
    "<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>\n"
    "SPY.US,D,20200102,000000,10,12,9,11,1000,0\n"
    "SPY.US,D,20200103,000000,11,13,10,12,2000,0\n"
)
PLAIN = "close ; DATE ;open\n11;02.01.2020;10\n12;03.01.2020;11\n"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def _write(text: str, name: str = "bars.csv", encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding=encoding)
        return path

    return _write


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (YAHOO, ("open", "high", "low", "close", "adj_close", "volume")),
        (STOOQ_BULK, ("open", "high", "low", "close", "volume")),
        (PLAIN, ("open", "close")),
        (YAHOO.upper(), ("open", "high", "low", "close", "adj_close", "volume")),
        (YAHOO.replace(",", "\t"), ("open", "high", "low", "close", "adj_close", "volume")),
    ],
)
def test_vendor_layouts_give_one_table(
    write: Callable[..., Path], text: str, columns: tuple[str, ...]
) -> None:
    table = ds.load_prices(write(text))
    assert table.columns == columns
    assert table.times.dtype == np.dtype("datetime64[D]")
    assert [str(day) for day in table.times] == ["2020-01-02", "2020-01-03"]
    assert table.column("open").tolist() == [10.0, 11.0]
    assert table.column("close").tolist() == [11.0, 12.0]


def test_byte_order_mark_and_windows_line_ends_are_read(write: Callable[..., Path]) -> None:
    path = write(YAHOO.replace("\n", "\r\n"), encoding="utf-8-sig")
    assert len(ds.load_prices(path)) == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2020-01-02", "2020-01-31"),
        ("2020/01/02", "2020/01/31"),
        ("1/2/2020", "1/31/2020"),
        ("02/01/2020", "31/01/2020"),
        ("02.01.2020", "31.01.2020"),
        ("02-Jan-2020", "31-Jan-2020"),
        ("20200102", "20200131"),
        ("2020-01-02 00:00:00-05:00", "2020-01-31 00:00:00-05:00"),
        ("2020-01-02T23:30:00+09:00", "2020-01-31T23:30:00+09:00"),
    ],
)
def test_date_formats_are_recognised_from_the_whole_file(
    write: Callable[..., Path], first: str, second: str
) -> None:
    table = ds.load_prices(write(f'Date,Close\n"{first}",1\n"{second}",2\n'))
    assert [str(day) for day in table.times] == ["2020-01-02", "2020-01-31"]


def test_ambiguous_dates_need_a_format(write: Callable[..., Path]) -> None:
    path = write("Date,Close\n01/02/2020,1\n02/03/2020,2\n")
    with pytest.raises(InputError, match=r"%m/%d/%Y and %d/%m/%Y; pass date_format="):
        ds.load_prices(path)
    table = ds.load_prices(path, date_format="%d/%m/%Y")
    assert [str(day) for day in table.times] == ["2020-02-01", "2020-03-02"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "bars.csv: the file is empty"),
        ("\n\n", "bars.csv: the file is empty"),
        ("Date,Close\n", "only a header line"),
        ("Date,Open\n2020-01-02,1\n", "no column 'Close'; its columns are Date, Open"),
        ("Day1,Close\n2020-01-02,1\n", "no column 'Date'"),
        ("Date,Close,close\n2020-01-02,1,2\n", "column 'Close' is in the header more than once"),
        ("Date,Close\n2020-01-02,1\nsoon,2\n", "line 3, column 'Date': .*same format.* 'soon'"),
        ("Date,Close\nsoon,2\n", "line 2, column 'Date': not a date in a known format: 'soon'"),
        ("Date,Close\n2020-02-30,2\n", "line 2, column 'Date'.*'2020-02-30'"),
        ("Date,Close\n2020-01-02,1\n2020-01-03,abc\n", "line 3, column 'Close'.*number: 'abc'"),
        ("Date,Close\n2020-01-02,1_0\n", "line 2, column 'Close'.*number: '1_0'"),
        ("Date,Close\n2020-01-02,inf\n", "line 2, column 'Close'.*number: 'inf'"),
        ("Date,Close\n2020-01-02,0\n", "line 2, column 'Close': a price must be > 0, got 0"),
        ("Date,Close\n2020-01-02,-3.5\n", "a price must be > 0, got -3.5"),
        ("Date,Close,Volume\n2020-01-02,1,-1\n", "column 'Volume': a volume must be >= 0, got -1"),
        ("Date,Close\n2020-01-02,1\n2020-01-02,2\n", "line 3: 2020-01-02 is already on line 2"),
        ("Date,Close\n2020-01-03,1\n2020-01-02,2\n", "line 3: 2020-01-02 comes after 2020-01-03"),
        ("Date,Close\n2020-01-02,NaN\n2020-01-03,1\n", "line 2, column 'Close': no value"),
        ("Date,Close\n2020-01-02,\n2020-01-03,1\n", "line 2, column 'Close': no value"),
        ("Date,Close\n2020-01-02,1,7\n", "line 2: 3 cells where the header has 2"),
        ("Date,Close\n2020-01-02\n", "line 2: 1 cells where the header has 2"),
        ("Date,Close\n2020-01-02,1\n\n2020-01-03,x\n", "line 4, column 'Close'"),
    ],
)
def test_bad_files_are_named_with_line_column_and_value(
    write: Callable[..., Path], text: str, message: str
) -> None:
    path = write(text)
    with pytest.raises(InputError, match=message) as caught:
        ds.load_prices(path)
    assert "bars.csv" in str(caught.value)


def test_absent_files_and_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.csv: no such file"):
        ds.load_prices(tmp_path / "nothing.csv")
    with pytest.raises(InputError, match="cannot be read"):
        ds.load_prices(tmp_path)


def test_wrong_encoding_is_named_and_can_be_given(write: Callable[..., Path]) -> None:
    path = write("Date,Close,Währung\n2020-01-02,1,€\n", encoding="cp1252")
    with pytest.raises(InputError, match=r"byte 12 is not utf-8 \(got 0xe4\); pass encoding="):
        ds.load_prices(path)
    assert len(ds.load_prices(path, encoding="cp1252")) == 1
    with pytest.raises(InputError, match="encoding must name a codec"):
        ds.load_prices(path, encoding="no-such-codec")


def test_damaged_archive_is_an_input_error(tmp_path: Path) -> None:
    path = tmp_path / "bars.csv.gz"
    path.write_bytes(b"not an archive")
    with pytest.raises(InputError, match="cannot be read"):
        ds.load_prices(path)


def test_unsorted_rows_can_be_sorted_and_that_is_reported(write: Callable[..., Path]) -> None:
    path = write("Date,Close\n2020-01-06,3\n2020-01-02,1\n2020-01-03,2\n")
    table = ds.load_prices(path, on_unsorted="sort")
    assert table.column("close").tolist() == [1.0, 2.0, 3.0]
    assert table.report.is_sorted_here
    assert table.report.n_out_of_order == 1


@pytest.mark.parametrize(
    ("keep", "closes", "line"), [("first", [1.0, 3.0], 3), ("last", [2.0, 3.0], 2)]
)
def test_duplicates_can_be_resolved_and_that_is_reported(
    write: Callable[..., Path], keep: str, closes: list[float], line: int
) -> None:
    path = write("Date,Close\n2020-01-02,1\n2020-01-02,2\n2020-01-03,3\n")
    table = ds.load_prices(path, on_duplicate=keep)
    assert table.column("close").tolist() == closes
    (dropped,) = table.report.dropped
    assert dropped.where.endswith(f"line {line}")
    assert dropped.reason == "repeated time"


def test_three_rows_of_one_date_leave_one(write: Callable[..., Path]) -> None:
    path = write("Date,Close\n2020-01-02,1\n2020-01-02,2\n2020-01-02,3\n")
    table = ds.load_prices(path, on_duplicate="last")
    assert table.column("close").tolist() == [3.0]
    assert len(table.report.dropped) == 2


def test_missing_cells_can_be_dropped_and_that_is_reported(write: Callable[..., Path]) -> None:
    path = write("Date,Close\n2020-01-02,1\n2020-01-03,null\n2020-01-06,2\n")
    table = ds.load_prices(path, on_missing="drop")
    assert table.column("close").tolist() == [1.0, 2.0]
    assert table.report.n_read == 3
    assert [d.reason for d in table.report.dropped] == ["no value"]
    with pytest.raises(InputError, match="every row has a missing value"):
        ds.load_prices(write("Date,Close\n2020-01-02,\n"), on_missing="drop")


def test_gaps_are_reported(write: Callable[..., Path]) -> None:
    path = write("Date,Close\n2020-01-02,1\n2020-01-06,2\n2020-01-11,3\n")
    (gap,) = ds.load_prices(path).report.gaps
    assert gap == ("2020-01-06", "2020-01-11", 5)


@pytest.mark.parametrize("argument", ["on_unsorted", "on_duplicate", "on_missing"])
def test_unknown_treatments_are_rejected(write: Callable[..., Path], argument: str) -> None:
    with pytest.raises(InputError, match=f"{argument} must be one of"):
        ds.load_prices(write(YAHOO), **{argument: "keep"})


def test_wide_file_keeps_the_names_of_its_assets(write: Callable[..., Path]) -> None:
    path = write("Date,SPY,BRK.B\n2020-01-02,1,2\n2020-01-03,3,4\n")
    assert ds.load_wide(path).columns == ("SPY", "BRK.B")
    assert ds.load_wide(path, ["BRK.B"]).values.ravel().tolist() == [2.0, 4.0]
    with pytest.raises(InputError, match="no column 'QQQ'"):
        ds.load_wide(path, ["QQQ"])
    with pytest.raises(InputError, match="no price column"):
        ds.load_wide(write("Date\n2020-01-02\n"))


def test_several_files_are_aligned_and_dropped_dates_reported(write: Callable[..., Path]) -> None:
    a = write("Date,Close\n2020-01-02,1\n2020-01-03,2\n2020-01-06,4\n", "a.csv")
    b = write("Date,Close\n2020-01-03,8\n2020-01-06,9\n2020-01-07,7\n", "b.csv")
    table = ds.load_closes({"A": a, "B": b})
    assert table.columns == ("A", "B")
    assert table.values.tolist() == [[2.0, 8.0], [4.0, 9.0]]
    assert [tuple(d) for d in table.report.dropped] == [
        ("2020-01-02", "not in B"),
        ("2020-01-07", "not in A"),
    ]
    returns = ds.log_returns(table)
    np.testing.assert_allclose(returns.values, [[np.log(2.0), np.log(9.0 / 8.0)]])
    assert [str(t) for t in returns.times] == ["2020-01-06"]
    c = write("Date,Close\n2021-01-04,8\n", "c.csv")
    with pytest.raises(InputError, match="no date in common"):
        ds.load_closes({"A": a, "C": c})


@pytest.mark.skipif(find_spec("arch") is None, reason="the extra data is not installed")
def test_the_offline_index_is_the_one_of_arch() -> None:
    table = ds.sp500()
    assert table.columns == ("open", "high", "low", "close", "adj_close", "volume")
    assert (len(table), str(table.times[0]), str(table.times[-1])) == (
        5031,
        "1999-01-04",
        "2018-12-31",
    )
    worst = ds.close_returns(table)
    assert str(worst.times[np.argmin(worst.values)]) == "2008-10-15"
    assert Path(table.source).name == "sp500.csv.gz"
    assert table.column("close")[0] == 1228.099976


def test_without_arch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "arch", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'driftlaw\[data\]'"):
        ds.sp500()
