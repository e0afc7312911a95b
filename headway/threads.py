"""Threads that share the sentences of a batch.

Sentences are distributed in turn, and each writes its own rows: results do not depend on the number of threads.
"""

from collections.abc import Callable
from typing import Any


class Threads:
    """A fixed number of threads that share work; with one, the caller does the work itself."""

    def __init__(self, number: int = 1) -> None:
        self.number = number
        self._pool: Any = None
        if number > 1:
            from concurrent.futures import ThreadPoolExecutor  # imports logging: start-up takes longer

            self._pool = ThreadPoolExecutor(number)

    def deal(self, work: Callable[[int, int], None]) -> None:
        """Call ``work(first, stride)`` for every thread and wait for all."""
        if self._pool is None:
            work(0, 1)
        else:
            for _ in self._pool.map(work, range(self.number), [self.number] * self.number):
                pass

    def __enter__(self) -> "Threads":
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if self._pool is not None:
            interrupted = kind is not None and issubclass(kind, (KeyboardInterrupt, SystemExit))
            self._pool.shutdown(wait=not interrupted, cancel_futures=True)  # threads would work on for minutes
