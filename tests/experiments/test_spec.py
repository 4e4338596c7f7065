"""Figures as records: what the paper says is in them, and nothing that is wrong gets in."""

import copy
import json
from typing import Any

import pytest

from driftlaw.errors import InputError
from driftlaw.experiments import SCALES, Claim, Figure, Scale, Sweep, catalogue, select
from driftlaw.experiments.plan import plan, points_of

FIGURES = catalogue()
PAPER = ["main", "abrupt", "one-over-t", "one-over-t2", "sensitivity-window"]


@pytest.mark.parametrize("figure", FIGURES.values(), ids=lambda figure: figure.name)
class TestEveryFigure:
    def test_comes_back_from_json(self, figure: Figure) -> None:
        again = Figure.from_dict(json.loads(json.dumps(figure.to_dict())))
        assert again == figure
        assert again.digest() == figure.digest()

    def test_full_has_twenty_seeds_and_every_scale_is_larger(self, figure: Figure) -> None:
        seeds = [figure.scales[scale].seeds for scale in SCALES]
        assert seeds == sorted(seeds)
        assert seeds[-1] >= 20

    def test_judged_steps_meet_every_age_of_a_segment(self, figure: Figure) -> None:
        for scale in ("quick", "full"):
            for entry in plan(figure, scale, 1):
                every = entry.cell.judge["every"]
                period = entry.cell.predictor.get("restart_every", 1)
                assert len({every * i % period for i in range(period)}) == period

    def test_seed_by_seed_a_part_is_a_smaller_figure(self, figure: Figure) -> None:
        one, two = plan(figure, "smoke", 1), plan(figure, "smoke", 2)
        assert two[: len(one)] == one


def test_paper_order_and_labels() -> None:
    assert list(FIGURES)[:5] == PAPER
    labels = {figure.label for figure in FIGURES.values() if figure.label}
    assert labels == {
        "fig:main-sqrt-average-log",
        "fig:main-abrupt-shift",
        "fig:supp-one-over-t",
        "fig:supp-one-over-t2",
        "fig:supp-sensitivity",
        "fig:supp-abrupt-shift-scaling",
        "fig:real-spy-all",
    }


def _printed(name: str) -> dict[str, Any]:
    entries = plan(FIGURES[name], "full", 1)
    (cell,) = [e.cell for e in entries[:4] if e.series == "restarted, as printed"]
    return {**cell.stream, **cell.predictor}


def test_main_is_the_experiment_of_the_paper() -> None:
    wanted = {
        "n_steps": 500, "eps": 1.0, "probability": 1.0, "step": 0.03, "radius": 5.0,
        "max_centers": 4, "eta": 0.1, "restart_every": 10, "n_iterations": 200, "burn_in": 0.25,
        "n_configurations": 10, "sampler": "paper", "kernel": "gibbs", "weights": "uniform",
        "schedule": {"name": "SqrtLog", "c": 0.1},
    }  # fmt: skip
    assert _printed("main").items() >= wanted.items()
    assert FIGURES["main"].judge["n_samples"] == 500
    assert FIGURES["main"].judge["n_directions"] == 100


def test_other_figures_change_what_the_paper_changes() -> None:
    assert _printed("one-over-t")["schedule"] == {"name": "Power", "c": 0.1, "beta": 1.0}
    assert _printed("one-over-t2")["schedule"] == {"name": "Power", "c": 0.1, "beta": 2.0}
    abrupt = _printed("abrupt")
    assert abrupt["schedule"] == {"name": "Power", "c": 2.0, "beta": 0.25}
    assert (abrupt["n_steps"], abrupt["restart_every"], abrupt["max_centers"]) == (4000, 28, 2)
    spy = _printed("spy-ohlcv")
    assert (spy["window"], spy["restart_every"], spy["n_iterations"]) == (20, 25, 100)
    assert FIGURES["spy-close"].judge["warmup"] == 40
    assert FIGURES["spy-close"].judge["n_samples"] == 200


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sensitivity-window", (5, 10, 25, 50, 100)),
        ("sensitivity-magnitude", (0, 0.25, 0.5, 1, 2)),
        ("sensitivity-probability", (0, 0.05, 0.15, 0.5, 1)),
        ("sensitivity-drift", (0, 0.01, 0.03, 0.06, 0.1)),
        ("horizons", (500, 1000, 4000)),
    ],
)
def test_sweeps_are_those_of_the_paper(name: str, values: tuple[float, ...]) -> None:
    assert points_of(FIGURES[name], "full") == values


