"""The wrapper of every command: checks files, handles interrupts, and prints failures in one line; classes for help."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from typer.core import TyperCommand, TyperGroup

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


class Command(TyperCommand):
    """A command whose help shows no type after its flags, and whose errors know the command."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with ``--help``."""
        return _without_flag_types(super().get_params(ctx))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; an error about an option without its value gets this command's context."""
        try:
            return super().parse_args(ctx, args)
        except Exception as failure:
            if getattr(failure, "ctx", ctx) is None:
                failure.ctx = ctx  # type: ignore[attr-defined]
            raise


class Group(TyperGroup):
    """The same for a group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, with ``--help``."""
        return _without_flag_types(super().get_params(ctx))


def _without_flag_types(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters
