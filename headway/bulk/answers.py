"""Pieces and their answers, in order."""

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from typing import TypeVar

from headway.bulk.pieces import Piece
from headway.bulk.worker import Answer, Worker

T = TypeVar("T")


def answers(
    stream: Iterable[tuple[T, Piece]], worker: Worker, *, jobs: int = 1, cluster: str | None = None
) -> Generator[tuple[T, Piece, Answer]]:
    """The pieces with their answers, in order; what stands beside a piece stays there.

    Parameters
    ----------
    worker : Worker
        Answers them itself, or is followed by so many of its kind in processes of their own.
    cluster : str, optional
        The address of a Ray cluster whose machines answer; `jobs` of 0 takes all their processors.

    Raises
    ------
    HeadwayError
        Whatever is wrong with a piece, or with what comes after it, once all before are answered.
    """
    if jobs == 1 and cluster is None:
        yield from ((beside, piece, worker(piece)) for beside, piece in stream)
        return
    from headway.processes import in_processes  # here: few need several

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
