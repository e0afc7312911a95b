"""Open files of sentences for reading and writing: plain, ``.gz``, ``.xz``, remote, and ``-`` for standard streams."""

import contextlib
import errno
import gzip
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from headway.corpus import remote
from headway.corpus.remote import is_remote
from headway.errors import CorpusError
from headway.support.writing import draft

CHUNK = 1 << 20
"""Bytes that are read at a time."""


def compression(path: str | Path) -> str:
    """Return the suffix of a compressed file in lower case: ``.gz``, ``.xz``, or an empty string."""
    ending = os.path.splitext(path)[1].lower()
    return ending if ending in (".gz", ".xz") else ""


def check_readable(path: str) -> None:
    """Raise CorpusError, in one clear line, if `path` cannot be read."""
    if path == "-":
        return
    if is_remote(path):
        remote.check_readable(path)
        return
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise CorpusError(reason(error), path=path) from None
    except ValueError:
        raise CorpusError("not a file name", path=repr(path)) from None
    if stat.S_ISDIR(mode):
        raise CorpusError(f"is a folder, not a file: name its files, such as '{path.rstrip('/')}/*'", path=path)
    if not os.access(path, os.R_OK):
        raise CorpusError("no permission to read it", path=path)


@contextlib.contextmanager
def open_input(path: str) -> Iterator[BinaryIO]:
    """Open `path` for reading bytes, decompressed by its name; ``-`` is standard input (and stays open)."""
    check_readable(path)
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        raw = remote.open_file(path) if is_remote(path) else open(path, "rb")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise CorpusError(reason(error), path=path) from None
    with raw, _decompressed(raw, path) as stream:
        yield stream


def read_chunks(stream: BinaryIO, path: str) -> Iterator[bytes]:
    """Yield the bytes of `stream` as they arrive; errors of the system and of decompression become CorpusError."""
    while True:
        try:
            chunk: bytes = stream.read1(CHUNK)  # type: ignore[attr-defined]
        except EOFError:
            raise CorpusError("the compressed file is truncated", path=path) from None
        except (lzma.LZMAError, gzip.BadGzipFile, zlib.error) as error:
            raise CorpusError(f"the compressed file is damaged ({error})", path=path) from None
        except OSError as error:
            raise CorpusError(reason(error), path=path) from None
        if not chunk:
            return
        yield chunk


def comes_live(stream: BinaryIO) -> bool:
    """Return whether `stream` is a pipe or a terminal, where someone may be waiting for output."""
    try:
        return not stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return False


@contextlib.contextmanager
def open_output(path: str | Path) -> Iterator[BinaryIO]:
    """Open `path` for writing bytes, compressed by its name; the file appears whole or not at all.

    The bytes go to a new file in the same folder, which takes the place of `path` when the block ends without
    an exception, and is removed otherwise. For a remote `path` it is a file in the working directory, which is put
    there at the end. Standard output (``-``), devices and pipes are written to directly.
    """
    name = os.fspath(path)
    try:
        with _opened(name) as stream:
            yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        if not _is_about(error, name):
            raise
        raise CorpusError(output_reason(error, name), path=name) from error


def _opened(name: str) -> contextlib.AbstractContextManager[BinaryIO]:
    if name == "-":
        return _standard_output()
    return _remote_file(name) if is_remote(name) else _output_file(name)


def _is_about(error: OSError, name: str) -> bool:
    """Return whether `error` comes from writing `name`: it names no file, or a file in the folder of `name`."""
    folder = os.path.dirname(os.path.realpath(name))
    return error.filename in (None, name) or os.path.dirname(str(error.filename)) == folder


@contextlib.contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    sys.stdout.flush()
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


@contextlib.contextmanager
def _output_file(name: str) -> Iterator[BinaryIO]:
    mode = os.stat(name).st_mode if os.path.exists(name) else None
    if mode is not None and not stat.S_ISREG(mode):
        with open(name, "wb") as device, _compressed(device, name) as stream:
            yield stream
        return
    with draft(os.path.realpath(name)) as raw, _compressed(raw, name) as stream:  # a link stays a link
        yield stream


@contextlib.contextmanager
def _remote_file(name: str) -> Iterator[BinaryIO]:
    place = remote.local_name(name)
    try:
        with draft(place, durable=False) as raw, _compressed(raw, name) as stream:
            yield stream
        remote.upload(place, name)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place)


def _decompressed(raw: BinaryIO, path: str) -> contextlib.AbstractContextManager[BinaryIO]:
    if compression(path) == ".gz":
        return cast(BinaryIO, gzip.open(raw, "rb"))
    if compression(path) == ".xz":
        return cast(BinaryIO, lzma.open(raw, "rb"))
    return contextlib.nullcontext(raw)


def _compressed(raw: BinaryIO, name: str) -> contextlib.AbstractContextManager[BinaryIO]:
    if compression(name) == ".gz":  # store no name and no time: the same sentences give the same bytes
        return cast(BinaryIO, gzip.GzipFile("", "wb", fileobj=raw, mtime=0))
    if compression(name) == ".xz":
        return cast(BinaryIO, lzma.LZMAFile(raw, "wb"))
    return contextlib.nullcontext(raw)


def output_reason(error: OSError, path: str) -> str:
    """Return the reason why a file cannot be written, in a few words."""
    folder = os.path.dirname(os.path.abspath(path))
    if error.errno == errno.ENOENT and not os.path.exists(folder):
        return f"the folder {folder} does not exist"
    return reason(error)


def reason(error: OSError) -> str:
    """Return the reason of an error, in a few words."""
    known = {
        errno.ENOENT: "no such file or folder",
        errno.EISDIR: "is a folder, not a file",
        errno.EACCES: "no permission",
        errno.ENOSPC: "no space left on the disk",
        errno.EBADF: "is closed",
    }
    return known.get(error.errno or 0) or (error.strerror or str(error)).lower()
