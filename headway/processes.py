"""Share work among processes, and return the results in order."""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from threading import Thread, current_thread, main_thread
from typing import Any, TypeVar

from headway.errors import HeadwayError

S = TypeVar("S")
T = TypeVar("T")

_AHEAD = 2
"""Items per process that are being processed, or whose results wait to be taken, at the same time."""

_work: Callable[[Any], Any] | None = None
"""The function that this worker process runs; None in other processes."""


def _start(work: Callable[[Any], Any]) -> None:
    """Prepare a worker process."""
    global _work
    follow_parent()
    _work = work


def follow_parent() -> None:
    """Leave interrupts to the parent process, and end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _answer(item: Any) -> Any:
    assert _work is not None
    return _work(item)


@contextmanager
def _signals_held_back() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM while processes are started.

    An interrupted start would leave semaphores, or a process that waits forever. Ctrl-C is also
    blocked, which processes inherit: they never receive it, not even before `_start`.
    """
    if current_thread() is not main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    heard: list[int] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    for number, handler in handlers.items():
        if callable(handler):
            signal.signal(number, lambda number, frame: heard.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for late in heard:
            signal.raise_signal(late)


def in_processes(work: Callable[[S], T], items: Iterable[S], count: int) -> Generator[T, None, None]:
    """Yield ``work(item)`` for every item, in order, by `count` processes.

    Parameters
    ----------
    work : callable
        The function; it is sent to each process once, so it must be picklable.
    items : iterable
        The items; a few are read ahead of the results.

    Raises
    ------
    HeadwayError
        Any error of an item, or of reading the items, after the results of all items before it.
    """
    before = set(multiprocessing.active_children())
    waiting: deque[Future[T]] = deque()
    failure: HeadwayError | None = None
    stream = iter(items)
    pool: ProcessPoolExecutor | None = None
    try:
        with _signals_held_back():  # signals are raised at the end of this block
            # Spawned, not forked: a forked copy of a process with threads may wait forever.
            pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _start, (work,))
        while True:
            try:
                item = next(stream)
            except StopIteration:
                break
            except HeadwayError as error:
                failure = error
                break
            with _signals_held_back():
                waiting.append(pool.submit(_answer, item))
            if len(waiting) >= _AHEAD * count:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        if failure is not None:
            raise failure
    except BrokenProcessPool:
        raise HeadwayError("a process was killed: maybe there is not enough memory for this many processes") from None
    except BaseException:
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        raise
    finally:
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)
