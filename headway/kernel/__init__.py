"""The decorators of compiled kernels.

A kernel is plain Python over numpy arrays, compiled by Numba to machine code, cached on disk, with the GIL released.
The environment variable ``HEADWAY_KERNELS`` sets the mode:

========== =====================================================================
compiled   the default: compiled and cached
checked    compiled with bounds checks on every index (what the tests run with)
python     not compiled, to step through a kernel in a debugger
========== =====================================================================

`headway.kernel.units` defines what is compiled together, `headway.kernel.keys` what a compiled kernel depends on, and
`headway.kernel.store` where it is cached. Numba is only imported if something has to be compiled:
`headway.kernel.ready` runs kernels that are compiled already.
"""

import functools
import os
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

from headway.errors import KernelError, UsageError
from headway.support.collection import no_collection

F = TypeVar("F", bound=Callable[..., Any])

_MODES = ("compiled", "checked", "python")


def kernel_mode() -> str:
    """Return the value of ``HEADWAY_KERNELS``; UsageError for an unknown value."""
    mode = os.environ.get("HEADWAY_KERNELS", "compiled")
    if mode not in _MODES:
        raise UsageError(f"HEADWAY_KERNELS is {mode!r}; it may be {', '.join(_MODES)}")
    return mode


class Compilations:
    """The time spent compiling; kernels that are compiled while another is compiled are not counted twice."""

    def __init__(self) -> None:
        self.depth, self.since, self.seconds = 0, 0.0, 0.0
        self.tell: Callable[[str], None] = lambda name: None

    def start(self, name: str) -> None:
        """Record that the compilation of a kernel begins."""
        if self.depth == 0:
            self.since = time.monotonic()
            self.tell(name)
        self.depth += 1

    def end(self) -> None:
        """Record that a compilation ends."""
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.monotonic() - self.since


COMPILATIONS = Compilations()
"""The compilations of this process."""


def working_clock() -> float:
    """Return elapsed seconds, like `time.monotonic`, without the time of compiling kernels: for time limits."""
    return time.monotonic() - COMPILATIONS.seconds


def watch_compilation(tell: Callable[[str], None]) -> None:
    """Call `tell` with the name of each kernel that Python calls and that has to be compiled first."""
    COMPILATIONS.tell = tell


_MAKING = threading.RLock()

_MANY_CALLS = 1000
"""Numba takes long to import, but finds the types of arguments faster: after this many calls, it is worth importing."""


class Kernel:
    """A function that is compiled when it is first called, by Python or by another kernel.

    Parameters
    ----------
    function : function
    options : dict
        Options of `numba.njit`.
    is_unit : bool
        See `unit_kernel`.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any], *, is_unit: bool) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self.options, self.is_unit = function, options, is_unit
        self._dispatcher: Any = None
        self._ready: dict[Any, Any] = {}
        self._calls = 0
        function.kernel_options = (*sorted(options.items()), is_unit)  # type: ignore[attr-defined]

    def __call__(self, *args: Any) -> Any:
        """Run the kernel; compile it first if it has not been compiled for these argument types on this machine."""
        run = self._find_ready(args) if self._dispatcher is None and self._calls < _MANY_CALLS else None
        return self.dispatcher(*args) if run is None else run(*args)

    def _find_ready(self, args: tuple[Any, ...]) -> Any:
        """Return the compiled form for these argument types, if it can run without Numba."""
        from headway.kernel.names import value_key  # imports numpy

        self._calls += 1
        key = value_key(args)
        if key not in self._ready:
            from headway.kernel.ready import find_ready

            with no_collection():
                self._ready[key] = find_ready(self.py_func, self.options, args)
        return self._ready[key]

    @property
    def dispatcher(self) -> Any:
        """Numba's view of the kernel."""
        if self._dispatcher is None:
            with _MAKING, no_collection():  # one for all threads; imports Numba
                if self._dispatcher is None:
                    from headway.kernel.dispatch import make_dispatcher

                    self._dispatcher = make_dispatcher(self.py_func, self.options, is_unit=self.is_unit)
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_

    def __reduce__(self) -> str:
        return cast(str, self.__qualname__)  # type: ignore[attr-defined]


