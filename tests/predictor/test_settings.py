"""Settings of `QuasiBayes`: each rule has its message; what passes becomes plain numbers."""

import json
from typing import Any

import numpy as np
import pytest

from driftlaw import Constant, Power, QuasiBayes, SqrtLog
from driftlaw.errors import InputError, SavedStateError
from driftlaw.predictor import QuasiBayesConfig

GOOD: dict[str, Any] = {"dim": 2, "radius": 5.0}

BAD: list[tuple[dict[str, Any], str]] = [
    ({"dim": 0}, "dim must be a whole number >= 1, got 0"),
    ({"dim": 2.0}, "dim must be a whole number >= 1, got 2.0"),
    ({"dim": True}, "dim must be a whole number >= 1, got True"),
    ({"radius": 0.0}, "radius must be finite and > 0, got 0.0"),
    ({"radius": -1.0}, "radius must be finite and > 0, got -1.0"),
    ({"radius": np.nan}, "radius must be finite and > 0, got nan"),
    ({"radius": np.inf}, "radius must be finite and > 0, got inf"),
    ({"radius": None}, "radius must be a number, got None"),
    ({"radius": [1.0, 2.0]}, "radius must be a number, got [1.0, 2.0]"),
    ({"center": [0.0]}, "center must be (2,), got (1,)"),
    ({"center": [0.0, np.nan]}, "center must be finite, got nan at index 1"),
    ({"center": "ab"}, "center must hold real numbers, got 'ab'"),
    ({"max_centers": 0}, "max_centers must be a whole number >= 1, got 0"),
    ({"max_centers": 2.5}, "max_centers must be a whole number >= 1, got 2.5"),
    ({"eta": -0.1}, "eta must be finite and >= 0, got -0.1"),
    ({"eta": np.nan}, "eta must be finite and >= 0, got nan"),
    ({"schedule": 0.1}, "schedule must be callable, got 0.1"),
    ({"sampler": "gibbs"}, "sampler must be one of local, paper, paper-symmetric, got 'gibbs'"),
    ({"sampler": None}, "sampler must be one of local, paper, paper-symmetric, got None"),
    ({"kernel": "box"}, "kernel must be one of gibbs, gaussian, adaptive, got 'box'"),
    ({"weights": "equal"}, "weights must be one of uniform, occupancy, got 'equal'"),
    ({"kernel": "gaussian"}, "scale must be given when kernel is 'gaussian', got None"),
    ({"scale": 1.0}, "scale belongs to kernel 'gaussian', got kernel 'gibbs'"),
    ({"kernel": "gaussian", "scale": 0.0}, "scale must be finite and > 0, got 0.0"),
    ({"restart_every": 0}, "restart_every must be a whole number >= 1, got 0"),
    ({"restart_every": 1.5}, "restart_every must be a whole number >= 1, got 1.5"),
    ({"restart_at": (5, 5)}, "restart_at must increase, got (5, 5)"),
    ({"restart_at": (5, 3)}, "restart_at must increase, got (5, 3)"),
    ({"restart_at": (0, 3)}, "restart_at must be a whole number >= 1, got 0"),
    ({"restart_at": 5}, "restart_at must be a tuple, got 5"),
    (
        {"restart_every": 5, "restart_at": np.array([5, 9])},
        "restart_every and restart_at exclude each other, got 5 and (5, 9)",
    ),
    ({"n_iterations": 0}, "n_iterations must be a whole number >= 1, got 0"),
    ({"burn_in": 1}, "burn_in must be < 1, or nothing is kept, got 1.0"),
    ({"burn_in": -0.1}, "burn_in must be in [0, 1], got -0.1"),
    ({"burn_in": np.nan}, "burn_in must be in [0, 1], got nan"),
    ({"n_configurations": 0}, "n_configurations must be a whole number >= 1, got 0"),
    ({"n_chains": 0}, "n_chains must be a whole number >= 1, got 0"),
    ({"n_chains": 3}, "n_configurations must be a multiple of n_chains (3), got 10"),
    (
        {"n_iterations": 8},
        "n_configurations must be at most the 6 iterations after burn-in, got 10",
    ),
    (
        {"sampler": "paper-symmetric", "max_centers": 11},
        "max_centers must be <= 10 for sampler 'paper-symmetric', got 11",
    ),
    ({"rng": -1}, "rng must be a seed >= 0 or a numpy Generator, got -1"),
    ({"rng": "seed"}, "rng must be a seed >= 0 or a numpy Generator, got 'seed'"),
]


@pytest.mark.parametrize(("bad", "message"), BAD, ids=[str(bad) for bad, _ in BAD])
def test_each_rule_has_its_message(bad: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        QuasiBayes(**(GOOD | bad))
    assert str(caught.value) == message


def test_numbers_become_plain() -> None:
    config = QuasiBayesConfig(
        dim=np.int64(2),  # type: ignore[arg-type]
        radius=np.float32(0.5),  # type: ignore[arg-type]
        max_centers=np.int32(3),  # type: ignore[arg-type]
        eta=1,
        restart_at=np.array([3, 9]),  # type: ignore[arg-type]
        n_iterations=np.int64(50),  # type: ignore[arg-type]
        burn_in=np.float64(0.5),
        kernel="gaussian",
        scale=2,
    )
    assert config.restart_at == (3, 9)
    assert isinstance(config.eta, float)
    record = json.loads(json.dumps(config.to_dict()))
    assert QuasiBayesConfig.from_dict(record, None) == config


@pytest.mark.parametrize("schedule", [SqrtLog(0.3), Power(1.5, 0.2), Constant(0.0)])
def test_schedules_survive_json(schedule: Any) -> None:
    config = QuasiBayesConfig(**GOOD, schedule=schedule)
    record = json.loads(json.dumps(config.to_dict()))
    assert QuasiBayesConfig.from_dict(record, None) == config


@pytest.mark.parametrize(
    "change",
    [
        {"schedule": None},
        {"schedule": {}},
        {"schedule": {"name": "Linear", "c": 1.0}},
        {"schedule": {"name": ["Constant"], "c": 1.0}},
        {"schedule": {"name": "Constant", "c": -1.0}},
        {"schedule": {"name": "Constant", "b": 1.0}},
        {"restart_at": 3},
        {"radius": -1.0},
        {"colour": "red"},
        {"dim": None},
    ],
)
def test_damaged_records_are_refused(change: dict[str, Any]) -> None:
    record = QuasiBayesConfig(**GOOD).to_dict() | change
    with pytest.raises(SavedStateError, match="saved s"):
        QuasiBayesConfig.from_dict(record, None)


@pytest.mark.parametrize(
    ("n_iterations", "burn_in", "burnt"), [(200, 0.25, 50), (7, 0.5, 3), (5, 0.0, 0)]
)
def test_burn_in_is_a_share(n_iterations: int, burn_in: float, burnt: int) -> None:
    config = QuasiBayesConfig(
        **GOOD, n_iterations=n_iterations, burn_in=burn_in, n_configurations=2
    )
    assert (config.n_burn, config.n_kept) == (burnt, n_iterations - burnt)
