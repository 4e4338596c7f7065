import numpy as np
import pytest
from numpy.typing import ArrayLike

from driftlaw import datasets as ds
from driftlaw.errors import InputError
from driftlaw.streams import Stream


def table(values: ArrayLike, source: str = "t", first: int = 0) -> ds.Table:
    rows = np.asarray(values, dtype=float)
    rows = rows.reshape(len(rows), -1)
    names = tuple(f"c{i}" for i in range(rows.shape[1]))
    return ds.Table(times=np.arange(len(rows)) + first, columns=names, values=rows, source=source)


def test_the_proxy_law_is_the_empirical_law_of_the_coming_window() -> None:
    x = np.random.default_rng(1).normal(size=(30, 2))
    stream = ds.DataStream(clean=x, window=20)
    assert isinstance(stream, Stream)
    assert (stream.dim, stream.n_steps) == (2, 11)
    law = stream.law_at(3)
    np.testing.assert_allclose(law.mean(), x[3:23].mean(axis=0))
    np.testing.assert_allclose(law.cov(), np.cov(x[3:23].T, ddof=0))
    assert law.cdf(x[3:23].max(axis=0)) == pytest.approx(1.0)
    with pytest.raises(InputError, match="t must be < 11 to have 20 rows ahead, got 11"):
        stream.law_at(11)
    with pytest.raises(InputError, match="t must be a whole number >= 0, got -1"):
        stream.law_at(-1)


def test_steps_come_in_order_with_what_was_seen() -> None:
    stream = ds.DataStream(
        clean=np.array([[0.0], [1.0], [2.0]]), observed=np.array([[0.0], [1.5], [2.0]]), window=2
    )
    steps = list(stream)
    assert [step.t for step in steps] == [0, 1]
    assert [float(step.observed[0]) for step in steps] == [0.0, 1.5]
    assert [float(step.clean[0]) for step in steps] == [0.0, 1.0]
    assert [step.corrupted for step in steps] == [False, True]
    assert [step.t for step in stream] == [0, 1]


def test_without_a_window_all_rows_stream_and_there_is_no_law() -> None:
    stream = ds.DataStream.from_table(table([1.0, 2.0, 3.0]), window=None)
    assert stream.n_steps == len(list(stream)) == 3
    with pytest.raises(InputError, match="window=None"):
        stream.law_at(0)


def test_bad_streams_are_refused() -> None:
    with pytest.raises(InputError, match=r"observed must be \(2, 1\), got \(3, 1\)"):
        ds.DataStream(clean=np.ones((2, 1)), observed=np.ones((3, 1)), window=1)
    with pytest.raises(InputError, match="window must be <= 2"):
        ds.DataStream(clean=np.ones((2, 1)), window=3)
    with pytest.raises(InputError, match=r"times must be \(2,\)"):
        ds.DataStream(clean=np.ones((2, 1)), window=1, times=np.arange(3))
    with pytest.raises(InputError, match="clean must be finite"):
        ds.DataStream(clean=np.array([[np.nan]]), window=1)


def test_pairs_report_amplitude_budget_and_lost_dates() -> None:
    x = table([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0]], "x.csv")
    z = table([[2.0, 2.0], [6.0, 7.0], [4.0, 4.001], [5.0, 5.0]], "z.csv", first=1)
    pair = ds.pair_feeds(x, z)
    assert len(pair) == 3
    assert pair.amplitude() == 5.0
    assert (pair.budget(), pair.budget(0.01)) == (2, 1)
    assert pair.clean.report.dropped == (("0", "not in z.csv"),)
    assert pair.observed.report.dropped == (("4", "not in x.csv"),)
    assert pair.select("c0").amplitude() == 3.0
    assert pair.logs().amplitude() == pytest.approx(np.hypot(np.log(2.0), np.log(7.0 / 3.0)))
    spoiled = pair.select("c0").log_returns()
    np.testing.assert_allclose(spoiled.deviations().ravel(), [np.log(2.0), -np.log(2.0)])


def test_pairs_share_the_scale_of_what_was_observed() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=(50, 1))
    z = x.copy()
    z[10] = 100.0
    pair = ds.pair_feeds(table(x), table(z)).standardise(warmup=20)
    mean, sd = ds.causal_moments(z, warmup=20)
    np.testing.assert_allclose(pair.clean.values, (x[20:] - mean) / sd)
    np.testing.assert_array_equal(pair.clean.values, pair.observed.values)
    stream = pair.stream(window=5)
    np.testing.assert_allclose(stream.law_at(0).mean(), pair.clean.values[:5].mean(axis=0))


def test_pairs_that_do_not_fit_are_refused() -> None:
    x = table([1.0, 2.0])
    with pytest.raises(InputError, match="no date in common"):
        ds.pair_feeds(x, table([1.0], first=9))
    other = ds.Table(times=np.arange(2), columns=("k",), values=np.ones((2, 1)), source="o")
    with pytest.raises(InputError, match="no column in common"):
        ds.pair_feeds(x, other)
    with pytest.raises(InputError, match="same columns"):
        ds.FeedPair(clean=x, observed=other)
    with pytest.raises(InputError, match="same times"):
        ds.FeedPair(clean=x, observed=table([1.0, 2.0], first=1))
    backwards = x.take([1, 0])
    with pytest.raises(InputError, match="increase strictly"):
        ds.pair_feeds(backwards, x)
    with pytest.raises(InputError, match="need values > 0"):
        ds.pair_feeds(table([0.0]), table([1.0])).logs()
