"""Remote file systems in memory, for tests: one where a file grows while it is put, and an object store."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import pytest

pytest.importorskip("fsspec", reason="needs fsspec: pip install 'headway[remote]'")

import fsspec
from fsspec.implementations.memory import MemoryFileSystem


class Grid(MemoryFileSystem):
    """A file system that says what is done to it (`done`), and refuses one of it (`refused`)."""

    protocol = ("grid",)
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    done: ClassVar[list[str]] = []
    refused = ""

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        for protocol in cls.protocol:
            path = path.removeprefix(f"{protocol}:")
        return "/" + path.strip("/") if path.strip("/") else ""

    def step(self, name: str, target: str) -> None:
        type(self).done.append(f"{name} {self.find('/')}")
        if name == self.refused:
            raise RuntimeError(f"the store\nrefuses to {name}")

    def put_file(self, lpath: str, rpath: str, **options: Any) -> None:
        super().put_file(lpath, rpath, **options)
        self.step("put", rpath)

    def mv(self, path1: str, path2: str, **options: Any) -> None:
        self.step("mv", path2)
        super().mv(path1, path2, **options)

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        file = super()._open(path, mode, **options)
        return Breaking(file.getvalue()) if self.refused == "read" and mode == "rb" else file


class Breaking:
    """A file that cannot be read after its first bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self, size: int) -> bytes:
        if not self.data:
            raise RuntimeError("connection\nlost")
        data, self.data = self.data, b""
        return data

    def close(self) -> None:
        pass


class Bucket(Grid):
    """An object store: what is refused is not there, not even in part."""

    protocol = ("s3", "s3a")
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    done: ClassVar[list[str]] = []

    def put_file(self, lpath: str, rpath: str, **options: Any) -> None:
        self.step("put", rpath)
        MemoryFileSystem.put_file(self, lpath, rpath, **options)


STORES = {"grid": Grid, "s3": Bucket}


@contextmanager
def stores() -> Iterator[None]:
    """Empty stores under ``grid://`` and ``s3://``, as long as the block lasts."""
    import sys

    registry = sys.modules["fsspec.registry"]._registry
    before = dict(registry)
    for name, store in (*STORES.items(), ("s3a", Bucket)):
        store.store.clear()
        store.pseudo_dirs[:] = [""]
        store.done.clear()
        store.refused = ""
        fsspec.register_implementation(name, store, clobber=True)
    try:
        yield
    finally:
        registry.clear()
        registry.update(before)


def fill(url: str, data: bytes | str) -> str:
    """Make a file, and return its name."""
    with fsspec.open(url, "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)
    return url


def content(url: str) -> bytes:
    with fsspec.open(url, "rb") as file:
        return bytes(file.read())


def names(protocol: str) -> list[str]:
    """Return all files of a store."""
    return sorted(STORES[protocol].store)
