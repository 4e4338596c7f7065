"""What every predictor promises, asked of every predictor in the list."""

import copy
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil
import pytest

from driftlaw import Adaptive, Constant, Power, QuasiBayes, load
from driftlaw._validate import Array
from driftlaw.errors import InputError

Predictor = Any  # whatever has dim, n_seen, predict, learn_one, learn_many, save
Make = Callable[..., Predictor]  # make(dim=..., rng=...)


class Case(NamedTuple):
    """A way to make a predictor, whether its memory is bounded, whether it draws numbers."""

    make: Make
    is_bounded: bool
    is_random: bool = True


_quasi = partial(QuasiBayes, radius=4.0, n_iterations=40, n_configurations=6)
CASES = {
    "local, gibbs, vanilla": Case(partial(_quasi, schedule=Power(1.0, 0.25)), False),
    "local, gibbs, occupancy, restarted": Case(
        partial(_quasi, weights="occupancy", restart_every=7), True
    ),
    "local, adaptive, restarted, two chains": Case(
        partial(
            _quasi,
            kernel="adaptive",
            weights="occupancy",
            schedule=Constant(1.0),
            restart_every=12,
            n_chains=2,
        ),
        True,
    ),
    "local, gaussian, restarted at": Case(
        partial(_quasi, kernel="gaussian", scale=0.5, restart_at=(3, 4, 21)), False
    ),
    "paper, gibbs, restarted, two chains": Case(
        partial(_quasi, sampler="paper", restart_every=9, n_chains=2), True
    ),
    "paper-symmetric, adaptive": Case(
        partial(_quasi, sampler="paper-symmetric", kernel="adaptive", schedule=Constant(0.7)),
        False,
    ),
    # bounded, but too slow for the long test here; its own tests look at the size of its state
    "adaptive": Case(Adaptive, False, is_random=False),
}
EACH = pytest.mark.parametrize("make", [c.make for c in CASES.values()], ids=list(CASES))
DIMS = pytest.mark.parametrize("dim", [1, 2, 5])
N = 40


def stream(dim: int, n: int = N, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.normal(np.where(rng.random((n, 1)) < 0.5, -1.5, 1.5), 0.5, (n, dim)))


@pytest.fixture
def state(tmp_path: Path) -> Callable[[Predictor], bytes]:
    """Return all that a predictor would write: equal bytes, equal predictors."""

    def read(predictor: Predictor) -> bytes:
        predictor.save(tmp_path / "state.npz")
        return (tmp_path / "state.npz").read_bytes()

    return read


State = Callable[[Predictor], bytes]


@EACH
@DIMS
def test_predict_is_pure(make: Make, dim: int, state: State) -> None:
    p = make(dim=dim, rng=0)
    for z in stream(dim, 25):  # the windows of `Adaptive` speak from the twentieth on
        before = state(p)
        first, second = p.predict(), p.predict()
        assert first.dim == dim
        assert first.to_dict() == second.to_dict()
        assert first.sample(3, rng=1).tolist() == second.sample(3, rng=1).tolist()
        assert state(p) == before
        p.learn_one(z)
    twin = make(dim=dim, rng=0)
    twin.learn_many(stream(dim, 25))  # never asked for a prediction
    assert state(twin) == state(p)


@EACH
@DIMS
def test_nothing_is_shared_with_the_caller(make: Make, dim: int, state: State) -> None:
    p, twin = make(dim=dim, rng=0), make(dim=dim, rng=0)
    laws, records = [], []
    for z in stream(dim, 24):
        given = z.copy()
        p.learn_one(given)
        twin.learn_one(z)
        given[...] = 1e9
        laws.append(p.predict())
        records.append(laws[-1].to_dict())
    batch = stream(dim, 8, seed=1)
    given = batch.copy(order="F")
    history = p.learn_many(given)
    given[...] = -1e9
    for array in history:
        if isinstance(array, np.ndarray):
            array[...] = 0
    twin.learn_many(batch)
    assert state(p) == state(twin)
    assert [law.to_dict() for law in laws] == records  # old laws stay as they were


@EACH
@DIMS
@pytest.mark.parametrize("sizes", [(N,), (1, N - 1), (13, 1, 6, 20)])
def test_many_is_the_loop_of_one(
    make: Make, dim: int, sizes: tuple[int, ...], state: State
) -> None:
    points = stream(dim)
    one, many = make(dim=dim, rng=3), make(dim=dim, rng=3)
    infos = [one.learn_one(z) for z in points]
    histories = [many.learn_many(part) for part in np.split(points, np.cumsum(sizes)[:-1])]
    assert state(one) == state(many)
    assert one.predict().to_dict() == many.predict().to_dict()
    assert one.n_seen == many.n_seen == N
    for name in infos[0]._fields:
        if name != "acceptance":
            wanted = [getattr(info, name) for info in infos]
            np.testing.assert_array_equal(
                np.concatenate([getattr(h, name) for h in histories]), wanted
            )


