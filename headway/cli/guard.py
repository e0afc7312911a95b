"""The files that a command reads and writes, and the check that no file is both.

Every argument that names files has a role in its annotation, in addition to typer's::

    file: Annotated[str, typer.Argument(), INPUT]
    output: Annotated[str, typer.Option("--output"), OUTPUT]
"""

import glob
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, get_type_hints

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class FileRole:
    """The role of an argument's files: input or output.

    Parameters
    ----------
    written : bool
        Whether the files are written, as opposed to read.
    paths : callable
        Returns the paths of the files, given the value of the argument.
    """

    written: bool
    paths: Callable[[str], Iterable[str | Path]] = lambda name: [name]


def _by_pattern(name: str) -> list[str]:
    return [name, *(glob.glob(name, recursive=True) if glob.has_magic(name) else [])]


def _model(name: str) -> list[str | Path]:
    from headway.errors import ModelError
    from headway.models import find_model

    try:
        return [find_model(name)]
    except ModelError:  # the command will report it
        return []


INPUT = FileRole(written=False)
INPUTS_BY_PATTERN = FileRole(written=False, paths=_by_pattern)
MODEL = FileRole(written=False, paths=_model)
NAMED_INPUT = FileRole(written=False, paths=lambda text: _by_pattern(text.partition("=")[2].replace("{}", "*")))
OUTPUT = FileRole(written=True)
PART = FileRole(written=True, paths=lambda text: [text.rpartition("=")[0]])


def file_roles(command: Callable[..., Any]) -> dict[str, FileRole]:
    """Return the roles of a command's arguments by name."""
    hints = get_type_hints(command, include_extras=True)
    return {
        name: mark
        for name, hint in hints.items()
        for mark in getattr(hint, "__metadata__", ())
        if isinstance(mark, FileRole)
    }


def guarded(command: Callable[P, T]) -> Callable[P, T]:
    """Wrap a command in a check, made before it starts, that it does not overwrite its inputs."""
    roles = file_roles(command)
    if not any(role.written for role in roles.values()):
        return command

    @wraps(command)
    def checked(*args: P.args, **kwargs: P.kwargs) -> T:
        from headway.corpus.overwriting import check_outputs

        check_outputs(_paths(roles, kwargs, written=True), _paths(roles, kwargs, written=False))
        return command(*args, **kwargs)

    return checked


def _paths(roles: dict[str, FileRole], arguments: dict[str, Any], *, written: bool) -> Iterator[str | Path]:
    for name, role in roles.items():
        argument = arguments.get(name)
        if role.written is written and argument is not None:
            for value in argument if isinstance(argument, list) else [argument]:
                yield from role.paths(str(value))
