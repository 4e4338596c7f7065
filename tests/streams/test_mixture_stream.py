"""Streams: draws follow the law they report, come again the same, and leave nothing behind."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import stats

from driftlaw import streams
from driftlaw.errors import InputError
from driftlaw.streams import MixtureStream, RandomWalk, Rotation, Step, Stream
from tests.memory_growth import kept_bytes

FALSE_ALARM = 1e-3
N_SEEDS, N_STEPS = 150, 13

Make = Callable[[], MixtureStream]

# Every world moves fast enough for a dozen steps to matter.
WORLDS: dict[str, Make] = {
    "stationary": lambda: streams.stationary(dim=3, rng=1),
    "smooth_drift": lambda: streams.smooth_drift(step=0.5, rng=1),
    "abrupt_shift": lambda: streams.abrupt_shift(n_steps=N_STEPS, exponent=0.5, rng=1),
    "weight_drift": lambda: streams.weight_drift(amplitude=1.0, period=20, rng=1),
    "birth_death": lambda: streams.birth_death(dim=1, block=3, rng=1),
    "rotation": lambda: streams.rotation(angle=0.3, dim=3, rng=1),
    "variance_change": lambda: streams.variance_change(ratio=16, block=4, rng=1),
    "breathing": lambda: streams.variance_change(ratio=16, block=4, smooth=True, rng=1),
    "heavy_tails": lambda: streams.heavy_tails(df=1.5, step=0.5, rng=1),
    "mean_reverting": lambda: streams.mean_reverting(spread=3, memory=5, dim=2, rng=1),
    "random_walk": lambda: streams.random_walk(step=1.0, dim=1, rng=1),
    "shapes": lambda: MixtureStream(
        centers=RandomWalk([[0.0, 0.0], [4.0, 0.0]], 0.5, rng=3),
        weights=[0.3, 0.7],
        scales=Rotation([[[2.0, 0.0], [0.5, 0.2]]] * 2, 0.2),
        df=[np.inf, 4.0],
        rng=1,
    ),
}
MOVING = sorted(set(WORLDS) - {"stationary"})


@cache
def draws(name: str) -> np.ndarray:
    """Clean points (N_STEPS, N_SEEDS, d) of one world under many seeds of the draws."""
    stream = WORLDS[name]()
    runs = [
        [step.clean for step in itertools.islice(replace(stream, rng=10_000 + seed), N_STEPS)]
        for seed in range(N_SEEDS)
    ]
    return np.array(runs).swapaxes(0, 1)


def transforms(stream: MixtureStream, points: np.ndarray, lag: int = 0) -> np.ndarray:
    """Apply F_t to a projection of the points of step t: uniform if law_at(t) is their law."""
    direction = np.cos(np.arange(1.0, stream.dim + 1))
    direction /= np.linalg.norm(direction)
    rows = [
        stream.law_at(t + lag).project(direction).cdf(points[t] @ direction) for t in range(N_STEPS)
    ]
    return np.array(rows)


@pytest.mark.parametrize("name", sorted(WORLDS))
def test_draws_follow_the_law_of_their_step(name: str) -> None:
    stream = WORLDS[name]()
    uniforms = transforms(stream, draws(name))
    level = FALSE_ALARM / (N_STEPS + 1)
    p_values = [stats.kstest(row, "uniform").pvalue for row in (uniforms.ravel(), *uniforms)]
    assert min(p_values) > level
    # Independent from step to step, once the moving law is taken away.
    scores = stats.norm.ppf(np.clip(uniforms, 1e-12, 1 - 1e-12))
    products = (scores[1:] * scores[:-1]).ravel()
    assert abs(products.mean()) < stats.norm.isf(FALSE_ALARM / 2) * products.std() / np.sqrt(
        products.size
    )


@pytest.mark.parametrize("name", MOVING)
def test_the_law_of_another_step_is_noticed(name: str) -> None:
    """The same test must fail when the law lags, or it could not see a wrong law at all."""
    stream = WORLDS[name]()
    uniforms = transforms(stream, draws(name), lag=4)
    p_values = [stats.kstest(row, "uniform").pvalue for row in (uniforms.ravel(), *uniforms)]
    assert min(p_values) < FALSE_ALARM / (N_STEPS + 1)


def test_law_at_is_the_mixture_of_its_parameters() -> None:
    """Against SciPy's components, weighted by hand."""
    stream = WORLDS["shapes"]()
    t, x = 7, np.array([1.0, -0.5])
    centers, factors = stream.centers_at(t), stream.scales_at(t)
    shapes = factors @ factors.swapaxes(1, 2)
    density = 0.3 * stats.multivariate_normal(centers[0], shapes[0]).pdf(x)
    density += 0.7 * stats.multivariate_t(centers[1], shapes[1], df=4).pdf(x)
    assert stream.law_at(t).pdf(x) == pytest.approx(density)


