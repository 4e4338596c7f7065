"""Rows: what is written and summed does not depend on where in memory arrays lie."""

import numpy as np
import pytest

from driftlaw._validate import Array
from driftlaw.inference.rows import lower_inplace

N = 30  # no multiple of what fits into a register
GAPS = (0, 1, 2, 4, 8, 16, 24, 32, 48, 64, 1000)  # numbers between one row and the next


def _rows_with_gaps(n_rows: int, gap: int) -> list[Array]:
    """Return rows with the same numbers at any gap, in one piece of memory."""
    memory, values = np.zeros(n_rows * (N + gap)), np.random.default_rng(0)
    rows = [memory[i * (N + gap) :][:N] for i in range(n_rows)]
    for row in rows:
        row[:] = values.normal(size=N)
    return rows


@pytest.mark.parametrize("dim", [1, 2, 3, 4, 5, 6, 9])
def test_sums_do_not_depend_on_where_rows_lie(dim: int) -> None:
    c, g = np.random.default_rng(1).normal(size=(2, dim))
    points = np.random.default_rng(2).normal(size=(dim, N))
    to_c, to_g = (((points - x[:, None]) ** 2).sum(axis=0) for x in (c, g))
    totals, lows = [], []
    for gap in GAPS:
        for order in (1, -1):  # the row that is written may come first
            first, out = _rows_with_gaps(2, gap)[::order]
            first[:] = np.linspace(-1.0, 1.0, N)
            totals.append(lower_inplace(out, first, points, N, c, g))
            lows.append(out.copy())
    np.testing.assert_allclose(lows[0], np.minimum(np.linspace(-1.0, 1.0, N), to_g - to_c))
    assert totals[0] == pytest.approx(lows[0].sum())
    assert set(totals) == {totals[0]}
    assert all((low == lows[0]).all() for low in lows)
