"""Files in object stores and on other machines (``s3://bucket/name``), through fsspec.

fsspec is imported only for a path with ``://``. Every failure of a store becomes a `CorpusError` that names the path.
Outputs are written to a local file first, and put into the store when they are complete.
"""

import hashlib
import io
import os
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast

from headway.errors import CorpusError, HeadwayError, UsageError

_CHUNK = 1 << 20

_ATOMIC = {"s3", "gs", "abfs", "oss", "oci"}
"""Object stores: a file that is put there appears whole, and there are no folders to make."""

_KINDS = (
    (FileNotFoundError, "no such file or folder"),
    (PermissionError, "no permission"),
    (IsADirectoryError, "is a folder, not a file"),
)


def is_remote(path: str | Path) -> bool:
    """Return whether `path` is a URL for fsspec rather than the name of a local file."""
    return "://" in str(path)


def local_name(url: str) -> str:
    """Return the start of the names of the files, in the working directory, that belong to a remote output."""
    name = url.rstrip("/")
    return f"{posixpath.basename(name)}.{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def place(url: str) -> str | tuple[object, str]:
    """Return where a file is: its path on this machine (``file:///x``), or its file system and the path there."""
    system, path = _located(url)
    return path if "file" in _protocols(system) else (system, path)


def size(url: str) -> int:
    """Return the size of a file in bytes; 0 if the store does not say."""
    return int(_info(url).get("size") or 0)


def version(url: str) -> str:
    """Return a text that changes when the content of a file does: its tag or the time of its last change."""
    known = _info(url)
    tag = known.get("ETag") or known.get("etag")
    if tag:
        return str(tag)
    system, path = _located(url)
    with _clear_errors(url):
        try:
            return str(system.modified(path))
        except NotImplementedError:
            return ""


def exists(url: str) -> bool:
    """Return whether there is a file or a folder."""
    system, path = _located(url)
    with _clear_errors(url):
        return bool(system.exists(path))


def is_folder(url: str) -> bool:
    """Return whether there is a folder, or names that begin like those of its files."""
    system, path = _located(url)
    with _clear_errors(url):
        return bool(system.isdir(path))


def matching(pattern: str) -> list[str]:
    """Return the files that fit a pattern, in order; as on a disk, hidden ones only if the pattern has their dot."""
    system, path = _located(pattern)
    with _clear_errors(pattern):
        found = system.glob(path, detail=True)
    names = [name for name, known in found.items() if known["type"] == "file"]
    before, literal, after = pattern.partition(path)  # unstrip_protocol forgets the host of sftp://host/name
    urls = (f"{before}{name}{after}" if literal else system.unstrip_protocol(name) for name in names)
    return sorted(url for url in urls if "/." not in url or "/." in pattern)


def check_readable(url: str) -> None:
    """Raise CorpusError, in one clear line, if there is no such file."""
    if _info(url)["type"] == "directory":
        raise CorpusError(f"is a folder, not a file: name its files, such as '{url.rstrip('/')}/*'", path=url)


def open_file(url: str) -> BinaryIO:
    """Open a file for reading bytes."""
    system, path = _located(url)
    with _clear_errors(url):
        return cast(BinaryIO, io.BufferedReader(_Stream(system.open(path, "rb"), url), _CHUNK))


def upload(path: str | Path, url: str) -> None:
    """Put a local file into a store, where it appears whole or not at all."""
    system, target = _located(url)
    with _clear_errors(url):
        if _protocols(system) & _ATOMIC:
            system.put_file(str(path), target)
            return
        folder = posixpath.dirname(target)
        draft = posixpath.join(folder, f".headway-{hashlib.sha256(url.encode()).hexdigest()[:16]}.part")
        system.makedirs(folder, exist_ok=True)
        try:
            system.put_file(str(path), draft)
            system.mv(draft, target)
        except BaseException:
            with suppress(Exception):
                system.rm_file(draft)
            raise


class _Stream(io.RawIOBase):
    """A remote file that is read."""

    def __init__(self, file: Any, url: str) -> None:
        self._file, self._url = file, url

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _clear_errors(self._url):
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def _located(url: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path in it."""
    try:
        locate = import_module("fsspec.core").url_to_fs
    except ModuleNotFoundError:
        raise UsageError(f"{url}: paths with :// need fsspec: pip install 'headway[remote]'") from None
    with _clear_errors(url):
        try:
            system, path = locate(url)
        except ImportError as error:
            raise UsageError(f"{url}: its protocol needs another package: {_one_line(error)}") from None
        except ValueError as error:
            raise UsageError(f"{url}: {_one_line(error)}; is the package installed that provides it?") from None
    return system, str(path)


def _info(url: str) -> dict[str, Any]:
    system, path = _located(url)
    with _clear_errors(url):
        return dict(system.info(path))


def _protocols(system: Any) -> set[str]:
    return {system.protocol} if isinstance(system.protocol, str) else set(system.protocol)


@contextmanager
def _clear_errors(url: str) -> Iterator[None]:
    """Turn what a store raises, which need not be an OSError, into a one-line error about `url`."""
    try:
        yield
    except HeadwayError:
        raise
    except Exception as error:
        raise CorpusError(_reason(error), path=url) from error


def _reason(error: Exception) -> str:
    for kind, words in _KINDS:
        if isinstance(error, kind):
            number, told = error.errno, error.strerror
            return f"{words} ({told})" if number and told and told != os.strerror(number) else words
    return _one_line(error)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
