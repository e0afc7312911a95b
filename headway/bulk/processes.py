"""Pieces shared among processes, and their answers in order."""

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from threading import Thread, current_thread, main_thread
from typing import TypeVar

from headway.bulk.pieces import Piece
from headway.bulk.worker import Answer, Task, Worker
from headway.errors import HeadwayError

T = TypeVar("T")

_AHEAD = 2
"""Pieces for each process that are read, or wait to be written, at the same time."""

_worker: Worker | None = None
"""The one of this process, where it is one of several."""


def _start(task: Task) -> None:
    """Make a process ready to work: the one that began it hears interrupts for all, and none outlives it."""
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()
    _worker = Worker(task)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(piece: Piece) -> Answer:
    assert _worker is not None
    return _worker(piece)


@contextmanager
def _signals_held_back() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait while processes are started.

    A start that is broken off in the middle leaves a process that waits for ever. Ctrl-C is also blocked, which
    processes inherit: they never hear it, not even before `_start`.
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


def answers(stream: Iterable[tuple[T, Piece]], worker: Worker, *, jobs: int = 1) -> Generator[tuple[T, Piece, Answer]]:
    """The pieces with their answers, in order; what stands beside a piece stays there.

    Parameters
    ----------
    worker : Worker
        Answers them itself, or is followed by so many of its kind in processes of their own.

    Raises
    ------
    HeadwayError
        Whatever is wrong with a piece, or with what comes after it, once all before are answered.
    """
    if jobs == 1:
        yield from ((beside, piece, worker(piece)) for beside, piece in stream)
        return
    # Processes that begin anew rather than as copies: a copy of a process with threads may wait for ever.
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _start, (worker.task,))
    waiting: deque[tuple[T, Piece, Future[Answer]]] = deque()

    def next_answer() -> tuple[T, Piece, Answer]:
        beside, piece, future = waiting.popleft()
        return beside, piece, future.result()

    before = set(multiprocessing.active_children())
    failure: HeadwayError | None = None
    pieces = iter(stream)
    try:
        while True:
            try:
                item = next(pieces, None)
            except HeadwayError as error:
                failure = error
                break
            if item is None:
                break
            with _signals_held_back():
                future = pool.submit(_work, item[1])
            waiting.append((*item, future))
            if len(waiting) >= _AHEAD * jobs:
                yield next_answer()
        while waiting:
            yield next_answer()
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
