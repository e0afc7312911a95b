"""Numba's interface to the store: look a compiled kernel up before compiling it, and keep it afterwards.

An entry is found by a digest of the kernel's content key, its options, the types of its arguments and what makes
machine code differ: versions of Numba, LLVM and Python, and the CPU. Where the package has compiled kernels for a level
of CPU that this machine meets, they are looked up first.
"""

import importlib
import pickle
import sys
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core import config, serialize, sigutils, types
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult, compile_result
from numba.core.runtime import rtsys

from headway.kernel import implementations_of
from headway.kernel.keys import content_key, digest
from headway.kernel.levels import host_level, target_level
from headway.kernel.store import SHIPPED, cache_folders, has_entry, keep_entry, read_entry, write_entry
from headway.kernel.units import UnitLibrary

_FORMAT = 2
"""Bump this when units are compiled or kept in another way: it invalidates every compiled kernel."""


class KernelCache(_Cache):
    """The compiled forms of one kernel, as Numba itself makes them.

    Parameters
    ----------
    function : function
    options : dict
        What it is compiled with.
    """

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        self._function, self._options = function, tuple(sorted(options.items()))

    @property
    def cache_path(self) -> str:
        """The folder that is tried first."""
        return str(cache_folders()[0])

    def enable(self) -> None:
        """Do nothing: a kernel has a cache or has none."""

    disable = flush = enable

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel for these types of arguments, or None."""
        rtsys.initialize(target_context)  # all that compiled code needs; what compiling needs comes later
        for folder, name in self._places(target_context.codegen()):
            reduced = _unpickle(read_entry(folder, name + _describe_types(sig)))
            if reduced is not None:
                return self.rebuild(target_context, reduced)
        return None

    def reduce(self, result: Any) -> tuple[Any, ...]:
        """Make a compiled kernel ready for pickling."""
        return tuple(result._reduce())

    def rebuild(self, target_context: Any, reduced: tuple[Any, ...]) -> Any:
        """Load a compiled kernel."""
        target_context.refresh()
        return CompileResult._rebuild(target_context, *reduced)

    def has_any(self, codegen: Any) -> bool:
        """Return whether the kernel is there for arguments of some types."""
        return any(has_entry(folder, name) for folder, name in self._places(codegen))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel."""
        codegen = data.codegen
        payload = serialize.dumps(self.reduce(data))
        if level := target_level():
            write_entry(SHIPPED / level, self._name(_level_machine(codegen, level)) + _describe_types(sig), payload)
        else:
            keep_entry(self._name(codegen.magic_tuple()) + _describe_types(sig), payload)

    def _places(self, codegen: Any) -> Iterator[tuple[Path, str]]:
        """Where the kernel may be: folders, and how its file is called there but for the types of arguments."""
        if level := host_level():
            yield SHIPPED / level, self._name(_level_machine(codegen, level))
        name = self._name(codegen.magic_tuple())
        yield from ((folder, name) for folder in cache_folders())

    def _name(self, machine: tuple[Any, ...]) -> str:
        function = self._function
        key = digest(content_key(function), self._options, machine, *_toolchain())
        return f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}-{key}-"


@cache
def _toolchain() -> tuple[object, ...]:
    """All but the CPU that machine code depends on."""
    knobs = config.OPT, config.LOOP_VECTORIZE, config.SLP_VECTORIZE, config.DEBUG_TYPEINFER
    return _FORMAT, numba.__version__, llvmlite.__version__, sys.implementation.cache_tag, *map(str, knobs)


def _level_machine(codegen: Any, level: str) -> tuple[Any, ...]:
    return codegen.magic_tuple()[0], level


def _describe_types(sig: Any) -> str:
    """Digest the types of arguments."""
    args, _ = sigutils.normalize_signature(sig)
    return digest(*map(_type_text, args))[:16]


