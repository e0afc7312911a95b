"""Batches shared among processes, with the answers in order."""

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from headway.errors import HeadwayError

S = TypeVar("S")
T = TypeVar("T")

_AHEAD = 2
"""Batches for each process that are read, or wait to be taken, at the same time."""

_work: Callable[[Any], Any] | None = None
"""The function of this process, where it is one of several."""


def _start(work: Callable[[Any], Any]) -> None:
    global _work
    _work = work


def _answer(batch: Any) -> Any:
    assert _work is not None
    return _work(batch)


def in_processes(work: Callable[[S], T], batches: Iterable[S], count: int) -> Iterator[T]:
    """Yield ``work(batch)`` for every batch, in order, by `count` processes that are sent `work` once."""
    # Spawned, not forked: a copy of a process with threads may wait for ever.
    with ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _start, (work,)) as pool:
        waiting: deque[Future[T]] = deque()
        try:
            for batch in batches:
                waiting.append(pool.submit(_answer, batch))
                if len(waiting) >= _AHEAD * count:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise HeadwayError(
                "a process ended before its work was done: is there memory for so many, and has the script "
                'if __name__ == "__main__"?'
            ) from None
        finally:
            for future in waiting:
                future.cancel()
