"""The constants of `Adaptive`, none of which has units, and where numbers lie in its arrays.

Distances are counted in the width of a center's kernel, times in observations.
"""

from itertools import accumulate

import numpy as np

MAX_CENTERS = 6
BEAM = 5  # geometries kept in each lane
REFIT = 60  # observations that global moves see
FIRST_SCORED = 2  # observations until which lanes are only planted
FIRST_JUDGED = 20  # … before windows may speak, and the pool is weighed
PAST = 640  # observations kept for the windows
ROWS = 300  # most components that the geometries add to a law
DEVIATION = 1.4826  # of a normal law, in medians of the distances to its median
EMPTY = -1e300  # log weight of a place in the beam that holds no geometry
DEAD = -1e200  # below it a place is empty

# Lanes: variance per step of the position and of the velocity, first variance of the velocity,
# most centers, memory of the kernel's shape, whether it is calm: its geometry makes no moves (1),
# or none but to begin anew, at fixed times and whatever was observed (2).
_LANES = np.array(
    [
        (0.0, 0.0, 0.0, 6, 1e3, 0),
        (1e-3, 0.0, 0.0, 6, 1e3, 0),
        (1e-2, 0.0, 0.0, 6, 1e3, 0),
        (1e-1, 0.0, 0.0, 6, 1e3, 0),
        (0.0, 1e-8, 5e-3, 6, 1e3, 0),
        (0.0, 3e-6, 5e-3, 6, 1e3, 0),
        (0.0, 1e-4, 5e-3, 6, 1e3, 0),
        (0.0, 0.0, 0.0, 1, 1e3, 1),
        (1e-2, 0.0, 0.0, 1, 1e3, 0),
        (0.3, 0.0, 0.0, 1, 1e3, 0),
        (20.0, 0.0, 0.0, 1, 1e3, 0),
        (0.0, 3e-4, 1.0, 1, 1e3, 0),
        (0.0, 0.0, 0.0, 1, 20, 1),
        (0.0, 0.0, 0.0, 1, 60, 1),
        (0.0, 0.0, 0.0, 1, 1e3, 2),
    ]
)
WALK, TURN, SPEED, MOST, SHAPE_MEMORY = (np.ascontiguousarray(c) for c in _LANES[:, :5].T)
IS_CALM = _LANES[:, 5] > 0
RENEWS = _LANES[:, 5] == 2
N_LANES = len(_LANES)
IS_STILL = (WALK == 0) & (TURN == 0)
_SEVERAL_PRIOR = [0.17, 0.07, 0.05, 0.03, 0.11, 0.07, 0.03]  # of lanes of several centers
_ONE_PRIOR = [0.22, 0.04, 0.02, 0.01, 0.02, 0.04, 0.05, 0.07]
LANE_PRIOR = np.array(_SEVERAL_PRIOR + _ONE_PRIOR)
NO_LANE = 1e-300  # prior of a lane that is left out
# Of skewed geometries, with one center in each lane. A calm one pays nothing for staying as it is,
# and would hide motion that is slow against the spread of the logarithms; at rest windows speak for
# these anyway. The first walk with one center is like the third lane.
_SKEWED_PRIOR = [
    0.5,
    0.1,
    0.08,
    0.04,
    0.06,
    0.08,
    0.04,
    *[NO_LANE] * 2,
    0.02,
    0.01,
    0.02,
    *[NO_LANE] * 2,
    0.05,
]
SKEWED_PRIOR = np.array(_SKEWED_PRIOR)
LANE_SHARE = 0.002  # of the lanes' weights that returns to their prior