def test_horizons_restart_at_a_power_of_the_horizon() -> None:
    entries = plan(FIGURES["horizons"], "full", 1)
    found = {e.point: e.cell.predictor["restart_every"] for e in entries if "restarted" in e.series}
    assert found == {500: 12, 1000: 16, 4000: 28}


def test_swept_interval_reaches_both_settings_and_leaves_vanilla_alone() -> None:
    for entry in plan(FIGURES["sensitivity-window"], "full", 1):
        if "restarted" in entry.series:
            assert entry.cell.predictor["restart_every"] == entry.point
        else:
            assert "restart_every" not in entry.cell.predictor


def test_windows_of_recorded_data_are_run_once() -> None:
    entries = plan(FIGURES["spy-close"], "smoke", 3)
    seeds = [e.cell.seed for e in entries if e.series.startswith("window")]
    assert set(seeds) == {0}
    assert {e.cell.seed for e in entries} == {0, 1, 2}


def test_panels_are_those_of_the_paper() -> None:
    wanted = {
        "main": ("average", "log1p"),
        "one-over-t2": ("average", "log1p"),
        "abrupt": ("cumulative", "average", "per_step", "log1p"),
        "sensitivity-drift": ("final",),
        "horizons": ("total", "final"),
        "spy-close": ("average", "cumulative", "log1p"),  # of the distance, of the mean's error
    }
    assert {name: FIGURES[name].panels for name in wanted} == wanted
    assert "mean_error" in FIGURES["spy-ohlcv"].judge["metrics"]


def test_select_keeps_the_order_of_the_paper_and_takes_groups() -> None:
    assert [f.name for f in select(["decomposition", "main"])] == ["main", "decomposition"]
    assert [f.name for f in select(["sensitivity"])] == [n for n in FIGURES if "sensitivity" in n]
    assert [f.name for f in select(["all"])] == list(FIGURES)
    with pytest.raises(InputError, match=r"one of main, .*, got 'mian'"):
        select(["mian"])


def test_digest_sees_every_change() -> None:
    record = FIGURES["main"].to_dict()
    record["stream"]["eps"] = 0.5
    assert Figure.from_dict(record).digest() != FIGURES["main"].digest()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("kind",), "pie", "kind must be one of"),
        (("colour",), "red", "Figure knows no colour"),
        (("stream", "name"), "rough", "stream must be one of"),
        (("stream", "wind"), 1, "stream 'smooth' knows no wind"),
        (("settings", "printed", "radius"), -1, "radius must be"),
        (("settings", "printed", "sampler"), "best", "sampler must be one of"),
        (("settings", "printed", "schedule", "name"), "Cosine", "schedule"),
        (("settings", "third"), {}, "settings must be printed, recommended"),
        (("judge", "metrics"), ["w3"], "metrics must be one of"),
        (("restart",), {"every": 1, "power": 0.4}, "either every or power"),
        (("windows",), [0], "windows must be a whole number"),
        (("scales",), {}, "scales must be smoke, quick, full"),
        (("scales", "smoke", "seeds"), 0, "seeds must be a whole number"),
        (("claims", 0, "predicate"), "smells", "predicate must be one of"),
        (("claims", 0, "source"), "rumour", "source must be one of"),
        (("claims", 0, "metrics"), ["w3"], "metrics must be one of"),
        (("sweep",), {"word": "x", "target": "stream.eps", "values": [0, 1]}, "sweep must be"),
        (("order",), None, None),
    ],
)
def test_a_wrong_record_is_refused(path: tuple[Any, ...], value: Any, message: str | None) -> None:
    record = copy.deepcopy(FIGURES["main"].to_dict())
    inner = record
    for word in path[:-1]:
        inner = inner[word]
    if message is None:
        del inner[path[-1]]
        message = "order"
    else:
        inner[path[-1]] = value
    with pytest.raises(InputError, match=message):
        Figure.from_dict(record)


@pytest.mark.parametrize("values", [(1.0,), (1.0, 1.0), (2.0, 1.0)])
def test_swept_values_increase(values: tuple[float, ...]) -> None:
    with pytest.raises(InputError, match="values must be at least two and increase"):
        Sweep(word="x", target="stream.eps", values=values)
    with pytest.raises(InputError, match="values"):
        Scale(seeds=1, every=1, values=values)


def test_a_sweep_of_something_else_is_refused() -> None:
    with pytest.raises(InputError, match="target must be"):
        Sweep(word="x", target="radius", values=(1.0, 2.0))
    with pytest.raises(InputError, match="left must be one of"):
        Claim(sentence="x", source="paper", predicate="less", left="nobody")