@pytest.mark.parametrize("name", sorted(WORLDS))
def test_iterating_twice_gives_the_same_stream(name: str) -> None:
    stream = WORLDS[name]()
    first, second = (list(itertools.islice(stream, 10)) for _ in range(2))
    again = list(itertools.islice(WORLDS[name](), 10))
    for one, two, three in zip(first, second, again, strict=True):
        assert one.t == two.t
        assert (one.clean == two.clean).all()
        assert (one.clean == three.clean).all()
    other = next(iter(replace(stream, rng=99)))
    assert (other.clean != first[0].clean).all()


def test_two_readers_do_not_disturb_each_other() -> None:
    stream = WORLDS["mean_reverting"]()
    alone = [step.clean for step in itertools.islice(stream, 8)]
    one, two = iter(stream), iter(stream)
    woven = [(next(one).clean, next(two).clean, stream.law_at(400))[:2] for _ in range(8)]
    assert all((a == x).all() and (b == x).all() for (a, b), x in zip(woven, alone, strict=True))


@pytest.mark.parametrize("name", sorted(WORLDS))
def test_every_world_is_a_stream(name: str) -> None:
    stream = WORLDS[name]()
    assert isinstance(stream, Stream)
    step = next(iter(stream))
    assert isinstance(step, Step)
    assert step.clean.shape == (stream.dim,)
    assert step.observed is step.clean
    assert not step.corrupted
    with pytest.raises(ValueError, match="read-only"):
        step.clean[0] = 0.0


def test_length_is_what_was_asked_for() -> None:
    assert [step.t for step in streams.stationary(n_steps=4, rng=0)] == [0, 1, 2, 3]
    endless = streams.stationary(n_steps=None, rng=0)
    assert endless.n_steps is None
    assert next(itertools.islice(endless, 2000, None)).t == 2000


def test_an_endless_stream_leaves_nothing_behind() -> None:
    stream = streams.mean_reverting(n_steps=None, rng=0)
    assert kept_bytes(iter(stream), 600, n_before=600) < 60_000  # 600 kept steps take 120 kB


def test_a_component_without_weight_does_not_exist() -> None:
    stream = MixtureStream(centers=[[0.0], [9.0]], weights=[1.0, 0.0], scales=[1.0, 2.0], rng=0)
    assert len(stream.law_at(0).weights) == 1
    assert stream.law_at(0).scales.tolist() == [1.0]


def test_a_generator_gives_a_new_seed_each_time() -> None:
    rng = np.random.default_rng(0)
    one, two = (streams.stationary(rng=rng, n_steps=1) for _ in range(2))
    assert (next(iter(one)).clean != next(iter(two)).clean).all()
    assert (next(iter(one)).clean == next(iter(one)).clean).all()


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: MixtureStream(centers=[0.0, 1.0]), "centers must be"),
        (lambda: MixtureStream(centers=[[0.0]], weights=[0.5, 0.5]), "weights must be"),
        (lambda: MixtureStream(centers=[[0.0]], scales=[0.0]), "scales must be"),
        (lambda: MixtureStream(centers=[[0.0]], scales=[1.0, 1.0]), "scales must be"),
        (lambda: MixtureStream(centers=[[0.0]], df=1.0), "df must be"),
        (lambda: MixtureStream(centers=[[0.0]], n_steps=0), "n_steps must be"),
        (lambda: MixtureStream(centers=[[np.inf]]), "value must be finite"),
        (lambda: streams.stationary(rng=0).law_at(-1), "t must be"),
        (lambda: streams.rotation(dim=1), "plane must name"),
    ],
)
def test_bad_arguments_are_named(make: object, word: str) -> None:
    assert callable(make)
    with pytest.raises(InputError, match=word):
        make()
