"""A Gaussian mixture fitted to a rolling window."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from driftlaw._validate import Array, check_count, require
from driftlaw.law import MixtureLaw
from driftlaw.peers.kde import KDE
from driftlaw.peers.window import Window, factors


class WindowMixture(Window):
    """Gaussian mixture of the last ``size`` observations, by scikit-learn's EM.

    Parameters
    ----------
    dim : int
    size : int
    n_components : int
    refit_every : int
        Observations between two fits; before the first one the law is a `KDE`.

    Examples
    --------
    >>> import numpy as np
    >>> mixture = WindowMixture(1, size=40, n_components=2, refit_every=20)
    >>> for z in np.tile([0.0, 0.1, 5.0, 5.1], 10):
    ...     mixture.learn_one(z)
    >>> mixture.predict().means.round(2).ravel()
    array([0.05, 5.05])
    """

    def __init__(
        self, dim: int, size: int = 200, n_components: int = 3, refit_every: int = 20
    ) -> None:
        super().__init__(dim, size)
        self.n_components = check_count("n_components", n_components)
        self.refit_every = check_count("refit_every", refit_every)
        self._module = require("sklearn.mixture", "peers")
        self._since = 0
        self._fit: tuple[Array, Array, Array] | None = None

    def predict(self) -> MixtureLaw:
        """Return the law of the next observation."""
        if self._fit is None:
            kde = KDE(self.dim, self.size)
            kde.restore(super().state())
            return kde.predict()
        return MixtureLaw(*self._fit)

    def learn_one(self, z: ArrayLike) -> None:
        """Take in one observation of shape ``(dim,)``; fit anew when it is time."""
        super().learn_one(z)
        self._since += 1
        if self._since >= self.refit_every and len(self._points) >= 5 * self.n_components:
            self._refit()

    def _refit(self) -> None:
        points = np.array(self._points)
        spread = points.std(axis=0)
        spread[spread <= 0] = 1.0
        model = self._module.GaussianMixture(self.n_components, reg_covar=1e-4, random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a window of few values may not converge
            model.fit(points / spread)
        covs = model.covariances_ * np.outer(spread, spread)
        order = np.argsort(model.means_[:, 0])
        means = (model.means_ * spread)[order]
        self._fit = (model.weights_[order], means, factors(covs[order]))
        self._since = 0

    def state(self) -> dict[str, Array]:
        """Everything that the next law depends on."""
        state = super().state() | {"since": np.array([float(self._since)])}
        if self._fit is not None:
            state |= dict(zip(("weights", "means", "scales"), self._fit, strict=True))
        return state

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a saved state."""
        super().restore(state)
        self._since = int(state["since"][0])
        if "weights" in state:
            self._fit = (state["weights"], state["means"], state["scales"])
