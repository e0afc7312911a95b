"""Worker processes and their queue.

For each process, a thread here sends it batches and waits for the results. A process that dies or takes too long for a
batch is replaced; only the requests in that batch are lost. Small jobs that are waiting at the same time are combined
into one batch, so batches grow with the load, but no job waits for a batch to fill.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from threading import Condition, Thread
from typing import Any

from headway.server.limits import Problem
from headway.server.metrics import Metrics
from headway.server.shared_models import SharedModel
from headway.support.processes import follow_parent, start_process

Ticket = tuple[Any, Future[Any]]
"""A job and the future of its result."""

log = logging.getLogger("headway.server")

_BATCH = 32 << 10
"""The maximum size in bytes of a batch of several jobs."""

_STARTING = 300.0
"""Seconds a worker may take to load its models and, if they are not cached, to compile kernels."""

_GAP = 2
"""Seconds before a failed start is retried; also the ``Retry-After`` of errors."""


def run_worker(connection: Connection, files: Mapping[str, SharedModel]) -> None:
    """Answer batches until the connection ends: the main function of a worker process."""
    follow_parent()
    from headway.server.work import Models

    models = Models(files)
    connection.send(None)
    while True:
        try:
            batch = connection.recv()
        except EOFError:
            return
        connection.send(models.answer(batch))


class Pool:
    """Worker processes.

    Parameters
    ----------
    files : mapping of str to SharedModel
        The model files by name.
    workers : int
        The number of processes.
    seconds : float
        The time limit for a batch.
    """

    def __init__(
        self,
        files: Mapping[str, SharedModel],
        *,
        workers: int,
        seconds: float,
        metrics: Metrics,
        main: Callable[[Connection, Mapping[str, SharedModel]], None] = run_worker,
    ) -> None:
        self._files, self._seconds, self._metrics, self._main = dict(files), seconds, metrics, main
        self._waiting: deque[Ticket] = deque()
        self._changed = Condition()
        self._closing = False
        self._failed: str | None = None
        self.processes: dict[int, BaseProcess] = {}
        self._threads = [Thread(target=self._serve, args=(place,), daemon=True) for place in range(workers)]

    def start(self) -> None:
        """Start all processes; they load their models in the background."""
        for thread in self._threads:
            thread.start()

    @property
    def ready(self) -> int:
        """The number of workers that can take work."""
        return int(self._metrics.value("headway_workers_ready"))

    @property
    def has_started(self) -> bool:
        """Whether any worker has ever been ready; if none is ready now, they are being replaced."""
        return bool(self.processes)

    @property
    def failed(self) -> str | None:
        """The reason why the last worker could not be started, if one could not."""
        return self._failed

    async def answer(self, job: Any) -> Any:
        """Queue a job and return its result.

        Raises
        ------
        Problem
            If the worker dies or takes too long (503), or for an error in the job itself.
        """
        future: Future[Any] = Future()
        with self._changed:
            if self._closing:
                raise Problem(503, "the server is shutting down", retry_after=_GAP)
            self._waiting.append((job, future))
            self._changed.notify()
        try:
            result = await asyncio.wait_for(asyncio.wrap_future(future), self._seconds)
        except TimeoutError:
            raise _too_slow(self._seconds) from None
        if isinstance(result, Problem):
            raise result
        return result

    def close(self) -> None:
        """Finish all jobs in the queue, then end the processes."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _serve(self, place: int) -> None:
        """Feed one process with batches, and replace it when it dies: the main function of each thread."""
        while not self._closing:
            try:
                process, connection = self._start()
            except OSError as error:  # out of file descriptors, processes or memory, perhaps only for a moment
                self._failed, connection = f"a worker could not be started ({error.strerror})", None
                log.error(self._failed)
            if connection is None:
                time.sleep(_GAP)
                continue
            self.processes[place] = process
            self._metrics.add("headway_workers_ready")
            try:
                while (batch := self._next_batch(process)) is not None and self._hand_over(batch, process, connection):
                    pass
            finally:
                self._metrics.add("headway_workers_ready", -1)
                connection.close()
                process.join(1.0)
                if process.is_alive():
                    process.kill()
                    process.join()

    def _start(self) -> tuple[BaseProcess, Connection | None]:
        """Start a process; return it with its connection, which is None if it ended before it was ready."""
        process, here = start_process(self._main, self._files)
        self._metrics.add("headway_worker_starts_total")
        try:
            if here.poll(_STARTING):
                here.recv()
                return process, here
        except (EOFError, OSError):
            pass
        process.kill()
        process.join()
        self._failed = f"a worker ended before it was ready (exit code {process.exitcode})"
        log.error(self._failed)
        return process, None

    def _next_batch(self, process: BaseProcess) -> list[Ticket] | None:
        """Wait for jobs and return a batch; None if the pool is closing or the process has died."""
        with self._changed:
            while process.is_alive():
                while self._waiting:
                    first = self._waiting.popleft()
                    if first[1].set_running_or_notify_cancel():
                        return [first, *self._companions(first[0])]
                if self._closing:
                    return None
                self._changed.wait(0.5)
            return None

    def _companions(self, job: Any) -> list[Ticket]:
        """Take small jobs with the same order from the head of the queue, to share a batch with `job`."""
        chosen: list[Ticket] = []
        size = job.size
        while self._waiting and self._waiting[0][0].order == job.order:
            size += self._waiting[0][0].size
            if size > _BATCH:
                break
            ticket = self._waiting.popleft()
            if ticket[1].set_running_or_notify_cancel():
                chosen.append(ticket)
        return chosen

    def _hand_over(self, batch: Sequence[Ticket], process: BaseProcess, connection: Connection) -> bool:
        """Send a batch to a process and set the results; return whether the process is still usable."""
        self._metrics.add("headway_batches_total")
        self._metrics.add("headway_batched_jobs_total", len(batch))
        answers: Sequence[Any]
        lives = True
        try:
            connection.send([job for job, _ in batch])
            if connection.poll(self._seconds):
                answers = connection.recv()
            else:
                process.kill()
                answers, lives = [_too_slow(self._seconds)] * len(batch), False
        except (EOFError, OSError):
            lost = Problem(503, "the worker process died while it processed this request; try again", retry_after=_GAP)
            answers, lives = [lost] * len(batch), False
        for (_, future), answer in zip(batch, answers, strict=True):
            future.set_result(answer)
        return lives


def _too_slow(seconds: float) -> Problem:
    return Problem(503, f"the request took more than {seconds:g} seconds", retry_after=_GAP)
