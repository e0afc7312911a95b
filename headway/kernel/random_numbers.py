"""Random numbers for kernels: a small generator whose state is an array, so that each search can have its own state.

SplitMix64 (Steele, Lea and Flood 2014): the same seed gives the same numbers on every machine and thread.
"""

import numpy as np
import numpy.typing as npt

from headway.kernel import kernel, leaf_kernel

Generator = npt.NDArray[np.uint64]
"""(1,) uint64, the state."""


@kernel
def make_generator(seed: int) -> Generator:
    """Return a generator; different seeds give unrelated numbers."""
    state = np.zeros(1, dtype=np.uint64)
    state[0] = np.uint64(seed)
    return state


@leaf_kernel
def reseed(generator: Generator, seed: int, number: int) -> None:
    """Restart the generator for a seed and a number; each pair has its own sequence."""
    mixed = np.uint64(seed) * np.uint64(0xD1342543DE82EF95) + np.uint64(number + 1) * np.uint64(0xAF251AF3B0F025B5)
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0xDABA0B6EB09322E3)
    generator[0] = mixed ^ (mixed >> np.uint64(32))


@leaf_kernel
def uniform(generator: Generator) -> float:
    """Return a number from 0 (inclusive) to 1 (exclusive)."""
    generator[0] += np.uint64(0x9E3779B97F4A7C15)
    mixed = generator[0]
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return float(mixed >> np.uint64(11)) * 2.0**-53
