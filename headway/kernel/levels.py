"""CPU levels: the sets of instructions that shipped kernels are compiled for.

On x86-64 the level is x86-64-v3 (AVX2, FMA, BMI2: most processors since 2013, AVX-512 not needed); on ARM it is
the baseline of all 64-bit processors. A machine below the level compiles its own kernels.
"""

import os
import platform
from functools import cache

_LEVELS = {"x86_64": "x86-64-v3", "AMD64": "x86-64-v3", "aarch64": "generic", "arm64": "generic"}

_NEEDED = {
    "x86-64-v3": ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sse4.1", "sse4.2", "ssse3"),
    "generic": (),
}
"""LLVM's names for the instructions of a level."""


def platform_level() -> str | None:
    """Return the level that kernels are shipped for on this kind of processor, if any."""
    return _LEVELS.get(platform.machine())


@cache
def host_level() -> str | None:
    """Return the level whose kernels this machine can run, if any."""
    level = platform_level()
    return level if level is not None and host_has(_NEEDED[level]) else None


def host_has(features: tuple[str, ...]) -> bool:
    """Return whether this machine has all of LLVM's `features`."""
    import llvmlite.binding as llvm

    if not features:
        return True
    try:
        host = llvm.get_host_cpu_features()
    except RuntimeError:
        return False
    return all(host.get(feature, False) for feature in features)


def target_level() -> str | None:
    """Return the level that kernels are being compiled for, to be shipped; None if they are for this machine."""
    return os.environ.get("HEADWAY_BUILD_LEVEL") or None
