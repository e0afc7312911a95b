"""Log and count all requests, without their content."""

import json
import logging
import sys
import time
from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headway.server.metrics import Metrics

log = logging.getLogger("headway.server")


class Watch:
    """Middleware that counts and logs requests and adds headers to all responses.

    Neither URLs nor bodies are logged, because both can contain a user's text.

    Parameters
    ----------
    routes : mapping of str to str
        The paths that appear in metrics and logs; all others are called ``other``.
    headers : mapping of str to str
        Headers to add to every response.
    """

    def __init__(self, app: ASGIApp, *, metrics: Metrics, routes: frozenset[str], headers: Mapping[str, str]) -> None:
        self._app, self._metrics, self._routes = app, metrics, routes
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status, received, sent = time.perf_counter(), 500, 0, 0

        async def counted_receive() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            return message

        async def counted_send(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message.get("headers", ()), *self._headers]}
            sent += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, counted_receive, counted_send)
        finally:
            seconds = time.perf_counter() - started
            route = scope["path"] if scope["path"] in self._routes else "other"
            method = scope["method"] if scope["method"] in ("GET", "POST", "OPTIONS", "HEAD") else "other"
            self._metrics.add("headway_requests_total", route=route, status=str(status))
            self._metrics.observe(seconds, route=route)
            facts = {"method": method, "route": route, "status": status, "seconds": round(seconds, 4)}
            log.info("request", extra={"facts": {**facts, "received": received, "sent": sent}})


class JsonLines(logging.Formatter):
    """Formats log records as one JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record; exceptions without their message, which can contain a user's text."""
        entry = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S%z"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            entry["exception"] = record.exc_info[0].__name__
            trace = record.exc_info[2]
            while trace is not None and trace.tb_next is not None:
                trace = trace.tb_next
            if trace is not None:
                entry["raised_at"] = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        return json.dumps(entry, ensure_ascii=False)


def log_to_stderr(*, quiet: bool) -> None:
    """Write the server's log to standard error; with `quiet`, only warnings and errors."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("headway.server", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.WARNING if quiet else logging.INFO)
