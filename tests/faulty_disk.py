"""A disk that fails: an operation that changes files below a folder raises an error, or ends the process.

Operations are counted where they reach the system: below Python's buffers, not where Headway asks for them.
"""

import builtins
import errno
import io
import os
from collections.abc import Callable
from typing import Any

KILLED = 87
"""The exit code of a process that was ended."""

FAULTS = {
    "no space": (errno.ENOSPC, {"open", "write", "fsync", "mkdir", "replace"}),
    "no permission": (errno.EACCES, {"open", "mkdir", "replace", "unlink", "rmdir", "chmod"}),
    "broken": (errno.EIO, {"open", "write", "fsync", "mkdir", "replace", "unlink", "rmdir", "chmod", "truncate"}),
    "kill": (0, {"open", "write", "fsync", "mkdir", "replace", "unlink", "rmdir", "chmod", "truncate"}),
}
"""The error of each fault, and the operations that it strikes."""

LASTING = ("no space", "no permission")
"""Faults that strike all later operations, too."""


class FaultyDisk:
    """Counts operations below `folder`, and strikes the one with number `at`.

    Parameters
    ----------
    fault : str, optional
        One of `FAULTS`; without it, operations are only counted, and listed in `operations`.
    at : int
        From 1.
    """

    def __init__(self, folder: str, fault: str | None = None, at: int = 0) -> None:
        self.folder, self.fault, self.at = os.path.realpath(folder), fault, at
        self.operations: list[str] = []
        self.struck = False

    def step(self, operation: str, path: Any, half: Callable[[], object] = lambda: None) -> None:
        """Count an operation and let it fail, if it is its turn; `half` does a part of it."""
        name = os.path.realpath(os.fsdecode(path))
        if os.path.commonpath([name, self.folder]) != self.folder:
            return
        self.operations.append(operation)
        if self.fault is None:
            return
        number, struck = FAULTS[self.fault]
        due = len(self.operations) >= self.at if self.fault in LASTING else len(self.operations) == self.at
        if not due or operation not in struck:
            return
        self.struck = True
        half()
        if self.fault == "kill":
            os._exit(KILLED)
        raise OSError(number, os.strerror(number), None if operation in ("write", "fsync", "truncate") else name)

    def install(self) -> None:
        """Take the place of the system's functions, for the rest of the process."""
        for name in ("replace", "unlink", "mkdir", "chmod", "rmdir"):
            setattr(os, name, self._wrapped(name, getattr(os, name)))
        os.remove = os.unlink
        sync = os.fsync

        def fsync(file: Any) -> None:
            number = file if isinstance(file, int) else file.fileno()
            self.step("fsync", os.readlink(f"/proc/self/fd/{number}"))
            sync(number)

        os.fsync = fsync
        builtins.open = io.open = self._opener(builtins.open)

    def _wrapped(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: Any, *args: Any, **options: Any) -> Any:
            self.step(name, path)
            return function(path, *args, **options)

        return call

    def _opener(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        disk = self

        class Raw(io.FileIO):
            def write(self, data: Any) -> int:
                view = memoryview(data).cast("B")
                disk.step("write", self.name, lambda: super(Raw, self).write(view[: len(view) // 2]))
                return super().write(data)

            def truncate(self, size: int | None = None) -> int:
                disk.step("truncate", self.name)
                return super().truncate(size)

        def opened(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
            if isinstance(file, int) or not set(mode) & set("wax+"):
                return plain(file, mode, *args, **options)
            self.step("open", file)
            raw = Raw(file, mode.replace("b", "").replace("t", ""))
            if options.get("buffering") == 0:
                return raw
            binary = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
            return binary if "b" in mode else io.TextIOWrapper(binary, encoding=options.get("encoding"))

        return opened
