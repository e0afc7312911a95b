"""Connections on which a request begins, and ends, in time, or which are closed."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


def connections(seconds: float) -> type[asyncio.Protocol]:
    """Return a protocol whose connections are closed when the head of a request takes longer than that to arrive.

    uvicorn itself waits for ever, so that whoever sends a header now and then would keep a connection for good.
    `headway.server.bodies.Intake` has the same limit for what follows the head.
    """

    class Connection(H11Protocol):
        """One connection."""

        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            """Begin to wait for a request."""
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            """Wait on, unless the head is complete."""
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            """Wait no more."""
            super().connection_lost(exc)
            self._stop()

        def _watch(self) -> None:
            if self.conn.their_state is not h11.IDLE:
                self._stop()
            elif self._timer is None:
                self._timer = self.loop.call_later(seconds, self.transport.close)

        def _stop(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return Connection
