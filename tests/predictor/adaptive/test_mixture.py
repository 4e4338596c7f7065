"""The law of geometries: what one point speaks for, until another confirms it."""

import numpy as np
import pytest

from driftlaw.predictor.adaptive import model as m
from driftlaw.predictor.adaptive.mixture import geometry_parts_inplace
from driftlaw.predictor.adaptive.moves import (
    BIRTH,
    FRESH,
    MOVE,
    SHIFT,
    apply_move_inplace,
    bury_inplace,
)
from driftlaw.predictor.adaptive.state import State
from tests.predictor.adaptive.planted import blobs, planted

_T, _AT = 40, 100.0  # when and where a surprising point came
_MOVED = 1  # place of the geometry that moved; the one before it stayed


def trust(earlier: float, strays: float) -> float:
    return (0.08 + earlier) / (2.0 + earlier + strays)


def after_a_surprise(kind: int, share: float, strays: float = 0.0, moves: float = 0.0) -> State:
    """Two geometries of two centers, of which the second, with that share, moved to the point."""
    state = planted(blobs(1, _T))
    x = state.store
    for s in (0, _MOVED):
        for a in x[:6]:  # all that is kept of a geometry
            a[s] = a[0]
    x.slot[:2, [m.STRAYS, m.MOVES, m.BORN]] = strays, moves, 0.0
    move = np.array([0.0, _MOVED, kind, 0.0])
    apply_move_inplace(x, _MOVED, move, 2, np.array([_AT]), _T)
    x.slot[:2, m.LOG_WEIGHT] = np.log([1.0 - share, share])
    state.lanes[:], state.lanes[0] = -700.0, 0.0
    x.work[m.AGE] = _T + 1.0
    return state


def far(state: State) -> float:
    """Weight of the law's parts near the surprising point."""
    n = geometry_parts_inplace(state.store, state.lanes, state.parts)
    weights = state.parts.weights[:n]
    assert weights.sum() == pytest.approx(1.0)
    return float(weights[state.parts.means[:n, 0] > 50.0].sum())


@pytest.mark.parametrize(("moves", "strays"), [(0.0, 0.0), (0.0, 3.0), (4.0, 1.0)])
def test_who_moved_hands_over_to_who_stayed(moves: float, strays: float) -> None:
    state = after_a_surprise(FRESH, 0.9, strays, moves)
    wanted = 0.9 * trust(moves, strays)
    assert far(state) == pytest.approx(wanted, rel=0.05)  # but for parts that are too light


@pytest.mark.parametrize("kind", [SHIFT, FRESH])
@pytest.mark.parametrize("j", [0, 1])
def test_all_is_believed_when_another_point_confirms_it(kind: int, j: int) -> None:
    state = after_a_surprise(kind, 0.9)
    for _ in range(2):
        assert far(state) < 0.1
        state.store.work[m.AGE] += 1.0  # the next point was a stray
    k = int(state.store.slot[_MOVED, m.N_CENTERS])
    state.store.center[_MOVED, j % k, m.LAST] = _T + 3
    assert far(state) == pytest.approx(0.9)


def test_a_moved_center_waits_for_a_point_of_its_own() -> None:
    state = after_a_surprise(MOVE, 0.9)
    x = state.store
    low = far(state)
    x.center[_MOVED, 1, m.LAST] = _T + 1
    assert far(state) == low < 0.1
    x.center[_MOVED, 0, m.LAST] = _T + 2
    assert far(state) > 0.3


@pytest.mark.parametrize("kind", [SHIFT, FRESH, MOVE])
def test_a_birth_does_not_confirm_the_move_before_it(kind: int) -> None:
    state = after_a_surprise(kind, 0.9)
    x, part = state.store, far(state) / (0.9 * trust(0.0, 0.0))  # a moved center is one of two
    birth = np.array([0.0, _MOVED, BIRTH, 0.0])
    apply_move_inplace(x, _MOVED, birth, 2, np.array([_AT + 60.0]), _T + 1)
    x.work[m.AGE] = _T + 2.0
    assert x.slot[_MOVED, m.MOVES] == 2.0
    assert far(state) == pytest.approx(part * 0.9 * trust(0.0, 0.0), rel=0.1)


def test_of_two_moved_centers_neither_speaks_for_the_other() -> None:
    state = after_a_surprise(MOVE, 0.9)
    other = np.array([0.0, _MOVED, MOVE, 1.0])
    apply_move_inplace(state.store, _MOVED, other, 2, np.array([_AT + 5.0]), _T + 1)
    state.store.work[m.AGE] = _T + 2.0
    assert far(state) == pytest.approx(0.9 * trust(0.0, 0.0), rel=0.05)


def test_a_birth_that_others_share_keeps_its_geometry() -> None:
    state = after_a_surprise(BIRTH, 0.9)
    state.store.center[_MOVED, 2, m.MASS] = 0.6  # of points that were rather of other centers
    assert far(state) > 0.1


def test_of_a_birth_only_the_new_center_waits() -> None:
    state = after_a_surprise(BIRTH, 0.999)
    x = state.store
    x.slot[_MOVED, m.MEMORY : m.MEMORY + m.N_WEIGHTS] = np.eye(m.N_WEIGHTS)[0]  # uniform
    part = trust(0.0, 0.0) / (2.0 + trust(0.0, 0.0))
    for later in range(3):
        x.work[m.AGE] = _T + 1.0 + later
        assert far(state) == pytest.approx(0.999 * part, rel=0.05)
    x.center[_MOVED, 2, m.MASS] = 0.9  # a point that was probably of it
    assert far(state) == pytest.approx(0.999 / 3, rel=0.01)


def test_where_all_moved_they_make_the_law() -> None:
    state = after_a_surprise(FRESH, 1.0 - 1e-16)
    state.store.slot[0, m.LOG_WEIGHT] = m.EMPTY
    assert far(state) == pytest.approx(1.0)


@pytest.mark.parametrize("visits", [0.0, 1.0])
def test_a_center_that_nobody_visited_is_buried_as_a_stray(visits: float) -> None:
    state = after_a_surprise(BIRTH, 0.5, strays=1.5)
    x = state.store
    x.center[_MOVED, 2, m.MASS] = visits
    bury_inplace(x, _MOVED, _T + 25)
    assert (x.slot[_MOVED, m.N_CENTERS], x.slot[_MOVED, m.MOVES]) == (3.0, 1.0)
    bury_inplace(x, _MOVED, _T + 26)
    assert (x.slot[_MOVED, m.N_CENTERS], x.slot[_MOVED, m.MOVES]) == (2.0, visits)
    assert x.slot[_MOVED, m.STRAYS] == 2.5 - visits
