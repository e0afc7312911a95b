"""Content keys: one digest of everything that a compiled kernel depends on.

A kernel's machine code contains the code of every kernel it calls, and the values of the globals that any of them
reads, by name (``FACTOR``) or as attributes of modules (``constants.FACTOR``). If it makes a named tuple, it also
depends on the implementations of interfaces for that type (`headway.kernel.interface`). Its key is a digest of exactly
these, found by following the bytecode: comments, docstrings, line numbers, file names and dates do not count, nor does
anything else in the same file. Cost: reading the bytecode of the kernel and its callees once.
"""

import builtins
import dis
import enum
import sys
import types
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any

import numpy as np

from headway.errors import KernelError
from headway.kernel import Interface, implementations_of

_LOAD_GLOBAL, _EXTENDED_ARG = dis.opmap["LOAD_GLOBAL"], dis.opmap["EXTENDED_ARG"]
_VARIABLE_LOADS, _ATTRIBUTE_LOADS = ("LOAD_GLOBAL", "LOAD_DEREF"), ("LOAD_ATTR", "LOAD_METHOD")
_PACKAGE = __name__.partition(".")[0]
_LIBRARIES = sys.stdlib_module_names | {"numpy", "numba", "llvmlite"}
"""Packages that kernels may use, but that users do not edit: what is read from them counts by its name alone."""


def digest(*parts: object) -> str:
    """Hash the texts of `parts` into 32 hexadecimal digits."""
    return blake2b(repr(parts).encode(), digest_size=16).hexdigest()


@cache
def content_key(function: types.FunctionType) -> str:
    """Return the digest of a function, of all functions it reaches and of all globals that any of them reads."""
    descriptions: dict[str, str] = {}
    waiting = [function]
    while waiting:  # a worklist, not recursion: functions may call each other in cycles
        reached = waiting.pop()
        name = _name(reached)
        if name not in descriptions:
            descriptions[name], callees = _describe_function(reached)
            waiting += callees
    return digest(_name(function), sorted(descriptions.items()))


def _name(function: types.FunctionType) -> str:
    return f"{function.__module__}.{function.__qualname__}"


@cache
def _describe_function(function: types.FunctionType) -> tuple[str, list[types.FunctionType]]:
    """Return a digest of a function's code and of the globals that it reads, and the functions among these globals."""
    callees: list[types.FunctionType] = []
    read = [(name, _describe_value(name, value, callees)) for name, value in _globals_read(function)]
    closure = [_describe_value(name, value, callees) for name, value in _closure(function)]
    code = _describe_code(function.__code__, function.__doc__)
    return digest(code, function.__defaults__, read, closure), callees


def _describe_code(code: types.CodeType, docstring: str | None = None) -> tuple[object, ...]:
    """Describe everything in a code object that determines its behaviour: not line numbers and file names."""
    constants = [
        _describe_code(constant) if isinstance(constant, types.CodeType) else (type(constant).__name__, repr(constant))
        for constant in code.co_consts
        if constant is None or constant is not docstring
    ]
    counts = code.co_argcount, code.co_kwonlyargcount, code.co_flags
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return code.co_code, counts, names, constants, code.co_exceptiontable


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield a code object and those inside it: of comprehensions and of functions."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _globals_read(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield every global that the bytecode loads, with its value; attributes of modules by dotted names."""
    codes = list(_codes(function.__code__))
    names = set()
    for code in codes:
        extended, operations = 0, code.co_code
        for place in range(0, len(operations), 2):
            operation, argument = operations[place], operations[place + 1] | extended << 8
            if operation == _LOAD_GLOBAL:
                names.add(code.co_names[argument >> 1])  # the lowest bit says whether a call follows
            extended = argument if operation == _EXTENDED_ARG else 0
    for name in sorted(names & function.__globals__.keys()):
        value = function.__globals__[name]
        yield name, value
        yield from _attributes_read(codes, name, value)
    for name, value in _closure(function):
        yield from _attributes_read(codes, name, value)


def _closure(function: types.FunctionType) -> list[tuple[str, Any]]:
    """Return the variables of enclosing functions that a function uses, with their values."""
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    return list(zip(function.__code__.co_freevars, cells, strict=True))


def _attributes_read(codes: Sequence[types.CodeType], name: str, module: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attributes that the bytecode loads from a module, by dotted names, with their values.

    Of the package's own modules, whose values all have keys, these are all attributes with a name that occurs in the
    code, which is quicker to find.
    """
    if not _is_followed(module):
        return
    if module.__name__.partition(".")[0] == _PACKAGE:
        attributes = dict.fromkeys(attribute for code in codes for attribute in code.co_names)
        yield from (
            (f"{name}.{attribute}", getattr(module, attribute))
            for attribute in attributes
            if hasattr(module, attribute)
        )
        return
    for chain in sorted({chain for code in codes for chain in _attribute_chains(code) if chain[0] == name}):
        value, place = module, 1
        while _is_followed(value):
            if place == len(chain):
                raise KernelError(
                    f"a kernel uses the module {'.'.join(chain)} as a value: only its attributes have a key"
                )
            value, place = getattr(value, chain[place], None), place + 1
            yield ".".join(chain[:place]), value


def _attribute_chains(code: types.CodeType) -> Iterator[tuple[str, ...]]:
    """Yield each variable that is loaded with the attributes that are loaded from it: ``a.b.c`` as three names."""
    chain: tuple[str, ...] = ()
    for instruction in dis.get_instructions(code):
        if chain and instruction.opname in _ATTRIBUTE_LOADS:
            chain += (instruction.argval,)
        elif instruction.opcode != _EXTENDED_ARG:
            if chain:
                yield chain
            chain = (instruction.argval,) if instruction.opname in _VARIABLE_LOADS else ()


def _is_followed(value: Any) -> bool:
    return isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] not in _LIBRARIES


def _kernel_options(function: types.FunctionType) -> tuple[object, ...]:
    return getattr(function, "kernel_options", ())


def _describe_value(name: str, value: Any, callees: list[types.FunctionType]) -> object:
    value = getattr(value, "py_func", value)  # compiled or not, a kernel is its function
    if isinstance(value, types.FunctionType):
        callees.append(value)
        return _name(value), _kernel_options(value)
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return [_describe_value(name, item, callees) for item in value]
    if isinstance(value, Interface):
        return value.__name__  # type: ignore[attr-defined]  # implementations come with the types that have them
    if isinstance(value, type) and hasattr(value, "_fields"):
        implementations: list[types.FunctionType] = implementations_of(value)
        callees += implementations
        return value.__name__, value._fields, [_kernel_options(function) for function in implementations]
    if isinstance(value, enum.EnumType):
        return value.__name__, [(member, repr(value[member])) for member in value.__members__]
    if isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType, np.ufunc)):
        return value.__name__
    if value is None or isinstance(value, (bool, int, float, str, np.generic, np.dtype, enum.Enum)):
        return type(value).__name__, repr(value)
    if value is getattr(builtins, name, None) or type(value).__module__.startswith("numpy"):
        return name, type(value).__name__
    raise KernelError(f"a kernel reads the global {name}, a {type(value).__name__}, whose content has no key")
