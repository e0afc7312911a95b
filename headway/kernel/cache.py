"""Numba's interface to the store: look up a compiled kernel before compiling it, and store it afterwards.

The names of entries are made in `headway.kernel.names`. An entry of a unit has two parts: the
data for running it (`ReadyUnit`, as a plain tuple), then the data for Numba.
"""

import importlib
import io
import pickle
import zlib
from collections.abc import Mapping
from typing import Any

from numba.core import serialize, sigutils, types
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult, compile_result
from numba.core.runtime import rtsys

from headway.kernel.levels import target_level
from headway.kernel.names import array_text, entry_places, new_entry_name, tuple_text, types_digest
from headway.kernel.ready import ReadyUnit
from headway.kernel.store import SHIPPED, cache_folders, keep_entry, read_entry, write_entry
from headway.kernel.units import UnitLibrary


class KernelCache(_Cache):
    """The compiled forms of one kernel, in Numba's own format.

    Parameters
    ----------
    function : function
    options : dict
        The compilation options.
    """

    def __init__(self, function: Any, options: Mapping[str, Any]) -> None:
        self._function, self._options = function, options

    @property
    def cache_path(self) -> str:
        """The first folder that is searched."""
        return str(cache_folders()[0])

    def enable(self) -> None:
        """Do nothing: whether a kernel has a cache is fixed."""

    disable = flush = enable

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel for these argument types, or None."""
        rtsys.initialize(target_context)  # enough to run compiled code; what compiling needs is initialised later
        for folder, name in entry_places(self._function, self._options):
            reduced = self._unpickle(read_entry(folder, name + _describe_types(sig)))
            if reduced is not None:
                return self.rebuild(target_context, reduced)
        return None

    def reduce(self, result: Any) -> tuple[Any, ...]:
        """Prepare a compiled kernel for pickling."""
        return tuple(result._reduce())

    def rebuild(self, target_context: Any, reduced: tuple[Any, ...]) -> Any:
        """Load a compiled kernel."""
        target_context.refresh()
        return CompileResult._rebuild(target_context, *reduced)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled kernel."""
        payload, name = self._pickle(data), self.new_name(sig)
        if level := target_level():
            write_entry(SHIPPED / level, name, payload)
        else:
            keep_entry(name, payload)

    def new_name(self, sig: Any) -> str:
        """Return the name of the entry for these argument types."""
        return new_entry_name(self._function, self._options) + _describe_types(sig)

    def _pickle(self, result: Any) -> bytes:
        return bytes(serialize.dumps(self.reduce(result)))

    def _unpickle(self, payload: bytes | None) -> tuple[Any, ...] | None:
        """Return the stored object; None if there is none, or if it refers to something that no longer exists."""
        try:
            return None if payload is None else self._read(io.BytesIO(payload))
        except (pickle.UnpicklingError, AttributeError, ImportError, EOFError, TypeError):
            return None

    def _read(self, file: io.BytesIO) -> tuple[Any, ...]:
        return tuple(pickle.load(file))


def _describe_types(sig: Any) -> str:
    """Return a digest of the argument types."""
    args, _ = sigutils.normalize_signature(sig)
    return types_digest([_type_text(type_) for type_ in args])


def _type_text(type_: Any) -> object:
    """Describe a type in the same way as `value_text` describes its values."""
    if type(type_) is types.Array and type_.aligned:
        return array_text(str(type_.dtype), type_.ndim, type_.layout, writable=type_.mutable)
    if isinstance(type_, types.BaseTuple):
        return tuple_text(getattr(type_, "instance_class", tuple), [_type_text(part) for part in type_])
    return str(type_)


class UnitCache(KernelCache):
    """Stores units as machine code, with the names of the units that they call."""

    def _pickle(self, result: Any) -> bytes:
        return pickle.dumps(tuple(_ready_unit(result))) + super()._pickle(result)

    def _read(self, file: io.BytesIO) -> tuple[Any, ...]:
        return ReadyUnit(*pickle.load(file)), *super()._read(file)

    def reduce(self, result: Any) -> tuple[Any, ...]:
        """Prepare the data for Numba for pickling."""
        library, description = result.library, _without_types(result.fndesc)
        return (
            library.units, library.head, description, result.environment, result.signature, result.reload_init,
            _used_environments(result),
        )  # fmt: skip

    def rebuild(self, target_context: Any, reduced: tuple[Any, ...]) -> Any:
        """Load a unit, after the units that it calls."""
        ready, units, head, description, environment, signature, reload_init, environments = reduced
        for unit in units:
            _dispatcher(unit).compile_callee(unit[2])
        for initialize in reload_init:
            initialize()
        library = UnitLibrary(target_context.codegen(), description.qualname)
        library.head = head
        library.load(ready.machine_code, (ready.symbol, ready.wrapper))
        entry_point = target_context.get_executable(library, description, environment)
        for other in environments:
            library.codegen.set_env(other.env_name, other)
        return compile_result(
            target_context=target_context, typing_context=target_context.typing_context, library=library,
            environment=environment, entry_point=entry_point, fndesc=description, signature=signature,
            objectmode=False, lifted=(), reload_init=reload_init, referenced_envs=environments,
        )  # fmt: skip


class PartCache(KernelCache):
    """Stores parts as unoptimised LLVM bitcode, with the names of the parts and units that they call.

    After an edit, only code that depends on it is typed and lowered again. Parts are not shipped.
    """

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a part."""
        if target_level() is None:
            super().save_overload(sig, data)

    def reduce(self, result: Any) -> tuple[Any, ...]:
        """Prepare a part for pickling."""
        code, parts, units = result.library.bitcode()
        description = _without_types(result.fndesc)
        return zlib.compress(code, 1), parts, units, description, result.environment, result.signature

    def rebuild(self, target_context: Any, reduced: tuple[Any, ...]) -> Any:
        """Load a part, after the code that it calls."""
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


def _ready_unit(result: Any) -> ReadyUnit:
    library, description = result.library, result.fndesc
    callees = [_dispatcher(unit).callee_cache.new_name(unit[2]) for unit in library.units]
    constants, others = serialize.dumps(list(result.environment.consts)), _used_environments(result)
    is_plain = not (result.reload_init or b"numba" in constants or set(others) - {result.environment})
    return ReadyUnit(
        library._get_compiled_object(), description.mangled_name, description.llvm_cpython_wrapper_name,
        description.env_name, constants, callees, library.externals(), is_plain,
    )  # fmt: skip


def _used_environments(result: Any) -> tuple[Any, ...]:
    """Return the environments of a unit's parts that are not empty; loading one imports the module of its function."""
    return tuple(environment for environment in result._find_referenced_environments() if environment.consts)


def _without_types(description: Any) -> Any:
    """Return a function's description without the fields that only compilation needs."""
    description.typemap = description.calltypes = None
    return description


def _dispatcher(callee: tuple[str, str, Any]) -> Any:
    module, name, _ = callee
    return getattr(importlib.import_module(module), name).dispatcher
