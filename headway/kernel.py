"""The one decorator behind every compiled loop.

A kernel is plain Python over numpy arrays, compiled by Numba to machine code, cached on disk, with the GIL released.
``HEADWAY_KERNELS`` says how:

========== =====================================================================
compiled   the default: compiled and cached
checked    compiled with bounds checks on every index (what the tests run with)
python     not compiled: step through a kernel in a debugger
========== =====================================================================
"""

import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from headway.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])

_MODES = ("compiled", "checked", "python")


def kernel_mode() -> str:
    """The value of ``HEADWAY_KERNELS``, checked."""
    mode = os.environ.get("HEADWAY_KERNELS", "compiled")
    if mode not in _MODES:
        raise UsageError(f"HEADWAY_KERNELS is {mode!r}; it may be {', '.join(_MODES)}")
    return mode


def kernel(function: F) -> F:
    """Compile `function` on first use (see the head of this file for the modes)."""
    mode = kernel_mode()
    if mode == "python":
        return function
    if mode == "checked":  # Numba's cache does not tell checked code from unchecked: share no folder
        return cast(F, numba.njit(nogil=True, boundscheck=True, cache="NUMBA_CACHE_DIR" in os.environ)(function))
    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy")(function))
