"""Drafts: new files that take the place of others once they are whole.

A draft is locked as long as its process writes it. One that nobody has locked was left behind by a process that was
killed; whoever writes into the same folder next removes it.
"""

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from functools import cache
from typing import BinaryIO

_NAME = re.compile(r"\.headway-[0-9a-f]{16}\.part")


@contextlib.contextmanager
def draft(target: str) -> Iterator[BinaryIO]:
    """Open a draft of `target`: it takes its place, and its permissions, when the block ends without an exception."""
    folder = os.path.dirname(target)
    remove_stale_drafts(folder)
    file, name = _new_draft(folder)
    try:
        with file:
            yield file
            file.flush()
            if os.path.exists(target):
                os.chmod(name, stat.S_IMODE(os.stat(target).st_mode))
            if os.name == "nt":
                file.close()  # before it can be renamed; elsewhere the lock is held until it has its name
            os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _new_draft(folder: str) -> tuple[BinaryIO, str]:
    while True:
        name = os.path.join(folder, f".headway-{secrets.token_hex(8)}.part")
        file = open(name, "xb")  # noqa: SIM115 (closed by `draft`)
        if _lock(file) and os.path.exists(name):  # nobody took it for a stale one before it was locked
            return file, name
        file.close()


@cache
def remove_stale_drafts(folder: str) -> None:
    """Remove the drafts in a folder that no living process writes; once for each process and folder."""
    with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
        for name in [entry.path for entry in entries if _NAME.fullmatch(entry.name)]:
            with contextlib.suppress(OSError), open(name, "rb") as file:
                if _lock(file):
                    os.unlink(name)


def _lock(file: BinaryIO) -> bool:
    """Lock a file until it is closed, unless another process has; where there are no locks, open files stay anyway."""
    try:
        import fcntl
    except ImportError:  # not on this system
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: nobody can tell, so drafts stay
        return "x" in file.mode
    return True
