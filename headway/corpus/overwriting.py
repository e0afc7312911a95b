"""The check that no command overwrites its input, whatever the file names are."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from headway.corpus import remote
from headway.corpus.remote import is_remote
from headway.errors import UsageError

_Identity = tuple[object, object]


def check_outputs(outputs: Iterable[str | Path], inputs: Iterable[str | Path]) -> None:
    """Raise UsageError if an output is also an input, or another output.

    Files are compared by device and inode rather than by name, so that relative and absolute names, symbolic and hard
    links make no difference; remote files by their file system and path. Only plain files count: devices, pipes and
    terminals may be on both sides.

    Parameters
    ----------
    outputs, inputs : iterable of str or Path
        ``-`` is a standard stream, which may have been redirected to or from a file.
    """
    read = dict(_files(inputs, standard=0))
    written: dict[_Identity | str, str] = {}
    for name in map(str, outputs):
        if is_remote(name) and "::" in name:
            raise UsageError(f"{name}: chained URLs can only be read")
        identity = _identity(1 if name == "-" else name)
        if identity in read:
            raise UsageError(f"{name}: is also an input and would be overwritten; choose another output")
        place = identity or (None if name == "-" or os.path.exists(name) else os.path.realpath(name))
        if place is not None and place in written:
            raise UsageError(f"{written[place]} and {name} are the same file; choose another output")
        if place is not None:
            written[place] = name


def _files(names: Iterable[str | Path], *, standard: int) -> Iterator[tuple[_Identity, str]]:
    for name in map(str, names):
        if identity := _identity(standard if name == "-" else name):
            yield identity, name


def _identity(place: str | int) -> _Identity | None:
    """Return device and inode of a plain file, given its name or descriptor; None if there is none."""
    if isinstance(place, str) and is_remote(place):
        found = remote.place(place.rpartition("::")[2])  # a chain ends with the file that is stored
        if not isinstance(found, str):
            return found
        place = found
    try:
        known = os.stat(place)
    except (OSError, ValueError):
        return None
    return (known.st_dev, known.st_ino) if stat.S_ISREG(known.st_mode) else None
