"""Files and pipes into rows: every format, and every way in which a file can be bad."""

import gzip
import io
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlaw.errors import InputError
from driftlaw.tables import Row, TableSpec, open_reader


def _rows(spec: TableSpec) -> tuple[tuple[str, ...], str | None, list[Row]]:
    with open_reader(spec) as reader:
        return reader.columns, reader.time, list(reader)


def _spec(folder: Path, content: str | bytes, name: str = "a.csv", **options: Any) -> TableSpec:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return TableSpec(path=str(path), **options)


TABLE = "when,a,b\n2020-01-01,1.5,2\n2020-01-02,-3e2,nan\n"


@pytest.mark.parametrize("form", ["csv", "tsv", "semicolon", "gz", "jsonl", "parquet", "bom"])
def test_every_format_gives_the_same_rows(form: str, tmp_path: Path) -> None:
    records = [
        {"when": "2020-01-01", "a": 1.5, "b": 2.0},
        {"when": "2020-01-02", "a": -300.0, "b": None},
    ]
    path = tmp_path / {"gz": "a.csv.gz", "semicolon": "a.txt", "bom": "a.csv"}.get(
        form, f"a.{form}"
    )
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(records), path)
    elif form == "jsonl":
        path.write_text("\n".join(json.dumps(r) for r in records) + "\n\n")
    elif form == "gz":
        path.write_bytes(gzip.compress(TABLE.encode()))
    else:
        mark = {"tsv": "\t", "semicolon": ";"}.get(form, ",")
        encoding = "utf-8-sig" if form == "bom" else "utf-8"
        path.write_text(TABLE.replace(",", mark), encoding=encoding)
    columns, time, rows = _rows(TableSpec(path=str(path), columns=("b", "a"), time="when"))
    assert (columns, time) == (("b", "a"), "when")
    assert [row.time for row in rows] == ["2020-01-01", "2020-01-02"]
    np.testing.assert_array_equal([row.values for row in rows], [[2.0, 1.5], [math.nan, -300.0]])


def test_lines_of_numbers_need_no_header(tmp_path: Path) -> None:
    columns, time, rows = _rows(_spec(tmp_path, "1\n2.5\n-3\n"))
    assert (columns, time) == (("c1",), None)
    assert [float(row.values[0]) for row in rows] == [1.0, 2.5, -3.0]
    assert [row.line for row in rows] == [1, 2, 3]
    columns, _, rows = _rows(_spec(tmp_path, "7\n8\n", header=True))
    assert (columns, len(rows)) == (("7",), 1)


def test_time_is_found_by_name_and_the_only_number_is_taken(tmp_path: Path) -> None:
    columns, time, _ = _rows(_spec(tmp_path, "Timestamp,note,load\n1,x,3\n"))
    assert (columns, time) == (("load",), "Timestamp")


def test_readings_that_mean_nothing_are_missing(tmp_path: Path) -> None:
    text = "ERR,9\n-9999.0,1\n-9999,-9999\n5,-99.99\n"
    spec = _spec(tmp_path, text, columns=("c1", "c2"), missing_values=("-9999", "err"))
    columns, _, rows = _rows(spec)  # the first line holds no word: it is no header
    found = [row.values.tolist() for row in rows]
    np.testing.assert_array_equal(
        found, [[math.nan, 9.0], [math.nan, 1.0], [math.nan, math.nan], [5.0, -99.99]]
    )
    path = _spec(tmp_path, '{"a": -9999}\n{"a": 2}\n', "a.jsonl", missing_values=("-9999",))
    columns, _, rows = _rows(path)
    assert columns == ("a",)
    np.testing.assert_array_equal([row.values[0] for row in rows], [math.nan, 2.0])


def test_a_choice_that_nobody_made_is_told(tmp_path: Path) -> None:
    with open_reader(_spec(tmp_path, "zeit;wert\n1;2,5\n2;3,5\n")) as reader:
        assert reader.columns == ("zeit",)
        assert "predicting column 'zeit'; left out, as not numeric: 'wert' (begins with '2,5')" in (
            reader.choice
        )
    chosen: dict[str, Any] = {"columns": ("x",)}
    for content, options in (("date,x\na,1\n", {}), ("note,x\na,1\n", chosen)):
        with open_reader(_spec(tmp_path, content, **options)) as reader:
            assert reader.choice == ""


def test_a_pipe_is_read_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow(io.RawIOBase):
        parts = (b"x\n1\n", b"2", b"\n3\n")
        n_given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            if self.n_given == len(self.parts):
                return 0
            part = self.parts[self.n_given]
            buffer[: len(part)] = part
            self.n_given += 1
            return len(part)

    slow = Slow()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(slow)))
    with open_reader(TableSpec(path="-")) as reader:
        rows = iter(reader)
        assert float(next(rows).values[0]) == 1.0
        assert slow.n_given == 1
        assert [float(row.values[0]) for row in rows] == [2.0, 3.0]
    assert not sys.stdin.closed