class Interface:
    """A function that kernels call, implemented separately for each type of its first argument, a named tuple.

    The implementation is chosen when the caller is compiled, so calls cost no more than other calls of kernels.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.implementations: dict[type, Any] = {}
        self._dispatcher: Any = None
        INTERFACES.append(self)

    def __call__(self, *args: Any) -> Any:
        """Run the implementation for the type of the first argument."""
        return self.implementation(type(args[0]))(*args)

    def implementation(self, implementer: type) -> Any:
        """Return the kernel that implements this interface for a type."""
        if implementer not in self.implementations:
            raise KernelError(f"{implementer.__name__} does not implement {self.__name__}")  # type: ignore[attr-defined]
        return self.implementations[implementer]

    @property
    def _numba_type_(self) -> Any:
        if self._dispatcher is None:
            from headway.kernel.dispatch import InterfaceDispatcher

            self._dispatcher = InterfaceDispatcher(self)
        return self._dispatcher._numba_type_


INTERFACES: list[Interface] = []
"""All interfaces."""


def interface(function: F) -> F:
    """Declare a function that types implement; its own body is never run."""
    return cast(F, Interface(function))


def implements(declared: Callable[..., Any], implementer: type) -> Callable[[F], F]:
    """Make a kernel the implementation of an `interface` for the named tuple `implementer`.

    Do so in the module that defines the named tuple: the cache key of a kernel is computed when that type is used.
    """

    def register(function: F) -> F:
        cast(Interface, declared).implementations[implementer] = function
        return function

    return register


def implementations_of(implementer: type) -> list[Any]:
    """Return the functions (not compiled) with which a type implements interfaces."""
    declared_for = (some.implementations[implementer] for some in INTERFACES if implementer in some.implementations)
    return [getattr(function, "py_func", function) for function in declared_for]


def is_compiled(function: Callable[..., Any]) -> bool:
    """Return whether a kernel is compiled on this machine, or shipped compiled, for any argument types."""
    if not isinstance(function, Kernel):
        return True
    from headway.kernel.names import entry_places, unit_options
    from headway.kernel.store import has_entry

    places = entry_places(function.py_func, unit_options(function.options))
    return any(has_entry(folder, name) for folder, name in places)


def kernel(function: F) -> F:
    """Compile `function` on first use: separately if Python calls it, into its callers if kernels call it."""
    return _compile(function)


def unit_kernel(function: F) -> F:
    """Like `kernel`, but compiled separately for other kernels, too, and called by them.

    For large kernels with several callers, or with large callers: neither is recompiled when the other changes, and
    nothing is optimised twice. A call passes seven numbers for every array in every argument.
    """
    return _compile(function, is_unit=True)


def leaf_kernel(function: F) -> F:
    """Like `kernel`, for a function that neither makes nor keeps arrays: its calls do not count references.

    Counting costs a few nanoseconds for every array in every argument, which is most of the time of a small function
    with a tuple of many arrays.
    """
    return _compile(function, counts_references=False)


def inner_kernel(function: F) -> F:
    """Like `leaf_kernel`, and always inlined: for small functions in innermost loops."""
    return _compile(function, counts_references=False, inlined=True)


def _compile(function: F, *, counts_references: bool = True, inlined: bool = False, is_unit: bool = False) -> F:
    mode = kernel_mode()
    if mode == "python":
        return function
    options: dict[str, Any] = {"nogil": True}
    if mode == "checked":
        options["boundscheck"] = True
    else:
        options |= {"error_model": "numpy", "_nrt": counts_references, "forceinline": inlined}
    return cast(F, Kernel(function, options, is_unit=is_unit))
