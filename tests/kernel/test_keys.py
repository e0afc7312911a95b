"""A compiled kernel depends on its own code, the functions it calls and the globals it reads, and on nothing else."""

from types import FunctionType

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
