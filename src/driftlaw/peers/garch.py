"""GARCH(1, 1) with Student-t innovations: the usual choice for returns."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_count, require
from driftlaw.errors import InputError
from driftlaw.law import MixtureLaw
from driftlaw.peers.ewma import EWMA
from driftlaw.peers.window import Window

_LEAST = 100  # observations before the first fit


class GARCH(Window):
    r"""Student-t law whose variance follows its own past, fitted by the package ``arch``.

    .. math:: \sigma_t^2 = \omega + \alpha (z_{t-1} - \mu)^2 + \beta \sigma_{t-1}^2

    Parameters
    ----------
    dim : int
        Must be 1.
    size : int
        Observations that a fit looks back on.
    refit_every : int
        Observations between two fits; the variance moves at each. Before the first 100 the law
        is an `EWMA`.

    Examples
    --------
    >>> GARCH(1).predict().dim
    1
    """

    def __init__(self, dim: int = 1, size: int = 1000, refit_every: int = 100) -> None:
        super().__init__(dim, size)
        if self.dim != 1:
            raise InputError(f"dim must be 1 for GARCH, got {dim}")
        self.refit_every = check_count("refit_every", refit_every)
        self._arch = require("arch", "peers")
        self._early = EWMA(1)
        self._since = 0
        self._fit: Array | None = None  # mu, omega, alpha, beta, df
        self._variance = np.zeros(1)

    def predict(self) -> MixtureLaw:
        """Return the law of the next observation."""
        if self._fit is None:
            return self._early.predict()
        df = self._fit[4]
        scale = np.sqrt(self._variance * (df - 2.0) / df)
        return MixtureLaw([1.0], self._fit[:1], scale, df)

    def learn_one(self, z: ArrayLike) -> None:
        """Take in one observation; fit anew when it is time."""
        super().learn_one(z)
        self._early.learn_one(z)
        self._since += 1
        if self._fit is not None:
            self._variance = self._next(self._fit, self._points[-1], self._variance)
        is_due = self._fit is None or self._since >= self.refit_every
        if is_due and len(self._points) >= min(_LEAST, self.size):
            self._refit()

    def _refit(self) -> None:
        points = np.array(self._points)[:, 0]
        unit = points.std()
        if not unit > 0:
            return  # a constant window has no variance to model
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a fit that has not converged is still the best known
            model = self._arch.arch_model(points / unit, vol="GARCH", dist="t", rescale=False)
            fitted = model.fit(disp="off", show_warning=False)
        mu, omega, alpha, beta, df = fitted.params.to_numpy()
        self._fit = np.array([mu * unit, omega * unit**2, alpha, beta, max(df, 2.05)])
        last = np.array([fitted.conditional_volatility[-1] * unit]) ** 2
        self._variance = self._next(self._fit, self._points[-1], last)
        self._since = 0

    @staticmethod
    def _next(fit: Array, point: Array, variance: Array) -> Array:
        mu, omega, alpha, beta = fit[:4]
        return np.asarray(omega + alpha * (point - mu) ** 2 + beta * variance)

    def state(self) -> dict[str, Array]:
        """Everything that the next law depends on."""
        early = {f"early_{name}": value for name, value in self._early.state().items()}
        state = super().state() | early | {"since": np.array([float(self._since)])}
        if self._fit is not None:
            state |= {"fit": self._fit, "variance": self._variance}
        return state

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state."""
        super().restore(state)
        self._early.restore({name: state[f"early_{name}"] for name in self._early.state()})
        self._since = int(state["since"][0])
        if "fit" in state:
            self._fit, self._variance = state["fit"], state["variance"]
