"""The names of cached kernels, and the folders to search for them; computed without importing Numba.

A name is a digest of the kernel's content key, its options, everything that changes machine code (versions of Numba,
LLVM and Python, settings of Numba, the CPU) and the types of its arguments. If the package has compiled kernels for a
CPU level that this machine meets, they are searched first.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

from headway.kernel import implementations_of
from headway.kernel.keys import content_key, digest
from headway.kernel.levels import host_level, target_level
from headway.kernel.store import SHIPPED, cache_folders

_FORMAT = 5
"""Bump this when the way that units are compiled or cached changes: it invalidates every compiled kernel."""

_SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUG_TYPEINFER", "CPU_NAME", "CPU_FEATURES", "ENABLE_AVX")
_CPU_SETTINGS = ("CPU_NAME", "CPU_FEATURES")
"""Settings that select the CPU; they are not part of the names of kernels for a level, which contain the level."""

_SETTINGS_FILE = ".numba_config.yaml"


def unit_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the compilation options of a unit that Python calls."""
    return {"nopython": True, "boundscheck": None, **options, "no_cfunc_wrapper": True}


def callee_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the compilation options of a unit or part that only kernels call."""
    return {**unit_options(options), "no_cpython_wrapper": True}


def entry_places(function: Callable[..., Any], options: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield the possible places of a compiled kernel: a folder, and the file name without the argument types."""
    if level := _shipped_level():
        yield SHIPPED / level, _entry_name(function, options, level)
    name = _entry_name(function, options, None)
    yield from ((folder, name) for folder in cache_folders())


def _shipped_level() -> str | None:
    """Return the level whose kernels may run; None if the user has set another CPU."""
    is_set = any(f"NUMBA_{name}" in os.environ for name in _CPU_SETTINGS)
    return host_level() if target_level() or not is_set else None


def new_entry_name(function: Callable[..., Any], options: Mapping[str, Any]) -> str:
    """Return the beginning of the name (without argument types) of a kernel that is being compiled."""
    return _entry_name(function, options, target_level())


def _entry_name(function: Callable[..., Any], options: Mapping[str, Any], level: str | None) -> str:
    machine = _host_machine() if level is None else (llvm.get_process_triple(), level)
    key = digest(content_key(function), tuple(sorted(options.items())), machine, *_toolchain(level is None))
    return f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}-{key}-"


@cache
def _toolchain(for_host: bool) -> tuple[object, ...]:
    """Return everything that machine code depends on, except the CPU."""
    settings = [
        os.environ.get(f"NUMBA_{name}") if for_host or name not in _CPU_SETTINGS else None for name in _SETTINGS
    ]
    file = Path(_SETTINGS_FILE).read_bytes() if os.path.isfile(_SETTINGS_FILE) else b""
    return _FORMAT, numba_version(), llvmlite.__version__, sys.implementation.cache_tag, settings, file


@cache
def numba_version() -> str:
    """Return the version of the installed Numba, without importing it; "unknown" if it cannot be determined."""
    if (loaded := sys.modules.get("numba")) is not None and hasattr(loaded, "__version__"):
        return str(loaded.__version__)
    folder = numba_folder()
    if folder is None:
        return "unknown"
    found = re.search(r'"version": "([^"]+)"', (folder / "_version.py").read_text(encoding="utf-8"))
    return found[1] if found else "unknown"


@cache
def numba_folder() -> Path | None:
    """Return the folder in which Numba is installed, if there is one."""
    spec = find_spec("numba")
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


@cache
def _host_machine() -> tuple[str, ...]:
    try:
        features = llvm.get_host_cpu_features().flatten()
    except RuntimeError:
        features = ""
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), features


def types_digest(texts: list[object]) -> str:
    """Return a digest of the argument types of a kernel: of `array_text`, `tuple_text` and names of scalar types."""
    return digest(*texts)[:16]


def array_text(dtype: str, dimensions: int, layout: str, *, writable: bool) -> object:
    """Describe an array type."""
    return "array", dtype, dimensions, layout, writable


def tuple_text(kind: type, parts: list[object]) -> object:
    """Describe a tuple type, including its implementations of interfaces, on which compiled code depends."""
    fields = kind.__module__, kind.__qualname__, getattr(kind, "_fields", ())
    implementations = [(content_key(function), function.kernel_options) for function in implementations_of(kind)]
    return "tuple", fields, implementations, parts


_C, _F, _ALIGNED, _WRITABLE = 0x1, 0x2, 0x100, 0x400
_FLAGS = _C | _F | _ALIGNED | _WRITABLE
_KINDS = "?bhilqBHILQfd"
_SCALARS = {int: "int64", float: "float64", bool: "bool", type(None): "none"}


def value_key(value: Any) -> Any:
    """Return a key that distinguishes argument types, quickly."""
    kind = type(value)
    if kind is np.ndarray:
        return value.dtype, value.ndim, value.flags.num & _FLAGS
    if isinstance(value, tuple):
        return kind, *map(value_key, value)
    return kind


def value_text(value: Any) -> object:
    """Describe the type of an argument, in the same words as Numba's types; TypeError if only Numba can do so."""
    kind = type(value)
    if kind in _SCALARS:
        return _SCALARS[kind]
    if isinstance(value, tuple) and (kind is tuple or hasattr(kind, "_fields")):
        return tuple_text(kind, [value_text(part) for part in value])
    if not isinstance(value, np.generic) and kind is not np.ndarray:
        raise TypeError(f"a {kind.__name__}")
    if value.dtype.char not in _KINDS or not value.dtype.isnative or not value.flags.aligned:
        raise TypeError(f"unusual numbers: {value.dtype}")
    if kind is not np.ndarray:
        return value.dtype.name
    flags = value.flags.num
    layout = "C" if flags & _C else "F" if flags & _F else "A"
    return array_text(value.dtype.name, value.ndim, layout, writable=bool(flags & _WRITABLE))
