"""A file that is written piece by piece: it appears whole or not at all, and a run that was broken off goes on."""

import gzip
import json
import lzma
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from headway.corpus.files import compression, open_output, reason
from headway.errors import CorpusError, UsageError
from headway.writing import draft, sync_folder

_COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".xz": lzma.compress,
}


class PieceOutput:
    """Standard output, a device or a pipe, written piece by piece; also a context, which is `open` and `finish`.

    Attributes
    ----------
    pieces : int
        Written so far.
    counts : dict of str to int
        Whatever the writer wants to know for the next piece.
    """

    def __init__(self, path: str) -> None:
        self.path, self.pieces, self.counts = path, 0, dict[str, int]()
        self._output = open_output(path)

    def open(self) -> None:
        """Begin, or go on."""
        self._file = self._output.__enter__()

    def write(self, data: bytes, **counts: int) -> None:
        """Add a piece, and set counts."""
        self._file.write(data)
        self._file.flush()
        self.pieces += 1
        self.counts.update(counts)

    def finish(self, note: Callable[[], None] = lambda: None) -> None:
        """All is written; `note` is called as soon as that is safe."""
        self._output.__exit__(None, None, None)
        note()

    def abandon(self) -> None:
        """Something went wrong, which is being raised."""
        self._output.__exit__(*sys.exc_info())

    def __enter__(self) -> "PieceOutput":
        self.open()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if kind is None:
            self.finish()
        else:
            self.abandon()


class ResumableOutput(PieceOutput):
    """A file that is written piece by piece.

    Pieces go to ``NAME.part``; beside it, ``NAME.part.json`` says after each of them how far it is good. At the end
    the file gets its name. If something goes wrong before, both stay, and the next run can go on from there, its
    `pieces` and `counts` too; nothing stays where no piece was written.

    Parameters
    ----------
    path : str
        ``.gz`` and ``.xz`` are compressed, each piece by itself.
    mark : str
        What the pieces are made from and how: a run goes on only from one with the same mark.
    resume : bool
        Whether to go on from what is there, rather than to begin anew.

    Attributes
    ----------
    whole : bool
        Whether the last run was broken off after the file got its name, before anybody could note it.
    """

    def __init__(self, path: str, mark: str, *, resume: bool = False) -> None:
        self.path, self.pieces, self.counts = path, 0, dict[str, int]()
        self._mark = mark
        self._target = os.path.realpath(path)  # a link stays a link
        self._part, self._journal = map(Path, unfinished_files(path))
        self._compress = _COMPRESSIONS.get(compression(path), bytes)
        left = self._journal.is_file() and self._part.is_file()  # a journal alone is that of a file with its name
        self._good = self._known() if resume and left else 0
        self.whole = resume and not left and self._has_its_name()

    def _known(self) -> int:
        """Return the number of good bytes that the last run left."""
        advice = "remove it, or leave out --resume"
        try:
            known = json.loads(self._journal.read_text(encoding="utf-8"))
            mark, good, pieces, counts = (known[name] for name in ("mark", "bytes", "pieces", "counts"))
            size = self._part.stat().st_size
        except (OSError, ValueError, KeyError, TypeError):
            raise UsageError(f"{self._journal}: damaged; {advice}") from None
        if mark != self._mark:
            raise UsageError(f"{self._part}: begun with other input or options; {advice}")
        if size < good:
            raise UsageError(f"{self._part}: shorter than it was; {advice}")
        self.pieces, self.counts = pieces, counts
        return int(good)

    def _has_its_name(self) -> bool:
        try:
            known = json.loads(self._journal.read_text(encoding="utf-8"))
            return bool(known["mark"] == self._mark and known["bytes"] == os.stat(self._target).st_size)
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def forget(self) -> None:
        """Remove what only helps to go on: the file is whole, and this is noted."""
        with clear_words(self.path):
            self._journal.unlink(missing_ok=True)

    def open(self) -> None:
        """Begin, or go on; UsageError where another run is writing the same file."""
        with clear_words(self.path):
            self._file = open(self._part, "r+b" if self._good else "ab")  # noqa: SIM115 (closed by the methods below)
            self._lock()
            self._check_place()
            if not self._good:
                self._journal.unlink(missing_ok=True)
            self._file.seek(self._good)
            self._file.truncate()

    def _lock(self) -> None:
        try:
            import fcntl
        except ImportError:  # not on this system
            return
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise UsageError(f"{self._part}: another run is writing it") from None

    def _check_place(self) -> None:
        """Refuse a file that got its name between opening and locking it."""
        if not self._is_in_place():
            self._file.close()
            raise UsageError(f"{self._part}: another run has just finished it")

    def _is_in_place(self) -> bool:
        """Whether what is written is still under the name of an unfinished file."""
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), os.stat(self._part))
        except (OSError, ValueError):  # no such file, or closed
            return False

    def write(self, data: bytes, **counts: int) -> None:
        """Add a piece, and set counts; the piece is safe on the disk when this returns."""
        with clear_words(self.path):
            self._file.write(self._compress(data) if data else b"")
            self._file.flush()
            os.fsync(self._file.fileno())
            self.pieces += 1
            self.counts.update(counts)
            known = {"mark": self._mark, "bytes": self._file.tell(), "pieces": self.pieces, "counts": self.counts}
            replace_json(self._journal, known)

    def finish(self, note: Callable[[], None] = lambda: None) -> None:
        """Give the file its name; a run that is killed before or while `note` is called does not write it again."""
        with clear_words(self.path):
            if self._file.tell() == 0:
                self._file.write(self._compress(b""))
            self._file.flush()
            os.fsync(self._file.fileno())
            if os.path.exists(self._target):
                os.chmod(self._part, stat.S_IMODE(os.stat(self._target).st_mode))
            if os.name == "nt":
                self._file.close()  # before it can be renamed; elsewhere the lock is held until it has its name
            os.replace(self._part, self._target)
            sync_folder(os.path.dirname(self._target))
            note()
            self.forget()
            self._file.close()

    def abandon(self) -> None:
        """Leave what is good, if anything is."""
        useless = self._is_in_place() and not self._journal.exists()
        if os.name == "nt":
            self._close()  # before it can be removed; elsewhere the lock is held until it is gone
        if useless:
            with suppress(OSError):
                self._part.unlink()
        self._close()

    def _close(self) -> None:
        with suppress(OSError):  # what could not be written before cannot be written now
            self._file.close()


def unfinished_files(path: str) -> tuple[str, str]:
    """The files that hold what a `ResumableOutput` has written so far: its pieces, and how far they are good."""
    target = os.path.realpath(path)
    return f"{target}.part", f"{target}.part.json"


@contextmanager
def clear_words(path: str) -> Iterator[None]:
    """Failures of files are those of writing `path`, in one line."""
    try:
        yield
    except OSError as error:
        raise CorpusError(reason(error), path=path) from None


def replace_json(path: Path, value: object) -> None:
    """Write `value` in place of what `path` holds: whoever reads it sees the old or the new."""
    with draft(os.path.realpath(path)) as file:
        file.write(json.dumps(value).encode())


def is_resumable(path: str) -> bool:
    """Whether `path` is a file, or none yet, rather than a stream that cannot be gone back in."""
    if path == "-" or os.path.abspath(path).startswith(("/dev/", "/proc/")):
        return False
    return not os.path.exists(path) or stat.S_ISREG(os.stat(path).st_mode)
