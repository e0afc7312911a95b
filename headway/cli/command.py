"""What every command has around it: the guard of its inputs, and failures in one line."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from headway.cli.failures import one_line_failures
from headway.cli.guard import guarded

P = ParamSpec("P")
T = TypeVar("T")


def command(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function as typer should call it."""
    return one_line_failures()(guarded(function))
