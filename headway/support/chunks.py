"""Group items into chunks: full chunks from a file, or what has arrived so far from a pipe."""

import time
from collections.abc import Iterable, Iterator
from itertools import islice
from queue import Empty, Queue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")

_PATIENCE = 0.01


def full_chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of `size` items; the last one may be shorter.

    >>> list(full_chunks("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    stream = iter(items)
    while chunk := list(islice(stream, size)):
        yield chunk


def ready_chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of up to `size` items; a list ends a hundredth of a second after its first item has arrived.

    A thread reads ahead by at most a few chunks; an error of the source is raised after the items before it.
    """
    queue: Queue[tuple[list[T], BaseException | None]] = Queue(maxsize=4 * size)
    end: tuple[list[T], BaseException | None] = ([], None)

    def read() -> None:
        try:
            for item in items:
                queue.put(([item], None))
            queue.put(end)
        except BaseException as error:  # any kind of error: it is raised again in the caller's thread
            queue.put(([], error))

    Thread(target=read, daemon=True).start()
    while True:
        chunk: list[T] = []
        found = queue.get()
        patience = time.monotonic() + _PATIENCE
        while found[0]:
            chunk += found[0]
            if len(chunk) == size:
                break
            try:
                found = queue.get(timeout=max(0.0, patience - time.monotonic()))
            except Empty:
                break
        if chunk:
            yield chunk
        if not found[0]:
            if found[1] is not None:
                raise found[1]
            return
