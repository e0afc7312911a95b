"""Run compiled units without importing Numba, whose import takes longer than most commands need.

A unit is an object file with a few symbols. LLVM loads it; its code needs the units that it calls, functions of Python
and of the C library, and functions of three extension modules of Numba, which are loaded without Numba itself. They are
the same modules, under the same names, when Numba is imported later. If anything is missing, the result is None, and
the kernel runs through Numba as usual.
"""

import builtins
import ctypes
import importlib.machinery
import pickle
import sys
import threading
from collections.abc import Callable
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from headway.kernel.levels import target_level
from headway.kernel.names import entry_places, numba_folder, numba_version, types_digest, unit_options, value_text
from headway.kernel.store import cache_folders, read_entry

SUPPORTED = "0.68."
"""Versions of Numba, by prefix, that units were written for and tested with; with other versions, Numba compiles."""


class ReadyUnit(NamedTuple):
    """A compiled unit with everything needed to run it; stored as a plain tuple.

    Parameters
    ----------
    machine_code : bytes
        An object file.
    symbol, wrapper : str
        The function that kernels call, and the one that Python calls.
    environment : str
        The variable that points to the Python objects that the unit uses.
    constants : bytes
        These objects, pickled.
    callees : list of str
        The names of the cache entries of the units it calls.
    externals : list of str
        The symbols that it needs from other units and libraries.
    is_plain : bool
        Whether the unit needs nothing but these.
    """

    machine_code: bytes
    symbol: str
    wrapper: str
    environment: str
    constants: bytes
    callees: list[str]
    externals: list[str]
    is_plain: bool


_LOADING = threading.RLock()


def find_ready(function: Callable[..., Any], options: dict[str, Any], args: tuple[Any, ...]) -> Any:
    """Return a callable for arguments of these types, or None if the kernel cannot run without Numba."""
    if not numba_version().startswith(SUPPORTED) or target_level() is not None:
        return None
    try:
        types = types_digest([value_text(value) for value in args])
    except TypeError:
        return None
    with _LOADING:
        for folder, name in entry_places(function, unit_options(options)):
            unit = _read(folder, name + types)
            if unit is not None and _load(folder, name + types, unit):
                return _callable(function, unit, _ENVIRONMENTS[name + types])
    return None


def _read(folder: Path, name: str) -> ReadyUnit | None:
    payload = read_entry(folder, name)
    try:
        return None if payload is None else ReadyUnit(*pickle.loads(payload))
    except (pickle.UnpicklingError, EOFError, TypeError):
        return None


_ENVIRONMENTS: dict[str, Any] = {}
"""All loaded units, by the names of their cache entries; machine code points to them."""

_SYMBOLS: set[str] = set()
"""The names of the functions that loaded units define for other units."""


def _load(folder: Path, name: str, unit: ReadyUnit) -> bool:
    """Load a unit, after the units that it calls; return False if that is impossible."""
    if name in _ENVIRONMENTS:
        return True
    if not unit.is_plain:
        return False
    engine = _engine()  # opens the process's own symbols, too
    for callee in unit.callees:
        if not any(_load_named(place, callee) for place in (folder, *cache_folders())):
            return False
    if not all(symbol in _SYMBOLS or _define(symbol) for symbol in unit.externals):
        return False
    engine.add_object_file(llvm.ObjectFileRef.from_data(unit.machine_code))
    engine.finalize_object()
    environment = _ENVIRONMENTS[name] = _extension("numba._dynfunc").Environment({})
    environment.consts.extend(pickle.loads(unit.constants))
    pointer = (ctypes.c_void_p * 1).from_address(engine.get_global_value_address(unit.environment))
    pointer[0] = ctypes.c_void_p(id(environment))
    _SYMBOLS.add(unit.symbol)
    return True


def _load_named(folder: Path, name: str) -> bool:
    unit = _read(folder, name)
    return unit is not None and _load(folder, name, unit)


def _callable(function: Callable[..., Any], unit: ReadyUnit, environment: Any) -> Any:
    make, address = _extension("numba._dynfunc").make_function, _engine().get_function_address(unit.wrapper)
    return make(sys.modules[function.__module__], function.__name__, "", address, environment, (_engine(),))


@cache
def _engine() -> Any:
    _unpickle_without_numba()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), target.create_target_machine())


@cache
def _define(symbol: str) -> bool:
    """Tell LLVM the address of a symbol; return False if it is unknown."""
    address = _address(symbol)
    if address is None:
        return bool(llvm.address_of_symbol(symbol))
    llvm.add_symbol(symbol, address)
    return True


def _address(symbol: str) -> int | None:
    """Return the address of a function of Numba or an object of Python, under the name that Numba gives it."""
    helpers: dict[str, int] = _extension("numba._helperlib").c_helpers
    prefix, _, name = symbol.partition("_")
    if prefix == "numba":
        functions: dict[str, int] = _extension("numba._dynfunc").c_helpers
        return (helpers | functions).get(name)
    if prefix == "NRT":
        runtime: dict[str, int] = _extension("numba.core.runtime._nrt_python").c_helpers
        return runtime.get(name)
    if prefix == "PyExc" and hasattr(builtins, name):
        return id(getattr(builtins, name))
    return id(None) if symbol == "_Py_NoneStruct" else helpers.get(symbol)  # without prefix: mathematical functions


@cache
def _unpickle_without_numba() -> None:
    """Let compiled code unpickle objects, such as the types of the tuples that it returns, with Python's pickle.

    Numba's helper looks up its function once, in the module ``numba.core.serialize``, and keeps it. If Numba is not
    imported, temporary stand-ins for this module and its package provide the function.
    """
    if "numba" in sys.modules:
        return
    objects: dict[tuple[int, bytes], Any] = {}

    def unpickle(address: int, data: bytes, hashed: bytes) -> Any:
        if (address, hashed) not in objects:
            objects[address, hashed] = pickle.loads(data)
        return objects[address, hashed]

    stand_ins, data = {name: ModuleType(name) for name in ("numba", "numba.core.serialize")}, pickle.dumps(None)
    stand_ins["numba.core.serialize"]._numba_unpickle = unpickle  # type: ignore[attr-defined]
    helper = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p)
    run = helper(_extension("numba._helperlib").c_helpers["unpickle"])
    sys.modules.update(stand_ins)
    try:
        run(data, len(data), bytes(20))
    finally:
        for name in stand_ins:
            del sys.modules[name]


@cache
def _extension(name: str) -> Any:
    """Return an extension module of Numba, without the packages that contain it."""
    if name in sys.modules:
        return sys.modules[name]
    folder = numba_folder()
    for ending in importlib.machinery.EXTENSION_SUFFIXES:
        path = (folder or Path()).joinpath(*name.split(".")[1:-1], name.rpartition(".")[2] + ending)
        if path.is_file() and (spec := spec_from_file_location(name, path)) and spec.loader:
            module = sys.modules[name] = module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise ImportError(name)