def _type_text(type_: Any) -> object:
    """Describe a type; a tuple with its fields and the interfaces it implements, which compiled code depends on."""
    if not isinstance(type_, types.BaseTuple):
        return str(type_)
    named = getattr(type_, "instance_class", tuple)
    fields = named.__module__, named.__qualname__, getattr(type_, "fields", ())
    implementations = [(content_key(function), function.kernel_options) for function in implementations_of(named)]
    return type(type_).__name__, fields, implementations, [_type_text(part) for part in type_]


def _unpickle(payload: bytes | None) -> tuple[Any, ...] | None:
    """Return what was kept; None if there is nothing, or if it names what is no longer there: it is compiled again."""
    if payload is None:
        return None
    try:
        return tuple(pickle.loads(payload))
    except (pickle.UnpicklingError, AttributeError, ImportError, EOFError):
        return None


class UnitCache(KernelCache):
    """Keeps units as machine code, with the names of the units that they call."""

    def reduce(self, result: Any) -> tuple[Any, ...]:
        """Make a compiled unit ready for pickling."""
        library, description = result.library, _without_types(result.fndesc)
        symbols = description.mangled_name, description.llvm_cpython_wrapper_name
        return (
            library.units, library._get_compiled_object(), symbols, library.head, description, result.environment,
            result.signature, result.reload_init, _used_environments(result),
        )  # fmt: skip

    def rebuild(self, target_context: Any, reduced: tuple[Any, ...]) -> Any:
        """Load a unit, and first those that it calls."""
        units, machine_code, symbols, head, description, environment, signature, reload_init, environments = reduced
        for unit in units:
            _dispatcher(unit).compile_callee(unit[2])
        for initialize in reload_init:
            initialize()
        library = UnitLibrary(target_context.codegen(), description.qualname)
        library.head = head
        library.load(machine_code, symbols)
        entry_point = target_context.get_executable(library, description, environment)
        for other in environments:
            library.codegen.set_env(other.env_name, other)
        return compile_result(
            target_context=target_context, typing_context=target_context.typing_context, library=library,
            environment=environment, entry_point=entry_point, fndesc=description, signature=signature,
            objectmode=False, lifted=(), reload_init=reload_init, referenced_envs=environments,
        )  # fmt: skip


class PartCache(KernelCache):
    """Keeps parts as LLVM's bitcode, not optimised, with the names of the parts and units that they call.

    So an edit costs the typing and lowering of what depends on it, and no more. Parts are not shipped.
    """

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a part."""
        if target_level() is None:
            super().save_overload(sig, data)

    def reduce(self, result: Any) -> tuple[Any, ...]:
        """Make a part ready for pickling."""
        code, parts, units = result.library.bitcode()
        description = _without_types(result.fndesc)
        return zlib.compress(code, 1), parts, units, description, result.environment, result.signature

    def rebuild(self, target_context: Any, reduced: tuple[Any, ...]) -> Any:
        """Load a part, and first what it calls."""
        code, parts, units, description, environment, signature = reduced
        library = UnitLibrary(target_context.codegen(), description.qualname)
        library.load_bitcode(zlib.decompress(code))
        for callee in (*parts, *units):
            library.add_linking_library(_dispatcher(callee).compile_callee(callee[2]).library)
        return compile_result(
            target_context=target_context, typing_context=target_context.typing_context, library=library,
            environment=environment, fndesc=description, signature=signature, objectmode=False, lifted=(),
            reload_init=(),
        )  # fmt: skip


def _used_environments(result: Any) -> tuple[Any, ...]:
    """The environments of a unit's parts that hold anything; loading one imports the module of its function."""
    return tuple(environment for environment in result._find_referenced_environments() if environment.consts)


def _without_types(description: Any) -> Any:
    """A function's description without what only its compilation needed."""
    description.typemap = description.calltypes = None
    return description


def _dispatcher(callee: tuple[str, str, Any]) -> Any:
    module, name, _ = callee
    return getattr(importlib.import_module(module), name).dispatcher
