"""The decorators behind every compiled loop.

A kernel is plain Python over numpy arrays, compiled by Numba to machine code, kept on disk, with the GIL released.
``HEADWAY_KERNELS`` says how:

========== =====================================================================
compiled   the default: compiled and kept
checked    compiled with bounds checks on every index (what the tests run with)
python     not compiled: step through a kernel in a debugger
========== =====================================================================

`headway.kernel.units` says what is compiled together, `headway.kernel.keys` what a compiled kernel depends on, and
`headway.kernel.store` where it is kept. Numba is imported when something has to be compiled:
`headway.kernel.ready` runs what is compiled already.
"""

import functools
import os
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

from headway.collection import no_collection
from headway.errors import KernelError, UsageError

F = TypeVar("F", bound=Callable[..., Any])

_MODES = ("compiled", "checked", "python")


def kernel_mode() -> str:
    """Return the value of ``HEADWAY_KERNELS``, checked."""
    mode = os.environ.get("HEADWAY_KERNELS", "compiled")
    if mode not in _MODES:
        raise UsageError(f"HEADWAY_KERNELS is {mode!r}; it may be {', '.join(_MODES)}")
    return mode


class Compilations:
    """The time spent compiling; kernels that are compiled while compiling another are counted once."""

    def __init__(self) -> None:
        self.depth, self.since, self.seconds = 0, 0.0, 0.0
        self.tell: Callable[[str], None] = lambda name: None

    def start(self, name: str) -> None:
        """Note that the compilation of a kernel begins."""
        if self.depth == 0:
            self.since = time.monotonic()
            self.tell(name)
        self.depth += 1

    def end(self) -> None:
        """Note that a compilation ends."""
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.monotonic() - self.since


COMPILATIONS = Compilations()
"""The compilations of this process."""


def working_clock() -> float:
    """Return seconds that pass, as `time.monotonic`, without those in which kernels are compiled: for time limits."""
    return time.monotonic() - COMPILATIONS.seconds


def watch_compilation(tell: Callable[[str], None]) -> None:
    """Call `tell` with the name of each kernel that Python calls and that has to be compiled first."""
    COMPILATIONS.tell = tell


_MAKING = threading.RLock()

_MANY_CALLS = 1000
"""Numba takes long to import, but tells the types of arguments faster: after so many calls it is worth its time."""


class Kernel:
    """A function that is compiled when it is first called, by Python or by another kernel.

    Parameters
    ----------
    function : function
    options : dict
        Of `numba.njit`.
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
        """Run; compile first if this was not done yet for arguments of these types, on this machine."""
        run = self._find_ready(args) if self._dispatcher is None and self._calls < _MANY_CALLS else None
        return self.dispatcher(*args) if run is None else run(*args)

    def _find_ready(self, args: tuple[Any, ...]) -> Any:
        """Return the compiled form for arguments of these types, if it can run without Numba."""
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
    """A function that kernels call and that every type of its first argument, a named tuple, implements.

    The implementation is chosen when the caller is compiled, so calls cost no more than those of any other kernel.
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
        """Return the kernel that implements this for a type."""
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
"""All of them."""


def interface(function: F) -> F:
    """Declare a function for others to implement; its own body is never run."""
    return cast(F, Interface(function))


def implements(declared: Callable[..., Any], implementer: type) -> Callable[[F], F]:
    """Make a kernel the implementation of an `interface` for the named tuple `implementer`.

    Do so in the module that defines the named tuple: compiled kernels are looked up by what is known of it then.
    """

    def register(function: F) -> F:
        cast(Interface, declared).implementations[implementer] = function
        return function

    return register


def implementations_of(implementer: type) -> list[Any]:
    """Return the functions, not compiled, by which a type implements interfaces."""
    found = (some.implementations[implementer] for some in INTERFACES if implementer in some.implementations)
    return [getattr(function, "py_func", function) for function in found]


def is_compiled(function: Callable[..., Any]) -> bool:
    """Return whether a kernel has been compiled on this machine, or comes compiled, for arguments of some types."""
    if not isinstance(function, Kernel):
        return True
    from headway.kernel.names import entry_places, unit_options
    from headway.kernel.store import has_entry

    places = entry_places(function.py_func, unit_options(function.options))
    return any(has_entry(folder, name) for folder, name in places)


def kernel(function: F) -> F:
    """Compile `function` on first use: on its own where Python calls it, into its callers where kernels do."""
    return _compile(function)


def unit_kernel(function: F) -> F:
    """As `kernel`, but compiled on its own for other kernels, too, and called by them.

    For large kernels with several callers, or large callers: neither is compiled again when the other changes, and
    nothing is optimised twice. A call hands over seven numbers for every array in every argument.
    """
    return _compile(function, is_unit=True)


def leaf_kernel(function: F) -> F:
    """As `kernel`, for a function that makes no arrays and keeps none: its calls do not count references.

    Counting costs a few nanoseconds for every array in every argument, which is most of the time of a small function
    that is given a tuple of many.
    """
    return _compile(function, counts_references=False)


def inner_kernel(function: F) -> F:
    """As `leaf_kernel`, and always inlined: for small functions of the innermost loops."""
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