# Memories of the occupancies (0: the paper's uniform weights).
WEIGHT_MEMORY = np.array([0.0, 2000.0, 120.0, 40.0, 15.0, 8.0])
WEIGHT_PRIOR = np.array([0.3, 0.45, 0.1, 0.08, 0.04, 0.03])
WEIGHT_SHARE = 0.0002  # of their weights that returns to the prior
# Scale: memory, rate of return to the longest memory, prior weight in lanes of several centers, in
# those of one on the line and in space, where one observation says more of it; whether one factor
# holds for all centers and squares count in full, as in GARCH.
_SCALES = np.array(
    [
        (1000.0, 0.0, 0.5, 0.2, 0.5, 0),
        (50.0, 0.0, 0.1, 0.05, 0.05, 0),
        (20.0, 0.02, 0.14, 0.25, 0.15, 1),
        (16.0, 0.0, 0.08, 0.15, 0.09, 1),
        (10.0, 0.02, 0.12, 0.25, 0.15, 1),
        (6.0, 0.05, 0.06, 0.1, 0.06, 1),
    ]
)
SCALE_MEMORY, SCALE_RETURN = (np.ascontiguousarray(c) for c in _SCALES[:, :2].T)
IS_COMMON = _SCALES[:, 5] == 1
# Half the relative variance that such a recursion has of itself, squares of a normal law coming in.
SCALE_NOISE = SCALE_MEMORY**-2 / (1 - (1 - 1 / SCALE_MEMORY - SCALE_RETURN) ** 2)
DF = np.array([3.0, 8.0, 1000.0])  # tails; the last one counts as normal
N_WEIGHTS, N_SCALES, N_TAILS = len(WEIGHT_MEMORY), len(SCALE_MEMORY), len(DF)
N_BELIEFS = N_SCALES * N_TAILS  # belief q is scale memory q // N_TAILS with tail q % N_TAILS
BELIEF_PRIOR = np.repeat(_SCALES[:, 2:5].T, N_TAILS, axis=1) / N_TAILS  # a row for each kind
BELIEF_SHARE = 0.001  # of the beliefs' weights that returns to the prior

# Chances per observation of a birth, a shift of all, a move of one center, a fresh start, for a
# geometry that has met no stray point yet; strays that meant no change lower them.
HAZARDS = np.array([0.008, 0.01, 0.004, 0.004])
LEAVING = 1e-5  # chance per observation that a center is visited no more from then on …
LEAVING_GAIN = 20.0  # … and so many times that for each move of its geometry
MOST_GONE = 1e3  # odds of its having left at which it is buried
STAY_CHANCE = np.where(IS_CALM, 1.0, 1.0 - HAZARDS.sum())
RENEWAL_EVERY = 4  # observations at which geometries begin anew, without a surprise
RENEWAL_CHANCE = 0.01  # that one of them is right then …
RENEWAL_KEEPS = 0.5  # … and the share of it for the one that keeps its kernel
CENTER_COST = 1.0  # in nats
SHRINKAGE = 4.0  # of a kernel towards the pooled one, in units of d + 2 observations
BROAD_DF = 2.0  # of the law that births and outliers come from
WORLD_MEMORY = 200.0  # of the mean and scatter that are the stream's own units

# The pool: the geometries, and windows of the latest observations under kernels of several widths:
# the first in deviations of the latest 80, the others in those of the centers' kernels. On the line
# also the geometries of a logarithm, one center each, for a skewed law that moves.
WINDOWS = np.array([20, 40, 80, 160, 320, 640])
WIDTHS = np.array([0.35, 0.2, 0.1, 1e-3])
N_WIDTHS = len(WIDTHS)
N_WINDOWS = len(WINDOWS)
KERNEL_WINDOW = 80  # observations whose scatter makes the first kernels
KIND_PRIOR = np.array([0.3, 0.65, 0.05])  # the geometries, the windows, skewed geometries
N_KINDS = len(KIND_PRIOR)
WINDOW_PRIOR = np.array([0.025, 0.04, 0.065, 0.09, 0.13, 0.65])  # the longest has least noise
# Windows of points that are carried along with a level, at several gains, of the values and of the
# logarithms of skewed geometries: beside the lengths they are windows like others.
GAINS = np.array([0.03, 0.1, 0.3])
N_GAINS = len(GAINS)
N_CARRIED = 2 * N_GAINS
STAYING = 4  # the window of as many points that stay
CARRIED = int(WINDOWS[STAYING])
CARRIED_PRIOR = 0.1  # of all of them
CARRIED_GROWTH = 0.02  # chance that a level has moved by less, for each of its memories
N_LENGTHS = N_WINDOWS + N_CARRIED
LENGTH_POWER = 2.0  # of their weights in the law: any part of a window too short is noise
# Lengths are judged in two ways, by kernels and by the level that ranks have, each at a rate.
LENGTH_RATES = np.array([0.5, 1.0])
LENGTH_GROWTH = 0.1  # chance that a window's law has stood still for one more of its lengths
N_JUDGES = len(LENGTH_RATES)
_CARRIED_PRIOR = np.full(N_CARRIED, CARRIED_PRIOR / N_CARRIED)
_EACH_PRIOR = np.concatenate([(1.0 - CARRIED_PRIOR) * WINDOW_PRIOR, _CARRIED_PRIOR])
LENGTH_PRIOR = np.tile(_EACH_PRIOR, N_JUDGES) / N_JUDGES
WIDTH_PRIOR = np.full(N_WIDTHS, 1 / N_WIDTHS)
POOL_BLUR = 0.05  # of all laws while they are judged, in deviations
POOL_CELL = 0.5  # of a lattice's step: what they are blurred by besides
POOL_MOST = 0.3  # … deviations at most
POOL_REPEATS = 4.0  # nats by which the geometries' prior is lower where all values are one atom
POOL_RATE = 0.5  # of the log score
POOL_SHARE = 0.0005
POOL_STRAYS = 0.05  # share of observations that an expert is not asked to explain
EXPERTS = ("geometry", *(f"window_{n}" for n in WINDOWS.tolist()), "carried", "skewed")
N_EXPERTS = len(EXPERTS)


