"""Share work among processes, and return the results in order.

For each worker process, this process has a thread that sends one item over a pipe and waits for its result. Nothing
else is shared, in particular no semaphores: after Ctrl-C, at whatever time, only the processes have to be ended.
"""

import multiprocessing
import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

from headway.errors import HeadwayError

S = TypeVar("S")
T = TypeVar("T")

_AHEAD = 2
"""The maximum number of items per process that have been read and whose results have not been yielded."""


def start_process(main: Callable[..., None], *arguments: Any) -> tuple[BaseProcess, Connection]:
    """Start a process that runs ``main(connection, *arguments)``; return it and this end of the connection.

    It is spawned, not forked: a forked copy of a process with threads may deadlock. SIGINT is blocked while it is
    started; the new process inherits this, so Ctrl-C cannot interrupt it even before it calls `follow_parent`.
    """
    context = multiprocessing.get_context("spawn")
    resource_tracker.ensure_running()  # starting this helper unblocks Ctrl-C, so it must come first
    here, there = context.Pipe()
    process = context.Process(target=main, args=(there, *arguments), daemon=True)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]) if hasattr(signal, "pthread_sigmask") else None
    try:
        process.start()
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        there.close()
    return process, here


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


def _answer_items(connection: Connection, work: Callable[[Any], Any]) -> None:
    """Receive items and send back their results or errors, until the connection is closed: the main of a worker."""
    follow_parent()
    while True:
        try:
            item = connection.recv()
        except EOFError:
            return
        try:
            connection.send((work(item), None))
        except Exception as error:
            error.add_note(f"In a worker process:\n{traceback.format_exc()}")
            connection.send((None, error))


class _Worker(Generic[S, T]):
    """A worker process, which is started when it gets its first item and handles one item at a time."""

    def __init__(self, work: Callable[[S], T]) -> None:
        self._work = work
        self._lock = Lock()
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._stopped = False

    def answer(self, item: S) -> T:
        try:
            connection = self._start() if self._connection is None else self._connection
            connection.send(item)
            result, error = connection.recv()
        except (EOFError, OSError):
            raise HeadwayError(
                "a worker process was killed, perhaps for lack of memory: try again with fewer processes"
            ) from None
        if error is not None:
            raise error
        return result  # type: ignore[no-any-return]

    def _start(self) -> Connection:
        with self._lock:
            if self._stopped:
                raise EOFError
            self._process, self._connection = start_process(_answer_items, self._work)
            return self._connection

    def stop(self, *, at_once: bool) -> None:
        """End the process: with `at_once` even in the middle of an item, otherwise after it."""
        with self._lock:
            self._stopped = True
        if self._process is None or self._connection is None:
            return
        if at_once:
            self._process.terminate()
        else:
            self._connection.close()
        self._process.join()


def in_processes(work: Callable[[S], T], items: Iterable[S], count: int) -> Generator[T, None, None]:
    """Compute ``work(item)`` for every item in `count` processes, and yield the results in order.

    Parameters
    ----------
    work : callable
        The function; it is sent to each process once, so it must be picklable.
    items : iterable
        The items; a few are read ahead of the results.

    Raises
    ------
    HeadwayError
        If `work` or reading the items fails, after the results of all earlier items; other exceptions of `work`, too.
    """
    workers = [_Worker(work) for _ in range(count)]
    idle = list(workers)  # a stack, so that no process is started while another one waits for work

    def answer(item: S) -> T:
        worker = idle.pop()  # never empty: there are as many threads as workers
        try:
            return worker.answer(item)
        finally:
            idle.append(worker)

    waiting: deque[Future[T]] = deque()
    failure: HeadwayError | None = None
    stream = iter(items)
    finished = False
    threads = ThreadPoolExecutor(count)
    try:
        while True:
            try:
                item = next(stream)
            except StopIteration:
                break
            except HeadwayError as error:
                failure = error
                break
            waiting.append(threads.submit(answer, item))
            if len(waiting) >= _AHEAD * count:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
        if failure is not None:
            raise failure
        finished = True
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.stop(at_once=not finished)
        threads.shutdown()
