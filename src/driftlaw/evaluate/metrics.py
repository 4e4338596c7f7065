"""Metrics of a predictive law: against the true law, and against the point that came.

Each is a small frozen object called with (law, step, truth). Those that look at the point judge
by the clean one, which is the draw from the law that was to be predicted; on data without a
clean side both are the same.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from driftlaw._rng import RngLike, as_seed, child_seed
from driftlaw._validate import Array, check_count, check_fraction, check_positive
from driftlaw.evaluate.loop import Estimate
from driftlaw.evaluate.scores import crps, energy_score
from driftlaw.law import PredictiveLaw
from driftlaw.streams import Step
from driftlaw.transport import sliced_w1

Truth = PredictiveLaw | None


@dataclass(frozen=True, slots=True)
class W1:
    r"""Distance to the true law: :math:`W_1(\hat p_t, p_t^*)`, sliced above one dimension.

    Noise-free: see ``PredictiveLaw.w1``. Paper: [eq:total-regret].

    Examples
    --------
    >>> from driftlaw.law import MixtureLaw
    >>> law, truth = MixtureLaw([1.0], [0.0], [1.0]), MixtureLaw([1.0], [2.0], [1.0])
    >>> step = Step(0, np.zeros(1), np.zeros(1), False)
    >>> round(W1()(law, step, truth), 9)
    2.0
    """

    name: ClassVar[str] = "w1"
    needs_truth: ClassVar[bool] = True

    def __call__(self, law: PredictiveLaw, step: Step, truth: Truth) -> float:
        """Judge."""
        return float("nan") if truth is None else law.w1(truth)


@dataclass(frozen=True, slots=True)
class PaperW1:
    r"""Estimate W1 as the paper's experiments do: samples of both laws, random directions.

    .. math:: \frac1L \sum_l \frac1n \sum_i
       |\langle\theta_l, x\rangle_{(i)} - \langle\theta_l, y\rangle_{(i)}|

    Its value is far from 0 even for equal laws: the sampling floor. The standard error is that of
    the mean over directions given the samples, so 0 on the line; it contains neither the floor nor
    the chance in the samples. Draws at step t come from the seed under t, so predictors judged by
    one metric share them. Paper: section «Experimental Setup».

    Examples
    --------
    >>> from driftlaw.law import MixtureLaw
    >>> law, step = MixtureLaw([1.0], [[0.0, 0.0]], [1.0]), Step(0, np.zeros(2), np.zeros(2), False)
    >>> PaperW1()(law, step, law).value > 0.01
    True
    """

    n_samples: int = 500
    n_directions: int = 100
    rng: RngLike = 0

    name: ClassVar[str] = "paper_w1"
    needs_truth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_count("n_samples", self.n_samples)
        check_count("n_directions", self.n_directions, least=2)
        object.__setattr__(self, "rng", as_seed(self.rng))

    def __call__(self, law: PredictiveLaw, step: Step, truth: Truth) -> Estimate:
        """Judge."""
        if truth is None:
            return Estimate(float("nan"), float("nan"))
        rng = np.random.default_rng(child_seed(as_seed(self.rng), step.t))
        x, y = (side.sample(self.n_samples, rng) for side in (law, truth))
        return Estimate(*sliced_w1(x, y, n_directions=self.n_directions, rng=rng))


@dataclass(frozen=True, slots=True)
class MeanError:
    r"""Mean-prediction error: :math:`e_t = \|E\hat p_t - x_t\|_2`.

    The paper takes the mean of samples; this is the law's own. Paper: [fig:real-spy-all].

    Examples
    --------
    >>> from driftlaw.law import MixtureLaw
    >>> law, step = MixtureLaw([1.0], [[3.0, 4.0]], [1.0]), Step(0, np.zeros(2), np.zeros(2), False)
    >>> MeanError()(law, step, None)
    5.0
    """

    name: ClassVar[str] = "mean_error"
    needs_truth: ClassVar[bool] = False

    def __call__(self, law: PredictiveLaw, step: Step, truth: Truth) -> float:
        """Judge."""
        return float(np.linalg.norm(law.mean() - step.clean))


@dataclass(frozen=True, slots=True)
class LogScore:
    r"""Logarithmic score: :math:`-\log \hat p_t(x_t)`.

    Examples
    --------
    >>> from driftlaw.law import MixtureLaw
    >>> law, step = MixtureLaw([1.0], [[0.0]], [1.0]), Step(0, np.zeros(1), np.zeros(1), False)
    >>> round(LogScore()(law, step, None), 6)
    0.918939
    """

    name: ClassVar[str] = "log_score"
    needs_truth: ClassVar[bool] = False

    def __call__(self, law: PredictiveLaw, step: Step, truth: Truth) -> float:
        """Judge."""
        return -float(law.logpdf(step.clean))


@dataclass(frozen=True, slots=True)
class CRPS:
    r"""Continuous ranked probability score, averaged over the coordinates.

    .. math:: \frac1d \sum_i \int (F_i(u) - 1\{x_{t,i} \le u\})^2\, du

    Examples
    --------
    >>> from driftlaw.law import MixtureLaw
    >>> law, step = MixtureLaw([1.0], [[0.0]], [1.0]), Step(0, np.zeros(1), np.zeros(1), False)
    >>> round(CRPS()(law, step, None), 6)
    0.233695
    """

    name: ClassVar[str] = "crps"
    needs_truth: ClassVar[bool] = False

    def __call__(self, law: PredictiveLaw, step: Step, truth: Truth) -> float:
        """Judge."""
        return float(np.mean([crps(law.marginal(i), x) for i, x in enumerate(step.clean)]))


@dataclass(frozen=True, slots=True)
class EnergyScore:
    r"""Energy score: :math:`E\|X - x_t\| - \tfrac12 E\|X - X'\|`, X and X' from the law.

    Without sampling for mixtures of normals and empirical laws; ``n_samples`` draws from the seed
    under t for other laws, with the standard error that brings.

    Examples
    --------
    >>> from driftlaw.law import MixtureLaw
    >>> law, step = MixtureLaw([1.0], [[0.0]], [1.0]), Step(0, np.zeros(1), np.zeros(1), False)
    >>> round(EnergyScore()(law, step, None).value, 6)
    0.233695
    """

    n_samples: int = 500
    rng: RngLike = 0

    name: ClassVar[str] = "energy_score"
    needs_truth: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_count("n_samples", self.n_samples, least=2)
        object.__setattr__(self, "rng", as_seed(self.rng))

    def __call__(self, law: PredictiveLaw, step: Step, truth: Truth) -> Estimate:
        """Judge."""
        rng = np.random.default_rng(child_seed(as_seed(self.rng), step.t))
        return energy_score(law, step.clean, n_samples=self.n_samples, rng=rng)


@dataclass(frozen=True, slots=True)
class VariogramScore:
    r"""Variogram score: :math:`\sum_{i,j} (|x_i - x_j|^p - E|X_i - X_j|^p)^2`.

    It judges how the coordinates hang together. From ``n_batches`` batches of ``n_samples`` draws,
    each scored without bias; the batches give the error.

    Examples
    --------
    >>> from driftlaw.law import MixtureLaw
    >>> law, step = MixtureLaw([1.0], [[0.0, 3.0]], [1.0]), Step(0, np.zeros(2), np.zeros(2), False)
    >>> VariogramScore()(law, step, None).value > 0
    True
    """

    power: float = 0.5
    n_samples: int = 50
    n_batches: int = 10
    rng: RngLike = 0

    name: ClassVar[str] = "variogram_score"
    needs_truth: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_positive("power", self.power)
        check_count("n_samples", self.n_samples, least=2)
        check_count("n_batches", self.n_batches, least=2)
        object.__setattr__(self, "rng", as_seed(self.rng))

    def __call__(self, law: PredictiveLaw, step: Step, truth: Truth) -> Estimate:
        """Judge."""
        rng = np.random.default_rng(child_seed(as_seed(self.rng), step.t))
        draws = law.sample(self.n_samples * self.n_batches, rng)
        gaps = _gaps(draws, self.power).reshape(self.n_batches, self.n_samples, -1)
        errors = np.mean((gaps - _gaps(step.clean, self.power).ravel()) ** 2, axis=1)
        # E(gap - x's gap)^2 is the wanted square and the variance of a gap
        return _mean_of((errors - gaps.var(axis=1, ddof=1)).sum(axis=1))


def _gaps(points: Array, power: float) -> Array:
    """Powers (..., d, d) of the gaps between the coordinates of points (..., d)."""
    return np.asarray(np.abs(points[..., :, None] - points[..., None, :]) ** power)


@dataclass(frozen=True, slots=True)
class Coverage:
    r"""Share of the coordinates of :math:`x_t` inside the central interval of ``level``.

    Examples
    --------
    >>> from driftlaw.law import MixtureLaw
    >>> law, step = MixtureLaw([1.0], [[0.0]], [1.0]), Step(0, np.zeros(1), np.zeros(1), False)
    >>> Coverage(0.9)(law, step, None)
    1.0
    """

    level: float = 0.9

    needs_truth: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_fraction("level", self.level)

    @property
    def name(self) -> str:
        """The word coverage and the level in per cent."""
        return f"coverage_{100 * self.level:g}"

    def __call__(self, law: PredictiveLaw, step: Step, truth: Truth) -> float:
        """Judge."""
        low, high = law.interval(self.level)
        return float(((low <= step.clean) & (step.clean <= high)).mean())


@dataclass(frozen=True, slots=True)
class PIT:
    r"""Probability integral transform of one coordinate: :math:`\hat F_{t,i}(x_{t,i})`.

    Uniform on [0, 1] where the prediction is right and has no atoms.

    Examples
    --------
    >>> from driftlaw.law import MixtureLaw
    >>> law, step = MixtureLaw([1.0], [[0.0]], [1.0]), Step(0, np.zeros(1), np.zeros(1), False)
    >>> PIT()(law, step, None)
    0.5
    """

    coordinate: int = 0

    needs_truth: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_count("coordinate", self.coordinate, least=0)

    @property
    def name(self) -> str:
        """The word pit and the coordinate."""
        return f"pit_{self.coordinate}"

    def __call__(self, law: PredictiveLaw, step: Step, truth: Truth) -> float:
        """Judge."""
        i = self.coordinate
        return float(law.marginal(i).cdf(step.clean[i]))


def _mean_of(values: Array) -> Estimate:
    return Estimate(float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))))
