"""The streams of the paper and the one that stands still, by name."""

import numpy as np

from driftlaw._rng import RngLike, as_seed, child_seed
from driftlaw._validate import Array, check_count, check_fraction, check_nonnegative, check_positive
from driftlaw.streams.centers import Jumps, Linear
from driftlaw.streams.mixture import MixtureStream
from driftlaw.transport import random_directions

_DRAWS, _DRIFT = 0, 1


def spread_centers(n_components: int, dim: int, separation: float) -> Array:
    r"""Centres (K, d) around the origin whose neighbours are ``separation`` apart.

    On a line for K = 2 or d = 1, else the corners of a regular polygon in the first plane.

    Examples
    --------
    >>> spread_centers(2, 2, 5.0)
    array([[-2.5,  0. ],
           [ 2.5,  0. ]])
    """
    check_count("n_components", n_components)
    check_count("dim", dim)
    check_nonnegative("separation", separation)
    centers = np.zeros((n_components, dim))
    if n_components <= 2 or dim == 1:
        centers[:, 0] = separation * (np.arange(n_components) - (n_components - 1) / 2)
        return centers
    angles = 2.0 * np.pi * np.arange(n_components) / n_components
    radius = separation / (2.0 * np.sin(np.pi / n_components))
    centers[:, 0], centers[:, 1] = radius * np.cos(angles), radius * np.sin(angles)
    return centers


def stationary(
    *,
    dim: int = 2,
    n_components: int = 2,
    separation: float = 5.0,
    variance: float = 0.2,
    n_steps: int | None = 500,
    rng: RngLike = None,
) -> MixtureStream:
    """One mixture for ever: equal weights, covariance ``variance * I``.

    Examples
    --------
    >>> stationary(rng=0).law_at(0).w1(stationary(rng=0).law_at(400))
    0.0
    """
    return MixtureStream(
        centers=spread_centers(n_components, dim, separation),
        scales=np.sqrt(check_positive("variance", variance)),
        n_steps=n_steps,
        rng=child_seed(as_seed(rng), _DRAWS),
    )


def smooth_drift(
    *,
    dim: int = 2,
    n_components: int = 2,
    separation: float = 5.0,
    variance: float = 0.2,
    step: float = 0.03,
    n_steps: int | None = 500,
    rng: RngLike = None,
) -> MixtureStream:
    r"""Smooth stream of the paper: :math:`c_{j,t} = c_{j,0} + s\,t\,u_j`, unit :math:`u_j` fixed.

    Each centre has a direction of its own, drawn from ``rng``. The paper's corruption is put on
    it by ``driftlaw.corruption``. Paper: section «Experimental Setup», [fig:main-sqrt-average-log].

    Examples
    --------
    >>> stream = smooth_drift(rng=0)
    >>> moved = stream.centers_at(500) - stream.centers_at(0)
    >>> np.linalg.norm(moved, axis=1).round(9)
    array([15., 15.])
    """
    seed = as_seed(rng)
    directions = random_directions(
        np.random.default_rng(child_seed(seed, _DRIFT)), dim, n_components
    )
    centers = spread_centers(n_components, dim, separation)
    return MixtureStream(
        centers=Linear(centers, directions, check_nonnegative("step", step)),
        scales=np.sqrt(check_positive("variance", variance)),
        n_steps=n_steps,
        rng=child_seed(seed, _DRAWS),
    )


def jump_times(n_steps: int, exponent: float) -> tuple[int, ...]:
    r"""First steps of the blocks 1 … :math:`M_T = \lfloor T^a \rfloor` of equal length (± 1).

    Examples
    --------
    >>> jump_times(4000, 0.15)
    (1000, 2000, 3000)
    """
    check_count("n_steps", n_steps)
    check_fraction("exponent", exponent)
    n_jumps = int(np.floor(n_steps**exponent))
    times = (b * n_steps // (n_jumps + 1) for b in range(1, n_jumps + 1))
    return tuple(sorted({time for time in times if time > 0}))


def abrupt_shift(  # noqa: PLR0913 (all the parameters of the paper)
    *,
    dim: int = 2,
    n_components: int = 2,
    separation: float = 2.5,
    variance: float = 0.05,
    jump: float = 7.0,
    exponent: float = 0.15,
    n_steps: int = 4000,
    rng: RngLike = None,
) -> MixtureStream:
    r"""Abrupt stream of the paper: :math:`c_{j,b+1} = c_{j,b} + \Delta u_b` between equal blocks.

    All centres jump together by ``jump`` in a random direction, :math:`M_T = \lfloor T^a \rfloor`
    times with a = ``exponent``. Paper: [fig:main-abrupt-shift], [fig:supp-abrupt-shift-scaling].

    Examples
    --------
    >>> stream = abrupt_shift(n_steps=4000, rng=0)
    >>> shift = stream.centers_at(1000) - stream.centers_at(999)
    >>> np.linalg.norm(shift, axis=1).round(9)
    array([7., 7.])
    """
    seed = as_seed(rng)
    times = jump_times(n_steps, exponent)
    directions = random_directions(np.random.default_rng(child_seed(seed, _DRIFT)), dim, len(times))
    return MixtureStream(
        centers=Jumps(spread_centers(n_components, dim, separation), times, jump * directions),
        scales=np.sqrt(check_positive("variance", variance)),
        n_steps=n_steps,
        rng=child_seed(seed, _DRAWS),
    )
