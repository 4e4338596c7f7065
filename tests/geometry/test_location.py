"""Location priors: densities against SciPy and by hand, draws against densities."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from driftlaw._validate import Array
from driftlaw.errors import InputError
from driftlaw.geometry import (
    ConfigurationPrior,
    LocationPrior,
    ball_prior,
    gaussian_prior,
)
from tests.referee import no_alarm

DIMS = [1, 2, 3]
N_DRAWS = 5000


def _log_density(prior: LocationPrior, center: Array) -> float:
    return ConfigurationPrior(prior, max_centers=1).log_density(center[None])


def _draws(prior: LocationPrior, seed: int) -> Array:
    return ConfigurationPrior(prior, max_centers=1).draw(N_DRAWS, rng=seed).centers[:, 0]


class TestBall:
    @pytest.mark.parametrize(
        ("dim", "volume"), [(1, 2.0), (2, math.pi), (3, 4 / 3 * math.pi), (4, math.pi**2 / 2)]
    )
    def test_volume(self, dim: int, volume: float) -> None:
        assert ball_prior(dim, 1.0).log_volume == pytest.approx(math.log(volume))
        assert ball_prior(dim, 3.0).log_volume == pytest.approx(math.log(volume * 3.0**dim))

    def test_density_inside_at_the_edge_and_outside(self) -> None:
        prior = ball_prior(2, 5.0, center=[3.0, -4.0])
        inside = -math.log(25 * math.pi)
        for point in ([3.0, -4.0], [0.0, 0.0], [7.9, -4.0]):
            assert _log_density(prior, np.array(point)) == pytest.approx(inside)
        for point in ([-1.0, -7.5], [3.0, 1.001], [9.0, 1.0]):
            assert _log_density(prior, np.array(point)) == -math.inf

    @pytest.mark.parametrize("dim", DIMS)
    def test_draws_are_uniform(self, dim: int) -> None:
        center, radius = np.arange(dim) - 1.0, 2.5
        offset = _draws(ball_prior(dim, radius, center), seed=dim) - center
        share = (np.linalg.norm(offset, axis=1) / radius) ** dim  # share of the volume within
        assert share.max() <= 1.0 + 1e-12
        pvalues = [float(stats.kstest(share, "uniform").pvalue)]
        for side in offset.T:
            # the marginal of a uniform point of the ball: a symmetric beta law
            beta = stats.beta((dim + 1) / 2, (dim + 1) / 2, -radius, 2 * radius)
            pvalues.append(float(stats.kstest(side, beta.cdf).pvalue))
        pvalues.extend(
            float(stats.pearsonr(offset[:, i], offset[:, j]).pvalue)
            for i in range(dim)
            for j in range(i)
        )
        assert no_alarm(pvalues)

    @pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
    def test_bad_radius(self, bad: float) -> None:
        with pytest.raises(InputError, match="radius must be finite and > 0"):
            ball_prior(2, bad)


class TestGaussian:
    @pytest.mark.parametrize("dim", DIMS)
    def test_density_is_scipys(self, dim: int) -> None:
        center, scale = np.arange(dim) - 0.5, 1.7
        prior = gaussian_prior(dim, scale, center)
        normal = stats.multivariate_normal(center, scale**2 * np.eye(dim))
        for point in np.random.default_rng(dim).normal(0.0, 4.0, size=(20, dim)):
            assert _log_density(prior, point) == pytest.approx(float(normal.logpdf(point)))

    @pytest.mark.parametrize("dim", DIMS)
    def test_draws_are_normal(self, dim: int) -> None:
        center, scale = np.arange(dim) - 0.5, 1.7
        unit = (_draws(gaussian_prior(dim, scale, center), seed=dim) - center) / scale
        pvalues = [float(stats.kstest(column, "norm").pvalue) for column in unit.T]
        pvalues.append(float(stats.kstest((unit**2).sum(axis=1), stats.chi2(dim).cdf).pvalue))
        assert no_alarm(pvalues)

    @pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
    def test_bad_scale(self, bad: float) -> None:
        with pytest.raises(InputError, match="scale must be finite and > 0"):
            gaussian_prior(2, bad)


@pytest.mark.parametrize("make", [ball_prior, gaussian_prior])
class TestBoth:
    def test_bad_dimension_and_center(self, make: type) -> None:
        with pytest.raises(InputError, match="dim must be a whole number >= 1"):
            make(0, 1.0)
        with pytest.raises(InputError, match=r"center must be \(2,\), got \(3,\)"):
            make(2, 1.0, center=[0.0, 0.0, 0.0])
        with pytest.raises(InputError, match="center must be finite"):
            make(1, 1.0, center=[math.nan])

    def test_moving_the_center_moves_density_and_draws(self, make: type) -> None:
        shift = np.array([3.0, -1.0])
        here, there = make(2, 2.0), make(2, 2.0, center=shift)
        for point in np.random.default_rng(0).normal(size=(10, 2)):
            assert _log_density(there, point + shift) == pytest.approx(_log_density(here, point))
        np.testing.assert_allclose(_draws(there, 5), _draws(here, 5) + shift, atol=1e-12)

    def test_the_caller_keeps_its_array(self, make: type) -> None:
        center = np.zeros(2)
        prior = make(2, 1.0, center=center)
        center += 1.0
        assert prior.center.tolist() == [0.0, 0.0]


_WITHIN_KERNELS = """
from driftlaw.geometry import ConfigurationPrior, ball_prior
prior = ConfigurationPrior(ball_prior(1, 2.0), max_centers=1)
prior.draw(1, rng=0), prior.log_density([[0.0]])
"""
_BY_ITSELF = """
import numpy as np
from driftlaw.geometry import ball_prior
prior, state, out = ball_prior(1, 2.0), np.arange(1, 5, dtype=np.uint64), np.empty(1)
prior._draw_location_inplace(prior, state, out)
print(prior._log_location(prior, out))
"""


def test_a_records_kernels_can_be_called_once_they_were_cached_within_others(
    tmp_path: Path,
) -> None:
    # of its own process each, since what is cached wrongly ends in a crash
    for code in (_WITHIN_KERNELS, _BY_ITSELF):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(-math.log(4.0))
