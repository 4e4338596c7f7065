"""The loaders on the files kept beside the repository; skipped where they are absent."""

import json
from pathlib import Path

import numpy as np
import pytest

from driftlaw import datasets as ds

DATA = Path(__file__).parents[2].parent / "shared" / "data"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data is not here")


@pytest.fixture(scope="module")
def spy() -> ds.Table:
    return ds.load_prices(DATA / "spy_daily.csv")


@pytest.fixture(scope="module")
def pair(spy: ds.Table) -> ds.FeedPair:
    return ds.pair_feeds(spy, ds.load_prices(DATA / "spy_daily_tape.csv"))


def test_spy_has_its_dates_its_rows_and_its_three_gaps(spy: ds.Table) -> None:
    assert len(spy) == 7212
    assert (str(spy.times[0]), str(spy.times[-1])) == ("1993-01-29", "2021-09-17")
    assert [(g.before, g.length) for g in spy.report.gaps] == [
        ("2001-09-10", 7),
        ("2006-12-29", 5),
        ("2012-10-26", 5),
    ]
    assert spy.report.dropped == ()


def test_the_largest_falls_of_spy_are_the_known_days(spy: ds.Table) -> None:
    returns = ds.close_returns(spy)
    assert returns.values.shape == (7211, 1)
    order = np.argsort(returns.values[:, 0])[:3]
    assert [str(returns.times[i]) for i in order] == ["2020-03-16", "2008-10-15", "2020-03-12"]
    np.testing.assert_allclose(returns.values[order, 0], [-0.11589, -0.10364, -0.10057], atol=5e-6)


def test_spy_bars_give_five_dimensional_standardised_streams(spy: ds.Table) -> None:
    scaled = ds.standardise(ds.ohlcv_returns(spy), warmup=40)
    assert scaled.values.shape == (7171, 5)
    stream = ds.DataStream.from_table(scaled)
    assert stream.n_steps == 7152
    assert stream.law_at(7151).dim == 5


def test_the_tape_differs_where_its_label_file_says(pair: ds.FeedPair) -> None:
    assert len(pair) == 5849
    assert (str(pair.clean.times[0]), str(pair.clean.times[-1])) == ("1998-01-02", "2021-03-31")
    assert pair.observed.report.dropped == ()
    assert len(pair.clean.report.dropped) == 7212 - 5849
    bars = pair.select("open", "high", "low", "close").logs()
    assert (bars.budget(0.01), bars.budget(0.03)) == (247, 82)
    assert pair.select("close").logs().budget(0.01) == 14
    marked = (DATA / "spy_tape_vs_clean_gt1pct.csv").read_text().splitlines()[1:]
    differing = np.abs(bars.deviations()).max(axis=1) > 0.01
    assert [str(day) for day in bars.clean.times[differing]] == [row[:10] for row in marked]
    tape_high = pair.observed.between("2002-04-02", "2002-04-02").column("high")
    assert tape_high.tolist() == [144.12]


def test_five_etfs_come_from_one_wide_file() -> None:
    table = ds.load_wide(DATA / "etf5_adjclose.csv")
    assert table.columns == ("SPY", "QQQ", "IWM", "TLT", "GLD")
    assert len(table) == 4623
    assert (str(table.times[0]), str(table.times[-1])) == ("2004-11-18", "2023-03-31")
    returns = ds.log_returns(table)
    assert returns.values.shape == (4622, 5)
    assert str(returns.times[np.argmin(returns.column("SPY"))]) == "2020-03-16"


@pytest.mark.parametrize(
    ("name", "rows", "back"),
    [("nab_machine_temperature", 22695, 1), ("nab_ec2_request_latency", 4032, None)],
)
def test_numenta_labels_equal_their_windows(name: str, rows: int, back: int | None) -> None:
    table = ds.load_series(DATA / f"{name}.csv")
    assert len(table) == rows
    windows = json.loads((DATA / "nab_labels.json").read_text())[name]["windows"]
    inside = np.zeros(rows, dtype=bool)
    for first, last in windows:
        low, high = np.datetime64(first[:19]), np.datetime64(last[:19])
        inside |= (table.times >= low) & (table.times <= high)
    np.testing.assert_array_equal(table.labels, inside)
    not_forward = int((np.diff(table.times).astype(int) <= 0).sum())
    assert table.report.n_out_of_order <= not_forward
    if back is not None:
        assert not_forward >= back


def test_well_log_is_a_plain_count_of_samples() -> None:
    table = ds.load_series(DATA / "well_log.csv")
    assert len(table) == 4050
    assert table.times.tolist() == list(range(4050))
    assert table.labels is None
    assert table.values[:2, 0].tolist() == [133530.6, 137119.1]
