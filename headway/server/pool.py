"""Worker processes and the queue before them.

Each process has a thread here that hands it batches and waits for the results. A process that dies, or works on a batch
for too long, is replaced; only the requests that it had are lost. Small jobs that wait together become one batch, so
batches grow with the load and nobody waits for one to fill.
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

from headway.processes import follow_parent, start_process
from headway.server.limits import Problem
from headway.server.metrics import Metrics
from headway.server.shared_models import SharedModel

Ticket = tuple[Any, Future[Any]]
"""A job and the promise of its result."""

log = logging.getLogger("headway.server")

_BATCH = 32 << 10
"""Bytes of jobs in a batch, unless a single one has more."""

_STARTING = 300.0
"""Seconds that a worker may take to load its models, and to compile kernels if it must."""

_GAP = 2
"""Seconds after which a client may try again."""


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
        The models, by their names.
    workers : int
        How many processes.
    seconds : float
        How long a process may work on a batch.
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
        """Whether a worker has ever been ready: one that died is being replaced."""
        return bool(self.processes)

    @property
    def failed(self) -> str | None:
        """The reason why a worker could not be started at all, if there is one."""
        return self._failed

    async def answer(self, job: Any) -> Any:
        """Have a job done.

        Raises
        ------
        Problem
            Where it cannot be done: a worker that died (503), too slow (503), or what is wrong with the job itself.
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
        """Finish what is waiting, then end all processes."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()

    def _serve(self, place: int) -> None:
        """Keep one process at work: what each thread does."""
        while not self._closing:
            try:
                process, connection = self._start()
            except OSError as error:  # of files, processes or memory there are none left for the moment
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
        """Start a process; no connection where it ended before it was ready."""
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
        """Wait for work; None when there will be no more, or the process has died while it waited."""
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
        """Take small jobs of the same order from the head of the queue."""
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
        """Have a process answer a batch; whether it can take another."""
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
            lost = Problem(503, "the process that worked on this has died; try again", retry_after=_GAP)
            answers, lives = [lost] * len(batch), False
        for (_, future), answer in zip(batch, answers, strict=True):
            future.set_result(answer)
        return lives


def _too_slow(seconds: float) -> Problem:
    return Problem(503, f"this took more than {seconds:g} seconds", retry_after=_GAP)
