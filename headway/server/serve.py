"""Run a server until it is asked to stop."""

import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

import uvicorn

from headway.errors import UsageError
from headway.parser import Parser
from headway.progress import Progress
from headway.server.app import make_app
from headway.server.catalogue import Catalogue
from headway.server.connections import connections
from headway.server.limits import Limits
from headway.server.metrics import Metrics
from headway.server.pool import Pool
from headway.server.service import Service
from headway.server.watch import log_to_stderr
from headway.warmup import warm_up_parser


def serve(
    models: Sequence[str],
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    workers: int = 1,
    limits: Limits | None = None,
    grace: float = 30.0,
    progress: Progress | None = None,
    started: Callable[[str], None] = lambda address: None,
    quiet: bool = False,
) -> None:
    """Serve models over HTTP until SIGINT or SIGTERM; requests accepted before that are still answered.

    Parameters
    ----------
    models : sequence of str
        Names or paths of models, or ``NAME=PATH``; the first model is the default.
    port : int
        The port; 0 for any free one.
    workers : int
        The number of worker processes.
    grace : float
        Seconds, after the signal to stop, for answering the requests accepted before it.
    started : callable
        Called with the server's address as soon as it listens.
    quiet : bool
        Log only warnings and errors.
    """
    limits, metrics = limits or Limits(), Metrics()
    catalogue = _load(models, progress or Progress())
    pool = Pool(catalogue.files, workers=workers, seconds=limits.seconds, metrics=metrics)
    app = make_app(Service(catalogue, pool, limits, metrics))
    listener = _listen(host, port)
    log_to_stderr(quiet=quiet)
    config = uvicorn.Config(
        app, http=connections(limits.seconds), log_config=None, access_log=False, lifespan="on",
        timeout_graceful_shutdown=int(grace), timeout_keep_alive=10, server_header=False,
    )  # fmt: skip
    name, number = listener.getsockname()[:2]
    started(f"http://[{name}]:{number}" if ":" in name else f"http://{name}:{number}")
    _Server(config).run([listener])


def _load(models: Sequence[str], progress: Progress) -> Catalogue:
    """Read the models, and compile their kernels; afterwards only the workers need them."""
    catalogue, loaded = Catalogue.load(models)
    for entry, model in zip(catalogue.entries, loaded, strict=True):
        parser = model if isinstance(model, Parser) else model.parser
        warm_up_parser(parser, progress, text=entry.reads_text, confidence=True)
    return catalogue


class _Server(uvicorn.Server):
    """A server that shuts down gracefully on SIGINT or SIGTERM, and at once on a second signal."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        before = {number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.handle_exit(number, frame)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(2048)
    except (OSError, OverflowError) as error:
        raise UsageError(f"cannot listen on {host}:{port}: {error}") from None
    return listener
