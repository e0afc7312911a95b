"""One process that tries inputs, and tells of what it found.

What it is trying stands in a file that the driver can read, so that an input that hangs or kills the process is known.
"""

import faulthandler
import gc
import hashlib
import mmap
import os
import struct
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fuzz.kinds import Kind

SPACE = 1 << 16
"""Bytes of the file that holds the present input: its length, and itself."""

_HEAD = struct.Struct("<I")
_MEMORY = 6 << 30
_TRACED = 16
"""Every so many inputs, the lines that are reached are looked at: that takes time."""

_COMPILING = 600.0
"""Seconds that an input may take in which a kernel is compiled."""

_TRIES = 300
"""To make a finding smaller."""


@dataclass
class Report:
    """What came of some inputs.

    Parameters
    ----------
    failures : int
        Inputs with which something went wrong.
    behaviours : dict
        What happened, with the first input with which it did.
    findings : dict
        What went wrong, with an input with which it does and the traceback.
    """

    inputs: int = 0
    failures: int = 0
    seconds: float = 0.0
    lines: int = 0
    behaviours: dict[str, bytes] = field(default_factory=dict)
    findings: dict[str, tuple[bytes, str]] = field(default_factory=dict)


class Lines:
    """The lines of the package that inputs reach."""

    def __init__(self, folders: tuple[str, ...]) -> None:
        import headway

        root = str(Path(headway.__file__).parent) + os.sep
        self.places = tuple(root + folder.replace("/", os.sep) for folder in folders)
        self.seen: set[tuple[Any, int]] = set()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Add the lines that are reached."""
        sys.settrace(self._call)
        try:
            yield
        finally:
            sys.settrace(None)

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._line if frame.f_code.co_filename.startswith(self.places) else None

    def _line(self, frame: FrameType, event: str, argument: Any) -> Any:
        self.seen.add((frame.f_code, frame.f_lineno))
        return self._line


class Trial:
    """A kind of input, what is known of it, and what is being tried."""

    def __init__(self, kind: "Kind", present: mmap.mmap, limit: float) -> None:
        self.kind, self.present, self.limit, self.tried = kind, present, limit, 0
        self.pool, self.known = list[bytes](), set[str]()
        self.lines = Lines(kind.lines)
        self.report, self.early = Report(), dict[str, tuple[bytes, str]]()

    def warm(self, seeds: Sequence[bytes]) -> None:
        """Begin with these inputs: all is loaded that they need, and what happens with them is not new any more."""
        self.report = Report()
        for data in seeds:
            self.try_one(data, traced=True)
        self.pool, self.early = list(seeds), self.report.findings

    def run(self, random: Random, seconds: float, count: int) -> Report:
        """Try inputs until either is used up."""
        self.report, self.early = Report(findings=self.early), {}
        began, cpu = time.monotonic(), time.process_time()
        while self.report.inputs < count and time.monotonic() - began < seconds:
            self.try_one(self._next(random), traced=self.tried % _TRACED == 0)
        self.report.seconds, self.report.lines = time.process_time() - cpu, len(self.lines.seen)
        return self.report

    def _next(self, random: Random) -> bytes:
        if not self.pool or random.random() < 0.15:
            return self.kind.fresh(random)
        recent = self.pool[-20:] if random.random() < 0.3 else self.pool
        return self.kind.changed(random, random.choice(recent), random.choice(self.pool))

    def try_one(self, data: bytes, *, traced: bool) -> None:
        """Try an input, and keep it if something new happens."""
        from fuzz.findings import signature

        self.tried += 1
        self.report.inputs += 1
        reached = len(self.lines.seen)
        try:
            with self.lines.watching() if traced else nullcontext():
                happened = self.check(data)
        except Exception as error:
            self.report.failures += 1
            name = signature(error)
            if name not in self.known:
                self.known.add(name)
                found = self._smallest(data, name)
                self.report.findings[name] = found, "".join(traceback.format_exception(error)[-12:])
            return
        happened = hashlib.blake2b(happened.encode("utf-8", "replace"), digest_size=8).hexdigest()
        if happened not in self.known or len(self.lines.seen) > reached:
            self.known.add(happened)
            self.report.behaviours.setdefault(happened, data)
            self.pool.append(data)

    def check(self, data: bytes) -> str:
        """Check an input, and end the process where that takes too long."""
        stored = data[: SPACE - _HEAD.size]
        self.present[: _HEAD.size + len(stored)] = _HEAD.pack(len(stored)) + stored
        faulthandler.dump_traceback_later(self.limit, exit=True)
        try:
            return self.kind.check(data)
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _smallest(self, data: bytes, name: str) -> bytes:
        """The smallest input that is found with which the same goes wrong."""
        from fuzz.findings import signature

        tries, again = 0, True
        while again and tries < _TRIES:
            again = False
            for rival in self.kind.smaller(data):
                tries += 1
                try:
                    self.check(rival)
                except Exception as error:
                    if signature(error) == name and len(rival) < len(data):
                        data, again = rival, True
                        break
                if tries >= _TRIES:
                    break
        return data


def present_input(content: bytes) -> bytes:
    """The input that a process was trying, from its file."""
    [length] = _HEAD.unpack_from(content)
    return content[_HEAD.size : _HEAD.size + length]


def work(connection: Connection, folder: str, models: str, environment: dict[str, str], limit: float) -> None:
    """Answer requests ``(kind, seed, seconds, count, inputs to begin with, inputs of others)`` until there is none.

    Parameters
    ----------
    folder : str
        For files of this process alone.
    limit : float
        Seconds that an input may take.
    """
    os.environ.update(environment)
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    from fuzz import samples
    from fuzz.kinds import KINDS
    from headway.kernel import watch_compilation

    for name in (samples.TEXT, samples.PARTS):
        (Path(folder) / name).unlink(missing_ok=True)
        os.symlink(Path(models) / name, Path(folder) / name)
    samples.use(Path(folder))
    watch_compilation(lambda kernel: faulthandler.dump_traceback_later(_COMPILING, exit=True))
    log = open(Path(folder) / "log", "w")  # noqa: SIM115 (to the end of the process)
    os.dup2(log.fileno(), 2)
    faulthandler.enable()
    with open(Path(folder) / "present", "w+b") as file:
        file.truncate(SPACE)
        present = mmap.mmap(file.fileno(), SPACE)
        trials: dict[str, Trial] = {}
        while request := connection.recv():
            name, seed, seconds, count, seeds, others = request
            if name not in trials:
                trials[name] = Trial(KINDS[name](), present, limit)
                trials[name].warm(seeds)
                gc.collect()
                gc.freeze()  # what is loaded stays, and takes a tenth of the time to look through again and again
            trials[name].pool += others
            connection.send(trials[name].run(Random(seed), seconds, count))
