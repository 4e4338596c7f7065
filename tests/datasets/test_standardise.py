import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from driftlaw import datasets as ds
from driftlaw._validate import Array
from driftlaw.errors import InputError


def naive(x: Array, warmup: int, window: int | None) -> Array:
    rows = []
    for t in range(warmup, len(x)):
        past = x[:t] if window is None else x[max(0, t - window) : t]
        rows.append((past.mean(axis=0), past.std(axis=0, ddof=1)))
    return np.array(rows).swapaxes(0, 1)


@pytest.mark.parametrize("window", [None, 5, 6, 11, 12, 13, 40])
def test_moments_equal_the_naive_loop(window: int | None) -> None:
    x = np.random.default_rng(0).normal(1e4, 1.0, (12, 3))
    mean, sd = ds.causal_moments(x, warmup=5, window=window)
    want = naive(x, 5, window)
    np.testing.assert_allclose(mean, want[0], rtol=1e-13)
    np.testing.assert_allclose(sd, want[1], rtol=1e-9)


@given(
    x=arrays(float, (12, 1), elements=st.floats(-100, 100)),
    other=st.floats(-1e6, 1e6),
    cut=st.integers(3, 11),
    window=st.sampled_from([None, 4]),
)
def test_the_future_cannot_be_seen(x: Array, other: float, cut: int, window: int | None) -> None:
    changed = x.copy()
    changed[cut:] = other
    before = ds.causal_moments(x, warmup=3, window=window)
    after = ds.causal_moments(changed, warmup=3, window=window)
    rows = cut - 3 + 1
    np.testing.assert_array_equal(before.mean[:rows], after.mean[:rows])
    np.testing.assert_array_equal(before.sd[:rows], after.sd[:rows])


def test_the_first_value_is_the_first_after_the_warmup() -> None:
    rows = np.array([[0.0], [2.0], [5.0], [1.0]])
    table = ds.Table(times=np.arange(4), columns=("x",), values=rows, source="x")
    scaled = ds.standardise(table, warmup=2)
    assert scaled.times.tolist() == [2, 3]
    assert scaled.values[0, 0] == pytest.approx((5.0 - 1.0) / np.sqrt(2.0))


def test_bad_arguments_and_flat_pasts_are_named() -> None:
    flat = ds.Table(times=np.arange(5), columns=("x",), values=np.ones((5, 1)), source="flat.csv")
    with pytest.raises(InputError, match=r"flat\.csv: column 'x' has a past without spread at 3"):
        ds.standardise(flat, warmup=3)
    assert ds.standardise(flat, warmup=3, floor=0.1).values.tolist() == [[0.0], [0.0]]
    with pytest.raises(InputError, match="more than warmup=5 rows, got 5"):
        ds.standardise(flat, warmup=5)
    with pytest.raises(InputError, match="warmup must be a whole number >= 2"):
        ds.standardise(flat, warmup=1)
    with pytest.raises(InputError, match="window must be a whole number >= 3"):
        ds.standardise(flat, warmup=3, window=2)
    with pytest.raises(InputError, match="floor must be finite and >= 0"):
        ds.standardise(flat, warmup=3, floor=-1.0)