@EACH
@DIMS
def test_save_and_load_resume_bit_for_bit(
    make: Make, dim: int, state: State, tmp_path: Path
) -> None:
    points = stream(dim, 35)
    for stop in (0, 1, 20):
        p = make(dim=dim, rng=1)
        for z in points[:stop]:
            p.learn_one(z)
        p.save(tmp_path / "saved")
        again = load(tmp_path / "saved")
        assert type(again) is type(p)
        assert again.n_seen == stop
        assert state(again) == state(p)
        assert again.predict().to_dict() == p.predict().to_dict()
        for z in points[stop : stop + 15]:
            here, there = p.learn_one(z), again.learn_one(z)
            assert repr(here) == repr(there)  # NaN, where a move was not proposed, equals itself
            assert again.predict().to_dict() == p.predict().to_dict()


@pytest.mark.parametrize(
    "make",
    [c.make for c in CASES.values() if c.is_random],
    ids=[name for name, c in CASES.items() if c.is_random],
)
def test_the_seed_decides(make: Make, state: State) -> None:
    points = stream(2, 10)
    found = []
    for rng in (5, 5, np.random.default_rng(5), np.random.SeedSequence(5), 6, None, None):
        p = make(dim=2, rng=rng)
        p.learn_many(points)
        found.append(state(p))
    assert found[0] == found[1] == found[2] == found[3]
    assert len(set(found[3:])) == 4
    shared = np.random.default_rng(5)
    assert state(make(dim=2, rng=shared)) != state(make(dim=2, rng=shared))


@EACH
def test_the_global_generator_is_left_alone(make: Make) -> None:
    before = str(np.random.get_state())  # noqa: NPY002 - to see that nobody used it
    make(dim=2, rng=0).learn_many(stream(2, 5))
    assert str(np.random.get_state()) == before  # noqa: NPY002


@EACH
def test_a_copy_goes_its_own_way(make: Make, state: State) -> None:
    p = make(dim=2, rng=0)
    p.learn_many(stream(2, 8))
    twin = copy.deepcopy(p)
    before = state(p)
    twin.learn_many(stream(2, 8, seed=1))
    assert state(p) == before
    p.learn_many(stream(2, 8, seed=1))
    assert state(p) == state(twin)


BAD_POINTS: dict[str, Callable[[int], object]] = {
    "nan": lambda d: [np.nan] * d,
    "infinity": lambda d: np.array([0.0] * (d - 1) + [-np.inf]),
    "one coordinate too many": lambda d: np.zeros(d + 1),
    "a row too many": lambda d: np.zeros((2, d)),
    "empty": lambda _: np.array([]),
    "strings": lambda d: ["0"] * d,
    "objects": lambda d: np.array([object()] * d),
    "complex": lambda d: np.zeros(d) + 1j,
    "none": lambda _: None,
    "ragged": lambda _: [[0.0], [0.0, 1.0]],
    "dates": lambda d: np.zeros(d, dtype="datetime64[s]"),
}


@EACH
@pytest.mark.parametrize("dim", [1, 3])
def test_bad_points_change_nothing(make: Make, dim: int, state: State) -> None:
    p = make(dim=dim, rng=0)
    p.learn_many(stream(dim, 5))
    before = state(p)
    for name, bad in BAD_POINTS.items():
        with pytest.raises(InputError, match="z must"):
            p.learn_one(bad(dim))
        assert state(p) == before, name
    batch = stream(dim, 6)
    batch[4, 0] = np.nan
    for bad_batch in (batch, np.zeros((0, dim)), np.zeros((2, dim + 1)), [["a"] * dim], 1j, None):
        with pytest.raises(InputError, match="Z must"):
            p.learn_many(bad_batch)
        assert state(p) == before
    with pytest.raises(InputError, match=r"Z must be finite, got nan at index \(4, 0\)"):
        p.learn_many(batch)


@pytest.mark.parametrize(
    "make",
    [c.make for c in CASES.values() if c.is_bounded],
    ids=[name for name, c in CASES.items() if c.is_bounded],
)
def test_memory_does_not_grow_with_the_stream(make: Make) -> None:
    p = make(dim=2, rng=0)
    points = stream(2, 500)
    for _ in range(2):
        p.learn_many(points)
    size = len(pickle.dumps(p))  # every array it holds, spare room included
    resident = psutil.Process().memory_info().rss
    for _ in range(18):
        p.learn_many(points)
    assert p.n_seen == 10_000
    assert len(pickle.dumps(p)) < size + 64  # a number for each observation would be 72 000
    assert psutil.Process().memory_info().rss < resident + 2**22
