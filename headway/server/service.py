"""Process requests: take a place in the queue, parse the input piece by piece, join the results."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from starlette.requests import Request

from headway.bulk.pieces import pieces_of
from headway.server.catalogue import Catalogue
from headway.server.jobs import Job, Order, Result
from headway.server.limits import GONE, Limits, Problem, too_many_words
from headway.server.metrics import Metrics
from headway.server.pool import Pool

T = TypeVar("T")


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Await `work`, but cancel it if the client disconnects; the request's body must have been received already.

    Raises
    ------
    Problem
        If the client disconnects; its jobs that still wait for a worker are dropped.
    """
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise Problem(GONE, "the client disconnected")
    finally:
        working.cancel()
        leaving.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class Service:
    """The state shared by all routes of a server."""

    def __init__(self, catalogue: Catalogue, pool: Pool, limits: Limits, metrics: Metrics) -> None:
        self.catalogue, self.pool, self.limits, self.metrics = catalogue, pool, limits, metrics
        self._in_progress = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold a place in the queue inside the ``async with`` block.

        Raises
        ------
        Problem
            If the queue is full (429), or no worker has started yet (503).
        """
        if self._in_progress >= self.limits.queue:
            raise Problem(429, "the server's queue is full: try again later", retry_after=1)
        if not self.pool.ready and not self.pool.has_started:
            raise Problem(503, "the server is starting", retry_after=2)
        self._in_progress += 1
        self.metrics.add("headway_requests_in_progress")
        try:
            yield
        finally:
            self._in_progress -= 1
            self.metrics.add("headway_requests_in_progress", -1)

    async def parse(self, order: Order, data: bytes, *, text: bool) -> Result:
        """Parse plain text or a table, one piece at a time so that other requests get their turn in between.

        Raises
        ------
        Problem
            If the input is invalid or too long, or if the server fails.
        """
        pieces = pieces_of(data, name="data", text=text)
        groups = [tuple(pieces)] if order.whole else ((piece,) for piece in pieces)
        result = Result("", {}, 0)
        written: list[str] = []
        for group in groups:
            job = Job(order, group, result.counts, self.limits.sentence, self.limits.words)
            step: Result = await self.pool.answer(job)
            written.append(step.text)
            result = Result("", step.counts, result.words + step.words)
            self.metrics.add("headway_words_total", step.words)
            if result.words > self.limits.words:
                raise too_many_words(self.limits.words)
        return Result("".join(written), result.counts, result.words)
