"""Seeds and generators at the doors."""

import numpy as np
import pytest

from driftlaw._rng import as_generator, as_seed, child_seed, compiled_states
from driftlaw.errors import InputError


def test_a_seed_gives_numpys_generator() -> None:
    assert as_generator(7).normal() == np.random.default_rng(7).normal()


def test_a_generator_passes_through() -> None:
    rng = np.random.default_rng(0)
    assert as_generator(rng) is rng


def test_none_differs_from_call_to_call() -> None:
    assert as_generator(None).integers(2**62) != as_generator(None).integers(2**62)
    assert as_seed(None).entropy != as_seed(None).entropy


@pytest.mark.parametrize("bad", [-1, "seed", 1.5])
def test_what_is_no_seed_is_refused(bad: object) -> None:
    with pytest.raises(InputError, match="rng must be a seed >= 0 or a numpy Generator"):
        as_generator(bad)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="rng must be a seed >= 0 or a numpy Generator"):
        as_seed(bad)  # type: ignore[arg-type]


def test_compiled_states_differ_and_are_never_all_zero() -> None:
    states = compiled_states(np.random.default_rng(0), 1000)
    assert states.shape == (1000, 4)
    assert states.dtype == np.uint64
    assert len(np.unique(states)) == 4000
    assert (states > 0).all()
    np.testing.assert_array_equal(states, compiled_states(np.random.default_rng(0), 1000))


def test_a_stored_seed_starts_the_same_again() -> None:
    seed = as_seed(5)
    assert as_generator(seed).normal() == as_generator(seed).normal()
    assert as_generator(seed).normal() == np.random.default_rng(5).normal()
    assert as_seed(seed) is seed


def test_a_generator_gives_a_new_seed_each_time() -> None:
    rng = np.random.default_rng(0)
    assert as_seed(rng).entropy != as_seed(rng).entropy


def test_children_are_a_function_of_seed_and_key() -> None:
    seed = as_seed(5)
    first, again = child_seed(seed, 1, 2), child_seed(seed, 1, 2)
    assert seed.n_children_spawned == 0
    np.testing.assert_array_equal(first.generate_state(4), again.generate_state(4))
    others = [child_seed(seed, 2, 1), child_seed(seed, 1), child_seed(as_seed(6), 1, 2), seed]
    for other in others:
        assert (first.generate_state(4) != other.generate_state(4)).any()
    nested = child_seed(child_seed(seed, 1), 2)
    np.testing.assert_array_equal(first.generate_state(4), nested.generate_state(4))
    np.testing.assert_array_equal(
        child_seed(seed, 0).generate_state(4),
        np.random.SeedSequence(5).spawn(1)[0].generate_state(4),
    )
