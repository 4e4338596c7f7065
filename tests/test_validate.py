"""The checks at the doors: what passes, what is refused, and what the message says."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from driftlaw import _validate as check
from driftlaw.errors import InputError, MissingExtraError, SavedStateError

FINITE = st.floats(allow_nan=False, allow_infinity=False)


class TestNumbers:
    @given(st.floats(min_value=1e-300, max_value=1e300))
    def test_positive_passes(self, value: float) -> None:
        assert check.check_positive("radius", value) == value

    @pytest.mark.parametrize("bad", [0, 0.0, -1.0, math.nan, math.inf, -math.inf, None, "x", [1]])
    def test_positive_refuses(self, bad: object) -> None:
        with pytest.raises(InputError, match="radius must be"):
            check.check_positive("radius", bad)  # type: ignore[arg-type]

    @pytest.mark.parametrize("bad", [-1e-300, math.nan, math.inf, None])
    def test_nonnegative_refuses(self, bad: object) -> None:
        with pytest.raises(InputError, match="eta must be"):
            check.check_nonnegative("eta", bad)  # type: ignore[arg-type]

    def test_nonnegative_passes_zero_and_numpy_scalars(self) -> None:
        assert check.check_nonnegative("eta", 0) == 0.0
        assert type(check.check_nonnegative("eta", np.float64(0.5))) is float

    @pytest.mark.parametrize("good", [0, 0.25, 1])
    def test_fraction_passes(self, good: float) -> None:
        assert check.check_fraction("level", good) == good

    @pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan, "half"])
    def test_fraction_refuses(self, bad: object) -> None:
        with pytest.raises(InputError, match="level must be"):
            check.check_fraction("level", bad)  # type: ignore[arg-type]

    def test_the_message_names_argument_rule_and_value(self) -> None:
        with pytest.raises(InputError, match=r"^radius must be finite and > 0, got -0\.1$"):
            check.check_positive("radius", -0.1)


class TestCounts:
    @pytest.mark.parametrize("good", [1, 5, np.int32(3)])
    def test_passes(self, good: int) -> None:
        found = check.check_count("n", good)
        assert found == good
        assert type(found) is int

    @pytest.mark.parametrize("bad", [0, -1, 2.0, True, np.True_, "3", None, math.nan])
    def test_refuses(self, bad: object) -> None:
        with pytest.raises(InputError, match="n must be a whole number >= 1, got"):
            check.check_count("n", bad)  # type: ignore[arg-type]

    def test_least(self) -> None:
        assert check.check_count("n", 0, least=0) == 0
        with pytest.raises(InputError, match="n must be a whole number >= 4, got 3"):
            check.check_count("n", 3, least=4)

    def test_choice(self) -> None:
        assert check.check_choice("kernel", "a", ("a", "b")) == "a"
        with pytest.raises(InputError, match="kernel must be one of a, b, got 'c'"):
            check.check_choice("kernel", "c", ("a", "b"))


class TestPoints:
    @given(hnp.arrays(float, (3,), elements=FINITE))
    def test_a_point_is_copied(self, point: check.Array) -> None:
        found = check.check_point("z", point, 3)
        np.testing.assert_array_equal(found, point)
        assert not np.shares_memory(found, point)

    def test_a_scalar_will_do_in_one_dimension(self) -> None:
        assert check.check_point("z", 2, 1).tolist() == [2.0]
        with pytest.raises(InputError, match=r"z must be \(2,\), got \(\)"):
            check.check_point("z", 2.0, 2)

    @pytest.mark.parametrize("shape", [(1,), (3,), (2, 2), (0,), (1, 2)])
    def test_a_point_of_another_shape(self, shape: tuple[int, ...]) -> None:
        with pytest.raises(InputError, match=r"z must be \(2,\), got \("):
            check.check_point("z", np.zeros(shape), 2)

    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
    def test_the_first_bad_entry_is_named(self, bad: float) -> None:
        with pytest.raises(InputError, match=r"Z must be finite, got .* at index \(1, 0\)"):
            check.check_points("Z", [[0.0, 1.0], [bad, bad]])
        with pytest.raises(InputError, match=r"z must be finite, got .* at index 1"):
            check.check_point("z", [0.0, bad], 2)
        with pytest.raises(InputError, match=r"z must be finite, got .* at the only value"):
            check.check_point("z", bad, 1)

    @pytest.mark.parametrize(
        "bad", ["abc", ["a"], [1j], [None], [[1.0], [1.0, 2.0]], [np.datetime64("2020-01-01")]]
    )
    def test_what_is_not_real_numbers(self, bad: object) -> None:
        with pytest.raises(InputError, match="Z must"):
            check.check_points("Z", bad)  # type: ignore[arg-type]

    def test_whole_numbers_and_booleans_become_floats(self) -> None:
        assert check.check_points("Z", [[1, 2]]).dtype == np.float64
        assert check.check_points("Z", [[True, False]]).tolist() == [[1.0, 0.0]]

    def test_a_flat_array_is_a_column_where_that_is_clear(self) -> None:
        assert check.check_points("Z", [1.0, 2.0]).shape == (2, 1)
        assert check.check_points("Z", [1.0, 2.0], 1).shape == (2, 1)
        with pytest.raises(InputError, match=r"Z must be \(n, 2\), got \(2,\)"):
            check.check_points("Z", [1.0, 2.0], 2)

    @pytest.mark.parametrize("shape", [(0, 2), (2, 0), (2, 3), (2, 2, 2), ()])
    def test_points_of_another_shape(self, shape: tuple[int, ...]) -> None:
        with pytest.raises(InputError, match=r"Z must be \(n, 2\)"):
            check.check_points("Z", np.zeros(shape), 2)


class TestWeights:
    def test_uniform_by_default(self) -> None:
        assert check.check_weights("weights", None, 4).tolist() == [0.25] * 4

    @given(hnp.arrays(float, (3,), elements=st.floats(0.01, 1e6)))
    def test_they_sum_to_one_in_proportion(self, weights: check.Array) -> None:
        found = check.check_weights("weights", weights, 3)
        assert found.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(found * weights.sum(), weights)

    @pytest.mark.parametrize("bad", [[0.0, 0.0], [1.0, -1.0], [1.0], [1.0, math.nan], [[0.5, 0.5]]])
    def test_refuses(self, bad: list[float]) -> None:
        with pytest.raises(InputError, match="weights must be"):
            check.check_weights("weights", bad, 2)


class TestRequire:
    def test_brings_the_module(self) -> None:
        assert check.require("math", "plot") is math

    def test_names_the_extra(self) -> None:
        with pytest.raises(MissingExtraError, match=r"pip install 'driftlaw\[plot\]'"):
            check.require("a_module_that_is_not_there", "plot")

    def test_a_foreign_warning_is_not_ours(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        (tmp_path / "warns_at_import.py").write_text(
            "import warnings\nwarnings.warn('old', DeprecationWarning)\nvalue = 3\n"
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, "warns_at_import", raising=False)
        assert check.require("warns_at_import", "plot").value == 3


def test_errors_are_the_builtin_ones_too() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(SavedStateError, InputError)
    assert issubclass(MissingExtraError, ImportError)


@pytest.mark.parametrize("value", ["5", b"5", True, np.True_, 10**400, None])
def test_what_only_looks_like_a_number_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="radius must be a number"):
        check.check_positive("radius", value)  # type: ignore[arg-type]


def test_a_choice_is_one_word() -> None:
    with pytest.raises(InputError, match="sampler must be one of"):
        check.check_choice("sampler", np.array(["local", "paper"]), ("local", "paper"))  # type: ignore[arg-type]


def test_masked_values_are_refused() -> None:
    with pytest.raises(InputError, match="masked"):
        check.check_point("z", np.ma.masked_array([1.0, 2.0], mask=[False, True]), 2)


def test_huge_weights_are_scaled_without_overflow() -> None:
    assert check.check_weights("weights", [1e308, 1e308], 2).tolist() == [0.5, 0.5]
