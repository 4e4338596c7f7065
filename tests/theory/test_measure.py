import math

import numpy as np
import pytest
from scipy.stats import chi2
from scipy.stats import f as f_law

from driftlaw._validate import Array
from driftlaw.corruption import CorruptedStream, SparseOutliers, UniformNoise
from driftlaw.errors import InputError
from driftlaw.law import GibbsLaw, MixtureLaw, SampleLaw
from driftlaw.streams import smooth_drift, stationary
from driftlaw.theory import (
    measure_stream,
    probed_lipschitz,
    quadratic_growth,
    support_radius,
    translated_kernel_lipschitz,
)


def test_constants_of_the_printed_smooth_stream() -> None:
    """A_T by the coupling of centres, δ = √2, every step corrupted, μ = the smaller weight."""
    clean = smooth_drift(n_steps=40, rng=0)
    found = measure_stream(CorruptedStream(clean, UniformNoise(1.0), rng=1), 2, n_times=2, rng=0)
    assert found.horizon == 40
    assert found.action == pytest.approx(39 * 0.03**2)  # both centres move by 0.03
    assert found.amplitude == pytest.approx(math.sqrt(2))
    assert found.corrupted.all()
    # separated components of weight 1/2: moving one centre by u costs |u|²/2
    assert found.growth == pytest.approx(0.5, abs=2e-3)
    assert found.separation > 2.0
    assert found.oracle_norm < found.data_radius


def test_sparse_corruption_is_marked_where_it_happens() -> None:
    stream = CorruptedStream(stationary(dim=1, n_steps=60, rng=0), SparseOutliers(0.1, 3.0), rng=2)
    found = measure_stream(stream, 1, n_times=1, rng=0)
    truth = [step.corrupted for step in stream]
    assert found.corrupted.tolist() == truth
    assert found.action == 0.0
    assert found.growth == pytest.approx(1.0)
    offsets = [np.linalg.norm(step.observed - step.clean) for step in stream]
    assert max(offsets) <= found.amplitude


@pytest.mark.parametrize("df", [np.inf, 4.0])
def test_support_radius_is_the_quantile_of_the_norm(df: float) -> None:
    law = MixtureLaw([1.0], [[0.0, 0.0, 0.0]], [2.0], df)
    quantile = chi2.isf(0.01, 3) if math.isinf(df) else 3 * f_law.isf(0.01, 3, df)
    assert support_radius(law, 0.01) == pytest.approx(2 * math.sqrt(quantile))


def test_support_radius_covers_a_mixture() -> None:
    """At most a share 0.02 of draws outside, plus 3.1 standard errors (false alarm 10⁻³)."""
    law = MixtureLaw([0.3, 0.7], [[3.0, 0.0], [-1.0, 1.0]], [0.5, 1.0])
    draws = np.linalg.norm(law.sample(20_000, rng=0), axis=1)
    outside = (draws > support_radius(law, 0.02)).mean()
    assert outside <= 0.02 + 3.1 * math.sqrt(0.02 * 0.98 / 20_000)
    assert support_radius(SampleLaw([[3.0, 4.0], [0.0, 1.0]]), 0.5) == 5.0


def test_growth_of_unequal_weights_is_the_smaller_weight() -> None:
    law = MixtureLaw([0.2, 0.8], [[-5.0, 0.0], [5.0, 0.0]], [0.3, 0.3])
    assert quadratic_growth(law, law.means, rng=0) == pytest.approx(0.2, abs=1e-3)


def test_lipschitz_of_the_gaussian_kernel_is_reached() -> None:
    """Two far components, only one moves: W1 = ω_1 |u|, so the constant is between ω_1 and ‖ω‖."""
    weights = [0.5, 0.5]

    def predictive(c: Array) -> MixtureLaw:
        return MixtureLaw(weights, c, [0.1, 0.1])

    exact = translated_kernel_lipschitz(weights)
    assert exact == pytest.approx(math.sqrt(0.5))
    probed = probed_lipschitz(predictive, [[-5.0], [5.0]], radius=0.3, n_probes=64, rng=0)
    assert 0.5 <= probed <= exact + 1e-9
    assert probed == pytest.approx(exact, rel=0.01)


def test_lipschitz_of_the_gibbs_kernel_on_the_line() -> None:
    def predictive(c: Array) -> GibbsLaw:
        return GibbsLaw([1], [c], rate=20.0, ball_center=[0.0], ball_radius=3.0)

    # one narrow centre far from the edge: the law moves with it
    assert probed_lipschitz(predictive, [[0.2]], radius=0.1, rng=0) == pytest.approx(1.0, abs=1e-3)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="tail"):
        support_radius(MixtureLaw([1.0], [[0.0]], [1.0]), 0.0)
    with pytest.raises(InputError, match="endless"):
        measure_stream(stationary(dim=1, rng=0, n_steps=None), 1)
    with pytest.raises(InputError, match="radius"):
        probed_lipschitz(lambda c: MixtureLaw([1.0], c, [1.0]), [[0.0]], radius=-1.0)
