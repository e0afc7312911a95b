"""The only way in which files are written: a new file replaces the old one once it is complete and on the disk.

The new file, a draft, is in the same folder, and is locked while its process writes it. A draft that is not
locked was left behind by a killed process; the next process that writes into the folder removes it.

Whatever goes wrong (no space, no permission, a killed process, a power failure), either the old or the new file is
there,
whole. ``tools/check_writes.py`` checks that nothing in the package writes files in another way.
"""

import contextlib
import errno
import os
import re
import stat
from collections.abc import Iterator
from functools import cache
from typing import BinaryIO

_NAME = re.compile(r"\.headway-[0-9a-f]{16}\.part")


@contextlib.contextmanager
def draft(target: str, *, durable: bool = True) -> Iterator[BinaryIO]:
    """Open a draft of `target`: it replaces `target`, with its permissions, when the block ends without an exception.

    Parameters
    ----------
    durable : bool
        Whether to wait until the file is on the disk, so that it survives a power failure.
    """
    folder = os.path.dirname(target)
    remove_stale_drafts(folder)
    file, name = _new_draft(folder)
    try:
        with file:
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
            if os.path.exists(target):
                os.chmod(name, stat.S_IMODE(os.stat(target).st_mode))
            if os.name == "nt":
                file.close()  # before it can be renamed; elsewhere the lock is held until it has its name
            os.replace(name, target)
            if durable:
                sync_folder(folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def append_line(path: str, line: str) -> None:
    """Append a line to a journal; it is on the disk when this returns. A line without line end was never completed."""
    data = f"{line}\n".encode()
    with open(path, "ab", buffering=0) as file:  # a buffer would write again what could not be written
        while data:
            data = data[file.write(data) :]
        os.fsync(file.fileno())


def sync_folder(folder: str) -> None:
    """Wait until the names of the files in a folder are on the disk, if the system supports this."""
    if os.name == "nt":
        return
    try:
        handle = os.open(folder or ".", os.O_RDONLY)
    except OSError:  # the folder may be writable but not readable
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system without support for this
            raise
    finally:
        os.close(handle)


def _new_draft(folder: str) -> tuple[BinaryIO, str]:
    while True:
        name = os.path.join(folder, f".headway-{os.urandom(8).hex()}.part")
        file = open(name, "xb")  # noqa: SIM115 (closed by `draft`)
        if _lock(file) and os.path.exists(name):  # no process took it for stale before it was locked
            return file, name
        file.close()


@cache
def remove_stale_drafts(folder: str) -> None:
    """Remove the drafts in a folder that no living process is writing; once per process and folder."""
    with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
        for name in [entry.path for entry in entries if _NAME.fullmatch(entry.name)]:
            with contextlib.suppress(OSError), open(name, "rb") as file:
                if _lock(file):
                    os.unlink(name)


def _lock(file: BinaryIO) -> bool:
    """Lock a file until it is closed; return False if another process has locked it, True on systems without locks."""
    try:
        import fcntl
    except ImportError:  # not on this system
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: whether a draft is in use is unknown, so drafts stay
        return "x" in file.mode
    return True
