"""The contest's judge against values worked by hand, and its streams against their own laws."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from benchmarks.contest import Scores, judge_world, row
from benchmarks.line_laws import single_laws
from benchmarks.line_streams import moving_laws
from benchmarks.real import segment
from benchmarks.rivals import OURS, FilteredHistory, RiskMetrics
from benchmarks.scoring import as_normals, distance, energy
from benchmarks.space_streams import laws_in_space
from benchmarks.worlds import World, simulated
from driftlaw import sliced_w1
from driftlaw._validate import Array
from driftlaw.evaluate import energy_score
from driftlaw.law import MixtureLaw, PredictiveLaw, SampleLaw
from driftlaw.peers import RollingWindow

MAKERS = simulated() | laws_in_space() | moving_laws() | single_laws()
FALSE_ALARM = 1e-3 / len(MAKERS)


class _Broken:
    def __init__(self, dim: int) -> None:
        self.dim = dim

    def predict(self) -> PredictiveLaw:
        raise np.linalg.LinAlgError("no law")

    def learn_one(self, z: Array) -> None:
        pass


class TestJudge:
    def test_a_window_is_scored_as_by_hand(self) -> None:
        # Steps 24 and 32 are scored: windows {22, 23} and {30, 31} against an atom at 0.
        points = np.arange(40.0)[:, None]
        world = World(points, points, lambda _t: SampleLaw([0.0]))
        chosen = {"roll2": lambda dim: RollingWindow(dim, 2)}
        scores = judge_world(world, chosen, 8, with_energy=True)["roll2"]
        assert scores.w1 == pytest.approx((22.5 + 30.5) / 2, rel=1e-12)
        assert scores.energy == pytest.approx(1.5 - 0.25, rel=1e-12)

    def test_a_rival_that_fails_is_not_the_best(self) -> None:
        points = np.arange(40.0)[:, None]
        world = World(points, points, lambda _t: SampleLaw([0.0]))
        broken = judge_world(world, {"broken": _Broken}, 8, with_energy=False)["broken"]
        assert np.isnan(broken.w1)
        result = {OURS: Scores(1.0, 0.0, 0.9), "roll10": Scores(2.0, 0.0, 0.0), "broken": broken}
        assert "2.000 [roll10] | 0.500" in row("made", [result, result], "w1")

    def test_a_row_holds_ratios_of_means_with_errors_of_ratios(self) -> None:
        names = (OURS, "roll10", "ewma5")
        values = ((1.0, 2.0, 4.0), (3.0, 4.0, 3.0))
        results = [
            {n: Scores(v, 0.0, 0.9) for n, v in zip(names, seed, strict=True)} for seed in values
        ]
        # ratios to the window 1/2 and 3/4: standard error 0.125
        assert row("made", results, "w1") == (
            "| made | 2.000 ± 1.000 (2) | 3.000 [roll10] | 0.667 ± 0.125 "
            "| 3.000 [roll10] | 0.667 ± 0.125 | 0.900 |"
        )


class TestScoring:
    @pytest.mark.parametrize("df", [3.0, 9.0, 40.0])
    def test_normals_in_place_of_students_are_close(self, df: float) -> None:
        law = MixtureLaw([0.6, 0.4], [[0.0, 0.0], [2.0, 1.0]], [1.0, 0.5], df)
        target = MixtureLaw([1.0], [[1.0, 0.0]], [1.0], 6.0)
        exact = sliced_w1(law, target, n_directions=16).value
        assert distance(as_normals(law), as_normals(target)) == pytest.approx(exact, rel=0.01)

    def test_the_energy_of_a_sample_is_exact_and_that_of_draws_unbiased(self) -> None:
        rng, point = np.random.default_rng(0), np.array([0.3, -0.2])
        sample = SampleLaw(rng.normal(size=(30, 2)))
        assert energy(sample, point, rng) == pytest.approx(energy_score(sample, point).value)
        law = MixtureLaw([1.0], [[0.0, 0.0]], [1.0])
        values = [energy(law, point, rng) for _ in range(50)]
        error = np.std(values, ddof=1) / 50**0.5
        assert abs(np.mean(values) - energy_score(law, point).value) < 3.3 * error


class TestWorlds:
    @pytest.mark.parametrize("name", MAKERS)
    def test_points_follow_the_laws_and_come_again(self, name: str) -> None:
        """Probabilities of the clean points, spread over jumps, are uniform."""
        world, again, rng = MAKERS[name](0), MAKERS[name](0), np.random.default_rng(1)
        assert (world.points == again.points).all()
        assert world.law_at(99).to_dict() == again.law_at(99).to_dict()
        unit = np.ones(world.clean.shape[1])
        unit /= np.linalg.norm(unit)
        levels = []
        for t, clean in enumerate(world.clean):
            law, x = world.law_at(t).project(unit), float(unit @ clean)
            below, upto = law.cdf([[x - 1e-9], [x + 1e-9]])
            levels.append(below + rng.random() * (upto - below))
        assert stats.kstest(levels, "uniform").pvalue > FALSE_ALARM

    def test_another_seed_gives_other_points(self) -> None:
        for name in ("smooth", "regime", "garch", "latencies", "zeros9", "clipped_normal"):
            assert (MAKERS[name](3).points != MAKERS[name](4).points).any()

    def test_a_segment_is_in_units_of_the_rows_before(self, tmp_path: Path) -> None:
        values = np.random.default_rng(0).normal(5.0, 2.0, 900)
        lines = [f"{i},{value!r}" for i, value in enumerate(values.tolist())]
        (tmp_path / "well_log.csv").write_text("\n".join(["t,value", *lines]))
        world = segment("well_log", tmp_path, 10)
        expected = (values[260:860] - values[10:260].mean()) / values[10:260].std()
        np.testing.assert_allclose(world.points[:, 0], expected)
        np.testing.assert_allclose(world.law_at(7).mean(), expected[7:27].mean())

    def test_targets_of_the_tape_come_from_the_clean_feed(self, tmp_path: Path) -> None:
        prices = np.exp(np.random.default_rng(0).normal(0.0, 0.01, 900).cumsum())
        head, dirty = "Date,Open,High,Low,Close", prices.copy()
        dirty[500] *= 3.0
        for file, feed, first in (("spy_daily", prices, 0), ("spy_daily_tape", dirty, 20)):
            days = range(first, 900)
            lines = [f"{day:04d}" + f",{feed[day]!r}" * 4 for day in days]
            text = "\n".join([head, *lines]).replace("np.float64(", "").replace(")", "")
            (tmp_path / f"{file}.csv").write_text(text)
        world = segment("spy_tape", tmp_path, 0)
        moved = np.flatnonzero((np.abs(world.points - world.clean) > 1e-6).any(axis=1))
        assert moved.tolist() == [500 - 20 - 1 - 250, 500 - 20 - 250]


class TestRivals:
    def test_riskmetrics_has_the_variance_worked_by_hand(self) -> None:
        rival = RiskMetrics(1)
        for z in (1.0, 2.0):
            rival.learn_one(np.array([z]))
        assert rival.predict().cov()[0, 0] == pytest.approx((0.94 + 4.0) / 1.94)

    def test_filtered_history_keeps_residuals_in_units_of_the_forecast(self) -> None:
        pytest.importorskip("arch")
        rival, scales = FilteredHistory(2), np.array([1.0, 50.0])
        for z in np.random.default_rng(0).normal(size=(90, 2)):
            rival.learn_one(z * scales)
        deviations = np.sqrt(np.diag(rival.predict().cov()))
        assert np.all((deviations / scales > 0.7) & (deviations / scales < 1.4))
