"""The generator of compiled code: published words, uniform and normal draws."""

import itertools

import numpy as np
import pytest
from scipy import stats

from driftlaw._validate import Array
from driftlaw._xoshiro import below, fill_normal_inplace, next_word, uniform
from tests.referee import FALSE_ALARM, counts_pvalue, no_alarm, random_state

# First words of xoshiro256++ from the state (1, 2, 3, 4), as its authors' C code gives them.
REFERENCE = [
    41943041,
    58720359,
    3588806011781223,
    3591011842654386,
    9228616714210784205,
    9973669472204895162,
    14011001112246962877,
    12406186145184390807,
    15849039046786891736,
    10450023813501588000,
]


def _words_in_python(state: list[int], n: int) -> list[int]:
    """Recur as published, with whole numbers modulo 2**64."""
    mask = 2**64 - 1

    def rotated(x: int, by: int) -> int:
        return ((x << by) | (x >> (64 - by))) & mask

    words = []
    for _ in range(n):
        words.append((rotated((state[0] + state[3]) & mask, 23) + state[0]) & mask)
        shifted = (state[1] << 17) & mask
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] ^= shifted
        state[3] = rotated(state[3], 45)
    return words


def test_published_words() -> None:
    state = np.arange(1, 5, dtype=np.uint64)
    assert [int(next_word(state)) for _ in REFERENCE] == REFERENCE


def test_words_of_a_large_state_and_the_state_they_leave() -> None:
    state = random_state(3)
    plain = [int(word) for word in state]
    assert [int(next_word(state)) for _ in range(1000)] == _words_in_python(plain, 1000)
    assert [int(word) for word in state] == plain


def test_uniform_is_uniform_and_never_zero() -> None:
    state = random_state(1)
    draws = np.array([uniform(state) for _ in range(20_000)])
    assert draws.min() > 0.0
    assert draws.max() <= 1.0
    assert stats.kstest(draws, "uniform").pvalue > FALSE_ALARM
    pairs, *_ = np.histogram2d(draws[:-1:2], draws[1::2], bins=8, range=[[0, 1], [0, 1]])
    assert counts_pvalue(pairs.ravel(), np.ones(64)) > FALSE_ALARM


def test_uniform_at_the_ends_of_the_words() -> None:
    # the word is rotl(s0 + s3, 23) + s0: all zeros from zeros, all ones from s3 = 2**64 - 1
    lowest, highest = np.zeros(4, dtype=np.uint64), np.array([0, 0, 0, 2**64 - 1], dtype=np.uint64)
    assert uniform(lowest.copy()) == 2.0**-54
    assert uniform(highest.copy()) == 1.0
    assert [below(highest.copy(), n) for n in (1, 2, 7)] == [0, 1, 6]


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_below_is_uniform_on_whole_numbers(n: int) -> None:
    state = random_state(n)
    counts = np.bincount([below(state, n) for _ in range(7000)], minlength=n)
    assert len(counts) == n
    assert n == 1 or counts_pvalue(counts, np.ones(n)) > FALSE_ALARM


def _normals(dim: int, n: int) -> Array:
    state, out = random_state(10 + dim), np.empty((n, dim))
    for row in out:
        fill_normal_inplace(state, row)
    return out


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_normals_are_standard_and_independent(dim: int) -> None:
    draws = _normals(dim, 20_000)
    pvalues = [float(stats.kstest(column, "norm").pvalue) for column in draws.T]
    pvalues += [
        float(stats.pearsonr(draws[:, i], draws[:, j]).pvalue)
        for i, j in itertools.combinations(range(dim), 2)
    ]
    radius = (draws**2).sum(axis=1)
    pvalues.append(float(stats.kstest(radius, stats.chi2(dim).cdf).pvalue))
    assert no_alarm(pvalues)
