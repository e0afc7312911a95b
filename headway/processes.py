"""Work shared among processes, with the answers in order."""

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
"""Items for each process that are read, or whose answers wait to be taken, at the same time."""

_work: Callable[[Any], Any] | None = None
"""The function of this process, where it is one of several."""


def _start(work: Callable[[Any], Any]) -> None:
    """Make a process ready to work: the one that began it hears interrupts for all, and none outlives it."""
    global _work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()
    _work = work


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
    """Let Ctrl-C and SIGTERM wait while processes are started.

    A start that is broken off in the middle leaves semaphores, or a process that waits for ever. Ctrl-C is also
    blocked, which processes inherit: they never hear it, not even before `_start`.
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
        Sent to each process once, so it must be one that can be pickled.
    items : iterable
        Read a few ahead of the answers.

    Raises
    ------
    HeadwayError
        Whatever is wrong with an item, or with what comes after it, once all before are answered.
    """
    before = set(multiprocessing.active_children())
    waiting: deque[Future[T]] = deque()
    failure: HeadwayError | None = None
    stream = iter(items)
    with _signals_held_back():
        # Spawned, not forked: a copy of a process with threads may wait for ever.
        pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _start, (work,))
    try:
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
        raise HeadwayError("a process ended before its work was done: is there memory for so many?") from None
    except BaseException:
        for child in set(multiprocessing.active_children()) - before:
            child.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
