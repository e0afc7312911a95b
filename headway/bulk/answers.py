"""Pieces and their answers, in order."""

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from typing import TypeVar

from headway.bulk.pieces import Piece
from headway.bulk.worker import Answer, Worker

T = TypeVar("T")


def answers(stream: Iterable[tuple[T, Piece]], worker: Worker, *, jobs: int = 1) -> Generator[tuple[T, Piece, Answer]]:
    """The pieces with their answers, in order; what stands beside a piece stays there.

    Parameters
    ----------
    worker : Worker
        Answers them itself, or is followed by so many of its kind in processes of their own.

    Raises
    ------
    HeadwayError
        Whatever is wrong with a piece, or with what comes after it, once all before are answered.
    """
    if jobs == 1:
        yield from ((beside, piece, worker(piece)) for beside, piece in stream)
        return
    from headway.processes import in_processes  # here: few need several

    waiting: deque[tuple[T, Piece]] = deque()

    def pieces() -> Iterator[Piece]:
        for pair in stream:
            waiting.append(pair)
            yield pair[1]

    results = in_processes(worker, pieces(), jobs)
    try:
        for answer in results:
            yield (*waiting.popleft(), answer)
    finally:
        results.close()