BAD: dict[str, tuple[str | bytes, dict[str, Any], str]] = {
    "empty": ("", {}, "it is empty"),
    "blank": ("\n\n", {}, "it is empty"),
    "header only": ("a,b\n", {"columns": ("a",)}, "only a header"),
    "no such column": ("a,b\n1,2\n", {"columns": ("c",)}, "no column 'c'; its columns are a, b"),
    "no such time": ("a,b\n1,2\n", {"columns": ("a",), "time": "w"}, "no column 'w'"),
    "no such time, several": ("a,b\n1,2\n", {"time": "w"}, "no column 'w'; its columns are a, b"),
    "word": ("a\n1\nx\n", {}, "line 3, column 'a': not a number: 'x'"),
    "underscore": ("a\n1\n1_0\n", {}, "line 3, column 'a': not a number: '1_0'"),
    "infinite": ("a\n1\ninf\n", {}, "line 3, column 'a': not finite: 'inf'"),
    "overflow": ("a\n1\n1e999\n", {}, "line 3, column 'a': not finite"),
    "too large": ("a\n1\n-1e101\n", {}, "line 3, column 'a': more than 1e+100 in size: '-1e101'"),
    "ragged": ("a,b\n1,2\n3\n", {"columns": ("a",)}, "line 3: 1 cells where 2 are expected"),
    "long row": ("a,b\n1,2\n3,4,5\n", {"columns": ("a",)}, "line 3: 3 cells"),
    "several": ("a,b\n1,2\n", {}, "several numeric columns: a, b; choose with --columns"),
    "none": ("a,b\nx,y\n", {}, "no numeric column among a, b"),
    "twice": ("a,a\n1,2\n", {"columns": ("a",)}, "column 'a' is in the header more than once"),
    "latin": (b"a\n1\n\xe9\n", {}, "byte 0xe9 is not utf-8; pass --encoding"),
    "codec": ("a\n1\n", {"encoding": "utf-99"}, "encoding must name a codec, got 'utf-99'"),
    "quote": ('a\n"1"x\n', {}, "not a row of cells"),
}


@pytest.mark.parametrize("name", list(BAD))
def test_bad_text_is_refused_with_its_place(name: str, tmp_path: Path) -> None:
    content, options, message = BAD[name]
    with pytest.raises(InputError) as caught:
        _rows(_spec(tmp_path, content, **options))
    assert message in str(caught.value)
    assert "a.csv" in str(caught.value) or name == "codec"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"a": 1}\n{"a": 2', "line 2: not JSON"),
        ('{"a": 1}\n{"b": 2}\n', "line 2: 'b' is not in the first row"),
        ('{"a": 1}\n{"a": true}\n', "line 2, column 'a': not a number: True"),
        ('{"a": 1}\n{"a": "x"}\n', "line 2, column 'a': not a number: 'x'"),
        ("", "it is empty"),
    ],
)
def test_bad_json_is_refused_with_its_place(content: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        _rows(_spec(tmp_path, content, "a.jsonl"))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        _rows(TableSpec(path=str(tmp_path / "nothing.csv")))
    with pytest.raises(InputError, match="cannot be read"):
        _rows(TableSpec(path=str(tmp_path)))
    with pytest.raises(InputError, match="not a Parquet file"):
        _rows(_spec(tmp_path, "a\n1\n", "a.parquet"))
    with pytest.raises(InputError, match="cannot be read"):
        _rows(_spec(tmp_path, gzip.compress(b"a\n" + b"1\n" * 5000)[:-20], "a.csv.gz"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"path": "a", "format": "xlsx"}, "format must be one of"),
        ({"path": "a", "columns": ("x", "x")}, "columns must be different"),
        ({"path": "a", "columns": ("x",), "time": "x"}, "time must be another column"),
        ({"path": "a", "missing_values": ("",)}, "missing values must be texts"),
        ({"path": "a.jsonl", "header": True}, "header belongs to csv"),
        ({"path": "-", "format": "parquet"}, "standard input"),
    ],
)
def test_conflicts_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TableSpec(**options)


@given(st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=20))
def test_numbers_survive_writing_and_reading(values: list[float]) -> None:
    text = io.BytesIO(("x\n" + "".join(f"{v!r}\n" for v in values)).encode())
    before, sys.stdin = sys.stdin, io.TextIOWrapper(text)
    try:
        rows = _rows(TableSpec(path="-"))[2]
    finally:
        sys.stdin = before
    assert [float(row.values[0]) for row in rows] == values