def _places(*sizes: int) -> tuple[int, ...]:
    return tuple(accumulate(sizes, initial=0))


KIND, LENGTH, WIDTH, POOL_SIZE = _places(N_KINDS, len(LENGTH_PRIOR), N_WINDOWS * N_WIDTHS)
POOL_PRIOR = np.concatenate([KIND_PRIOR, LENGTH_PRIOR, *[WIDTH_PRIOR] * N_WINDOWS])


# Columns of a geometry, of one of its centers, and of the work vector.
(
    N_CENTERS,
    LOG_WEIGHT,
    BORN,
    SINCE,
    STRAYS,
    SEEN,
    MOVES,
    MEMORY,
    BELIEF,
    RING,
    SLOT_SIZE,
) = _places(1, 1, 1, 1, 1, 1, 1, N_WEIGHTS, N_BELIEFS, REFIT)
VAR, COV, SPEED_VAR, MASS, IDENTITY, LAST, MOVED, GONE, COUNT, SCALE, CENTER_SIZE = _places(
    1, 1, 1, 1, 1, 1, 1, 1, N_WEIGHTS, N_BELIEFS
)
_WORK = (MAX_CENTERS, MAX_CENTERS * N_WEIGHTS, *[MAX_CENTERS] * 6, N_BELIEFS, N_WEIGHTS, *[1] * 7)
(
    PI,
    PI_MEMORY,
    FIT,
    PULL,
    SHARE,
    GAP,
    ABSENT,
    SURE,
    BY_BELIEF,
    BY_MEMORY,
    BROAD,
    STRAY,
    AGE,
    FLOOR,
    NEAR,
    LIMIT,
    VOLUME,
    WORK_SIZE,
) = _places(*_WORK)
N_SLOTS = (N_LANES + 1) * BEAM  # the last BEAM places are scratch
ERROR, SOLVED, WORLD_MEAN, GRAIN, N_LINES = range(5)  # rows of the vectors (N_LINES, d)
MATRIX, POOLED, WORLD_COV, WORLD_FACTOR, N_SQUARES = range(5)  # of the matrices (N_SQUARES, d, d)

# The axis of skewed geometries: 1 or -1 for a law with its tail above or below, 0 for none; origin
# and unit of what the logarithm is taken of; the number of observations at which to look again.
SIGN, ORIGIN, UNIT, LOOK, N_AXIS = range(5)

# The watch: p-value; alarm statistic, log(1 + it), nats that it lacks since earlier alarms, whether
# it must calm down first; the latest restart and its log odds; the share of repeated observations;
# the weight of what stood still for long, whether that led; alarms, the latest; scores, scores.
(
    P_VALUE,
    STATISTIC,
    EVIDENCE,
    RAISED,
    IS_OFF,
    RESTART,
    ODDS,
    REPEATS,
    STILL,
    WAS_STILL,
    N_ALARMS,
    LAST_ALARM,
    N_SCORES,
    SCORES,
) = range(14)
N_RANKED = 500
