"""What every predictive law shares: the doors, their checks, and reading a law back."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._rng import RngLike, as_generator
from driftlaw._validate import Array, check_count, check_fraction, check_point, check_points
from driftlaw.errors import InputError, SavedStateError
from driftlaw.law._checks import as_floats
from driftlaw.law._pairs import LineForm, NormalForm, check_same_dim, fixed_distance


class PredictiveLaw(ABC):
    """The law of the next observation: a probability measure on R^dim that cannot be changed.

    Points ``x`` are (dim,) for one answer, (n, dim) for n answers; where ``dim`` is 1 also a
    scalar or (n,) (an array of shape (1,) is one point). Paper: [eq:mc-predictive-approx].

    Examples
    --------
    >>> from driftlaw.law import MixtureLaw
    >>> law: PredictiveLaw = MixtureLaw([0.5, 0.5], [[-1.0], [1.0]], [0.5, 0.5])
    >>> law.mean(), law.cdf(0.0), law.interval(0.9).round(3).ravel()
    (array([0.]), 0.5, array([-1.641,  1.641]))
    """

    __slots__ = ("dim",)
    kind: ClassVar[str]
    dim: int

    def sample(self, n: int, rng: RngLike = None) -> Array:
        """Draw n independent points, shape (n, dim)."""
        return self._draw(as_generator(rng), check_count("n", n))

    def pdf(self, x: ArrayLike) -> Any:
        """Density at x: (dim,) -> float, (n, dim) -> (n,)."""
        points, is_single = self._points(x)
        return _answer(np.exp(self._logpdf(points)), is_single)

    def logpdf(self, x: ArrayLike) -> Any:
        """Log-density at x, -inf outside the support: (dim,) -> float, (n, dim) -> (n,)."""
        points, is_single = self._points(x)
        return _answer(self._logpdf(points), is_single)

    def cdf(self, x: ArrayLike) -> Any:
        """Joint P(X <= x), all coordinates at once: (dim,) -> float, (n, dim) -> (n,)."""
        points, is_single = self._points(x)
        # sums of weights may end above one by rounding, and integrals outside on either side
        return _answer(np.clip(self._cdf(points), 0.0, 1.0), is_single)

    def quantile(self, q: ArrayLike) -> Array:
        """Quantiles of every marginal at levels q in [0, 1], shape (*q.shape, dim)."""
        levels = as_floats("q", q)
        if not ((levels >= 0) & (levels <= 1)).all():
            raise InputError(f"q must be in [0, 1], got {q!r}")
        return self._quantile(levels.ravel()).reshape(*levels.shape, self.dim)

    def interval(self, level: float = 0.9) -> Array:
        """Central interval of every marginal, (2, dim): row 0 lower ends, row 1 upper ends."""
        level = check_fraction("level", level)
        return self.quantile([(1 - level) / 2, (1 + level) / 2])

    def marginal(self, i: int) -> "PredictiveLaw":
        """Law of the coordinate i, a law with dim 1."""
        if check_count("i", i, least=0) >= self.dim:
            raise InputError(f"i must be < {self.dim}, got {i}")
        return self._project(np.eye(self.dim)[i])

    def project(self, direction: ArrayLike) -> "PredictiveLaw":
        """Law of <u, X>, u the direction scaled to unit length: a law with dim 1."""
        vector = check_point("direction", direction, self.dim)
        peak = float(np.abs(vector).max())
        if not peak > 0:
            raise InputError(f"direction must not be zero, got {direction!r}")
        vector = vector / peak  # so that squares neither vanish nor overflow
        return self._project(vector / float(np.linalg.norm(vector)))

    def w1(self, other: "PredictiveLaw") -> float:
        """Wasserstein-1 distance; above one dimension sliced, over 64 fixed directions.

        In one dimension this is the integral of |F - G|. Nothing is sampled on the way (a
        ``GibbsLaw`` above one dimension brings its own fixed sample), so equal laws are at 0.
        """
        check_same_dim(self, other)
        return fixed_distance(self, other)

    @staticmethod
    def from_dict(record: Mapping[str, Any]) -> "PredictiveLaw":
        """Read back what ``to_dict`` wrote, exactly; ``SavedStateError`` if that is impossible."""
        return law_from_dict(record)

    @abstractmethod
    def mean(self) -> Array:
        """Mean, shape (dim,)."""

    @abstractmethod
    def cov(self) -> Array:
        """Covariance matrix, shape (dim, dim)."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold, with the key ``kind``; see ``from_dict``."""

    @classmethod
    @abstractmethod
    def _from_record(cls, record: Mapping[str, Any]) -> "PredictiveLaw":
        """Build from a record of this kind; KeyError or ValueError if it is damaged."""

    @abstractmethod
    def _draw(self, rng: np.random.Generator, n: int) -> Array: ...

    @abstractmethod
    def _logpdf(self, points: Array) -> Array: ...

    @abstractmethod
    def _cdf(self, points: Array) -> Array: ...

    @abstractmethod
    def _quantile(self, levels: Array) -> Array:
        """Quantiles (n, dim) of the marginals at levels (n,)."""

    @abstractmethod
    def _project(self, unit: Array) -> "PredictiveLaw": ...

    @abstractmethod
    def _normal_form(self) -> NormalForm | None:
        """Describe the law as normals and atoms, where it is that."""

    @abstractmethod
    def _line_form(self) -> LineForm:
        """Give what the distance needs of a law with dim 1 that has no normal form."""

    def _points(self, x: ArrayLike) -> tuple[Array, bool]:
        is_single = np.ndim(x) == 0 or np.shape(x) == (self.dim,)
        if is_single:
            return check_point("x", x, self.dim)[None, :], True
        return check_points("x", x, self.dim), False

    def _set(self, **fields: Any) -> None:
        """Set fields at birth; arrays become read-only."""
        for name, value in fields.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} cannot be changed: {name} is fixed at birth")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} cannot be changed: {name} is fixed at birth")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} in {self.dim}-d with {self._made_of()}>"

    @abstractmethod
    def _made_of(self) -> str:
        """Say what the law is made of, with its number."""

    def __reduce__(self) -> Any:
        return law_from_dict, (self.to_dict(),)


def law_from_dict(record: Mapping[str, Any]) -> PredictiveLaw:
    """Read a law back from ``to_dict``'s record: every number as it was.

    Examples
    --------
    >>> import driftlaw.law as laws
    >>> record = laws.MixtureLaw([1.0], [[0.5]], [2.0]).to_dict()
    >>> laws.law_from_dict(record).mean()
    array([0.5])
    """
    kinds = {law.kind: law for law in PredictiveLaw.__subclasses__()}
    kind = record.get("kind") if isinstance(record, Mapping) else None
    if not isinstance(kind, str) or kind not in kinds:
        raise SavedStateError(f"kind must be one of {', '.join(sorted(kinds))}, got {kind!r}")
    try:
        return kinds[kind]._from_record(record)
    except KeyError as error:
        raise SavedStateError(f"a saved {kind} law needs the key {error}") from error
    except (TypeError, ValueError) as error:
        raise SavedStateError(f"a saved {kind} law is damaged: {error}") from error


def _answer(values: Array, is_single: bool) -> float | Array:
    return float(values[0]) if is_single else values
