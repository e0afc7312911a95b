"""The wrapper of every command: checks files, handles interrupts, and prints failures in one line."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from headway.cli.failures import one_line_failures
from headway.cli.guard import guarded
from headway.cli.main import raise_when_interrupted

P = ParamSpec("P")
T = TypeVar("T")


def command(function: Callable[P, T]) -> Callable[P, T]:
    """Wrap a function for typer."""
    checked = guarded(function)

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        with one_line_failures():
            raise_when_interrupted()
            return checked(*args, **kwargs)

    return run
