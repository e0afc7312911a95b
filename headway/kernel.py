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
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import blake2b, sha1
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

from headway.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])

_MODES = ("compiled", "checked", "python")


def kernel_mode() -> str:
    """The value of ``HEADWAY_KERNELS``, checked."""
    mode = os.environ.get("HEADWAY_KERNELS", "compiled")
    if mode not in _MODES:
        raise UsageError(f"HEADWAY_KERNELS is {mode!r}; it may be {', '.join(_MODES)}")
    return mode


def forget_stale_kernels(package: Path, cache: Path) -> None:
    """Remove compiled kernels if any source has changed since they were made.

    Numba looks at a kernel's own file only; a kernel that calls another has its code compiled in.

    Parameters
    ----------
    package : Path
        The folder of the sources.
    cache : Path
        Where compiled kernels are; Numba puts them beside the sources unless it is told otherwise.
    """
    sources = ((str(path), path.stat().st_mtime_ns) for path in sorted(package.rglob("*.py")))
    stamp = blake2b(repr(list(sources)).encode(), digest_size=16).hexdigest()
    record = cache / "__pycache__" / f"headway-{_digest(package)}.stamp"
    with suppress(OSError):  # a folder that cannot be written has no kernels of ours
        if record.exists() and record.read_text() == stamp:
            return
        for compiled in _compiled(package, cache):
            compiled.unlink(missing_ok=True)
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text(stamp)


def _digest(folder: Path) -> str:
    return sha1(str(folder).encode(), usedforsecurity=False).hexdigest()


def _compiled(package: Path, cache: Path) -> Iterator[Path]:
    """Numba's files for the sources of `package`: in a folder of others' kernels, ours have known subfolders."""
    if cache == package:
        yield from package.rglob("*.nb[ic]")
    else:
        for folder in {source.parent for source in package.rglob("*.py")}:
            yield from (cache / f"{folder.name}_{_digest(folder)}").glob("*.nb[ic]")


def must_compile(name: str) -> bool:
    """Whether the kernel of that name was not compiled yet on this machine, so that a first run will take longer."""
    if kernel_mode() == "python" or not os.access(_CACHE, os.W_OK):
        return False
    return not any(f".{name}-" in path.name for path in _compiled(_PACKAGE, _CACHE))


class _CompileTimer(event.Listener):
    """Adds up how long Numba compiles, what compiling a kernel compiles within counted once."""

    def __init__(self) -> None:
        self.depth, self.since, self.seconds = 0, 0.0, 0.0

    def on_start(self, event: Any) -> None:
        if self.depth == 0:
            self.since = time.monotonic()
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.monotonic() - self.since


_timer = _CompileTimer()
event.register("numba:compile", _timer)  # type: ignore[no-untyped-call]


def working_clock() -> float:
    """Seconds that pass, as `time.monotonic`, but for those in which kernels are compiled: for limits on a search."""
    return time.monotonic() - _timer.seconds


def kernel(function: F) -> F:
    """Compile `function` on first use (see the head of this file for the modes)."""
    return _compile(function, counts_references=True)


def leaf_kernel(function: F) -> F:
    """As `kernel`, for a function that makes no arrays and keeps none: its calls do not count references.

    Counting costs a few nanoseconds for every array in every argument, which is most of the time of a small function
    that is given a tuple of many.
    """
    return _compile(function, counts_references=False)


def inner_kernel(function: F) -> F:
    """As `leaf_kernel`, and always compiled into its callers: for small functions of the innermost loops.

    A call hands over seven numbers for every array in every argument; a tuple of many takes longer to hand over than
    a look-up takes. With everything inlined, compiling takes minutes longer.
    """
    return _compile(function, counts_references=False, inlined=True)


def _compile(function: F, *, counts_references: bool, inlined: bool = False) -> F:
    mode = kernel_mode()
    if mode == "python":
        return function
    if mode == "checked":  # Numba's cache does not tell checked code from unchecked: share no folder
        own_folder = "NUMBA_CACHE_DIR" in os.environ
        return cast(F, numba.njit(nogil=True, boundscheck=True, cache=own_folder)(function))
    compiler: Any = numba.njit  # whose types do not know all of these options
    options = {"nogil": True, "cache": True, "error_model": "numpy"}
    return cast(F, compiler(**options, _nrt=counts_references, forceinline=inlined)(function))


_PACKAGE = Path(__file__).resolve().parent
_CACHE = Path(os.environ.get("NUMBA_CACHE_DIR", _PACKAGE))
forget_stale_kernels(_PACKAGE, _CACHE)
