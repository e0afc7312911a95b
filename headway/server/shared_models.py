"""Model files that all worker processes share in memory.

The server reads each file once, into an anonymous file in memory (Linux's ``memfd_create``). Workers map it read-only,
so that the arrays of a model, which are views of these bytes, are the same pages in all of them. Changes to the file on
disk reach no worker, also none that is started later. Elsewhere each worker reads the file.
"""

import mmap
import os
import shutil
import weakref
from typing import Any

import numpy as np

from headway.annotator import Annotator, load_model
from headway.parser import Parser


class SharedModel:
    """A model file, to be sent to worker processes when they start.

    Parameters
    ----------
    path : str
        The file.
    descriptor : int, optional
        The file descriptor of its content in memory; None to read the file.
    """

    def __init__(self, path: str, descriptor: int | None) -> None:
        self.path, self._descriptor = path, descriptor
        if descriptor is not None:
            weakref.finalize(self, os.close, descriptor)

    @classmethod
    def read(cls, path: str) -> "SharedModel":
        """Read a file into shared memory, if there is such a thing; what is wrong with the file is left to `load`."""
        if not hasattr(os, "memfd_create"):
            return cls(path, None)
        try:
            return cls(path, _copy_into_memory(path))
        except OSError:  # the file cannot be read, or memory is full
            return cls(path, None)

    def load(self) -> Annotator | Parser:
        """Return the model, whose arrays are views of the shared memory."""
        if self._descriptor is None or not os.fstat(self._descriptor).st_size:  # an empty file cannot be mapped
            return load_model(self.path)
        content = mmap.mmap(self._descriptor, 0, access=mmap.ACCESS_READ)
        return load_model(self.path, np.frombuffer(content, dtype=np.uint8))

    def __reduce__(self) -> tuple[Any, ...]:
        """Send the descriptor to a process that is being started."""
        if self._descriptor is None:
            return SharedModel, (self.path, None)
        from multiprocessing.reduction import DupFd  # here: Windows has no such thing

        return _received, (self.path, DupFd(self._descriptor))


def _copy_into_memory(path: str) -> int:
    """Return the descriptor of an anonymous file in memory with the content of a file."""
    descriptor = os.memfd_create("headway-model")
    try:
        with open(path, "rb") as file, open(descriptor, "wb", closefd=False) as copy:
            shutil.copyfileobj(file, copy, 1 << 20)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def _received(path: str, duplicate: Any) -> SharedModel:
    return SharedModel(path, duplicate.detach())
