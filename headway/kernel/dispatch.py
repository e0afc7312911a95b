"""Numba's dispatchers for kernels: imported, together with Numba, when the first kernel has to be compiled."""

from collections.abc import Callable
from typing import Any

import numba
from numba.core import event, sigutils, types

from headway.kernel import COMPILATIONS, Interface
from headway.kernel.cache import KernelCache, PartCache, UnitCache
from headway.kernel.units import UnitDispatcher, is_supported


def make_dispatcher(function: Callable[..., Any], options: dict[str, Any], *, is_unit: bool) -> Any:
    """Return the dispatcher of a kernel: with units if they work with this version of Numba, else Numba's own."""
    if is_supported():
        return UnitDispatcher(function, options, unit_cache=UnitCache, part_cache=PartCache, is_unit=is_unit)
    dispatcher = numba.njit(**options)(function)
    dispatcher._cache = KernelCache(function, options)
    return dispatcher


class InterfaceDispatcher:
    """Numba's view of an interface: passes every call to the implementation for the type of the first argument."""

    is_compiling = False

    def __init__(self, declared: Interface) -> None:
        self.interface = declared
        self._numba_type_ = types.Dispatcher(self)

    def __str__(self) -> str:
        return self.interface.__name__  # type: ignore[attr-defined,no-any-return]

    def _implementation(self, args: Any) -> Any:
        return self.interface.implementation(args[0].instance_class).dispatcher

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile the implementation for a call by another kernel."""
        return self._implementation(args).get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """Return the implementation that was compiled for a call."""
        args, _ = sigutils.normalize_signature(sig)
        return self._implementation(args).get_overload(sig)


class _Listener(event.Listener):
    def on_start(self, event: Any) -> None:
        COMPILATIONS.start(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Any) -> None:
        COMPILATIONS.end()


event.register("numba:compile", _Listener())
