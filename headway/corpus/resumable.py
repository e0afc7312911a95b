"""Write files piece by piece: they appear complete or not at all, and an interrupted run can be resumed."""

import gzip
import json
import lzma
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from headway.corpus import remote
from headway.corpus.files import compression, open_output, output_reason
from headway.corpus.remote import is_remote
from headway.errors import CorpusError, UsageError
from headway.support.writing import draft, sync_folder

_COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),
    ".xz": lzma.compress,
}

_UNSAFE = 2 << 20
"""The number of bytes after which data is synced to the disk: some 30,000 words."""


class PieceOutput:
    """Standard output, a device or a pipe, written piece by piece; also a context manager that opens and finishes it.

    Attributes
    ----------
    pieces : int
        Pieces written so far.
    counts : dict of str to int
        Counts that the writer stores for the next piece.
    """

    def __init__(self, path: str) -> None:
        self.path, self.pieces, self.counts = path, 0, dict[str, int]()
        self._output = open_output(path)

    def open(self) -> None:
        """Open the output for the first or the next piece."""
        self._file = self._output.__enter__()

    def write(self, data: bytes, **counts: int) -> None:
        """Write a piece and set counts."""
        self._file.write(data)
        self._file.flush()
        self.pieces += 1
        self.counts.update(counts)

    def finish(self, note: Callable[[], None] = lambda: None) -> None:
        """Finish the output after the last piece; call `note` as soon as all pieces are on the disk."""
        self._output.__exit__(None, None, None)
        note()

    def abandon(self) -> None:
        """Close the output after an error."""
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

    Pieces are written to ``NAME.part``, and ``NAME.part.json`` records how many of its bytes are complete; at the end
    the file is renamed to ``NAME``. After an error, both files stay, unless no piece was written, and the next run can
    continue from there, with the same `pieces` and `counts`. The first piece is synced to the disk at once, the others
    after every two megabytes and after an error: only a killed process or a power failure can lose the last pieces.

    For a remote file, they are ``NAME.DIGEST.part`` and ``NAME.DIGEST.part.json`` in the working directory; at the end,
    the first is put into the remote place, and removed. A process that is killed between the two puts it there again.

    Parameters
    ----------
    path : str
        The file; for ``.gz`` and ``.xz``, each piece is compressed separately.
    mark : str
        An identifier of the input and options: only a run with the same mark can be resumed.
    resume : bool
        Whether to continue an unfinished file instead of starting again.

    Attributes
    ----------
    whole : bool
        Whether the last run was interrupted after the file was renamed, but before `note` had been called.
    """

    def __init__(self, path: str, mark: str, *, resume: bool = False) -> None:
        self.path, self.pieces, self.counts = path, 0, dict[str, int]()
        self._mark = mark
        self._target = path if is_remote(path) else os.path.realpath(path)  # a link stays a link
        self._part, self._journal = map(Path, unfinished_files(path))
        self._place = str(self._part) if is_remote(path) else path
        self._compress = _COMPRESSIONS.get(compression(path), bytes)
        left = self._journal.is_file() and self._part.is_file()  # with only a journal, the file was finished
        self._good = self._known() if resume and left else 0
        self._safe = -1
        self.whole = resume and not left and self._has_its_name()

    def _known(self) -> int:
        """Return the number of complete bytes that the last run left."""
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
            raise UsageError(f"{self._part}: shorter than recorded; {advice}")
        self.pieces, self.counts = pieces, counts
        return int(good)

    def _has_its_name(self) -> bool:
        try:
            known = json.loads(self._journal.read_text(encoding="utf-8"))
            return bool(known["mark"] == self._mark and known["bytes"] == self._size())
        except (CorpusError, OSError, ValueError, KeyError, TypeError):
            return False

    def _size(self) -> int:
        return remote.size(self._target) if is_remote(self._target) else os.stat(self._target).st_size

    def forget(self) -> None:
        """Remove the journal: the file is complete, and this has been noted."""
        with clear_words(self._place):
            self._journal.unlink(missing_ok=True)

    def open(self) -> None:
        """Open the file for the first or the next piece; UsageError if another run is writing the same file."""
        with clear_words(self._place):
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
        """Raise UsageError if the file was finished by another run between opening and locking it."""
        if not self._is_in_place():
            self._file.close()
            raise UsageError(f"{self._part}: another run has just finished it")

    def _is_in_place(self) -> bool:
        """Return whether the open file still has the name of the unfinished file."""
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), os.stat(self._part))
        except (OSError, ValueError):  # no such file, or closed
            return False

    def write(self, data: bytes, **counts: int) -> None:
        """Add a piece, and set counts."""
        with clear_words(self._place):
            self._file.write(self._compress(data) if data else b"")
            self._file.flush()
            self._good = self._file.tell()
            self.pieces += 1
            self.counts.update(counts)
            if self._safe < 0 or self._good - self._safe >= _UNSAFE:
                self._secure()

    def _secure(self) -> None:
        """Sync all pieces to the disk, and record this in the journal."""
        self._safe = self._good  # before syncing: if that fails, do not record these bytes as complete later
        os.fsync(self._file.fileno())
        known = {"mark": self._mark, "bytes": self._good, "pieces": self.pieces, "counts": self.counts}
        replace_json(self._journal, known)

    def finish(self, note: Callable[[], None] = lambda: None) -> None:
        """Rename or upload the finished file, then call `note`; a killed run is recognised by the next."""
        with clear_words(self._place):
            if self._file.tell() == 0:
                self._file.write(self._compress(b""))
            self._file.flush()
            if 0 <= self._safe < self._good:
                self._secure()  # needed if this run is killed after the renaming: the next run reads it
            else:
                os.fsync(self._file.fileno())
            if os.name == "nt":
                self._file.close()  # Windows renames no open files; elsewhere the lock is held until the end
            if is_remote(self._target):
                self._upload()
            else:
                self._rename()
            note()
            self.forget()
            self._file.close()

    def _rename(self) -> None:
        if os.path.exists(self._target):
            os.chmod(self._part, stat.S_IMODE(os.stat(self._target).st_mode))
        os.replace(self._part, self._target)
        sync_folder(os.path.dirname(self._target))

    def _upload(self) -> None:
        try:
            remote.upload(self._part, self._target)
        except CorpusError as error:
            advice = f"all of it is in {self._part}, and --resume puts it there"
            raise CorpusError(f"{error.reason}; {advice}", path=self.path) from error
        self._part.unlink()

    def abandon(self) -> None:
        """Keep the complete pieces, if there are any, for the next run."""
        is_in_place = self._is_in_place()
        useless = is_in_place and not self._journal.exists()
        if is_in_place and not useless and 0 <= self._safe < self._good:
            with suppress(OSError):
                os.ftruncate(self._file.fileno(), self._good)  # remove an incomplete piece, as after a full disk
                self._secure()
        if os.name == "nt":
            self._close()  # Windows removes no open files; elsewhere the lock is held until the end
        if useless:
            with suppress(OSError):
                self._part.unlink()
        self._close()

    def _close(self) -> None:
        with suppress(OSError):  # closing flushes: data that could not be written before fails again
            self._file.close()


def unfinished_files(path: str) -> tuple[str, str]:
    """Return the files that an unfinished `ResumableOutput` keeps: its pieces, and the record of complete bytes."""
    target = remote.local_name(path) if is_remote(path) else os.path.realpath(path)
    return f"{target}.part", f"{target}.part.json"


@contextmanager
def clear_words(path: str) -> Iterator[None]:
    """Report failures while writing `path` as one-line errors."""
    try:
        yield
    except OSError as error:
        raise CorpusError(output_reason(error, path), path=path) from None


def replace_json(path: Path, value: object) -> None:
    """Replace the content of `path` by `value` as JSON, atomically: readers see the old or the new value."""
    with draft(os.path.realpath(path)) as file:
        file.write(json.dumps(value).encode())


def is_resumable(path: str) -> bool:
    """Return whether `path` is a regular file or does not exist yet; streams cannot be resumed."""
    if is_remote(path):
        return True
    if path == "-" or os.path.abspath(path).startswith(("/dev/", "/proc/")):
        return False
    return not os.path.exists(path) or stat.S_ISREG(os.stat(path).st_mode)
