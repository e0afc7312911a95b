"""Threads that share the sentences of a batch.

Sentences are distributed in turn, and each writes its own rows: results do not depend on the number of threads.
"""

from collections.abc import Callable
from typing import Any

from headway.errors import UsageError
from headway.support.arguments import check_whole


class Threads:
    """A fixed number of threads that share work; with one, the caller does the work itself."""

    def __init__(self, number: int = 1) -> None:
        check_whole("threads", number)
        if number < 1:
            raise UsageError(f"threads must be at least 1, not {number}")
        self.number = number
        self._pool: Any = None
        if number > 1:
            from concurrent.futures import ThreadPoolExecutor  # imports logging: start-up takes longer

            self._pool = ThreadPoolExecutor(number)

    def deal(self, work: Callable[[int, int], None], *, sentences: int = 0, at_once: int = 1024) -> None:
        """Call ``work(first, stride)`` for every thread, to do every stride-th sentence, and wait for all.

        Parameters
        ----------
        sentences : int
            The number of sentences: if there are many, several calls share those of a thread.
        at_once : int
            The number of sentences per call, about: signals are handled between two calls.
        """
        parts = 1 + sentences // (at_once * self.number)
        if self._pool is None:
            for part in range(parts):
                work(part, parts)
        else:
            total = self.number * parts
            for _ in self._pool.map(work, range(total), [total] * total):
                pass

    def __enter__(self) -> "Threads":
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if self._pool is not None:
            interrupted = kind is not None and issubclass(kind, (KeyboardInterrupt, SystemExit))
            self._pool.shutdown(wait=not interrupted, cancel_futures=True)  # threads would work on for minutes
