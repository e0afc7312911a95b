r"""The cache of compiled kernels: one file per kernel, named by a digest of everything that it depends on.

Files are content-addressed, written whole or not at all, and checked on reading, so processes, checkouts and versions
can share a folder. Kernels that come with the package are in ``compiled/`` inside it, which is never written to;
kernels compiled on this machine go into the first of these folders that is writable:

1. ``$HEADWAY_CACHE`` (then no other folder is tried)
2. ``$NUMBA_CACHE_DIR/headway``
3. the user's cache folder: ``$XDG_CACHE_HOME/headway`` or ``~/.cache/headway``; ``~/Library/Caches/headway`` on macOS,
   ``%LOCALAPPDATA%\headway`` on Windows
4. ``__pycache__`` inside the package

A compiled kernel is code and trusted like the package itself: do not share a cache with people you do not trust.
"""

import errno
import glob
import os
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path

from headway.errors import KernelWarning
from headway.support.writing import draft

_PACKAGE = Path(__file__).resolve().parent.parent
SHIPPED = _PACKAGE / "compiled"
"""The kernels that come with the package, in one folder for each CPU level."""

_MAGIC = b"headway kernel 1\n"
_ENDING = ".kernel"
_DAY = 24 * 3600.0
_KEPT_DAYS = 60


@cache
def cache_folders() -> tuple[Path, ...]:
    """Return the folders for kernels compiled on this machine, in order of preference."""
    if named := os.environ.get("HEADWAY_CACHE"):
        return (Path(named).absolute(),)
    folders = []
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        folders.append(Path(named).absolute() / "headway")
    with suppress(RuntimeError, KeyError):  # no home folder
        folders.append(_user_folder() / "headway")
    return (*folders, _PACKAGE / "__pycache__")


def _user_folder() -> Path:
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def read_entry(folder: Path, name: str) -> bytes | None:
    """Return the content of the entry `name`; None if there is none, or if it is damaged."""
    path = folder / (name + _ENDING)
    try:
        content = path.read_bytes()
    except OSError:
        return None
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > _DAY:
            os.utime(path)  # marks the file as still in use
    head = len(_MAGIC) + _DIGEST
    payload = content[head:]
    return payload if content[:head] == _MAGIC + _checksum(payload) else None


def has_entry(folder: Path, beginning: str) -> bool:
    """Return whether there is an entry whose name begins with `beginning`."""
    return any(glob.iglob(f"{glob.escape(beginning)}*{_ENDING}", root_dir=folder))


def keep_entry(name: str, payload: bytes) -> Path | None:
    """Write an entry to the first writable folder; warn once if there is none.

    Returns
    -------
    Path or None
        The file written.
    """
    failures = {}
    for folder in cache_folders():
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return write_entry(folder, name, payload)
        except OSError as error:
            failures[folder] = error
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                break  # the folder exists, but the disk is full
    _warn_once("; ".join(f"{folder}: {(error.strerror or str(error)).lower()}" for folder, error in failures.items()))
    return None


def can_keep() -> bool:
    """Return whether there is a writable folder for entries, judging by permissions."""
    return any(_is_writable(folder) for folder in cache_folders())


def _is_writable(folder: Path) -> bool:
    """Return whether a folder is writable or, if there is none, could be made.

    With `os.path`: for a path inside a closed folder, methods of `Path` raise PermissionError instead of answering.
    """
    while not os.path.exists(folder):
        folder = folder.parent
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)


def write_entry(folder: Path, name: str, payload: bytes) -> Path:
    """Write an entry: the whole file appears at once or not at all."""
    path = folder / (name + _ENDING)
    with draft(str(path), durable=False) as file:  # a file damaged by a power failure is simply compiled again
        file.write(_MAGIC + _checksum(payload) + payload)
    _forget_old_entries(folder)
    return path


@cache
def _forget_old_entries(folder: Path) -> None:
    """Remove entries and drafts that were not used for two months; once per process."""
    with suppress(OSError):
        for path in _entries(folder):
            if time.time() - path.stat().st_mtime > _KEPT_DAYS * _DAY:
                path.unlink(missing_ok=True)


def _entries(folder: Path) -> Iterator[Path]:
    yield from folder.glob(f"*{_ENDING}")
    yield from folder.glob(".headway-*.part")


@cache
def _warn_once(reason: str) -> None:
    message = f"compiled kernels cannot be kept ({reason}): each run compiles them again; set HEADWAY_CACHE to a folder"
    warnings.warn(message, KernelWarning, stacklevel=2)


_DIGEST = 16


def _checksum(payload: bytes) -> bytes:
    return blake2b(payload, digest_size=_DIGEST).digest()
