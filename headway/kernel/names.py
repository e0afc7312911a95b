"""The names under which compiled kernels are kept, and where to look for them; found without importing Numba.

A name is a digest of the kernel's content key, its options, what makes machine code differ (versions of Numba, LLVM and
Python, settings of Numba, the CPU) and the types of its arguments. Where the package has compiled kernels for a level
of CPU that this machine meets, they are looked up first.
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
"""Bump this when units are compiled or kept in another way: it invalidates every compiled kernel."""

_SETTINGS = ("OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUG_TYPEINFER", "CPU_NAME", "CPU_FEATURES", "ENABLE_AVX")
_CPU_SETTINGS = ("CPU_NAME", "CPU_FEATURES")
"""How a build says which level it is for: the name of a kernel for a level says so itself."""

_SETTINGS_FILE = ".numba_config.yaml"


def unit_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a unit which Python calls is compiled with."""
    return {"nopython": True, "boundscheck": None, **options, "no_cfunc_wrapper": True}


def callee_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that a unit, or part, which only kernels call is compiled with."""
    return {**unit_options(options), "no_cpython_wrapper": True}


def entry_places(function: Callable[..., Any], options: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield where a compiled kernel may be: folders, and its file's name there, but for the types of arguments."""
    if level := _shipped_level():
        yield SHIPPED / level, _entry_name(function, options, level)
    name = _entry_name(function, options, None)
    yield from ((folder, name) for folder in cache_folders())


def _shipped_level() -> str | None:
    """Return the level whose kernels may run; None where a user has set another CPU."""
    is_set = any(f"NUMBA_{name}" in os.environ for name in _CPU_SETTINGS)
    return host_level() if target_level() or not is_set else None


def new_entry_name(function: Callable[..., Any], options: Mapping[str, Any]) -> str:
    """Return the name, but for the types of arguments, of a kernel that is being compiled."""
    return _entry_name(function, options, target_level())


def _entry_name(function: Callable[..., Any], options: Mapping[str, Any], level: str | None) -> str:
    machine = _host_machine() if level is None else (llvm.get_process_triple(), level)
    key = digest(content_key(function), tuple(sorted(options.items())), machine, *_toolchain(level is None))
    return f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}-{key}-"


@cache
def _toolchain(for_host: bool) -> tuple[object, ...]:
    """All but the CPU that machine code depends on."""
    settings = [
        os.environ.get(f"NUMBA_{name}") if for_host or name not in _CPU_SETTINGS else None for name in _SETTINGS
    ]
    file = Path(_SETTINGS_FILE).read_bytes() if os.path.isfile(_SETTINGS_FILE) else b""
    return _FORMAT, numba_version(), llvmlite.__version__, sys.implementation.cache_tag, settings, file


@cache
def numba_version() -> str:
    """Return the version of Numba that is installed, without importing it; "unknown" if that cannot be told."""
    if (loaded := sys.modules.get("numba")) is not None and hasattr(loaded, "__version__"):
        return str(loaded.__version__)
    folder = numba_folder()
    if folder is None:
        return "unknown"
    found = re.search(r'"version": "([^"]+)"', (folder / "_version.py").read_text(encoding="utf-8"))
    return found[1] if found else "unknown"


@cache
def numba_folder() -> Path | None:
    """Return the folder that Numba is installed in, if there is one."""
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
    """Digest what `array_text`, `tuple_text` and the names of scalar types say about the arguments of a kernel."""
    return digest(*texts)[:16]


def array_text(dtype: str, dimensions: int, layout: str, *, writable: bool) -> object:
    """Describe a type of arrays."""
    return "array", dtype, dimensions, layout, writable


def tuple_text(kind: type, parts: list[object]) -> object:
    """Describe a type of tuples; with the interfaces it implements, which compiled code depends on."""
    fields = kind.__module__, kind.__qualname__, getattr(kind, "_fields", ())
    implementations = [(content_key(function), function.kernel_options) for function in implementations_of(kind)]
    return "tuple", fields, implementations, parts


_C, _F, _ALIGNED, _WRITABLE = 0x1, 0x2, 0x100, 0x400
_FLAGS = _C | _F | _ALIGNED | _WRITABLE
_KINDS = "?bhilqBHILQfd"
_SCALARS = {int: "int64", float: "float64", bool: "bool", type(None): "none"}


def value_key(value: Any) -> Any:
    """Return something that tells the types of arguments apart, quickly."""
    kind = type(value)
    if kind is np.ndarray:
        return value.dtype, value.ndim, value.flags.num & _FLAGS
    if isinstance(value, tuple):
        return kind, *map(value_key, value)
    return kind


def value_text(value: Any) -> object:
    """Describe the type of an argument, as Numba's types are described; TypeError where only Numba can tell it."""
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
