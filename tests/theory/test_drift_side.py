import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftlaw.errors import InputError
from driftlaw.theory import (
    aggregated_mismatch_sharper,
    global_mismatch,
    lagged_excess,
    lagged_excess_sharper,
    path_length,
    risk_shift,
    segment_aggregation,
    segment_lengths,
    segment_mismatch,
    segment_mismatch_sharper,
    segment_sum,
)


def test_values_by_hand() -> None:
    assert risk_shift(3.0, 0.5) == 6.0  # 4·3·0.5
    assert lagged_excess(1.0, 3.0, 0.5) == 13.0  # 1 + 8·3·0.5
    assert lagged_excess_sharper(1.0, 3.0, 0.5) == 4.0  # 1 + 2·3·0.5
    assert path_length(8, 2.0) == 4.0
    assert global_mismatch(0.5, 10, 4.0) == 240.0  # 8·0.5·10·√(9·4)
    assert segment_mismatch(0.5, 9, 4.0) == pytest.approx(216.0)  # 8·0.5·27·2
    # 2·0.5·√(1+4+9+16) · 2 = 2√30
    assert segment_mismatch_sharper(0.5, 5, 4.0) == pytest.approx(2 * math.sqrt(30))
    # 2·0.5·√((1+4) + (1+4) + 1)·√4 = 2√11
    assert aggregated_mismatch_sharper(0.5, [3, 3, 2], 4.0) == pytest.approx(2 * math.sqrt(11))
    assert segment_aggregation(4, 9, 4.0) == 24.0  # 4·√36


def test_segments_when_the_window_does_not_divide_the_horizon() -> None:
    assert segment_lengths(11, 4).tolist() == [4, 4, 3]
    assert segment_lengths(8, 4).tolist() == [4, 4]
    assert segment_lengths(7, None).tolist() == [7]
    with pytest.raises(InputError, match="restart_every must be <= horizon"):
        segment_lengths(5, 6)


@given(st.integers(1, 80), st.data())
def test_aggregation_holds_without_divisibility(horizon: int, data: st.DataObject) -> None:
    window = data.draw(st.integers(1, horizon))
    lengths = segment_lengths(horizon, window)
    actions = np.array(
        data.draw(st.lists(st.floats(0, 10), min_size=len(lengths), max_size=len(lengths)))
    )
    left = segment_sum(lengths, actions)
    assert left <= segment_aggregation(window, horizon, float(actions.sum())) * (1 + 1e-9)


@given(st.integers(1, 80), st.floats(0, 10), st.data())
def test_sharper_mismatch_is_below_the_paper(
    horizon: int, action: float, data: st.DataObject
) -> None:
    window = data.draw(st.integers(1, horizon))
    ours = aggregated_mismatch_sharper(1.0, segment_lengths(horizon, window), action)
    assert ours <= 8 * segment_aggregation(window, horizon, action) + 1e-9
    whole = segment_mismatch_sharper(1.0, horizon, action)
    assert whole <= global_mismatch(1.0, horizon, action) + 1e-9


def test_bad_segments_are_refused() -> None:
    with pytest.raises(InputError, match="one action per segment"):
        segment_sum([2, 2], [1.0])
    with pytest.raises(InputError, match="action"):
        path_length(3, -1.0)
