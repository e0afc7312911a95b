"""A process that tries inputs and reports its findings.

The current input is in a file that the driver can read, so that an input that hangs or kills the process is known.
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
"""The size in bytes of the file with the current input: its length, and the input."""

_HEAD = struct.Struct("<I")
_MEMORY = 6 << 30
_TRACED = 16
"""The number of inputs between two recordings of the lines reached, which are slow."""

_COMPILING = 600.0
"""The time limit, in seconds, of an input for which a kernel is compiled."""

_TRIES = 300
"""The time, in seconds, for shrinking a finding."""


@dataclass
class Report:
    """The results of some inputs.

    Parameters
    ----------
    failures : int
        The number of inputs with an error.
    behaviours : dict
        The behaviours, each with the first input that showed it.
    findings : dict
        The errors, each with an input that causes it, and the traceback.
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
        """Record the lines that are reached."""
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
    """A kind of input, its known behaviours, and the current input."""

    def __init__(self, kind: "Kind", present: mmap.mmap, limit: float) -> None:
        self.kind, self.present, self.limit, self.tried = kind, present, limit, 0
        self.pool, self.known = list[bytes](), set[str]()
        self.lines = Lines(kind.lines)
        self.report, self.early = Report(), dict[str, tuple[bytes, str]]()

    def warm(self, seeds: Sequence[bytes]) -> None:
        """Check these inputs first, so that modules are loaded and their behaviour counts as known."""
        self.report = Report()
        for data in seeds:
            self.try_one(data, traced=True)
        self.pool, self.early = list(seeds), self.report.findings

    def run(self, random: Random, seconds: float, count: int) -> Report:
        """Try inputs until the time or the number is used up."""
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
        """Try an input, and keep it if its behaviour is new."""
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
        """Check an input, and end the process if that takes too long."""
        stored = data[: SPACE - _HEAD.size]
        self.present[: _HEAD.size + len(stored)] = _HEAD.pack(len(stored)) + stored
        faulthandler.dump_traceback_later(self.limit, exit=True)
        try:
            return self.kind.check(data)
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _smallest(self, data: bytes, name: str) -> bytes:
        """Return the smallest input found with the same error."""
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
    """Return the input that a process was trying, from its file."""
    [length] = _HEAD.unpack_from(content)
    return content[_HEAD.size : _HEAD.size + length]


def work(connection: Connection, folder: str, models: str, environment: dict[str, str], limit: float) -> None:
    """Answer requests ``(kind, seed, seconds, count, inputs to begin with, inputs of others)`` until there is none.

    Parameters
    ----------
    folder : str
        A folder for files of this process.
    limit : float
        The time limit, in seconds, of an input.
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
                gc.freeze()  # loaded objects stay, and scanning them again and again would take a tenth of the time
            trials[name].pool += others
            connection.send(trials[name].run(Random(seed), seconds, count))
