"""From kernels to Numba's dispatchers: what is imported with Numba, when the first kernel is called."""

from collections.abc import Callable
from typing import Any

import numba
from numba.core import event

from headway.kernel import COMPILATIONS
from headway.kernel.cache import KernelCache, PartCache, UnitCache
from headway.kernel.units import UnitDispatcher, is_supported


def make_dispatcher(function: Callable[..., Any], options: dict[str, Any], *, is_unit: bool) -> Any:
    """Return what compiles a kernel and runs it: in units where they work with this Numba, else as Numba does."""
    if is_supported():
        return UnitDispatcher(function, options, unit_cache=UnitCache, part_cache=PartCache, is_unit=is_unit)
    dispatcher = numba.njit(**options)(function)
    dispatcher._cache = KernelCache(function, options)
    return dispatcher


class _Listener(event.Listener):
    def on_start(self, event: Any) -> None:
        COMPILATIONS.start(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Any) -> None:
        COMPILATIONS.end()


event.register("numba:compile", _Listener())
