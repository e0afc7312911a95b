"""Close connections whose request headers do not arrive in time."""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


def connections(seconds: float) -> type[asyncio.Protocol]:
    """Return an HTTP protocol that closes a connection if the headers of a request are not complete in this time.

    uvicorn itself waits forever, so a client that sends a header now and then (slowloris) could hold a connection
    open. `headway.server.bodies.Intake` applies the same limit to the body.
    """

    class Connection(H11Protocol):
        """One connection, with a timer."""

        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            """Start the timer."""
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            """Stop the timer if the headers are complete."""
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            """Stop the timer."""
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
