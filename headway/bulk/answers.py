"""Parse pieces in this process, in several processes or on a cluster, and return the results in order."""

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from typing import TypeVar

from headway.bulk.pieces import Piece
from headway.bulk.worker import Answer, Worker

T = TypeVar("T")


def answers(
    stream: Iterable[tuple[T, Piece]], worker: Worker, *, jobs: int = 1, cluster: str | None = None
) -> Generator[tuple[T, Piece, Answer]]:
    """Yield each target and piece of `stream` with the worker's answer, in order.

    Parameters
    ----------
    worker : Worker
        Parses the pieces: in this process with one job, or else as a copy in each of `jobs` processes.
    cluster : str, optional
        The address of a Ray cluster that parses the pieces instead; `jobs` = 0 means all its processors.

    Raises
    ------
    HeadwayError
        The first error of parsing or reading a piece, after the answers to all pieces before it.
    """
    if jobs == 1 and cluster is None:
        yield from ((target, piece, worker(piece)) for target, piece in stream)
        return
    from headway.support.processes import in_processes  # imported here: most runs need only one process

    waiting: deque[tuple[T, Piece]] = deque()

    def pieces() -> Iterator[Piece]:
        for pair in stream:
            waiting.append(pair)
            yield pair[1]

    if cluster is not None:
        from headway.bulk.cluster import connect, on_cluster

        processors = connect(cluster)
        results: Generator[Answer, None, None] = on_cluster(worker, pieces(), jobs or processors)
    else:
        results = in_processes(worker, pieces(), jobs)
    try:
        for answer in results:
            yield (*waiting.popleft(), answer)
    finally:
        results.close()
