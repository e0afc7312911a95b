"""Content keys: one digest of everything that a compiled kernel depends on.

A kernel's machine code contains the code of every kernel it calls, and the values of the globals that any of them
reads. If it makes a named tuple, it also depends on the implementations of interfaces for that type
(`headway.kernel.interface`). Its key is a digest of exactly these, found by following the bytecode: comments,
docstrings, line numbers, file names and dates do not count, nor does anything else in the same file. Cost: reading the
bytecode of the kernel and its callees once.
"""

import builtins
import dis
import enum
import types
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from typing import Any

import numpy as np

from headway.errors import KernelError
from headway.kernel import Interface, implementations_of

_LOAD_GLOBAL, _EXTENDED_ARG = dis.opmap["LOAD_GLOBAL"], dis.opmap["EXTENDED_ARG"]
_PACKAGE = __name__.partition(".")[0]


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
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    closure = [
        _describe_value(name, value, callees) for name, value in zip(function.__code__.co_freevars, cells, strict=True)
    ]
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


def _globals_read(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield every global that the bytecode loads, with its value; attributes of Headway's modules by dotted names."""
    code, extended = function.__code__.co_code, 0
    names = set()
    for place in range(0, len(code), 2):
        operation, argument = code[place], code[place + 1] | extended << 8
        if operation == _LOAD_GLOBAL:
            names.add(function.__code__.co_names[argument >> 1])  # the lowest bit says whether a call follows
        extended = argument if operation == _EXTENDED_ARG else 0
    for name in sorted(names):
        if name in function.__globals__:
            value = function.__globals__[name]
            yield name, value
            if isinstance(value, types.ModuleType) and value.__name__.partition(".")[0] == _PACKAGE:
                attributes = (attribute for attribute in function.__code__.co_names if hasattr(value, attribute))
                yield from ((f"{name}.{attribute}", getattr(value, attribute)) for attribute in attributes)


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
    if isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType, np.ufunc)):
        return value.__name__
    if value is None or isinstance(value, (bool, int, float, str, np.generic, np.dtype, enum.Enum)):
        return type(value).__name__, repr(value)
    if value is getattr(builtins, name, None) or type(value).__module__.startswith("numpy"):
        return name, type(value).__name__
    raise KernelError(f"a kernel reads the global {name}, a {type(value).__name__}, whose content has no key")
