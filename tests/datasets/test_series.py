from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from driftlaw import datasets as ds
from driftlaw.errors import InputError


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    def _write(text: str) -> Path:
        path = tmp_path / "series.csv"
        path.write_text(text)
        return path

    return _write


def test_timestamps_are_seconds_and_labels_are_kept(write: Callable[..., Path]) -> None:
    path = write(
        "timestamp,value,in_window\n2014-03-07 03:41:00,45.5,0\n2014-03-07 03:46:00,47,1\n"
    )
    table = ds.load_series(path)
    assert table.times.dtype == np.dtype("datetime64[s]")
    assert str(table.times[1]) == "2014-03-07T03:46:00"
    assert table.labels is not None
    assert table.labels.tolist() == [False, True]


def test_counts_and_absent_times_become_whole_numbers(write: Callable[..., Path]) -> None:
    assert ds.load_series(write("t,value\n5,1\n6,2\n")).times.tolist() == [5, 6]
    table = ds.load_series(write("value\n1\n2\n"))
    assert table.times.tolist() == [0, 1]
    assert table.labels is None


def test_moments_with_a_zone_are_brought_to_utc(write: Callable[..., Path]) -> None:
    path = write("time,value\n2020-01-02T01:00:00+02:00,1\n2020-01-02T01:00:00+01:00,2\n")
    assert [str(t) for t in ds.load_series(path).times] == [
        "2020-01-01T23:00:00",
        "2020-01-02T00:00:00",
    ]


def test_clock_steps_back_are_counted_and_kept_or_refused(write: Callable[..., Path]) -> None:
    text = "t,value\n0,1\n2,2\n1,3\n1,4\n5,5\n"
    table = ds.load_series(write(text))
    assert table.values.ravel().tolist() == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert table.report.n_out_of_order == 1
    assert not table.report.is_sorted_here
    with pytest.raises(InputError, match="line 4: 1 comes after 2"):
        ds.load_series(write(text), on_unsorted="error")
    ordered = ds.load_series(write(text), on_unsorted="sort", on_duplicate="first")
    assert ordered.values.ravel().tolist() == [1.0, 3.0, 2.0, 5.0]
    assert ordered.report.gaps == (("2", "5", 3),)


def test_labels_must_be_zero_or_one(write: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match="line 3, column 'label': a label must be 0 or 1, got '2'"):
        ds.load_series(write("t,value,label\n0,1,0\n1,1,2\n"))
    with pytest.raises(InputError, match="no column 'mark'"):
        ds.load_series(write("t,value\n0,1\n"), label="mark")


def test_bad_cells_and_columns_are_named(write: Callable[..., Path]) -> None:
    with pytest.raises(InputError, match=r"line 3, column 'value'.*'up'"):
        ds.load_series(write("t,value\n0,1\n1,up\n"))
    with pytest.raises(InputError, match="no column 'value'; its columns are t, v"):
        ds.load_series(write("t,v\n0,1\n"))
    with pytest.raises(InputError, match="line 3, column 't': not a whole number"):
        ds.load_series(write("t,value\n0,1\n1.5,1\n"))
    with pytest.raises(InputError, match="columns must be a sequence"):
        ds.load_series(write("t,value\n0,1\n"), "value")


def test_several_value_columns_are_read_in_the_order_asked(write: Callable[..., Path]) -> None:
    table = ds.load_series(write("t,a,b\n0,1,2\n1,3,4\n"), ("b", "a"))
    assert table.values.tolist() == [[2.0, 1.0], [4.0, 3.0]]
    assert table.dim == 2
