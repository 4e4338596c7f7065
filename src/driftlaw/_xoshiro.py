"""Kernels: random numbers for compiled code, from a state of four 64-bit words held in an array.

xoshiro256++ (Blackman and Vigna). The state is plain data, so a saved chain resumes bit for bit,
and it costs nothing to pass, where handing a NumPy Generator to a kernel takes 20 microseconds.
"""

import math

import numpy as np
from numpy.typing import NDArray

from driftlaw._jit import lean_kernel
from driftlaw._validate import Array

State = NDArray[np.uint64]

_UNIT = 2.0**-53


@lean_kernel
def next_word(state: State) -> np.uint64:
    """Advance the state and return 64 random bits."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    total = s0 + s3
    word = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
    shifted = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3
    return np.uint64(word)


@lean_kernel
def uniform(state: State) -> float:
    """Uniform on (0, 1], in steps of 2**-53: never 0, so that its logarithm is finite."""
    return (float(next_word(state) >> np.uint64(11)) + 0.5) * _UNIT


@lean_kernel
def below(state: State, n: int) -> int:
    """Uniform on {0, ..., n-1} (bias below n / 2**53)."""
    return min(int(uniform(state) * n), n - 1)


@lean_kernel
def fill_normal_inplace(state: State, out: Array) -> None:
    """Fill ``out`` (d,) with independent standard normals (polar method)."""
    d = out.shape[0]
    for i in range(0, d, 2):
        square = 2.0
        a = 0.0
        b = 0.0
        while square >= 1.0:
            a = 2.0 * uniform(state) - 1.0
            b = 2.0 * uniform(state) - 1.0
            square = a * a + b * b
        factor = math.sqrt(-2.0 * math.log(square) / square)
        out[i] = a * factor
        if i + 1 < d:
            out[i + 1] = b * factor
