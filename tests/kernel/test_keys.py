"""A compiled kernel depends on its own code, the functions it calls and the globals it reads, and on nothing else."""

from enum import IntEnum
from types import FunctionType, ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from package_modules import package_modules

from headway.errors import KernelError
from headway.kernel import Kernel
from headway.kernel.keys import content_key

SOURCE = """
import numpy as np
{extra}
FACTOR = {factor}
TABLE = np.arange({size})

def other(x):
    return x - 1

def inner(x):
    return x * FACTOR

def kernel(x):
    return inner(x) + TABLE[0]
"""


def key(extra: str = "", *, factor: object = 2, size: int = 3, replace: tuple[str, str] = ("", "")) -> str:
    space: dict[str, object] = {"__name__": "sample"}
    text = SOURCE.format(extra=extra, factor=factor, size=size).replace(*replace) if replace[0] else None
    exec(text or SOURCE.format(extra=extra, factor=factor, size=size), space)
    function = space["kernel"]
    assert isinstance(function, FunctionType)
    return content_key(function)


@given(st.text(alphabet="abc xyz#", max_size=20), st.integers(0, 5))
def test_comments_docstrings_and_places_do_not_count(words: str, lines: int) -> None:
    assert key("\n" * lines + f"# {words}") == key()
    assert key(replace=("def inner(x):\n", f"def inner(x):\n    {words!r}\n")) == key(
        replace=("def inner(x):\n", "def inner(x):\n    'a docstring'\n")
    )


def test_another_function_of_the_file_does_not_count() -> None:
    assert key(replace=("x - 1", "x - 2")) == key()


@pytest.mark.parametrize(
    "change",
    [("x * FACTOR", "x + FACTOR"), ("x * FACTOR", "FACTOR"), ("TABLE[0]", "TABLE[1]"), ("inner(x) +", "other(x) +")],
)
def test_code_and_callees_count(change: tuple[str, str]) -> None:
    assert key(replace=change) != key()


@pytest.mark.parametrize("factor", [3, 2.0, True, "'2'", "np.int32(2)", "(2, 2)", "np.zeros(2)"])
def test_globals_count_with_their_types(factor: object) -> None:
    assert key(factor=factor) != key()


def test_arrays_count_by_their_content() -> None:
    assert key(size=4) != key(size=3)


KERNEL = "def kernel(x):\n    "
INNER = "def inner(x):\n    return x * FACTOR\n"


def key_of(code: str, **globals_read: object) -> str:
    """The key of the function `kernel` in this code, with these globals."""
    space: dict[str, object] = {"__name__": "sample", **globals_read}
    exec(code, space)
    function = space["kernel"]
    assert isinstance(function, FunctionType)
    return content_key(function)


def module(name: str = "constants", **content: object) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(content)
    return made


@pytest.mark.parametrize(
    "code",
    [
        "return [v * FACTOR for v in x]",
        "return sum([[w * FACTOR for w in v] for v in x])",
        "def inner(v):\n        return v * FACTOR\n    return inner(x)",
        "return (lambda v: v * FACTOR)(x)",
    ],
)
def test_globals_of_comprehensions_and_inner_functions_count(code: str) -> None:
    assert key_of(KERNEL + code, FACTOR=2) == key_of(KERNEL + code, FACTOR=2)
    assert key_of(KERNEL + code, FACTOR=2) != key_of(KERNEL + code, FACTOR=3)


@pytest.mark.parametrize("code", ["return x * constants.FACTOR", "return [v * constants.FACTOR for v in x]"])
def test_attributes_of_modules_count_by_their_values(code: str) -> None:
    def key(**content: object) -> str:
        return key_of(KERNEL + code, constants=module(**content))

    assert key(FACTOR=2, OTHER=1) == key(FACTOR=2, OTHER=2, x=object())
    assert key(FACTOR=2) != key(FACTOR=3)
    with pytest.raises(KernelError, match=r"reads the global constants\.FACTOR, a object"):
        key(FACTOR=object())


def test_modules_inside_modules_and_in_closures_are_followed() -> None:
    def key(code: str, factor: int) -> str:
        return key_of(code, package=module("package", constants=module("package.constants", FACTOR=factor)))

    nested = KERNEL + "return x * package.constants.FACTOR"
    assert key(nested, 2) != key(nested, 3)
    enclosed = "def make(p):\n    def kernel(x):\n        return x * p.constants.FACTOR\n    return kernel\n"
    enclosed += "kernel = make(package)\n"
    assert key(enclosed, 2) == key(enclosed, 2)
    assert key(enclosed, 2) != key(enclosed, 3)


def test_functions_of_modules_count_with_what_they_read() -> None:
    def key(factor: int, code: str = INNER) -> str:
        tools = module("tools", FACTOR=factor, __name__="tools")
        exec(code, vars(tools))
        return key_of(KERNEL + "return tools.inner(x)", tools=tools)

    assert key(2) == key(2)
    assert key(2) != key(3)
    assert key(2) != key(2, INNER.replace("*", "+"))


def test_a_module_as_a_value_is_refused() -> None:
    with pytest.raises(KernelError, match="uses the module constants as a value"):
        key_of(KERNEL + "c = constants\n    return x * c.FACTOR", constants=module(FACTOR=2))


def test_members_of_an_enum_count_by_their_values() -> None:
    def key(**members: int) -> str:
        return key_of(KERNEL + "return x * Side.LEFT", Side=IntEnum("Side", members))

    assert key(LEFT=1) != key(LEFT=2)


def test_functions_that_call_each_other_have_a_key() -> None:
    space: dict[str, object] = {"__name__": "sample"}
    exec("def even(n):\n    return n == 0 or odd(n - 1)\ndef odd(n):\n    return n != 0 and even(n - 1)\n", space)
    even, odd = space["even"], space["odd"]
    assert isinstance(even, FunctionType)
    assert isinstance(odd, FunctionType)
    assert content_key(even) != content_key(odd)


def test_a_global_without_content_is_refused() -> None:
    space: dict[str, object] = {"__name__": "sample", "THING": object()}
    exec("def kernel():\n    return THING\n", space)
    function = space["kernel"]
    assert isinstance(function, FunctionType)
    with pytest.raises(KernelError, match="reads the global THING, a object"):
        content_key(function)


def test_every_kernel_of_the_package_has_a_key_of_its_own() -> None:
    keys: dict[str, str] = {}
    for module in package_modules():
        for value in vars(module).values():
            if isinstance(value, Kernel) and value.__module__ == module.__name__:
                keys[f"{module.__name__}.{value.py_func.__qualname__}"] = content_key(value.py_func)
    assert len(keys) > 300
    assert len(set(keys.values())) == len(keys)
    assert np.unique([len(one) for one in keys.values()]).tolist() == [32]
