"""Episodes against what was put into the stream, in bounded memory, and across a checkpoint."""

from collections.abc import Iterator

import numpy as np
import pytest

from driftlaw._validate import Array
from driftlaw.live.episodes import Episode, Episodes
from tests.memory_growth import kept_bytes


def _fed(x: Array, rings: set[int], episodes: Episodes | None = None, begin: int = 0) -> Episodes:
    episodes = Episodes(x.shape[1]) if episodes is None else episodes
    for n in range(begin + 1, len(x) + 1):
        episodes.add(n, str(n), x[n - 1], n in rings)
    return episodes


def test_middles_and_ranges_are_those_of_the_values_around() -> None:
    x = np.random.default_rng(0).normal(size=(300, 2))
    x[150:, 1] *= 5.0
    (episode,) = _fed(x, {160, 170}).found(300)
    assert (episode.start, episode.end, episode.n_alarms) == (160, 170, 2)
    before, after = x[99:139], x[170:210]
    for side, values in ((episode.before, before), (episode.after, after)):
        low, middle, high = np.quantile(values, (0.25, 0.5, 0.75), axis=0)
        np.testing.assert_allclose(side, [middle, high - low])
    assert episode.is_lasting
    assert episode.ratios[1] > 2.0
    assert abs(episode.shifts).max() < 0.6


@pytest.mark.parametrize("n_after", [0, 1, 4, 5, 39, 40, 60])
def test_of_fewer_than_forty_values_nothing_is_claimed(n_after: int) -> None:
    n = 105 + n_after
    x = np.concatenate([np.zeros(104), np.full(n - 104, 50.0)])[:, None]
    episodes = _fed(x, {105})
    (episode,) = episodes.found(n)
    assert episode.n_after == min(n_after, 40)
    is_early = n_after < 40
    assert (episode.is_early, episode.is_lasting) == (is_early, not is_early)
    assert (episodes.n_lasting, episodes.n_unknown) == (int(not is_early), int(is_early))
    # what has come so far is told, once there are a few
    np.testing.assert_array_equal(episode.after[0], 50.0 if n_after >= 5 else np.nan)


def test_what_is_not_known_yet_has_not_passed() -> None:
    x = np.random.default_rng(6).normal(size=(300, 1))
    latest = _fed(x[:104], {101})
    assert (latest.n_lasting, latest.n_unknown) == (0, 1)
    first = _fed(x, {12})  # before which there was next to nothing
    assert (first.n_lasting, first.n_unknown) == (0, 1)
    passed = _fed(x, {150})
    assert (passed.n_lasting, passed.n_unknown) == (0, 0)


def test_size_is_told_by_a_column_that_has_changed() -> None:
    before, after = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[0.7, 0.0], [1.0, 1.9]])
    episode = Episode(100, 100, "", "", 1, before, after)
    assert episode.is_lasting
    assert (
        np.argmax(episode.sizes) == 0
    )  # moved by more than chance; the other is not twice as wide


def test_a_constant_stream_has_no_size_and_a_jump_of_one_has() -> None:
    still = _fed(np.zeros((200, 1)), {100}).found(200)[0]
    assert not still.is_lasting
    assert still.sizes.tolist() == [0.0]
    jump = _fed(np.repeat([[0.0], [2.0]], 100, axis=0), {101}).found(200)[0]
    assert jump.is_lasting
    assert np.isinf(jump.sizes[0])


def test_few_false_differences_on_noise() -> None:
    x = np.random.default_rng(3).normal(size=(20_000, 1))
    episodes = _fed(x, set(range(100, 20_000, 100)))
    assert episodes.n_all == 199
    # thresholds of three standard errors, two of them, on heavy use of approximations
    assert episodes.n_lasting <= 8


@pytest.mark.parametrize("cut", [105, 130, 180])
def test_a_saved_state_goes_on_as_if_it_had_not_stopped(cut: int) -> None:
    x = np.random.default_rng(4).normal(size=(260, 2))
    x[100:] += 6.0
    rings = {50, 104, 120, 220}
    whole = _fed(x, rings)
    again = Episodes(2)
    again.restore(_fed(x[:cut], rings).state())
    _fed(x, rings, again, cut)
    assert again.n_all == whole.n_all
    assert again.n_lasting == whole.n_lasting
    assert again.n_unknown == whole.n_unknown
    for one, other in zip(again.found(260), whole.found(260), strict=True):
        assert one[:5] == other[:5]
        np.testing.assert_array_equal(one.before, other.before)
        np.testing.assert_array_equal(one.after, other.after)


def test_memory_is_bounded_and_the_largest_are_kept() -> None:
    rng, episodes = np.random.default_rng(5), Episodes(1)

    def feed() -> Iterator[int]:
        n = 0
        while True:
            n += 1
            level = 50.0 if 3000 < n <= 3100 else 0.0
            episodes.add(n, "", level + rng.normal(size=1), n % 100 == 5)
            yield n

    assert kept_bytes(feed(), 22_000, 22_000) < 100_000
    assert {3005, 3105} <= {e.start for e in episodes.found(44_050)}
    assert episodes.n_all > 400
